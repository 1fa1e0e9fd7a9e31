# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams with a lifetime. Whether one was valid is judged by the sender's time stamp, the
flow's lifetime and the time of arrival, all on one clock."""
import csv
import os

from result import MS, Result


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


class Arrivals:
    """The packets that arrived; those of use were valid, the others stale."""

    def __init__(self, log, lifetime_ms):
        self.packets = sorted(log.values(), key=lambda a: a.received)
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
    def last(self):
        return self.packets[-1].received

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

    def waits(self):
        """For each spike the ns from its end to the first fresh arrival, None if the next
        spike, or the end, came first."""
        ends = [begin for begin, _ in self.spikes[1:]] + [float("inf")]
        return [self.arrivals.first_fresh(end, until)
                for (_, end), until in zip(self.spikes, ends)]

    def check(self):
        """The sink agrees with its log, too."""
        super().check()
        for word in ("valid", "stale"):
            self.equal(f"{word} packets by the sink's own count", self.sink[word],
                       getattr(self, word))
