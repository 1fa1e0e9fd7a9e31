# SPDX-License-Identifier: GPL-2.0-or-later
"""The most packets that any queue could deliver in time over a link with delay spikes: a queue that
knows lifetimes, spikes, rate and buffer in advance.

All packets take equally long to send, and packets expire in their order of arrival. So it is best to
send them in this order, each as soon as the link is free, but none that would be late. If the buffer
is full, the packet that expires first has the least chance and is dropped. (test_pieces.py compares
this with all other choices.)"""
import bisect
import collections
import itertools


class WorkingTime:
    """How long the link has worked until a given time, not counting the spikes."""

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
        self.waiting = collections.deque()      # (arrival, expiry)
        self.free = self.sent = 0

    def serve(self, now):
        """Send the packets whose transmission begins until now."""
        while self.waiting and self.free <= now:
            came, expires = self.waiting.popleft()
            end = max(self.free, came) + self.service
            if end <= expires:
                self.free = end
                self.sent += 1

    def take(self, came, expires):
        """A packet arrives at the queue."""
        self.serve(came)
        self.waiting.append((came, expires))
        self.serve(came)
        if self.buffer is not None and len(self.waiting) > self.buffer:
            self.waiting.popleft()


def in_time(packets, spikes, service, buffer=None):
    """How many of the packets can be sent in time. A packet is a pair: the time of its arrival at the
    queue, and the time by which its last bit must be sent. Packets are sorted. `service` is the time
    that the transmission of a packet takes. `buffer` is the number of packets that can wait while
    another packet is being sent; None means any number."""
    working, link = WorkingTime(spikes), _Link(service, buffer)
    for came, expires in packets:
        link.take(working(came), working(expires))
    link.serve(float("inf"))
    return link.sent
