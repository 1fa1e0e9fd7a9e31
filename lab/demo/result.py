# SPDX-License-Identifier: GPL-2.0-or-later
"""What became of one flow through one queue, from the sink's log and the queue's counters.

Whether a packet was valid is judged by the sender's time stamp, the flow's lifetime and the
time of arrival, all on one clock; what the queue itself says counts only for the packets that
did not arrive.
"""
import csv
import json
import os

S, MS = 10**9, 10**6

# counters of lpd (include/uapi/linux/pkt_sched_lpd.h) for packets that never left it
STALE = ("stale_enqueue", "stale_dequeue", "stale_peek", "stale_purge", "stale_timer",
         "uncuttable")
LOST = ("overflow_limit", "overflow_memory", "nomem", "reset")


class Inconsistent(Exception):
    """The logs and the counters contradict each other."""


class Arrival:
    """A packet's first arrival: when it was sent and when it came, in ns."""

    def __init__(self, sent, received):
        self.sent = sent
        self.received = received


def read_log(path):
    """The arrivals in a sink's log by sequence number; of duplicates the first counts."""
    arrivals = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            arrivals.setdefault(int(row["sequence"]),
                                Arrival(int(row["sent_ns"]), int(row["received_ns"])))
    return arrivals


class Result:
    """One flow through one queue: what the guest noted of it, and its arrivals."""

    def __init__(self, notes, arrivals):
        self.flow, self.queue = notes["flow"], notes["queue"]
        self.lifetime = notes["lifetime_ms"] * MS
        self.spikes = [tuple(spike) for spike in notes["spikes_ns"]]
        self.sent = notes["sent"]
        self.counters = notes["counters"]
        self.sink = notes["sink"]
        self.arrivals = arrivals

    @property
    def name(self):
        return f"{self.flow}, {self.queue}"

    def remaining(self, arrival):
        """Lifetime that was left at arrival, below 0 for a stale packet."""
        return arrival.sent + self.lifetime - arrival.received

    def count(self, fresh):
        """How many packets arrived fresh, or stale."""
        return sum((self.remaining(a) >= 0) == fresh for a in self.arrivals.values())

    @property
    def valid(self):
        return self.count(True)

    @property
    def stale(self):
        return self.count(False)

    @property
    def is_lpd(self):
        return self.counters["kind"] == "lpd"

    @property
    def discarded(self):
        """Packets that the queue discarded as stale: drop-tail never does."""
        return sum(self.counters[name] for name in STALE) if self.is_lpd else 0

    @property
    def lost(self):
        """Packets that found the queue full."""
        if self.is_lpd:
            return sum(self.counters[name] for name in LOST)
        return self.counters["drops"]

    @property
    def queued(self):
        """Packets still in the queue at the end."""
        return self.counters["qlen"]

    def waits(self):
        """For each spike the ns from its end to the first fresh arrival, None if the next
        spike, or the end, came first."""
        ends = [begin for begin, _ in self.spikes[1:]] + [float("inf")]
        return [self._first_fresh(end, until) for (_, end), until in zip(self.spikes, ends)]

    def _first_fresh(self, since, until):
        fresh = [a.received - since for a in self.arrivals.values()
                 if since <= a.received < until and self.remaining(a) >= 0]
        return min(fresh, default=None)

    def check(self):
        """Every packet sent is accounted for once, and the sink agrees with its log."""
        where = f"{len(self.arrivals)} arrived + {self.discarded} discarded + " \
                f"{self.lost} lost + {self.queued} queued"
        self._equal(f"packets sent = {where}", self.sent,
                    len(self.arrivals) + self.discarded + self.lost + self.queued)
        if self.is_lpd:
            self._equal("packets offered to lpd", self.counters["packets_in"], self.sent)
        for word in ("valid", "stale"):
            self._equal(f"{word} packets by the sink's own count", self.sink[word],
                        getattr(self, word))

    def _equal(self, what, got, want):
        if got != want:
            raise Inconsistent(f"{self.name}: {what}: {got} is not {want}")


class Run:
    """The whole demo: when and where it ran, and its results."""

    def __init__(self, directory):
        with open(os.path.join(directory, "run.json")) as file:
            self.notes = json.load(file)
        self.start = self.notes["start_ns"]
        self.results = [Result(notes, read_log(os.path.join(directory, notes["log"])))
                        for notes in self.notes["copies"]]

    def check(self):
        for result in self.results:
            result.check()

    def of_flow(self, flow):
        return [r for r in self.results if r.flow == flow]

    @property
    def flows(self):
        return list(dict.fromkeys(r.flow for r in self.results))
