# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP download. Sequence numbers at the receiver's device show which packets arrived again. The
receiving kernel also counts these packets, except a SYN."""
import csv
import os
from typing import NamedTuple

from demo.result import Result

FIN, SYN = 1, 2


class Segment(NamedTuple):
    """The arrival of a packet. The time is in ns. Sequence numbers count from the connection's first."""

    received_ns: int
    sequence: int
    bytes: int
    flags: int

    @property
    def space(self):
        """The number of sequence numbers in the packet. SYN and FIN have one each."""
        return self.bytes + bool(self.flags & SYN) + bool(self.flags & FIN)

    @property
    def end(self):
        return self.sequence + self.space


def write_log(path, segments):
    with open(path, "w", newline="") as file:
        log = csv.writer(file)
        log.writerow(Segment._fields)
        log.writerows(segments)


def read_log(path):
    with open(path, newline="") as file:
        return [Segment(*map(int, row)) for row in list(csv.reader(file))[1:]]


class Arrivals:
    """The packets that arrived, in order. "again" has the packets of which every byte had arrived
    before. "once" has all other packets."""

    def __init__(self, segments):
        self.once, self.again = [], []
        seen = bytearray(max((s.end for s in segments), default=0))
        for s in segments:
            known = sum(seen[s.sequence:s.end])
            (self.again if s.space and known == s.space else self.once).append(s)
            seen[s.sequence:s.end] = bytes([1]) * s.space
        controls = {s.sequence for s in segments if s.flags & SYN} | \
            {s.end - 1 for s in segments if s.flags & FIN}
        self.delivered = sum(seen) - len(controls)      # bytes of data

    @property
    def useful(self):
        return len(self.once)

    @property
    def useless(self):
        return len(self.again)

    @property
    def last(self):
        return max(s.received_ns for s in self.once + self.again)


class TcpResult(Result):
    """A download through one queue."""

    kind = "TCP"

    def __init__(self, notes, arrivals):
        super().__init__(notes, arrivals)
        self.source = notes["source"]
        self.counted = notes["duplicates"]
        self.timeouts = notes["timeouts"]

    @classmethod
    def load(cls, notes, directory):
        return cls(notes, Arrivals(read_log(os.path.join(directory, notes["log"]))))

    @property
    def once(self):
        return self.arrivals.useful

    @property
    def duplicates(self):
        return self.arrivals.useless

    def check(self):
        """Also check that the numbers of bytes written and read, and the receiving kernel's count
        of duplicates, agree with the log of arrivals. The kernel does not count a SYN that arrives
        again, because it sends no DSACK for it."""
        super().check()
        self.equal("duplicates by the receiving kernel's count", self.counted,
                   sum(not s.flags & SYN for s in self.arrivals.again))
        for who, end in (("written", self.source), ("read", self.sink)):
            self.equal(f"bytes {who}", end["bytes"], self.arrivals.delivered)
