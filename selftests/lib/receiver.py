# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the acknowledgments of a TCP receiver. The acknowledgments are cumulative. The
acknowledgments may have SACK blocks (RFC 2018), DSACK for duplicates (RFC 2883), time stamps (RFC
7323 section 4.3) and the ECN echo (RFC 3168)."""
from .peer import timestamp
from .segments import CWR, ECE


class Receiver:
    """Receives segments in the order of their arrival."""

    def __init__(self, peer):
        self.peer = peer
        self.next, self.beyond = peer.acked, set()
        self.echo, self.marked = None, False

    def take(self, segment, mark=False):
        """Receive a segment, with or without an ECN mark. Returns whether the segment is the next
        segment in order and no later segment is missing."""
        number, expected = segment.number, segment.number == self.next
        self.twice = number < self.next or number in self.beyond
        self.marked = mark or self.marked and not segment.flags & CWR
        if self.peer.timestamps and number <= self.next and \
                (not self.echo or timestamp(segment) >= timestamp(self.echo)):
            self.echo = segment
        self.newest = number
        if not self.twice:
            self.beyond.add(number)
        while self.next in self.beyond:
            self.beyond.remove(self.next)
            self.next += 1
        return expected and not self.beyond

    def acknowledge(self):
        """Send the acknowledgment of the received segments."""
        self.peer.ack(self.next, *(self._blocks() if self.peer.sack_permitted else ()),
                      echo=self.echo, flags=ECE * self.marked)

    def _blocks(self):
        """As many SACK blocks as fit into the header, beginning with the newest."""
        blocks = []
        for number in sorted(self.beyond):
            if blocks and blocks[-1][1] == number:
                blocks[-1][1] += 1
            else:
                blocks.append([number, number + 1])
        blocks.sort(key=lambda block: not block[0] <= self.newest < block[1])
        if self.twice:
            blocks.insert(0, (self.newest, self.newest + 1))
        return blocks[:3 if self.peer.timestamps else 4]
