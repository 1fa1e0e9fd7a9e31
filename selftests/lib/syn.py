# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes TCP segments with given options and right checksums."""
import socket
import struct

from . import packet as pkt, stamped
from .segments import ACK, FIN, RST, SYN


def mss(value):
    """The MSS option."""
    return struct.pack("!BBH", 2, 4, value)


def tcp(addresses, flags, options, payload, sequence=1, acknowledged=1, window=1000):
    """Return a TCP header and payload. The options are padded with End of Options."""
    options += bytes(-len(options) % 4)
    head = struct.pack("!HHIIBBHHH", 4000, 80, sequence, acknowledged,
                       (5 + len(options) // 4) << 4, flags, window, 0, 0) + options
    pseudo = addresses + struct.pack("!II", len(head) + len(payload), 6)
    value = pkt.checksum(pseudo + head + payload)
    return head[:16] + struct.pack("!H", value) + head[18:] + payload


def ipv4(flags, options=b"", payload=b"", **fields):
    data = tcp(socket.inet_aton(pkt.SOURCE4) + socket.inet_aton(pkt.TARGET4), flags, options,
               payload, **fields)
    return stamped.checksummed(
        struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 1, 0, 64, 6, 0) +
        socket.inet_aton(pkt.SOURCE4) + socket.inet_aton(pkt.TARGET4) + data)


def ipv6(flags, options=b"", payload=b"", extension=None):
    """An IPv6 packet with a TCP segment. `extension` is the content of a hop-by-hop header, or
    None."""
    addresses = socket.inet_pton(socket.AF_INET6, pkt.SOURCE6) + \
        socket.inet_pton(socket.AF_INET6, pkt.TARGET6)
    data = tcp(addresses, flags, options, payload)
    header = b"" if extension is None else pkt.hop_by_hop(extension, 6)
    return struct.pack("!IHBB", 6 << 28, len(header) + len(data), 0 if header else 6, 64) + \
        addresses + header + data
