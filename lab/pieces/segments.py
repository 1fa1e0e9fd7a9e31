# SPDX-License-Identifier: GPL-2.0-or-later
"""What a TCP connection did, by the packets that were seen at both of its ends."""
import collections
import struct
from typing import NamedTuple

from lib import sniff

LENGTH, PROTOCOL, TCP = 40, 9, 6
FIN, SYN = 1, 2
TIMER = 10**6       # ns after the last acknowledgement: what is sent then no acknowledgement caused


class Segment(NamedTuple):
    """A packet with data, or a pure acknowledgement (0 bytes). Its time is CLOCK_REALTIME in ns,
    copy the IP header's identification, which tells a segment from its retransmissions."""

    when: int
    outgoing: bool
    copy: int
    sequence: int
    bytes: int


class Wire(sniff.Sniffer):
    """All that a device sends or receives, of TCP over IPv4."""

    def segments(self):
        """connections(), where there was one."""
        return next(iter(self.connections().values()), [])

    def connections(self):
        """What has been seen since the last call, but for SYNs and FINs without data: the segments of
        each connection by its ports."""
        found, first = collections.defaultdict(list), {}
        while True:
            try:
                data, ancillary, _, address = self.sock.recvmsg(self.header + 2 * LENGTH, 64)
            except BlockingIOError:
                self.lossless()
                return found
            packet = data[self.header:]
            if packet[PROTOCOL] != TCP:
                continue
            outgoing = address[2] == sniff.PACKET_OUTGOING
            ports, segment = self._segment(packet, self._when(ancillary) + self.offset, outgoing, first)
            if segment:
                found[ports].append(segment)

    @staticmethod
    def _segment(packet, when, outgoing, first):
        """Sequence numbers count from the direction's first, which is the SYN's."""
        length, copy = struct.unpack_from("!HH", packet, 2)
        start = (packet[0] & 15) * 4
        *pair, number = struct.unpack_from("!HHI", packet, start)
        ports = tuple(sorted(pair))
        size = length - start - (packet[start + 12] >> 4) * 4
        number = (number - first.setdefault((ports, outgoing), number)) % 2**32
        if packet[start + 13] & (SYN | FIN) and not size:
            return ports, None
        return ports, Segment(when, outgoing, copy, number, size)


def again(arrivals):
    """The segments with data of which every byte had arrived before, in their order."""
    seen, found = bytearray(max((s.sequence + s.bytes for s in arrivals), default=0)), []
    for s in arrivals:
        if s.bytes and not seen.count(0, s.sequence, s.sequence + s.bytes):
            found.append(s)
        seen[s.sequence:s.sequence + s.bytes] = b"\1" * s.bytes
    return found


def retransmissions(seen, quiet=TIMER):
    """Of the segments seen at the sender, those sent whole before, and whether a timer did it: no
    acknowledgement had come for so long. Where what one causes waits for a slow wire, that is longer."""
    sent, acknowledged, found = 0, 0, []
    for s in seen:
        if not s.outgoing:
            acknowledged = s.when
        elif s.bytes and s.sequence + s.bytes <= sent:
            found.append((s, s.when - acknowledged > quiet))
        sent = max(sent, s.sequence + s.bytes) if s.outgoing else sent
    return found


def timeouts(seen, arrivals, quiet=TIMER):
    """(all, spurious): retransmissions by a timer, and those of them of which an earlier copy
    arrives, sooner or later: nothing was lost."""
    expired = [s for s, timer in retransmissions(seen, quiet) if timer]
    arrived = {}
    for s in arrivals:
        arrived.setdefault(s.sequence, []).append(s.copy)
    copies = {}
    for s in seen:
        if s.outgoing and s.bytes:
            copies.setdefault(s.sequence, []).append(s)
    spurious = [s for s in expired
                if any(earlier.when < s.when and earlier.copy in arrived.get(s.sequence, ())
                       for earlier in copies[s.sequence])]
    return len(expired), len(spurious)


def idle(seen, quiet=TIMER):
    """ns that the sender waited for its timer: since the packet before each retransmission by it."""
    expired = {s for s, timer in retransmissions(seen, quiet) if timer}
    return sum(s.when - before.when for before, s in zip(seen, seen[1:]) if s in expired)


def summary(seen, arrivals, quiet=TIMER):
    """Numbers of segments with data: sent, those of them sent again, arrived, and those of them
    that had arrived before; of timeouts, and of spurious ones."""
    data = [s for s in arrivals if s.bytes and not s.outgoing]
    expired, spurious = timeouts(seen, data, quiet)
    return {"sent": sum(s.outgoing and s.bytes > 0 for s in seen),
            "retransmitted": len(retransmissions(seen)), "arrived": len(data),
            "again": len(again(data)), "timeouts": expired, "spurious": spurious}
