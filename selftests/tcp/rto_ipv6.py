#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A message over IPv6 has the same effect as a message over IPv4, even after extension headers."""
# run.sh: needs: simulated time
import socket
import struct

from lib import hosts, icmp, packet as pkt, port, rto, segments, sniff, tap, tcp_info, tcp_socket, \
    wait, xlo
from lib.icmp import DROP, EXTENSION, NATIVE
from lib.peer import S

PORT = 5000
SO_BINDTODEVICE = 25
ROUTER = hosts.ADDRESSES["left"][1]


class Flow(hosts.Hosts):
    """A connection between two hosts. The first data segment of the right host receives no answer,
    because the left host no longer has a route to the right host. `rto` is the pending timeout, 2
    s, and `begin` is the time when it began. `packet` is the first data segment."""

    def __enter__(self):
        for name in ("tcp_early_retrans", "tcp_frto"):
            self.right.sysctl(f"net.ipv4.{name}", 0)
        self.right.ip(f"route add {hosts.ADDRESSES['left'][1]}/128 dev v1 rto_min 2s")
        self.client = xlo.Client(self.right, "xlo_rto")
        self.client.set(accept=icmp.BOTH)
        self.account = xlo.Account(self.client)
        self.sock = self._connect()
        self.left.ip(f"route add unreachable {hosts.ADDRESSES['right'][1]}/128 metric 1")
        self.sniffer, self.port = sniff.Sniffer(self.left, "v0"), port.Port(self.left, "v0", True)
        self.sock.send(b"x" * 500)
        self.begin, self.packet = self._next()
        self.rto = tcp_info.info(self.sock).rto * 1000
        return self

    def __exit__(self, *_):
        tcp_socket.reset(self.sock)
        super().__exit__()

    def _connect(self):
        with self.left.socket(socket.AF_INET6, socket.SOCK_STREAM) as listener:
            listener.bind((hosts.ADDRESSES["left"][1], PORT))
            listener.listen()
            sock = self.right.socket(socket.AF_INET6, socket.SOCK_STREAM)
            sock.connect(listener.getsockname()[:2])
            self.accepted = listener.accept()[0]
        return sock

    def _next(self):
        """The time and packet of the next segment with data."""
        frames = wait.until("a data segment", self.data)
        return frames[0].when, frames[0].packet

    def data(self):
        """The segments with data that have arrived since the last call."""
        return [frame for frame in self.sniffer.drain() if segments.is_tcp(frame.packet) and
                segments.Segment(frame.packet).payload]

    def say(self, part, packet):
        wait.till(self.begin + int(part * self.rto))
        self.port.send(packet)

    def times_out(self, part, told):
        """Check that the segment is sent again at the fraction `part` of the timeout, by a timer
        that was set at the fraction `told`."""
        due = self.begin + int(part * self.rto)
        when, _ = self._next()
        tap.within("ns after the expected time", when - due, -rto.TICK,
                   rto.granularity(int((part - told) * self.rto)))


def test_both_encodings():
    """A message in either encoding shortens the timeout."""
    for encoding in (NATIVE, EXTENSION):
        with Flow() as flow:
            tap.within("timeout in s", flow.rto / S, 2, 2.1)
            flow.say(0.5, icmp.message6(DROP, flow.packet, encoding, ROUTER))
            flow.times_out(0.75, 0.5)
            flow.account.expect(received=1, shortened=1)


def test_behind_extension_headers():
    """A message after hop-by-hop or destination options has its effect."""
    for following in (0, 60):
        with Flow() as flow:
            before = pkt.hop_by_hop(b"\x1e\x04abcd", 58)
            flow.say(0.8, icmp.message6(DROP, flow.packet, NATIVE, ROUTER, before=before,
                                        following=following))
            flow.times_out(0.8, 0.8)
            flow.account.expect(received=1, at_once=1)


def test_fragments():
    """xlo_rto does not accept the first fragment of a message as a message."""
    with Flow() as flow:
        before = struct.pack("!BBHI", 58, 0, 1, 1)
        flow.say(0.8, icmp.message6(DROP, flow.packet, NATIVE, ROUTER, before=before,
                                    following=44))
        flow.times_out(1, 0)
        flow.account.expect()


def test_bound_to_a_device():
    """A socket that is bound to a device accepts only messages that arrive on this device."""
    with Flow() as flow:
        message = icmp.message6(DROP, flow.packet, NATIVE, ROUTER)
        flow.sock.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, b"lo")
        flow.say(0.5, message)
        wait.until("the message is refused", lambda: flow.client.stats()["no_socket"])
        flow.sock.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, b"v1")
        flow.say(0.8, message)
        flow.times_out(0.8, 0.8)
        flow.account.expect(received=2, no_socket=1, at_once=1)


def test_one_hop():
    """If one_hop is set, xlo_rto refuses a message that a router may have forwarded."""
    with Flow() as flow:
        flow.client.set(one_hop=1)
        for hops in (254, 255):
            flow.say(0.8, icmp.message6(DROP, flow.packet, NATIVE, ROUTER, hops=hops))
        flow.times_out(0.8, 0.8)
        flow.account.expect(received=2, hops=1, at_once=1)


def test_filter():
    """xlo_rto does not count a message that the packet filter drops."""
    with Flow() as flow:
        flow.right.run("nft -f -", stdin=f"""table ip6 links {{ chain in {{
            type filter hook input priority 0; icmpv6 type {icmp.TYPE6} drop; }}; }}""")
        flow.say(0.8, icmp.message6(DROP, flow.packet, NATIVE, ROUTER))
        flow.times_out(1, 0)
        flow.account.expect()


def test_ipsec():
    """If a policy requires IPsec for ICMPv6, a message without IPsec has no effect."""
    with Flow() as flow:
        flow.right.ip("xfrm policy add src ::/0 dst ::/0 proto ipv6-icmp dir in "
                      "tmpl proto esp mode transport")
        for encoding in (NATIVE, EXTENSION):
            flow.say(0.8, icmp.message6(DROP, flow.packet, encoding, ROUTER))
        flow.times_out(1, 0)
        flow.account.expect()


def test_refused():
    """xlo_rto refuses messages with a wrong checksum, and messages that quote another host's
    segment or a wrong sequence number."""
    with Flow() as flow:
        right = icmp.message6(DROP, flow.packet, NATIVE, ROUTER)
        flow.say(0.8, right[:-1] + bytes([right[-1] ^ 1]))
        other = flow.packet[:23] + b"\x77" + flow.packet[24:]
        flow.say(0.8, icmp.message6(DROP, other, NATIVE, ROUTER, target=flow.packet[8:24]))
        at = 40 + 4
        flow.say(0.8, icmp.message6(DROP, flow.packet[:at] + bytes(4) + flow.packet[at + 4:],
                                    NATIVE, ROUTER))
        flow.times_out(1, 0)
        flow.account.expect(received=3, checksum=1, not_ours=1, sequence=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
