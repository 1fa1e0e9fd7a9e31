# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the ICMP messages by which a link adjusts a TCP sender's timeout. The functions follow the
description in <linux/xlo_rto.h> byte by byte, independently of the C code that reads the
messages."""
import socket
import struct

from . import packet as pkt, siphash, stamped, uapi

# The encodings have the same numbers as in the setting "accept".
NATIVE, EXTENSION, BOTH = (uapi.XRTO_ACCEPT_NATIVE, uapi.XRTO_ACCEPT_EXTENSION,
                           uapi.XRTO_ACCEPT_ALL)
DROP, DEFER = uapi.XRTO_CODE_DROP, uapi.XRTO_CODE_DEFER
DISCARDED, LINK_UP = uapi.XRTO_CODE_DISCARDED, uapi.XRTO_CODE_LINK_UP
TYPE4, UNREACHABLE4 = 253, 3
TYPE6, UNREACHABLE6 = 200, 1
CLASS = 247
QUOTE, QUOTE6 = 28, 48                  # bytes of an IP header and 8 bytes of TCP
QUOTE_MIN = 128                         # minimum bytes of a quote before an extension


def message(code, packet, encoding=NATIVE, quote=None, source=pkt.SOURCE4, ttl=64, token=None):
    """An ICMP message about an IPv4 packet, to the packet's source. `quote` is the number of quoted
    bytes."""
    if encoding == NATIVE:
        body = packet[:quote or QUOTE]
        return ipv4(source, packet[12:16], icmp(TYPE4, code, body, token or 0), ttl)
    quoted = packet[:quote or QUOTE_MIN].ljust(QUOTE_MIN, b"\0")
    body = quoted + extension(ours(code, token))
    return ipv4(source, packet[12:16], icmp(UNREACHABLE4, 0, body, len(quoted) // 4 << 16), ttl)


def message6(code, packet, encoding=NATIVE, source=pkt.SOURCE6, target=None, before=b"",
             following=58, hops=64, token=None, quote=QUOTE6):
    """An ICMPv6 message about an IPv6 packet, to the packet's source or to another host. `before`
    has the extension headers of the message, and `following` is the type of the first header."""
    if encoding == NATIVE:
        head, body = struct.pack("!BBHI", TYPE6, code, 0, token or 0), packet[:quote]
    else:
        quoted = packet[:QUOTE_MIN].ljust(QUOTE_MIN, b"\0")
        head = struct.pack("!BBHI", UNREACHABLE6, 0, 0, len(quoted) // 8 << 24)
        body = quoted + extension(ours(code, token))
    addresses = socket.inet_pton(socket.AF_INET6, source) + (target or packet[8:24])
    data = head + body
    value = pkt.checksum(addresses + struct.pack("!II", len(data), 58) + data)
    data = before + data[:2] + struct.pack("!H", value) + data[4:]
    return struct.pack("!IHBB", 6 << 28, len(data), following, hops) + addresses + data


def ours(code, token=None):
    """The project's extension object with a code, with or without a token."""
    if token is None:
        return struct.pack("!HBB", 4, CLASS, code)
    return struct.pack("!HBBI", 8, CLASS, code, token)


def token(key, code, sequence, tsval=0):
    """The token of a message about the segment with the sequence number `sequence`. `tsval` is the
    segment's time stamp, if the message quotes the time stamp."""
    return siphash.siphash(key, struct.pack("<III", code, sequence, tsval)) & 0xffffffff


def extension(objects):
    """The extension structure (RFC 4884 section 7) with the given objects."""
    head = struct.pack("!BBH", 2 << 4, 0, 0)
    return head[:2] + struct.pack("!H", pkt.checksum(head + objects)) + objects


def icmp(kind, code, body, rest=0):
    data = struct.pack("!BBHI", kind, code, 0, rest) + body
    return data[:2] + struct.pack("!H", pkt.checksum(data)) + data[4:]


def ipv4(source, target, data, ttl=64):
    """An IPv4 packet with the given data. `target` is the address as bytes."""
    return stamped.checksummed(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 1, 0, ttl, 1, 0) +
                               socket.inet_aton(source) + target + data)


def fragments(packet, cut):
    """An IPv4 packet in two fragments. `cut` is the number of data bytes in the first fragment."""
    whole = packet[20:]
    return [stamped.checksummed(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(part), 1, place,
                                            packet[8], packet[9], 0) + packet[12:20] + part)
            for place, part in ((0x2000, whole[:cut]), (cut // 8, whole[cut:]))]
