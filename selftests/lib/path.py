# SPDX-License-Identifier: GPL-2.0-or-later
"""A network path with a delay, a bottleneck and losses, and a TCP receiver at its end. The path can
be the peer of a connection if a test needs no script. In simulated time all times are exact to the
tick."""
import collections
import heapq
import time

from . import receiver, tap
from .peer import S

# The minimum time between two segments at the end of a path, in ns. RACK (RFC 8985) compares the
# times at which segments were sent, in microseconds. Without this constant, many segments would be
# sent in the same microsecond of simulated time.
LEAST = 20_000


class Path:
    """The path. A segment arrives after the whole round-trip time, and its acknowledgment arrives
    immediately. A test may change the following attributes at any time. `rtt` is the round-trip
    time without a queue, in ns. `spacing` is the time between two segments at the bottleneck, in
    ns. `lose` maps a segment's number to the number of its transmissions that are lost. `late` maps
    a segment's number to an extra delay in ns, which happens once. `mark` contains the numbers of
    segments that receive an ECN mark once. `delay` is the time for which an acknowledgment waits
    for a second segment, in ns. If `delay` is 0, each segment is acknowledged immediately."""

    def __init__(self, connection, rtt):
        self.socket, self.peer = connection.socket, connection.peer
        self.receiver = receiver.Receiver(self.peer)
        self.rtt, self.spacing, self.delay = rtt, LEAST, 0
        self.lose, self.late, self.mark = collections.Counter(), {}, set()
        self.segments, self.under_way = [], []
        self.last, self.delayed = 0, None

    def until(self, what, done, seconds=60):
        """Run the path until done(info) is true for the socket's Info. The function checks the Info
        after each segment and each acknowledgment. Returns the last Info for which done() was
        false, and the first Info for which done() is true."""
        end, before = time.monotonic_ns() + seconds * S, self.socket.info()
        while not done(info := self.socket.info()):
            if time.monotonic_ns() >= end:
                raise tap.Failed(f"{what}: not within {seconds} s: {info}")
            before = info
            self._step(end)
        return before, info

    def run(self, duration):
        """Run the path for `duration` ns."""
        end = time.monotonic_ns() + duration
        while time.monotonic_ns() < end:
            self._step(end)

    def sent(self, number):
        """The number of times that a segment was sent."""
        return sum(segment.number == number for segment in self.segments)

    def _step(self, end):
        """Handle the next event, if it occurs before `end`."""
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
