# SPDX-License-Identifier: GPL-2.0-or-later
"""The most that any queue could deliver in time over a link with delay spikes: what lifetime,
spikes, rate and buffer leave possible, for one that knows all of it beforehand.

All packets take equally long to send, and the earlier one comes the earlier it expires. So it is
best to send them in that order, each as soon as the link is free, but none that would be late;
where there is no room, the one that expires first has the least chance. (test_pieces.py compares
that with all other choices.)"""
import bisect
import collections
import itertools


class WorkingTime:
    """How long the link has worked by a moment: without the spikes until then."""

    def __init__(self, spikes):
        self.spikes = spikes
        self.starts = [spike.start for spike in spikes]
        self.lost = [0, *itertools.accumulate(spike.length for spike in spikes)]

    def __call__(self, moment):
        number = bisect.bisect_left(self.starts, moment)
        late = max(0, self.spikes[number - 1].end - moment) if number else 0
        return moment - self.lost[number] + late


class _Link:
    """The link and its queue; all times are working times."""

    def __init__(self, service, buffer):
        self.service, self.buffer = service, buffer
        self.waiting = collections.deque()      # (came, expires)
        self.free = self.sent = 0

    def serve(self, now):
        """What begins to be sent by now."""
        while self.waiting and self.free <= now:
            came, expires = self.waiting.popleft()
            end = max(self.free, came) + self.service
            if end <= expires:
                self.free = end
                self.sent += 1

    def take(self, came, expires):
        """A packet comes."""
        self.serve(came)
        self.waiting.append((came, expires))
        self.serve(came)
        if self.buffer is not None and len(self.waiting) > self.buffer:
            self.waiting.popleft()


def in_time(packets, spikes, service, buffer=None):
    """How many of some packets can be sent in time. A packet is when it comes to the queue, and
    by when its last bit has to be sent, in order; service is how long that takes a packet. buffer
    is how many can wait beside the one that is being sent, None for any number."""
    working, link = WorkingTime(spikes), _Link(service, buffer)
    for came, expires in packets:
        link.take(working(came), working(expires))
    link.serve(float("inf"))
    return link.sent
