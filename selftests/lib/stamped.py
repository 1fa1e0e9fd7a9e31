# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes packets as a router must forward them, with a lower hop limit and with the option. The
functions follow the description of the format, RFC 791 and RFC 8200, independently of the C code
under test."""
import struct

from . import packet as pkt

IPV4_OPTIONS_MAX = 40
HBH_OPTIONS_MAX = 8         # the default of net.ipv6.max_hbh_opts_number
EOL, NOP, PAD1, PADN = 0, 1, 0, 1


def checksummed(packet):
    """Return the IPv4 packet with a right header checksum."""
    size = (packet[0] & 15) * 4
    value = pkt.checksum(packet[:10] + b"\0\0" + packet[12:size])
    return packet[:10] + struct.pack("!H", value) + packet[12:]


def one_hop_less(packet):
    """Return the packet with a TTL or hop limit that is lower by one."""
    if packet[0] >> 4 == 6:
        return packet[:7] + bytes([packet[7] - 1]) + packet[8:]
    return checksummed(packet[:8] + bytes([packet[8] - 1]) + packet[9:])


def stamped(packet, lifetime, flags=pkt.DISCARD, reorder=0):
    """Return the packet with the option after its other options, or None if the header has no space
    for the option."""
    if packet[0] >> 4 == 4:
        return _stamped4(packet, pkt.xlo4(lifetime, flags, reorder))
    return _stamped6(packet, pkt.xlo6(lifetime, flags, reorder))


def _stamped4(packet, option):
    size = (packet[0] & 15) * 4
    options = packet[20:size]
    new = options[:_last4(options)] + option
    new = (new + bytes(-len(new) % 4)).ljust(len(options), bytes([EOL]))
    if len(new) > IPV4_OPTIONS_MAX:
        return None
    length, = struct.unpack_from("!H", packet, 2)
    return checksummed(bytes([0x40 | (20 + len(new)) // 4, packet[1]]) +
                       struct.pack("!H", length + len(new) - len(options)) +
                       packet[4:20] + new + packet[size:])


def _last4(options):
    """The offset of the end of the last option that is not padding."""
    at = last = 0
    while at < len(options) and options[at] != EOL:
        if options[at] == NOP:
            at += 1
        else:
            at = last = at + options[at + 1]
    return last


def _stamped6(packet, option):
    size, options, following = 40, b"", packet[6]
    if packet[6] == 0:
        size = 40 + 8 * (packet[41] + 1)
        options, following = packet[42:size], packet[40]
    last, count = _last6(options)
    if count >= HBH_OPTIONS_MAX:
        return None
    header = pkt.hop_by_hop(options[:last] + padding6(-(2 + last) % 4) + option, following)
    length, = struct.unpack_from("!H", packet, 4)
    return packet[:4] + struct.pack("!HB", length + len(header) - (size - 40), 0) + \
        packet[7:40] + header + packet[size:]


def padding6(size):
    """Padding of a hop-by-hop header."""
    return bytes(size) if size < 2 else bytes([PADN, size - 2]) + bytes(size - 2)


def _last6(options):
    """The offset of the end of the last option that is not padding, and the number of options that
    are not padding."""
    at = last = count = 0
    while at < len(options):
        if options[at] == PAD1:
            at += 1
            continue
        padding = options[at] == PADN
        at += 2 + options[at + 1]
        if not padding:
            last, count = at, count + 1
    return last, count
