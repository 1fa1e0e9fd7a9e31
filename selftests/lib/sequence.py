# SPDX-License-Identifier: GPL-2.0-or-later
"""A model of the order in which packets leave lpd. The model has a list of positions, which it
searches from the beginning. Packets of the model do not expire. The model is slow, and differs in
design from the kernel's code."""
import time

from . import bench, packet as pkt

# FAR: all deadlines are at least FAR ms in the future, so that no packet expires.
FAR = 3600_000


class Deadlines:
    """Makes deadlines relative to one start time, in ms. Two deadlines with the same number are
    equal in the kernel."""

    def __init__(self):
        self.start = time.time()

    def at(self, ms):
        return pkt.absolute(FAR + ms, self.start)


class Blocks:
    """The packets of a flow, divided into blocks. The number of packets in a block is at most the
    smallest `reorder` value in the block. The order treats a packet as if its deadline were later
    than all deadlines in earlier blocks."""

    def __init__(self):
        self.blocks = [[]]

    def order(self, key, reorder):
        if len(self.blocks[-1]) >= min([reorder, *(other for _, other in self.blocks[-1])]):
            self.blocks.append([])
        earlier = [order for block in self.blocks[:-1] for order, _ in block]
        self.blocks[-1].append((max([key, *[order + 1 for order in earlier]]), reorder))
        return self.blocks[-1][-1][0]


class Packet:
    """A packet of the model. If the packet has no key, it keeps its position. A cut packet does not
    expire."""

    def __init__(self, number, arrival, key, flow, reorder):
        self.number, self.arrival, self.cut = number, arrival, False
        self.key, self.flow, self.reorder, self.order = key, flow, reorder, None

    @property
    def moves(self):
        return self.key is not None

    @property
    def expires(self):
        return self.moves and not self.cut

    def rank(self):
        return self.order, self.key, self.arrival


class Sequence:
    """The model of the queue. `places` contains the packets from the first to the last. `reordered`
    counts the packets that left after a packet that had arrived later."""

    def __init__(self, order=bench.EDF):
        self.edf = order == bench.EDF
        self.places, self.flows, self.reordered = [], {}, 0
        self.arrivals = self.latest = 0

    def arrive(self, number, key=None, flow=None, reorder=255, cut=False):
        self.arrivals += 1
        self.places.append(Packet(number, self.arrivals, key, flow, reorder))
        self.places[-1].cut = cut
        self._put(self.places[-1], self.places[:-1])

    def _put(self, packet, before):
        if not packet.moves:
            return
        if not any(other.moves and other.flow == packet.flow for other in before):
            self.flows[packet.flow] = Blocks()
        packet.order = self.flows[packet.flow].order(packet.key, packet.reorder)

    def change(self, order):
        """Change the order. The packets that may exchange positions return to the order of arrival.
        The function then orders these packets again."""
        moving = iter(sorted((packet for packet in self.places if packet.moves),
                             key=lambda packet: packet.arrival))
        self.places = [next(moving) if packet.moves else packet for packet in self.places]
        self.edf, self.latest = order == bench.EDF, 0
        for at, packet in enumerate(self.places):
            self._put(packet, self.places[:at])

    def first_to_expire(self):
        """The packet that expires first, or None if no packet may expire."""
        return min((packet for packet in self.places if packet.expires),
                   key=lambda packet: (packet.key, packet.arrival), default=None)

    def cut(self, *numbers):
        """Record that lpd has cut the packets `numbers`."""
        for packet in self.places:
            packet.cut = packet.cut or packet.number in numbers

    def next(self):
        """The packet that leaves next."""
        head = self.places[0]
        if not self.edf or not head.moves:
            return head
        return min((packet for packet in self.places if packet.moves), key=Packet.rank)

    def leave(self):
        """Let the next packet leave. Returns the number of the packet."""
        head, packet = self.places[0], self.next()
        self.places[self.places.index(packet)] = head
        self.places.pop(0)
        if self.edf and packet.moves:
            self.reordered += packet.arrival < self.latest
            self.latest = max(self.latest, packet.arrival)
        return packet.number

    def numbers(self):
        """The numbers of all packets that leave until the queue is empty."""
        return [self.leave() for _ in range(len(self.places))]
