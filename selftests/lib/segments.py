# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP segments as a capture shows them."""
import struct

from . import packet as pkt

FIN, SYN, RST, ACK, ECE, CWR = 1, 2, 4, 16, 64, 128


class Segment:
    """The fields of a packet's TCP header and of its cross-layer option. If the packet has no
    option, `lifetime` and `reorder` are None."""

    def __init__(self, packet, when=0):
        self.packet, self.when, self.length = packet, when, len(packet)
        self.lifetime = pkt.lifetime(packet)
        at = pkt.option_offset(packet)
        self.reorder = None if at is None else packet[at + 2]
        start = transport_offset(packet)
        self.source, self.target, self.sequence, self.acknowledged, offset, self.flags = \
            struct.unpack_from("!HHIIBB", packet, start)
        self.payload = length_by_header(packet) - start - (offset >> 4) * 4
        self.header = packet[start:start + (offset >> 4) * 4]

    @property
    def carries(self):
        """Whether the segment must have a lifetime, because it has data, a SYN or a FIN."""
        return bool(self.payload or self.flags & (SYN | FIN))

    def option(self, kind):
        """The data of the TCP option with the number `kind`, or None if the segment has no such
        option."""
        at = 20
        while at < len(self.header) and self.header[at]:
            size = 1 if self.header[at] == 1 else self.header[at + 1]
            if self.header[at] == kind:
                return self.header[at + 2:at + size]
            at += size
        return None

    def mss(self):
        """The value of the MSS option, or None if the segment has no MSS option."""
        value = self.option(2)
        return None if value is None else int.from_bytes(value, "big")


def transport_offset(packet):
    """The offset of the transport header. The only possible extension header is the hop-by-hop
    header."""
    if packet[0] >> 4 == 4:
        return (packet[0] & 15) * 4
    return 40 + (8 * (packet[41] + 1) if packet[6] == 0 else 0)


def length_by_header(packet):
    """The length of a packet according to its IP header. (A frame may have padding behind the
    packet.)"""
    if packet[0] >> 4 == 4:
        return struct.unpack_from("!H", packet, 2)[0]
    return 40 + struct.unpack_from("!H", packet, 4)[0]


def is_tcp(packet):
    if packet[0] >> 4 == 4:
        return packet[9] == 6
    return packet[0] >> 4 == 6 and packet[40 if packet[6] == 0 else 6] == 6


def is_fragment(packet):
    """Whether the packet is a fragment of an IPv4 or IPv6 packet."""
    if packet[0] >> 4 == 4:
        return bool(struct.unpack_from("!H", packet, 6)[0] & 0x3fff)
    return packet[40 if packet[6] == 0 else 6] == 44


def checksum_right(packet, protocol=6):
    """Whether the TCP or UDP checksum of a whole packet is right."""
    start = transport_offset(packet)
    data = packet[start:length_by_header(packet)]
    addresses = packet[12:20] if packet[0] >> 4 == 4 else packet[8:40]
    return pkt.checksum(addresses + struct.pack("!II", len(data), protocol) + data) == 0
