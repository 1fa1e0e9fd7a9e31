# SPDX-License-Identifier: GPL-2.0-or-later
"""A path with a delay, a bottleneck and losses, and a TCP receiver at its end. It acts as the peer
of a connection where a test needs no script, and is exact to the tick in simulated time."""
import collections
import heapq
import time

from . import receiver, tap
from .peer import S

# ns between two segments at the end of a fast path: which of two was sent first, and in time,
# RACK (RFC 8985) tells by the microsecond, and where computing takes no time many would share one
LEAST = 20_000


class Path:
    """The whole round-trip time is on the way there, and the receiver's acknowledgments arrive at
    once. rtt: the time without a queue. spacing: between two segments at the bottleneck. lose: how
    many transmissions of a segment will be lost. late: how much later than its turn a segment
    arrives, once. mark: segments that get an ECN mark, once. delay: of an acknowledgment of one
    segment, 0 to acknowledge each at once. All may be changed at any time."""

    def __init__(self, connection, rtt):
        self.socket, self.peer = connection.socket, connection.peer
        self.receiver = receiver.Receiver(self.peer)
        self.rtt, self.spacing, self.delay = rtt, LEAST, 0
        self.lose, self.late, self.mark = collections.Counter(), {}, set()
        self.segments, self.under_way = [], []
        self.last, self.delayed = 0, None

    def until(self, what, done, seconds=60):
        """Continue until done(info) of the socket's Info, which is checked after each segment and
        each acknowledgment. Returns the last Info before, and the first one for which it holds."""
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
        """A segment leaves it."""
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
