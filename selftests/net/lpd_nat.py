#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The router translates addresses (NAT). lpd sends a message about a packet to the packet's sender,
and quotes the packet as the sender sent it. A message to the outside does not show the inside
address. The sender's TCP finds its connection by the quoted packet.

    outside s0 ===== r0 router r1 ===== m0 inside"""
# run.sh: all on vm-6.12: *:ipv4
import contextlib
import socket
import struct

from lib import (bench, hosts, icmp, kmod, netlink, netns, packet as pkt, port, router, rto, sniff,
                 stamped, tap, tc, tcp_info, tcp_socket, uapi, wait, xlo)
from lib.icmp import DISCARDED, DROP, EXTENSION, NATIVE

PUBLIC = {4: "203.0.113.9", 6: "2001:db8:9::9"}     # the inside host's public address
SOURCE = {4: pkt.SOURCE4, 6: pkt.SOURCE6}
TARGET = {4: pkt.TARGET4, 6: pkt.TARGET6}
FAMILY = {4: socket.AF_INET, 6: socket.AF_INET6}
KNOWN, SERVER = 5000, 6000                          # ports of the inside host: public, private
QUOTED = uapi.XRTO_QUOTE_MIN
RTO = 2                                             # s


def rules(version, chain, hook, rule):
    return f"""table {'ip' if version == 4 else 'ip6'} nat {{
        chain {chain} {{ type nat hook {hook} priority 0; meta l4proto {{ tcp, udp }} {rule}; }}
    }}"""


def bracketed(version):
    return "[%s]" if version == 6 else "%s"


class Nat(router.Router):
    """A router with NAT. The router has lpd on the device to the inside (r1) or to the outside
    (r0)."""

    def __init__(self, version, **more):
        super().__init__(**more)
        tc.need("lpd")
        self.version = version
        hosts.quiet(self.router)
        self.router.ip("link set lo up", f"addr add {PUBLIC[version]} dev lo")
        self.rto = xlo.Client(self.router, "xlo_rto")
        self.netlink = netlink.Netlink(self.router)
        self.outside = sniff.Sniffer(self.sender, "s0")

    def dnat(self):
        """Forward connections from the public address to the inside host (destination NAT)."""
        to = bracketed(self.version) % TARGET[self.version]
        self.router.run("nft -f -", stdin=rules(self.version, "pre", "prerouting",
                                                f"th dport {KNOWN} dnat to {to}:{SERVER}"))

    def snat(self):
        """Let source NAT replace the source address of connections to the inside with the public
        address. With source NAT, the outside is the network behind a modem."""
        to = bracketed(self.version) % PUBLIC[self.version]
        self.router.run("nft -f -", stdin=rules(self.version, "post", "postrouting",
                                                f"oifname r1 snat to {to}:{KNOWN}"))

    def expire(self, device="r1"):
        """Make all later packets to `device` stale."""
        self.netlink.qdisc(device, netlink.NLM_F_CREATE, "lpd",
                           *bench.lpd_options(lifetime=1, delay=bench.MS, notify=1))

    def answer(self, packet):
        """Send a packet from the inside."""
        frame = pkt.ETHERNET[6:] + pkt.ETHERNET[:6] + struct.pack("!H", pkt.protocol(packet))
        port.Port(self.mobile, "m0").send_as(frame + packet, pkt.protocol(packet))


def packets(version, source, target, sport, dport):
    """A UDP datagram and a TCP segment with the given addresses and ports."""
    made = []
    for protocol in (17, 6):
        ends = socket.inet_pton(FAMILY[version], source) + socket.inet_pton(FAMILY[version], target)
        data = bytes(100)
        head = struct.pack("!HHHH", sport, dport, 8 + len(data), 0)
        at = 6
        if protocol == 6:
            head = struct.pack("!HHIIBBHHH", sport, dport, 1, 1, 0x50, 0x10, 1000, 0, 0)
            at = 16
        length = len(head + data)
        pseudo = ends + (struct.pack("!HH", protocol, length) if version == 4 else
                         struct.pack("!II", length, protocol))
        value = struct.pack("!H", pkt.checksum(pseudo + head + data))
        data = head[:at] + value + head[at + 2:] + data
        if version == 4:
            made.append(stamped.checksummed(struct.pack(
                "!BBHHHBBH", 0x45, 0, 20 + length, 1, 0, 64, protocol, 0) + ends + data))
        else:
            made.append(struct.pack("!IHBB", 6 << 28, length, protocol, 64) + ends + data)
    return made


def told(sniffer, sent, encoding, source, hidden=()):
    """Check that `sniffer` sees a message about each packet of `sent`. No message may contain an
    address of `hidden`."""
    frames = [f.packet for f in sniffer.until("messages", lambda seen: len(seen) >= len(sent))]
    for packet in frames:
        for inside in hidden:
            tap.true(f"{inside.hex()} is not in {packet.hex()}", inside not in packet)
    expected = [message(stamped.one_hop_less(packet), encoding, source) for packet in sent]
    at = 12 if frames[0][0] >> 4 == 4 else 8
    tap.equal("addresses and messages", [f[at:].hex() for f in frames],
              [f[at:].hex() for f in expected])


def in_both(r, sent, send, sniffer, hidden=()):
    """With each encoding of messages, send the packets `sent`, and check that their sender gets
    messages."""
    for encoding in (NATIVE, EXTENSION):
        r.rto.set(encoding=encoding - 1)
        for packet in sent:
            send(packet)
        told(sniffer, sent, encoding, PUBLIC[r.version], hidden)


def message(packet, encoding, source):
    """The expected message about `packet`."""
    if packet[0] >> 4 == 4:
        return icmp.message(DISCARDED, packet, encoding, QUOTED, source)
    return icmp.message6(DISCARDED, packet, encoding, source, quote=QUOTED)


def to_the_inside(version):
    """A sender on the outside knows only the public address. The sender gets messages about its
    packets to the inside host."""
    with Nat(version) as r:
        r.dnat()
        r.expire()
        sent = packets(version, SOURCE[version], PUBLIC[version], 4000, KNOWN)
        in_both(r, sent, r.port.send, r.outside, [socket.inet_pton(FAMILY[version],
                                                                   TARGET[version])])


def from_the_inside(version):
    """Answers of the inside host leave with the public address. Messages about the answers go to
    the inside host."""
    with Nat(version) as r:
        r.dnat()
        for packet in packets(version, SOURCE[version], PUBLIC[version], 4000, KNOWN):
            r.port.send(packet)
        r.beyond.until("packets at the inside", lambda seen: len(seen) >= 2)
        r.expire("r0")
        sent = packets(version, TARGET[version], SOURCE[version], SERVER, 4000)
        in_both(r, sent, r.answer, r.beyond)


def behind_a_modem(version):
    """The router is a modem whose public address the hosts behind it share. A message goes to the
    host behind the modem and not to the modem itself."""
    with Nat(version) as r:
        r.snat()
        r.expire()
        sent = packets(version, SOURCE[version], TARGET[version], 4000, SERVER)
        in_both(r, sent, r.port.send, r.outside)


def test_for_the_filter():
    """A message belongs to the connection of the packet that it quotes. If a packet filter accepts
    only related packets, the message passes."""
    with Nat(4) as r:
        r.dnat()
        r.router.run("nft -f -", stdin="table inet own { chain out { type filter hook output "
                     "priority 0; ct state != related drop; }; }")
        r.expire()
        sent = packets(4, SOURCE[4], PUBLIC[4], 4000, KNOWN)
        for packet in sent:
            r.port.send(packet)
        told(r.outside, sent, NATIVE, PUBLIC[4])


def test_connection_of_another_namespace():
    """A VLAN device can be in another namespace, which has its own connections and addresses. The
    message quotes the packet as the queue sees it, and lpd does not revert the address translation
    of the other namespace."""
    public, own, target = ("203.0.113.77", "192.168.5.1", "192.168.5.9")
    kmod.modprobe("8021q")
    with Nat(4) as r, netns.Netns() as other:
        r.dnat()
        r.router.ip("link add link r1 name vlan5 type vlan id 5",
                    *(f"route add {address} dev r0" for address in (public, own)),
                    *(f"neigh add {address} lladdr {router.LEFT_MAC} dev r0"
                      for address in (public, own)))
        r.netlink.move("vlan5", other, "vlan5")
        other.ip("link set vlan5 up", f"addr add {own}/24 dev vlan5",
                 f"neigh add {target} lladdr {router.RIGHT_MAC} dev vlan5")
        other.run("nft -f -", stdin=rules(4, "post", "postrouting", f"snat to {public}"))
        r.expire()
        with other.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(bytes(100), (target, SERVER))
        packet = r.outside.until("a message", lambda seen: seen)[0].packet
        for what, at in (("target", 16), ("source of the quoted packet", 28 + 12)):
            tap.equal(what, socket.inet_ntoa(packet[at:at + 4]), public)


@contextlib.contextmanager
def connected(r, to):
    """Open a TCP connection from the outside to the inside. The retransmission timeout of the
    connection is at least RTO seconds. Within the block all segments of the connection expire."""
    family = FAMILY[r.version]
    r.sender.sysctl("net.ipv4.tcp_early_retrans", 0)
    gateway = (router.ROUTER4, router.ROUTER6)[r.version == 6][0]
    r.sender.ip(f"route change default via {gateway} rto_min {RTO}s")
    with r.mobile.socket(family, socket.SOCK_STREAM) as listener, \
            r.sender.socket(family, socket.SOCK_STREAM) as client:
        listener.bind((TARGET[r.version], SERVER))
        listener.listen()
        client.settimeout(wait.patient(5))
        client.connect(to)
        with listener.accept()[0] as server:
            r.expire()
            yield client
            for sock in (client, server):
                tcp_socket.reset(sock)


def moves_the_timer(version, translate):
    """The sender finds the connection of a message about a translated segment. If the message has
    the code DROP and arrives at half of the timeout, the retransmission occurs at three
    quarters."""
    with Nat(version, hosts=True) as r:
        getattr(r, translate)()
        to = (PUBLIC[version], KNOWN) if translate == "dnat" else (TARGET[version], SERVER)
        client_of = xlo.Client(r.sender, "xlo_rto")
        client_of.set(accept=NATIVE)
        account = xlo.Account(client_of)
        with connected(r, to) as client:
            sending = sniff.Sniffer(r.sender, "s0", outgoing=True)
            r.outside.drain()
            client.send(b"x" * 100)
            began = sending.until("the segment", lambda seen: seen)[0].when
            told = r.outside.until("a message", lambda seen: seen)[0].packet
            a = tcp_info.info(client).rto * 1000
            wait.till(began + a // 2)
            drop(r, told)
            again = sending.until("the retransmission", lambda seen: seen)[0].when
            tap.within("ms after three quarters", (again - began - a * 3 / 4) / rto.MS,
                       -rto.TICK / rto.MS, rto.granularity(a // 4) / rto.MS)
            # Each transmission causes a message.
            r.outside.until("another message", lambda seen: len(seen) >= 2)
            account.expect(received=3, code=2, shortened=1)


def drop(r, told):
    """Send the message `told` to the sender again, but with the code DROP."""
    at = 20 if r.version == 4 else 40
    protocol = socket.IPPROTO_ICMP if r.version == 4 else socket.IPPROTO_ICMPV6
    again = icmp.icmp(told[at], DROP, told[at + 8:])
    with r.router.socket(FAMILY[r.version], socket.SOCK_RAW, protocol) as sock:
        sock.sendto(again, (SOURCE[r.version], 0))


if __name__ == "__main__":
    tests = tap.collect(globals())
    tests += [(f"{rule.__name__}:ipv{version}", lambda rule=rule, version=version: rule(version))
              for rule in (to_the_inside, from_the_inside, behind_a_modem) for version in (4, 6)]
    if wait.virtual_time():
        tests += [(f"moves_the_timer:ipv{version}_{translate}",
                   lambda version=version, translate=translate: moves_the_timer(version, translate))
                  for version, translate in ((4, "dnat"), (6, "dnat"), (4, "snat"))]
    tap.run(tests)
