#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a router fragments or segments a packet, each part carries the option. The router does not
stamp fragments that arrive. The receiver receives exactly the data that was sent."""
import socket
import struct

from lib import fragments, hosts, mib, packet as pkt, segments, stamped, syn, tap, wait
from lib.router import MARKED, MTU, expected, marking, ours

UDP_SEGMENT, SOL_UDP = 103, 17


def offset4(packet):
    """The fragment offset of an IPv4 packet, in bytes."""
    return (struct.unpack_from("!H", packet, 6)[0] & 0x1fff) * 8


def test_fragmented_here():
    """An IPv4 packet that is too large for the next link is stamped and then fragmented. Each
    fragment carries the option, and the fragments contain the whole packet."""
    with marking(mtu=1300) as r:
        packet = pkt.ipv4(payload=pkt.body(0, 1372))
        r.port.send(packet)
        frames = r.beyond.until("two fragments", lambda seen: len(udp_frames(seen)) >= 2)
        found = sorted((f.packet for f in udp_frames(frames)), key=offset4)
        want = expected(packet)
        for got in found:
            tap.equal("option", got[20:28].hex(), want[20:28].hex())
            tap.true("the header checksum is right", pkt.checksum_right(got))
            tap.true("the fragment fits", len(got) <= 1300)
        tap.equal("payload", b"".join(got[28:] for got in found).hex(), packet[20:].hex())
        tap.equal("offsets", [offset4(got) for got in found], [0, len(found[0]) - 28])
        r.account.expect(stamped_forward=1)


def udp_frames(frames):
    """The frames with IPv4 UDP packets or their fragments."""
    return [f for f in frames if f.packet[0] >> 4 == 4 and f.packet[9] == 17]


def is_ours(packet):
    """Whether the packet is UDP or an IPv6 fragment."""
    if packet[0] >> 4 == 4:
        return packet[9] == 17
    return packet[0] >> 4 == 6 and packet[40 if packet[6] == 0 else 6] in (17, 44)


def test_fragments_go_as_they_are():
    """Every fragment, including the first fragment, is forwarded unstamped and counted."""
    payload = pkt.body(0, 3000)
    with marking() as r:
        for packets in (fragments.ipv4(pkt.ipv4(payload=payload), 1000),
                        fragments.ipv4(pkt.ipv4(payload=payload), 1480),
                        fragments.ipv6(pkt.ipv6(None, payload), 1000),
                        fragments.ipv4(syn.ipv4(syn.SYN, b"", payload), 1000),
                        fragments.ipv6(syn.ipv6(syn.SYN, b"", payload), 1000)):
            for packet in packets:
                r.port.send(packet)
            frames = r.beyond.until("all fragments", lambda seen, n=len(packets): len(
                [f for f in seen if segments.is_fragment(f.packet)]) >= n)
            tap.equal("fragments", sorted(f.packet.hex() for f in frames
                                          if segments.is_fragment(f.packet)),
                      sorted(stamped.one_hop_less(p).hex() for p in packets))
            r.account.expect(pieces=len(packets))


def test_reassembled_on_the_way():
    """Connection tracking reassembles the fragments of a packet, and the router later fragments the
    packet again. Each new fragment carries the option and fits into the MTU. The receiver receives
    the whole payload."""
    with marking(hosts=True) as r:
        r.router.run("nft -f -", stdin="table inet track { chain pre { type filter hook "
                     "prerouting priority 0; ct state new counter; }; }")
        payload = pkt.body(0, 4000)
        for family, target, packets in (
                (socket.AF_INET, pkt.TARGET4,
                 fragments.ipv4(pkt.ipv4(payload=payload), 1480)),
                (socket.AF_INET6, pkt.TARGET6,
                 fragments.ipv6(pkt.ipv6(None, payload), 1448))):
            with r.mobile.socket(family, socket.SOCK_DGRAM) as sink, mib.Errors(r.mobile):
                sink.bind((target, MARKED))
                sink.settimeout(wait.patient(5))
                r.beyond.drain()
                for packet in packets:
                    r.port.send(packet)
                tap.equal("payload", sink.recv(9000).hex(), payload.hex())
            found = [f.packet for f in r.beyond.drain() if is_ours(f.packet)]
            tap.equal("lifetimes", {pkt.lifetime(p) for p in found}, {300})
            tap.true("all packets fit into the MTU", max(len(p) for p in found) <= MTU)
            r.account.expect(stamped_forward=1)


def send_udp_gso(r, family, count, size):
    """Send one GSO packet of `count` datagrams through the sender's stack."""
    target = pkt.TARGET4 if family == socket.AF_INET else pkt.TARGET6
    with r.sender.socket(family, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(SOL_UDP, UDP_SEGMENT, size)
        sock.sendto(b"".join(pkt.body(number, size) for number in range(count)), (target, MARKED))


def test_udp_super_packet():
    """xlo stamps a UDP GSO packet once. If the router segments the packet for the device, each
    datagram carries the option and has right checksums. The receiver receives every datagram."""
    for family, target in ((socket.AF_INET, pkt.TARGET4), (socket.AF_INET6, pkt.TARGET6)):
        with marking(hosts=True) as r, r.mobile.socket(family, socket.SOCK_DGRAM) as sink:
            sink.bind((target, MARKED))
            sink.settimeout(wait.patient(5))
            for cut in (False, True):
                if cut:
                    hosts.offload(r.router, "r1", tx=False)
                r.beyond.drain()
                send_udp_gso(r, family, 10, 1000)
                with mib.Errors(r.mobile):
                    got = [sink.recv(2000) for _ in range(10)]
                tap.equal("datagrams", got, [pkt.body(number, 1000) for number in range(10)])
                r.account.expect(stamped_forward=1)
                found = ours(r.beyond.drain())
                tap.equal("packets", len(found), 10 if cut else 1)
                tap.equal("lifetimes", {pkt.lifetime(p) for p in found}, {300})
                if cut:
                    tap.true("checksums are right",
                             all(segments.checksum_right(p, 17) for p in found))
                    tap.true("lengths in the headers are right",
                             all(segments.length_by_header(p) == len(p)
                                 for p in found))


def test_udp_super_packet_without_room():
    """A GSO packet is not stamped if one of its datagrams would exceed the MTU with the option."""
    with marking(hosts=True) as r:
        with r.mobile.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
            sink.bind((pkt.TARGET4, MARKED))
            sink.settimeout(wait.patient(5))
            for size, counter in ((MTU - 28 - 8, "stamped_forward"), (MTU - 28 - 7, "no_room_mtu")):
                send_udp_gso(r, socket.AF_INET, 5, size)
                for number in range(5):
                    tap.equal("datagram", sink.recv(2000), pkt.body(number, size))
                r.account.expect(**{counter: 1})


def test_udp_packets_put_together():
    """GRO in the router merges single datagrams. xlo stamps a merged packet once if it will be
    segmented later. With rx-gro-list, GRO makes a chain of complete packets, which is forwarded
    unstamped and counted."""
    for family, target in ((socket.AF_INET, pkt.TARGET4), (socket.AF_INET6, pkt.TARGET6)):
        for feature, counter in (("rx-udp-gro-forwarding", "stamped_forward"),
                                 ("rx-gro-list", "pieces")):
            with marking(hosts=True) as r, r.mobile.socket(family, socket.SOCK_DGRAM) as sink:
                sink.bind((target, MARKED))
                sink.settimeout(wait.patient(5))
                hosts.offload(r.sender, "s0", tx_udp_segmentation=False, gso=False)
                hosts.offload(r.router, "r0", **{"gro": True, feature: True})
                # the kernel does not complete the checksums of a chain
                if counter == "stamped_forward":
                    hosts.offload(r.router, "r1", tx=False)
                send_udp_gso(r, family, 10, 1000)
                with mib.Errors(r.mobile):
                    got = [sink.recv(2000) for _ in range(10)]
                tap.equal("datagrams", got, [pkt.body(number, 1000) for number in range(10)])
                found = ours(r.beyond.drain())
                tap.equal("lifetimes", {pkt.lifetime(p) for p in found},
                          {300 if counter == "stamped_forward" else None})
                if counter == "stamped_forward":
                    tap.true("checksums are right",
                             all(segments.checksum_right(p, 17) for p in found))
                r.account.expect(**{counter: 1})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
