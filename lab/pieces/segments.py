# SPDX-License-Identifier: GPL-2.0-or-later
"""Retransmissions, duplicates and timeouts of a TCP connection, from captures at its sender and its
receiver."""
import collections
import struct
from typing import NamedTuple

from lib import sniff

LENGTH, PROTOCOL, TCP = 40, 9, 6
FIN, SYN, ACK = 1, 2, 16
TIMER = 10**6       # ns; a retransmission later than this after the last acknowledgement was caused by
                    # a timer


class Segment(NamedTuple):
    """A packet with data, or a pure acknowledgement (0 bytes). `when` is CLOCK_REALTIME in ns. `copy`
    is the identification in the IP header; it differs between a segment and its retransmissions."""

    when: int
    outgoing: bool
    copy: int
    sequence: int
    bytes: int


class Wire(sniff.Sniffer):
    """Captures the segments of TCP over IPv4 that a device sends or receives."""

    def __init__(self, ns, device, header=14):
        # a sniffer for outgoing frames receives the frames of both directions
        super().__init__(ns, device, outgoing=True, header=header)

    def segments(self):
        """Return the segments of the only connection since the last call."""
        return next(iter(self.connections().values()), [])

    def connections(self):
        """Return the segments of each connection since the last call (Connections)."""
        connections = Connections()
        while True:
            try:
                data, ancillary, _, address = self.sock.recvmsg(self.header + 2 * LENGTH, 64)
            except BlockingIOError:
                self.lossless()
                return connections.found
            packet = data[self.header:]
            if packet[PROTOCOL] == TCP:
                connections.add(packet, self._when(ancillary) + self.offset,
                                address[2] == sniff.PACKET_OUTGOING)


class Connections:
    """The segments of each connection, without SYNs and FINs that carry no data. A connection is known
    by its ports and the number of its SYN, because a later connection may have the same ports."""

    def __init__(self):
        self.found = collections.defaultdict(list)
        self.opened = {}        # {ports: number of the last SYN}
        self.first = {}         # {(connection, outgoing): first number}

    def add(self, packet, when, outgoing):
        """Add a packet of TCP over IPv4. Sequence numbers are relative to the number of the SYN in the
        same direction."""
        length, copy = struct.unpack_from("!HH", packet, 2)
        start = (packet[0] & 15) * 4
        *pair, number = struct.unpack_from("!HHI", packet, start)
        ports, flags = tuple(sorted(pair)), packet[start + 13]
        if flags & (SYN | ACK) == SYN:
            self.opened[ports] = number
        connection = ports, self.opened.get(ports)
        size = length - start - (packet[start + 12] >> 4) * 4
        number = (number - self.first.setdefault((connection, outgoing), number)) % 2**32
        if size or not flags & (SYN | FIN):
            self.found[connection].append(Segment(when, outgoing, copy, number, size))


def again(arrivals):
    """Return the segments with data whose bytes had all arrived before, in order of arrival."""
    seen, found = bytearray(max((s.sequence + s.bytes for s in arrivals), default=0)), []
    for s in arrivals:
        if s.bytes and not seen.count(0, s.sequence, s.sequence + s.bytes):
            found.append(s)
        seen[s.sequence:s.sequence + s.bytes] = b"\1" * s.bytes
    return found


def retransmissions(seen, quiet=TIMER):
    """Return (segment, whether a timer caused it) for each retransmission of the sender. A
    retransmission is a segment whose bytes had all been sent before. A timer has caused the
    retransmission if no acknowledgement arrived within the last `quiet` ns. On a slow wire `quiet`
    must be longer, because a segment that an acknowledgement causes must wait until the wire is
    free."""
    sent, acknowledged, found = 0, 0, []
    for s in seen:
        if not s.outgoing:
            acknowledged = s.when
        elif s.bytes and s.sequence + s.bytes <= sent:
            found.append((s, s.when - acknowledged > quiet))
        sent = max(sent, s.sequence + s.bytes) if s.outgoing else sent
    return found


def timeouts(seen, arrivals, quiet=TIMER):
    """Return the number of retransmissions that a timer caused, and the number of spurious
    retransmissions among them. A retransmission is spurious if an earlier copy of the segment
    arrives at any time."""
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
    """Return the time in ns that the sender waited for its timer: the sum of the times between each
    retransmission by the timer and the previous packet."""
    expired = {s for s, timer in retransmissions(seen, quiet) if timer}
    return sum(s.when - before.when for before, s in zip(seen, seen[1:]) if s in expired)


def summary(seen, arrivals, quiet=TIMER):
    """Count the segments with data that were sent, retransmitted, arrived, and arrived again. Count the
    timeouts and the spurious timeouts."""
    data = [s for s in arrivals if s.bytes and not s.outgoing]
    expired, spurious = timeouts(seen, data, quiet)
    return {"sent": sum(s.outgoing and s.bytes > 0 for s in seen),
            "retransmitted": len(retransmissions(seen)), "arrived": len(data),
            "again": len(again(data)), "timeouts": expired, "spurious": spurious}
