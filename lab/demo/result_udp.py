# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams with a lifetime. Whether one was valid is judged by the sender's time stamp, the
flow's lifetime and the time of arrival, all on one clock."""
import csv
import os

from demo.result import MS, Result


class Arrival:
    """A packet's first arrival: when it was sent and when it came, in ns, and whether only
    headers were left of it."""

    def __init__(self, row):
        self.sent = int(row["sent_ns"])
        self.received = int(row["received_ns"])
        self.is_cut = row["headers"] == "1"


def read_log(path):
    """The arrivals in a sink's log by sequence number; of duplicates the first counts."""
    arrivals = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            arrivals.setdefault(int(row["sequence"]), Arrival(row))
    return arrivals


class Arrivals:
    """The packets that arrived: those of use were valid, others stale; of the rest there were
    headers only."""

    def __init__(self, log, lifetime_ms):
        arrived = sorted(log.values(), key=lambda a: a.received)
        self.packets = [a for a in arrived if not a.is_cut]
        self.cut = [a for a in arrived if a.is_cut]
        self.lifetime = lifetime_ms * MS

    def remaining(self, arrival):
        """Lifetime that was left at arrival, below 0 for a stale packet."""
        return arrival.sent + self.lifetime - arrival.received

    @property
    def useful(self):
        return sum(self.remaining(a) >= 0 for a in self.packets)

    @property
    def useless(self):
        return len(self.packets) - self.useful

    @property
    def headers(self):
        return len(self.cut)

    @property
    def last(self):
        return max(a.received for a in self.packets + self.cut)

    def first_fresh(self, since, until):
        """ns from one time to the first fresh arrival before another, None without one."""
        fresh = [a.received - since for a in self.packets
                 if since <= a.received < until and self.remaining(a) >= 0]
        return min(fresh, default=None)


class UdpResult(Result):
    """A flow of datagrams through one queue."""

    kind = "UDP"

    @classmethod
    def load(cls, notes, directory):
        log = read_log(os.path.join(directory, notes["log"]))
        return cls(notes, Arrivals(log, notes["lifetime_ms"]))

    @property
    def valid(self):
        return self.arrivals.useful

    @property
    def stale(self):
        return self.arrivals.useless

    @property
    def headers(self):
        return self.arrivals.headers

    def waits(self):
        """For each spike the ns from its end to the first fresh arrival, None if the next
        spike, or the end, came first."""
        ends = [begin for begin, _ in self.spikes[1:]] + [float("inf")]
        return [self.arrivals.first_fresh(end, until)
                for (_, end), until in zip(self.spikes, ends)]

    def check(self):
        """Sinks agree with their logs, too, and headers came of packets that the queue cut."""
        super().check()
        self.check_sinks()
        cut = self.counters["truncated"] if self.is_lpd else 0
        self.equal("headers of packets that the queue did not cut", max(0, self.headers - cut), 0)
        missing = cut - self.headers - self.lost - self.queued
        self.equal("packets that the queue cut, neither here nor lost", max(0, missing), 0)

    def check_sinks(self):
        self.check_sink("", self.sink, self.arrivals)

    def check_sink(self, whose, sink, arrivals):
        """A sink's own counts are those of its log."""
        for word, number in (("valid", arrivals.useful), ("stale", arrivals.useless),
                             ("headers", arrivals.headers)):
            self.equal(f"{whose}{word} packets by the sink's own count", sink[word], number)
