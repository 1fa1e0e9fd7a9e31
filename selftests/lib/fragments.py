# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes fragments of packets, and reads their payload length."""
import struct

from . import segments, stamped


def ipv4(packet, size):
    """Split an IPv4 packet without options into fragments with `size` bytes of payload."""
    data, found = packet[20:], []
    for at in range(0, len(data), size):
        piece, more = data[at:at + size], at + size < len(data)
        head = struct.pack("!BBHHH", 0x45, 0, 20 + len(piece), 99, more << 13 | at // 8) + \
            packet[8:20]
        found.append(stamped.checksummed(head + piece))
    return found


def ipv6(packet, size):
    """Split an IPv6 packet without extension headers into fragments with `size` bytes of
    payload."""
    data, found = packet[40:], []
    for at in range(0, len(data), size):
        piece, more = data[at:at + size], at + size < len(data)
        head = packet[:4] + struct.pack("!HB", 8 + len(piece), 44) + packet[7:40] + \
            struct.pack("!BBHI", packet[6], 0, at | more, 99)
        found.append(head + piece)
    return found


def payload(packet):
    """The number of payload bytes in a fragment, or 0 if the packet is not a fragment."""
    if not segments.is_fragment(packet):
        return 0
    if packet[0] >> 4 == 4:
        return segments.length_by_header(packet) - segments.transport_offset(packet)
    return segments.length_by_header(packet) - segments.transport_offset(packet) - 8
