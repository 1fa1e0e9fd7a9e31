#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A host sends a message about a packet's fate to the packet's source. Each byte of the message is
as documented. The host sends no message about a packet that must not be answered."""
# run.sh: all on vm-6.12: everything
# run.sh: smoke on arm64 s390x: bytes datagram_bytes defer
import errno
import socket
import struct

from lib import icmp, kmod, netlink, packet as pkt, sniff, tap, uapi
from lib.icmp import DEFER, DISCARDED, DROP, EXTENSION, LINK_UP, NATIVE
from lib.notice import LEFT4, RIGHT4, RIGHT6, SEQ, TSVAL, Link, ipv4, ipv6, segment
from lib.segments import ACK, RST, SYN

KEY = bytes(range(50, 66))
QUOTED = uapi.XRTO_QUOTE_MIN
TOS, HOPS = 0xc0, 255
ICMP6, UDP, DCCP, SCTP, UDPLITE = 58, 17, 33, 132, 136
# messages that only the source's TCP or program can act on
ABOUT_LINK = (DROP, DEFER, LINK_UP)
# X = 1: the sequence number has 48 bits (RFC 4340 section 5.1)
SHORT, LONG = 12, 16


def with_option4(data=None, proto=6, **more):
    return ipv4(segment() if data is None else data, proto, options=pkt.xlo4(300), **more)


def with_option6(data=None, proto=6, **more):
    return ipv6(segment() if data is None else data, following=0,
                before=pkt.hop_by_hop(pkt.xlo6(300), proto), **more)


def udp(payload=b""):
    return struct.pack("!HHHH", 4000, 5000, 8 + len(payload), 0) + payload


def dccp(size=LONG, payload=bytes(200)):
    """A DCCP-Data packet with a header of SHORT or LONG bytes."""
    head = struct.pack("!HHBBHBBHI", 4000, 5000, size // 4, 0, 0, 2 << 1 | (size == LONG), 0, 1, 7)
    return head[:size] + payload


def in_udp():
    """DCCP in UDP (RFC 6773)."""
    return udp(dccp())


def test_bytes():
    """Each byte of the message is as documented, in both families and encodings, with and without a
    key."""
    for code in (DROP, DISCARDED, LINK_UP):
        with Link() as link:
            for encoding in (NATIVE, EXTENSION):
                for key in (b"", KEY):
                    link.client.set(encoding=encoding - 1, key=key)
                    token = icmp.token(KEY, code, SEQ, TSVAL) if key else None
                    packet = ipv4(segment())
                    link.tell(code, packet)
                    check4(link.told()[0], icmp.message(code, packet, encoding, QUOTED, RIGHT4,
                                                        token=token))
                    packet = ipv6(segment())
                    link.tell(code, packet)
                    tap.equal("ICMPv6 message", link.told()[0].hex(), icmp.message6(
                        code, packet, encoding, RIGHT6, hops=HOPS, token=token,
                        quote=QUOTED).hex())
            link.expect(asked=8, sent=8)


def check4(got, want):
    """Compare the message from the IP addresses to the end. Check each field before the addresses,
    because only the sender knows the exact value of some fields."""
    tap.equal("addresses and ICMP message", got[12:].hex(), want[12:].hex())
    tap.equal("version, precedence, length", got[:4],
              struct.pack("!BBH", 0x45, TOS, len(want)))
    tap.equal("fragment offset, hops, protocol", got[6:10], struct.pack("!HBB", 0, HOPS, 1))
    tap.equal("sum over the header with its checksum", pkt.checksum(got[:20]), 0)


def test_datagram_bytes():
    """A message about a UDP or DCCP packet always has the extension encoding, and no token. The
    quote of a DCCP packet in UDP reaches to its 48-bit sequence number, also behind the longest IP
    header."""
    longest = pkt.xlo4(300) + bytes([1] * 32)
    for code in ABOUT_LINK:
        with Link() as link:
            for encoding in (NATIVE, EXTENSION):
                link.client.set(encoding=encoding - 1, key=KEY)
                for packet in (with_option4(udp(), UDP), with_option4(in_udp(), UDP),
                               with_option4(dccp(), DCCP), ipv4(in_udp(), UDP, options=longest)):
                    link.tell(code, packet)
                    told = link.told()[0]
                    check4(told, icmp.message(code, packet, EXTENSION, QUOTED, RIGHT4))
            tap.equal("quoted sequence number", told[28 + 60 + 8 + 10:][:6],
                      b"\0\1\0\0\0\7")
            link.expect(asked=8, sent=8)
        with Link() as link:
            link.client.set(key=KEY)
            for packet in (with_option6(in_udp(), UDP), with_option6(dccp(), DCCP)):
                link.tell(code, packet)
                tap.equal("ICMPv6 message", link.told()[0].hex(), icmp.message6(
                    code, packet, EXTENSION, RIGHT6, hops=HOPS).hex())
            link.expect(asked=2, sent=2)


def test_short():
    """A packet that is shorter than the quote is quoted completely. The extension encoding pads the
    quote."""
    with Link() as link:
        packet = ipv4(segment(options=b"", payload=b""))
        for encoding in (NATIVE, EXTENSION):
            link.client.set(encoding=encoding - 1)
            link.tell(DROP, packet)
            check4(link.told()[0], icmp.message(DROP, packet, encoding, len(packet), RIGHT4))


def test_defer():
    """DEFER is sent only to sources whose packets carry the option."""
    with Link() as link:
        for packet in (with_option4(), with_option6()):
            link.tell(DEFER, packet)
            kind = icmp.TYPE4 if packet[0] >> 4 == 4 else icmp.TYPE6
            at = 20 if packet[0] >> 4 == 4 else 40
            tap.equal("type and code", link.told()[0][at:at + 2], bytes([kind, DEFER]))
        link.expect(asked=2, sent=2)
        refused(link, "carry the cross-layer option", DEFER, ipv4(segment()), no_option=1)
        refused(link, "carry the cross-layer option", DEFER, ipv6(segment()), no_option=1)


def test_datagrams_without_option():
    """Only sources whose UDP and DCCP packets carry the option receive messages about them. A
    malformed option is no option. "Packet discarded" needs no option."""
    damaged = pkt.xlo4(300)[:1] + b"\7" + pkt.xlo4(300)[2:]
    with Link() as link:
        for code in ABOUT_LINK:
            for packet in (ipv4(udp(), UDP), ipv4(dccp(), DCCP), ipv6(udp(), UDP),
                           ipv6(dccp(), DCCP), ipv4(udp(), UDP, options=damaged),
                           ipv6(udp(), 60, before=pkt.hop_by_hop(pkt.xlo6(300), UDP))):
                refused(link, "carry the cross-layer option", code, packet, no_option=1)
        tap.equal("sent messages", link.sniffer.drain(), [])
        link.tell(DISCARDED, ipv4(udp(), UDP))
        tap.equal("type and code", link.told()[0][20:22], bytes([icmp.TYPE4, DISCARDED]))


def test_datagrams_refused():
    """The kernel sends no message about a later fragment, about a packet from or to a group, about
    a packet whose header ends before the ports or DCCP's sequence number, and about other
    protocols. The option makes no difference."""
    group4, group6 = "224.0.0.5", "ff02::1"
    fragment = struct.pack("!BBHI", UDP, 0, 8, 1)
    with Link() as link:
        for code in ABOUT_LINK:
            for packet in (with_option4(udp(), UDP, fragment=1),
                           with_option4(udp(), UDP, fragment=0x2000 | 100),
                           ipv6(udp(), 0, before=pkt.hop_by_hop(pkt.xlo6(300), 44) + fragment)):
                refused(link, "not be a fragment", code, packet, fragment=1)
            for packet in (with_option4(udp(), UDP, source=group4),
                           with_option4(udp(), UDP, target=group4),
                           with_option6(udp(), UDP, source=group6),
                           with_option6(dccp(), DCCP, target=group6)):
                refused(link, "from one host to one host", code, packet, address=1)
            for data, proto in ((udp()[:7], UDP), (b"", UDP), (dccp()[:LONG - 1], DCCP),
                                (dccp(SHORT, b"")[:SHORT - 1], DCCP), (dccp()[:8], DCCP)):
                for packet in (with_option4(data, proto), with_option6(data, proto)):
                    refused(link, "the header of TCP, UDP or DCCP", code, packet, malformed=1)
            for proto in (SCTP, UDPLITE, 4):
                for packet in (with_option4(udp(), proto), with_option6(udp(), proto)):
                    refused(link, "must be TCP, UDP or DCCP", code, packet, not_tcp=1)
        tap.equal("sent messages", link.sniffer.drain(), [])


def test_shortest_datagrams():
    """The kernel sends a message about the shortest UDP and DCCP packets, and about a first
    fragment."""
    with Link() as link:
        packets = (with_option4(udp(), UDP), with_option4(dccp(SHORT, b""), DCCP),
                   with_option4(dccp(LONG, b""), DCCP), with_option6(dccp(SHORT, b""), DCCP),
                   with_option4(in_udp(), UDP, fragment=0x2000))
        for packet in packets:
            link.tell(DROP, packet)
            link.told()
        link.expect(asked=len(packets), sent=len(packets))


def refused(link, why, code, packet, **counted):
    """Check that the kernel refuses the request with this reason, counts it, and sends nothing."""
    try:
        link.tell(code, packet)
    except netlink.Refused as error:
        tap.true(f"{why}: {error}", why in str(error))
    else:
        raise tap.Failed(f"the request was accepted: {why}")
    link.expect(asked=1, **counted)


def fragment6(data, offset, following=6):
    return ipv6(data, 44, before=struct.pack("!BBHI", following, 0, offset, 1))


def test_refused():
    """The kernel sends no message about ICMP packets, segments that open or reset a connection,
    later fragments and truncated packets. The kernel also sends no message if an address of the
    packet does not belong to a single host."""
    multicast, all_hosts = "224.0.0.5", "255.255.255.255"
    with Link() as link:
        for kind in (DROP, DISCARDED):
            for packet in (ipv4(bytes(8), 1), ipv4(bytes(8), ICMP6), ipv6(bytes(8), ICMP6)):
                refused(link, "not be ICMP", kind, packet, icmp=1)
            for packet in (ipv4(segment(SYN)), ipv4(segment(SYN | ACK)), ipv6(segment(SYN))):
                refused(link, "not be a SYN", kind, packet, syn=1)
            for packet in (ipv4(segment(RST)), ipv4(segment(RST | ACK)), ipv6(segment(RST))):
                refused(link, "not be a RST", kind, packet, rst=1)
            for packet in (ipv4(segment(), fragment=1), ipv4(segment(), fragment=0x2000 | 100),
                           fragment6(segment(), 8), fragment6(segment(), 8 | 1)):
                refused(link, "not be a fragment", kind, packet, fragment=1)
            for packet in ([ipv4(segment(), source=host) for host in
                            (multicast, all_hosts, "0.0.0.0", "127.0.0.1")] +
                           [ipv4(segment(), target=host) for host in (multicast, all_hosts)] +
                           [ipv6(segment(), source=host) for host in ("ff02::1", "::", "::1")] +
                           [ipv6(segment(), target="ff02::1")]):
                refused(link, "from one host to one host", kind, packet, address=1)
            for packet in (b"\x45", b"\x55" + bytes(60), ipv4(segment())[:33], ipv6(segment())[:53],
                           ipv4(segment())[:19], ipv6(segment())[:39],
                           b"\x44" + ipv4(segment())[1:], b"\x4f" + ipv4(segment())[1:50]):
                refused(link, "must be IP from its header on", kind, packet, malformed=1)
        tap.equal("sent messages", link.sniffer.drain(), [])


def test_answered():
    """The kernel sends a message without a token about a discarded UDP packet. The kernel also
    sends a message about a first fragment."""
    with Link() as link:
        link.client.set(key=KEY)
        packet = ipv4(struct.pack("!HHHH", 1, 2, 8, 0), 17)
        link.tell(DISCARDED, packet)
        check4(link.told()[0], icmp.message(DISCARDED, packet, quote=len(packet), source=RIGHT4))
        for packet in (ipv4(segment(), fragment=0x2000), fragment6(segment(), 1)):
            link.tell(DROP, packet)
            link.told()
        link.expect(asked=3, sent=3)


def test_request():
    """xlo_rto refuses a request and counts nothing if an attribute is missing or out of range."""
    with Link() as link:
        good = ipv4(segment())
        for code, why, command, values in (
                (errno.EINVAL, "", "notify", {"packet": good}),
                (errno.ERANGE, "integer out of range", "notify", {"packet": good, "code": 4}),
                (errno.EINVAL, "", "notify", {"code": DROP}),
                (errno.ERANGE, "size out of range", "notify", {"code": DROP, "packet": b""}),
                (errno.ERANGE, "size out of range", "notify",
                 {"code": DROP, "packet": good + bytes(1501 - len(good))}),
                (errno.ERANGE, "integer out of range", "set", {"accept": 4}),
                (errno.ERANGE, "integer out of range", "set", {"one_hop": 2}),
                (errno.ERANGE, "integer out of range", "set", {"encoding": 2}),
                (errno.ERANGE, "integer out of range", "set", {"early": 2}),
                (errno.ERANGE, "key must have 16 bytes or none", "set", {"key": bytes(15)}),
                (errno.ERANGE, "key must have 16 bytes or none", "set", {"key": bytes(17)})):
            try:
                link.client.do(command, **values)
            except netlink.Refused as error:
                tap.equal(f"{command} {sorted(values)}", error.code, code)
                tap.true(f"{why}: {error}", why in str(error))
            else:
                raise tap.Failed(f"the request was accepted: {values}")
        link.expect()
        link.tell(DROP, good + bytes(1500 - len(good)))
        link.told()


def test_link_local():
    """The kernel sends no message to a link-local address, because the same address may belong to a
    different host on each link."""
    with Link() as link:
        link.right.ip("neighbour replace fe80::9 lladdr 02:00:00:00:00:01 dev v1")
        link.tell(DROP, ipv6(segment(), source="fe80::9", target="fe80::8"))
        link.expect(asked=1, no_route=1)
        tap.equal("sent messages", link.sniffer.drain(), [])


def translated(link):
    """A datagram of the left host, as it leaves the right host after NAT has changed its source."""
    own, far = "192.0.2.1", "192.0.2.99"
    kmod.modprobe("dummy")
    link.left.ip(f"route add {far} via {RIGHT4} dev v0")
    link.right.ip("link add nat0 type dummy", "link set nat0 up", f"address add {own}/24 dev nat0",
                  f"neighbour replace {far} lladdr 02:00:00:00:00:03 dev nat0")
    link.right.sysctl("net.ipv4.ip_forward", 1)
    link.right.run("nft -f -", stdin="table ip nat { chain out { type nat hook postrouting "
                   "priority srcnat; oifname nat0 masquerade; }; }")
    sniffer = sniff.Sniffer(link.right, "nat0", outgoing=True)
    with link.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(bytes(60), (far, 9))
        packet = sniffer.until("the translated datagram", lambda frames: frames)[0].packet
    tap.equal("source", packet[12:16], socket.inet_aton(own))
    return packet


def test_behind_nat():
    """This host's NAT has changed the packet's source. If the message has the extension encoding,
    NAT changes the address back. NAT does not change the address of a native message, so the native
    message reaches only this host."""
    with Link() as link:
        packet = translated(link)
        link.client.set(encoding=EXTENSION - 1)
        link.tell(DISCARDED, packet)
        told = link.told()[0]
        tap.equal("target of the message, and source of the quoted packet",
                  (told[16:20], told[28 + 12:28 + 16]),
                  (socket.inet_aton(LEFT4),) * 2)
        link.client.set(encoding=NATIVE - 1)
        link.tell(DISCARDED, packet)
        link.expect(asked=2, sent=2)
        tap.equal("native messages on the link", link.sniffer.drain(), [])


def test_no_way():
    """If the host has no route, or a filter drops the message, the message is counted and not
    sent."""
    with Link() as link:
        link.tell(DROP, ipv4(segment(), source="203.0.113.9"))
        link.tell(DROP, ipv6(segment(), source="2001:db8:9::1"))
        # the broadcast address of the network
        link.tell(DROP, ipv4(segment(), source="10.1.0.255"))
        link.expect(asked=3, no_route=2, address=1)
        link.right.run("nft -f -", stdin="table inet no { chain out { type filter hook output "
                       "priority 0; drop; }; }")
        link.tell(DROP, ipv4(segment()))
        link.tell(DROP, ipv6(segment()))
        link.expect(asked=2, dropped=2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
