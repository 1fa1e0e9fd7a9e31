# SPDX-License-Identifier: GPL-2.0-or-later
"""A path with a delay, a bottleneck and losses, and a TCP receiver at its end. It acts as the peer
of a connection where a test needs no script, and is exact to the tick in simulated time."""
import collections
import heapq
import time

from . import receiver, tap
from .peer import S

# ns between two segments at the end of a fast path. RACK (RFC 8985) compares the microseconds at
# which segments were sent. In simulated time, many segments would share a microsecond otherwise.
LEAST = 20_000


class Path:
    """A segment arrives after the whole round-trip time, and an acknowledgment arrives at once.
    rtt: ns without a queue. spacing: ns between two segments at the bottleneck. lose: how many
    transmissions of a segment are lost. late: by how many ns a segment arrives later than its turn,
    once. mark: segments that get an ECN mark, once. delay: ns by which an acknowledgment waits for
    a second segment, 0 to acknowledge each segment at once. All may be changed at any time."""

    def __init__(self, connection, rtt):
        self.socket, self.peer = connection.socket, connection.peer
        self.receiver = receiver.Receiver(self.peer)
        self.rtt, self.spacing, self.delay = rtt, LEAST, 0
        self.lose, self.late, self.mark = collections.Counter(), {}, set()
        self.segments, self.under_way = [], []
        self.last, self.delayed = 0, None

    def until(self, what, done, seconds=60):
        """Continue until done(info) holds for the socket's Info, which is checked after each
        segment and each acknowledgment. Returns the last Info for which it did not hold, and the
        first for which it does."""
        end, before = time.monotonic_ns() + seconds * S, self.socket.info()
        while not done(info := self.socket.info()):
            if time.monotonic_ns() >= end:
                raise tap.Failed(f"{what}: not within {seconds} s: {info}")
            before = info
            self._step(end)
        return before, info

    def run(self, duration):
        """Continue for this many ns."""
        end = time.monotonic_ns() + duration
        while time.monotonic_ns() < end:
            self._step(end)

    def sent(self, number):
        """How often a segment was sent."""
        return sum(segment.number == number for segment in self.segments)

    def _step(self, end):
        """The next event, if it happens before `end`."""
        due = min([end, *([self.under_way[0][0]] if self.under_way else []),
                   *([self.delayed] if self.delayed else [])])
        segment = self.peer.receive(due)
        if segment:
            self._send(segment)
        elif self.under_way and self.under_way[0][0] == due:
            self._arrive(*heapq.heappop(self.under_way))
        elif self.delayed == due:
            self._acknowledge(due)

    def _send(self, segment):
        """A segment enters the path."""
        self.segments.append(segment)
        if self.lose[segment.number]:
            self.lose[segment.number] -= 1
            return
        self.last = max(self.last + self.spacing, segment.when + self.rtt)
        when = self.last + self.late.pop(segment.number, 0)
        heapq.heappush(self.under_way, (when, len(self.segments), segment))

    def _arrive(self, when, _, segment):
        """A segment leaves the path."""
        marked = segment.number in self.mark
        self.mark.discard(segment.number)
        in_turn = self.receiver.take(segment, marked)
        if in_turn and self.delay and not self.delayed:
            self.delayed = when + self.delay
        else:
            self._acknowledge(when)

    def _acknowledge(self, when):
        self.delayed, self.peer.now = None, when
        self.receiver.acknowledge()
