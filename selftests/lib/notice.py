# SPDX-License-Identifier: GPL-2.0-or-later
"""A host whose link loses packets of another host. The module also makes the lost packets."""
import socket
import struct

from . import hosts, sniff, wait, xlo
from .segments import ACK

(LEFT4, LEFT6), (RIGHT4, RIGHT6) = hosts.ADDRESSES["left"], hosts.ADDRESSES["right"]
FAR4, FAR6 = "198.51.100.1", "2001:db8:2::1"
SEQ, TSVAL = 0x01020304, 0xa0b0c0d0
STAMP = struct.pack("!BBBBII", 1, 1, 8, 10, TSVAL, 5)


def segment(flags=ACK, options=STAMP, payload=bytes(200)):
    head = struct.pack("!HHIIBBHHH", 80, 4000, SEQ, 1, (20 + len(options)) << 2, flags, 1000, 0, 0)
    return head + options + payload


def ipv4(data, proto=6, source=LEFT4, target=FAR4, options=b"", fragment=0):
    length = 20 + len(options)
    return struct.pack("!BBHHHBBH", 0x40 | length // 4, 0, length + len(data), 7, fragment, 63,
                       proto, 0) + socket.inet_aton(source) + socket.inet_aton(target) + \
        options + data


def ipv6(data, following=6, source=LEFT6, target=FAR6, before=b""):
    """An IPv6 packet. `before` has extension headers, and `following` is the type of the first
    header."""
    return struct.pack("!IHBB", 6 << 28, len(before) + len(data), following, 63) + \
        socket.inet_pton(socket.AF_INET6, source) + socket.inet_pton(socket.AF_INET6, target) + \
        before + data


class Link(hosts.Hosts):
    """The right host has a link that loses packets of the left host. A sniffer on the left host
    captures the messages that arrive."""

    def __init__(self):
        super().__init__()
        hosts.quiet(self.left)
        hosts.quiet(self.right)
        self.client = xlo.Client(self.right, "xlo_rto")
        self.account = xlo.Account(self.client, "notices")
        self.sniffer = sniff.Sniffer(self.left, "v0")

    def tell(self, code, packet):
        self.client.do("notify", code=code, packet=packet)

    def told(self, count=1):
        """Return the next packets that the left host receives, at least `count`."""
        return [frame.packet for frame in
                self.sniffer.until(f"{count} messages", lambda frames: len(frames) >= count)]

    def expect(self, **wanted):
        expect(self.account, **wanted)


def expect(account, **wanted):
    """Wait until no message is pending. Check that exactly the counters in `wanted` have risen, by
    the given values. `account` is of the counters of notices."""
    def counted():
        risen = account.risen()
        return risen.pop("asked", 0) == sum(risen.values())
    wait.until("no message is pending", counted)
    account.expect(**wanted)
