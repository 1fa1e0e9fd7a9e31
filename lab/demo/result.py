# SPDX-License-Identifier: GPL-2.0-or-later
"""The fate of the packets of one flow through one queue. The queue's own counters are used only for
packets that did not arrive."""
# counters of lpd (include/uapi/linux/pkt_sched_lpd.h) for packets that never left it
STALE = ("stale_enqueue", "stale_dequeue", "stale_peek", "stale_purge", "stale_timer",
         "uncuttable")
LOST = ("adu", "overflow_limit", "overflow_memory", "nomem", "reset", "class_drops")


class Inconsistent(Exception):
    """The logs and the counters contradict each other."""


class Result:
    """The guest's notes about a flow, and its arrivals. Each kind of flow has its own class of arrivals,
    with the numbers of packets "useful" and "useless" and the time "last"."""

    headers = 0         # packets of which only the headers arrived
    filtered = 0        # packets that the next network filters out

    def __init__(self, notes, arrivals):
        self.flow, self.queue = notes["flow"], notes["queue"]
        self.spikes = [tuple(spike) for spike in notes["spikes_ns"]]
        self.sent = notes["sent"]
        self.counters = notes["counters"]
        self.sink = notes["sink"]
        self.arrivals = arrivals

    @property
    def name(self):
        return f"{self.flow}, {self.queue}"

    @property
    def arrived(self):
        return self.arrivals.useful + self.arrivals.useless + self.headers

    @property
    def is_lpd(self):
        return self.counters["kind"] == "lpd"

    @property
    def discarded(self):
        """Packets that the queue discarded as stale. Drop-tail discards none."""
        return sum(self.counters[name] for name in STALE) if self.is_lpd else 0

    @property
    def lost(self):
        """Packets that the queue dropped for another reason, nearly always because it was full."""
        if self.is_lpd:
            return sum(self.counters[name] for name in LOST)
        return self.counters["drops"]

    @property
    def queued(self):
        """The number of packets that are still in the queue at the end."""
        return self.counters["qlen"]

    @property
    def is_over(self):
        """Whether every packet has arrived or was discarded, lost or dropped."""
        return self.sent <= self.arrived + self.discarded + self.lost + self.filtered

    def check(self):
        """Check that every sent packet is counted exactly once."""
        where = f"{self.arrived} arrived + {self.discarded} discarded + " \
                f"{self.lost} lost + {self.queued} queued" + \
                (f" + {self.filtered} dropped behind it" if self.filtered else "")
        self.equal(f"packets sent = {where}", self.sent,
                   self.arrived + self.discarded + self.lost + self.queued + self.filtered)
        if self.is_lpd:
            self.equal("packets offered to lpd", self.counters["packets_in"], self.sent)

    def equal(self, what, got, want):
        if got != want:
            raise Inconsistent(f"{self.name}: {what}: {got} is not {want}")
