#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a router fragments or segments a packet, each piece carries the option. The router leaves
fragments that it receives alone. The receiver gets what was sent."""
import socket
import struct

from lib import fragments, hosts, mib, packet as pkt, segments, stamped, syn, tap, wait
from lib.router import MARKED, MTU, expected, marking, ours

UDP_SEGMENT, SOL_UDP = 103, 17


def offset4(packet):
    """The offset of an IPv4 fragment."""
    return (struct.unpack_from("!H", packet, 6)[0] & 0x1fff) * 8


def test_fragmented_here():
    """An IPv4 packet that is too large for the next link is stamped and then fragmented: each
    fragment has the option, and together they are what was sent."""
    with marking(mtu=1300) as r:
        packet = pkt.ipv4(payload=pkt.body(0, 1372))
        r.port.send(packet)
        frames = r.beyond.until("two fragments", lambda seen: len(udp_frames(seen)) >= 2)
        found = sorted((f.packet for f in udp_frames(frames)), key=offset4)
        want = expected(packet)
        for got in found:
            tap.equal("option", got[20:28].hex(), want[20:28].hex())
            tap.true("header checksum", pkt.checksum_right(got))
            tap.true("size", len(got) <= 1300)
        tap.equal("payload", b"".join(got[28:] for got in found).hex(), packet[20:].hex())
        tap.equal("offsets", [offset4(got) for got in found], [0, len(found[0]) - 28])
        r.account.expect(stamped_forward=1)


def udp_frames(frames):
    """IPv4 UDP, whole or fragments."""
    return [f for f in frames if f.packet[0] >> 4 == 4 and f.packet[9] == 17]


def is_ours(packet):
    """UDP, or a fragment of something."""
    if packet[0] >> 4 == 4:
        return packet[9] == 17
    return packet[0] >> 4 == 6 and packet[40 if packet[6] == 0 else 6] in (17, 44)


def test_fragments_go_as_they_are():
    """A fragment is never stamped, not even the first. It is counted."""
    payload = pkt.body(0, 3000)
    with marking() as r:
        for packets in (fragments.ipv4(pkt.ipv4(payload=payload), 1000),
                        fragments.ipv4(pkt.ipv4(payload=payload), 1480),
                        fragments.ipv6(pkt.ipv6(None, payload), 1000),
                        fragments.ipv4(syn.ipv4(syn.SYN, b"", payload), 1000),
                        fragments.ipv6(syn.ipv6(syn.SYN, b"", payload), 1000)):
            for packet in packets:
                r.port.send(packet)
            frames = r.beyond.until("all pieces", lambda seen, n=len(packets): len(
                [f for f in seen if segments.is_fragment(f.packet)]) >= n)
            tap.equal("pieces", sorted(f.packet.hex() for f in frames
                                       if segments.is_fragment(f.packet)),
                      sorted(stamped.one_hop_less(p).hex() for p in packets))
            r.account.expect(pieces=len(packets))


def test_reassembled_on_the_way():
    """Connection tracking puts fragments together and the router cuts them anew: each has the
    option and fits, and the receiver gets what was sent."""
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
            tap.true("sizes", max(len(p) for p in found) <= MTU)
            r.account.expect(stamped_forward=1)


def send_udp_gso(r, family, count, size):
    """One super-packet of count datagrams by the sender's own stack."""
    target = pkt.TARGET4 if family == socket.AF_INET else pkt.TARGET6
    with r.sender.socket(family, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(SOL_UDP, UDP_SEGMENT, size)
        sock.sendto(b"".join(pkt.body(number, size) for number in range(count)), (target, MARKED))


def test_udp_super_packet():
    """It is stamped once; where the device cuts it each datagram has the option and right
    checksums, and the receiver gets each."""
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
                    tap.true("checksums", all(segments.checksum_right(p, 17) for p in found))
                    tap.true("lengths", all(segments.length_by_header(p) == len(p)
                                            for p in found))


def test_udp_super_packet_without_room():
    """Its datagrams are measured, not the whole: as large as the MTU they go without."""
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
    """Single datagrams that the router puts together: as one packet to be cut again, which is
    stamped once; or as a chain of packets with a header each, which goes as it is."""
    for family, target in ((socket.AF_INET, pkt.TARGET4), (socket.AF_INET6, pkt.TARGET6)):
        for feature, counter in (("rx-udp-gro-forwarding", "stamped_forward"),
                                 ("rx-gro-list", "pieces")):
            with marking(hosts=True) as r, r.mobile.socket(family, socket.SOCK_DGRAM) as sink:
                sink.bind((target, MARKED))
                sink.settimeout(wait.patient(5))
                hosts.offload(r.sender, "s0", tx_udp_segmentation=False, gso=False)
                hosts.offload(r.router, "r0", **{"gro": True, feature: True})
                if counter == "stamped_forward":    # of a chain the kernel leaves it unfinished
                    hosts.offload(r.router, "r1", tx=False)
                send_udp_gso(r, family, 10, 1000)
                with mib.Errors(r.mobile):
                    got = [sink.recv(2000) for _ in range(10)]
                tap.equal("datagrams", got, [pkt.body(number, 1000) for number in range(10)])
                found = ours(r.beyond.drain())
                tap.equal("lifetimes", {pkt.lifetime(p) for p in found},
                          {300 if counter == "stamped_forward" else None})
                if counter == "stamped_forward":
                    tap.true("checksums", all(segments.checksum_right(p, 17) for p in found))
                r.account.expect(**{counter: 1})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
