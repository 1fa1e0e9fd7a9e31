# SPDX-License-Identifier: GPL-2.0-or-later
"""A host on which the module xlo stamps packets, and a host that receives the packets."""
import socket

from . import hosts, sniff, xlo

FAMILIES = (socket.AF_INET, socket.AF_INET6)
IPV6_HOPOPTS = 54
PORT = 5000


class Sender(hosts.Hosts):
    """The left host sends, and a sniffer shows the packets that arrive at the right host."""

    def __init__(self, mtu=None, **profile):
        super().__init__(mtu)
        self.xlo = xlo.Client(self.left)
        if profile:
            self.xlo.profile_add(**{"profile_name": "test", "mark": 1, "mask": 0xff} | profile)
        self.account = xlo.Account(self.xlo)
        self.sniffer = sniff.Sniffer(self.right, "v1")

    def socket(self, family, mark=1, kind=socket.SOCK_DGRAM, protocol=0):
        sock = self.left.socket(family, kind, protocol)
        sock.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, mark)
        return sock

    def send(self, payload, family, mark=1, options=None, count=1):
        """Send one UDP datagram, and wait until at least `count` packets have arrived. Returns the
        packets that arrived."""
        with self.socket(family, mark) as sock:
            if options is not None:
                name = socket.IP_OPTIONS if family == socket.AF_INET else IPV6_HOPOPTS
                level = socket.IPPROTO_IP if family == socket.AF_INET else socket.IPPROTO_IPV6
                sock.setsockopt(level, name, options)
            sock.sendto(payload, (hosts.address("right", family), PORT))
        return self.arrived(count)

    def arrived(self, count=1):
        """Wait until at least `count` packets have arrived, and return them. Packets that the
        kernel itself sends (ARP, IPv6 multicast) are ignored."""
        frames = self.sniffer.until(f"{count} packets", lambda seen: len(ours(seen)) >= count)
        return ours(frames)


def ours(frames):
    return [frame.packet for frame in frames if not is_chatter(frame.packet)]


def is_chatter(packet):
    return packet[0] >> 4 not in (4, 6) or packet[0] >> 4 == 6 and packet[24] == 0xff


def pair_of(sender, family, payload=b"x" * 100, **more):
    """Send the same packet without and with the option. Returns both packets."""
    [plain] = sender.send(payload, family, mark=0, **more)
    sender.account = xlo.Account(sender.xlo)
    [stamped] = sender.send(payload, family, **more)
    return plain, stamped
