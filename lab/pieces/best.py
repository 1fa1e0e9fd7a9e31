# SPDX-License-Identifier: GPL-2.0-or-later
"""The largest number of packets that a queue could deliver in time over a link with delay spikes, if
the queue knew lifetimes, spikes, rate and buffer in advance.

The transmission of each packet takes the same time, and packets expire in their order of arrival.
So the best strategy is to send the packets in this order, each as soon as the link is free, and to
skip packets that would be late. If the buffer is full, the packet that expires first has the
smallest chance to be in time, and is dropped. test_pieces.py compares this result with all other
choices."""
import bisect
import collections
import itertools


class WorkingTime:
    """Converts a time to working time, which leaves out the spikes before this time."""

    def __init__(self, spikes):
        self.spikes = spikes
        self.starts = [spike.start for spike in spikes]
        self.lost = [0, *itertools.accumulate(spike.length for spike in spikes)]

    def __call__(self, moment):
        number = bisect.bisect_left(self.starts, moment)
        late = max(0, self.spikes[number - 1].end - moment) if number else 0
        return moment - self.lost[number] + late


class _Link:
    """The link and its queue. All times are working times (see WorkingTime)."""

    def __init__(self, service, buffer):
        self.service, self.buffer = service, buffer
        self.waiting = collections.deque()      # (arrival, expiry)
        self.free = self.sent = 0

    def serve(self, now):
        """Send all packets whose transmission begins at or before `now`."""
        while self.waiting and self.free <= now:
            came, expires = self.waiting.popleft()
            end = max(self.free, came) + self.service
            if end <= expires:
                self.free = end
                self.sent += 1

    def take(self, came, expires):
        """Add a packet that arrives at the queue."""
        self.serve(came)
        self.waiting.append((came, expires))
        self.serve(came)
        if self.buffer is not None and len(self.waiting) > self.buffer:
            self.waiting.popleft()


def in_time(packets, spikes, service, buffer=None):
    """Return the number of packets that can be sent in time. A packet is a pair: the time of its
    arrival at the queue, and the time by which its last bit must be sent. The packets are sorted.
    `service` is the transmission time of a packet. `buffer` is the number of packets that can be
    queued while another packet is being sent. If `buffer` is None, any number of packets can be
    queued."""
    working, link = WorkingTime(spikes), _Link(service, buffer)
    for came, expires in packets:
        link.take(working(came), working(expires))
    link.serve(float("inf"))
    return link.sent
