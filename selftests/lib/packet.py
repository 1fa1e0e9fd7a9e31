# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes IPv4 and IPv6 packets with the cross-layer option. The bytes follow the description of the
format, independently of the C code under test."""
import socket
import struct

ETH_P_IP, ETH_P_ARP, ETH_P_IPV6 = 0x0800, 0x0806, 0x86dd
ETHERNET = bytes.fromhex("020000000002020000000001")

FORWARD, DISCARD, TRUNCATE, RESERVED = 0x0, 0x4, 0x8, 0xc
TYPE4, RELATIVE6, ABSOLUTE6 = 0x9e, 0x3e, 0x1e
NONE = 65535
DAY_MS = 86_400_000
SOURCE4, TARGET4 = "192.0.2.1", "198.51.100.1"
SOURCE6, TARGET6 = "2001:db8:1::1", "2001:db8:2::1"
MAGIC = b"lpd\0"


def checksum(data):
    """The Internet checksum (RFC 1071) of `data`."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def xlo4(lifetime, flags=DISCARD, reorder=3):
    """The eight bytes of the IPv4 option."""
    return struct.pack("!BBBBI", TYPE4, 8, reorder, flags, lifetime)


def xlo6(lifetime, flags=DISCARD, reorder=3, kind=None):
    """The eight bytes of the IPv6 hop-by-hop option. If the option is the first option, its
    lifetime field is aligned."""
    if kind is None:
        kind = RELATIVE6 if lifetime <= NONE else ABSOLUTE6
    return struct.pack("!BBBBI", kind, 6, reorder, flags, lifetime)


def absolute(ms_from_now, now):
    """The lifetime field for an absolute deadline. `now` is the wall clock in seconds."""
    of_day = (int(now * 1000) + ms_from_now) % DAY_MS
    return NONE + (of_day or DAY_MS - 1)


def body(number, size):
    """A payload that contains the packet's number."""
    return (MAGIC + struct.pack("!I", number)).ljust(size, b"x")


def number(packet):
    """The number in the packet's payload, or None if no test has made the packet."""
    at = packet.find(MAGIC)
    return None if at < 0 else struct.unpack_from("!I", packet, at + 4)[0]


def udp(pseudo, payload, source=4000, target=5000):
    head = struct.pack("!HHHH", source, target, 8 + len(payload), 0)
    value = checksum(pseudo + head + payload) or 0xffff
    return head[:6] + struct.pack("!H", value) + payload


def ipv4(options=b"", payload=b"", tos=0, source=SOURCE4, target=TARGET4, port=5000,
         fragment=0, source_port=4000):
    """An IPv4 packet with UDP. The IP options are padded with End of Options to a multiple of 32
    bits."""
    options += bytes(-len(options) % 4)
    addresses = socket.inet_aton(source) + socket.inet_aton(target)
    data = udp(addresses + struct.pack("!HH", 17, 8 + len(payload)), payload, source_port, port)
    length = 20 + len(options)
    head = struct.pack("!BBHHHBBH", 0x40 | length // 4, tos, length + len(data), 1,
                       fragment, 64, 17, 0) + addresses + options
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + data


def tcp(pseudo, payload):
    """A large TCP segment, which the kernel must divide into smaller segments. The checksum covers
    only the pseudo header (RFC 9293 section 3.1), because a device must complete it."""
    begun = ~checksum(pseudo) & 0xffff
    return struct.pack("!HHIIBBHHH", 4000, 5000, 1, 1, 0x50, 0x10, 1000, begun, 0) + payload


def tcp4(payload, options=b""):
    """An IPv4 packet with the segment of tcp(). The IP options are padded as in ipv4()."""
    options += bytes(-len(options) % 4)
    addresses = socket.inet_aton(SOURCE4) + socket.inet_aton(TARGET4)
    data = tcp(addresses + struct.pack("!HH", 6, 20 + len(payload)), payload)
    length = 20 + len(options)
    head = struct.pack("!BBHHHBBH", 0x40 | length // 4, 0, length + len(data), 1, 0, 64, 6, 0) + \
        addresses + options
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + data


def tcp6(payload, options=None):
    """An IPv6 packet with the segment of tcp(). `options` is the same argument as in ipv6()."""
    addresses = socket.inet_pton(socket.AF_INET6, SOURCE6) + \
        socket.inet_pton(socket.AF_INET6, TARGET6)
    data = tcp(addresses + struct.pack("!II", 20 + len(payload), 6), payload)
    extension = b"" if options is None else hop_by_hop(options, 6)
    return struct.pack("!IHBB", 6 << 28, len(extension) + len(data), 0 if extension else 6, 64) + \
        addresses + extension + data


def hop_by_hop(options, following=17):
    """A hop-by-hop header with the given options. PadN or Pad1 pads the header to a multiple of 8
    bytes."""
    fill = -(2 + len(options)) % 8
    padding = b"" if not fill else b"\0" if fill == 1 else bytes([1, fill - 2]) + bytes(fill - 2)
    size = (2 + len(options) + fill) // 8 - 1
    return bytes([following, size]) + options + padding


def ipv6(options=None, payload=b"", source=SOURCE6, target=TARGET6, before=b"", port=5000,
         tos=0):
    """An IPv6 packet with UDP. `tos` is the traffic class. `options` is the content of a hop-by-hop
    header. If `options` is None, the packet has no hop-by-hop header. `before` contains extension
    headers before the hop-by-hop header. Receivers then ignore the hop-by-hop header, because it is
    valid only directly after the IPv6 header."""
    addresses = socket.inet_pton(socket.AF_INET6, source) + \
        socket.inet_pton(socket.AF_INET6, target)
    data = udp(addresses + struct.pack("!II", 8 + len(payload), 17), payload, target=port)
    extension = before + (b"" if options is None else hop_by_hop(options))
    following = 17 if not extension else 60 if before else 0
    return struct.pack("!IHBB", 6 << 28 | tos << 20, len(extension) + len(data), following, 64) + \
        addresses + extension + data


def arp():
    """An ARP request, as an example of a packet that is not IP."""
    return struct.pack("!HHBBH", 1, ETH_P_IP, 6, 4, 1) + ETHERNET[6:] + \
        socket.inet_aton(SOURCE4) + bytes(6) + socket.inet_aton(TARGET4)


def option_offset(packet):
    """The offset of the option's type byte in a well-formed packet, or None if the packet has no
    option."""
    if packet[0] >> 4 == 4:
        at, end, types, skip = 20, (packet[0] & 15) * 4, (TYPE4,), (0, 1)
    elif packet[6] == 0:
        at, end, types, skip = 42, 40 + 8 * (packet[41] + 1), (RELATIVE6, ABSOLUTE6), (0,)
    else:
        return None
    while at < end and packet[at] not in types:
        extra = 0 if packet[0] >> 4 == 4 else 2
        at += 1 if packet[at] in skip else packet[at + 1] + extra
    return at if at < end else None


def lifetime(packet):
    """The lifetime field, or None if the packet has no option."""
    at = option_offset(packet)
    return None if at is None else struct.unpack_from("!I", packet, at + 4)[0]


def with_lifetime(packet, value):
    """Return the packet with the lifetime `value`. For an IPv4 packet, the header checksum is also
    updated."""
    at = option_offset(packet)
    packet = packet[:at + 4] + struct.pack("!I", value) + packet[at + 8:]
    if packet[0] >> 4 == 6:
        return packet
    size = (packet[0] & 15) * 4
    value = checksum(packet[:10] + b"\0\0" + packet[12:size])
    return packet[:10] + struct.pack("!H", value) + packet[12:]


def checksum_right(packet):
    """Whether the checksum of the IPv4 header is right."""
    return checksum(packet[:(packet[0] & 15) * 4]) == 0


def protocol(packet):
    """The Ethernet protocol of a packet that begins with its network header."""
    return {4: ETH_P_IP, 6: ETH_P_IPV6}.get(packet[0] >> 4, ETH_P_ARP)


def ethernet(packet):
    """The packet in an Ethernet frame for the other end of netns.veth()."""
    return ETHERNET + struct.pack("!H", protocol(packet)) + packet
