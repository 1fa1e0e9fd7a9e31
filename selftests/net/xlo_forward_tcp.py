#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A router stamps exactly the TCP segments that carry data, SYN or FIN. SYNs announce a smaller
MSS, so the option fits into each segment. Connections work through the router, with and without
NAT."""
# run.sh: smoke on arm64 s390x: mss_is_clamped
import socket
import struct
import threading

from lib import bench, hosts, mib, packet as pkt, segments, stamped, syn, tap, wait
from lib.router import MARKED, MTU, PROFILE, ROUTER4, Router, expected, marking, ours

ROUTER_ALERT6 = bytes([5, 2, 0, 0])
# An emulated machine needs a minute for the packets that a lab kernel forwards in a second.
BULK = (20 if wait.virtual_time() else 5) * 10**5


def transfer(r, family, data):
    """Send data over a connection from the sender to the mobile host. Returns the received data."""
    target = pkt.TARGET4 if family == socket.AF_INET else pkt.TARGET6
    received = []
    with r.mobile.socket(family, socket.SOCK_STREAM) as listener, \
            r.sender.socket(family, socket.SOCK_STREAM) as client:
        listener.bind((target, 80))
        listener.listen()

        def serve():
            conn, _ = listener.accept()
            with conn:
                conn.settimeout(60)
                while piece := conn.recv(1 << 16):
                    received.append(piece)
        server = threading.Thread(target=serve)
        server.start()
        client.settimeout(60)
        client.connect((target, 80))
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        tap.equal("end of the stream", client.recv(1), b"")
        server.join()
    return b"".join(received)


# Offloads to switch. Either the sender or the router's GRO makes GSO packets, or neither host does.
TCP_WAYS = {
    "GSO packets": (),
    "GSO packets segmented by the router": (("router", "r1", {"tx": False}),),
    "packets merged by the router": (
        ("sender", "s0", {"tso": False, "gso": False}), ("router", "r0", {"gro": True}),
        ("router", "r1", {"tx": False})),
    "single packets": (("sender", "s0", {"tso": False, "gso": False}),
                       ("router", "r1", {"tx": False})),
}


def tcp_frames(frames):
    return [segments.Segment(f.packet) for f in frames if segments.is_tcp(f.packet)]


def test_tcp_arrives_whole():
    """On a forwarded connection exactly the segments with data, SYN or FIN are stamped. SYNs
    announce a smaller MSS, so each segment fits into the MTU with the option. Checksums on the wire
    are right, and all data arrives."""
    data = bench.seed().randbytes(BULK)
    for family, small in ((socket.AF_INET, MTU - 48), (socket.AF_INET6, MTU - 76)):
        for name, switches in TCP_WAYS.items():
            with marking(hosts=True) as r:
                for node, device, features in switches:
                    hosts.offload(getattr(r, node), device, **features)
                with mib.Errors(r.mobile, r.router):
                    tap.true(f"{name}: all data arrives", transfer(r, family, data) == data)
                r.beyond.lossless()
                found = tcp_frames(r.beyond.drain())
                tap.equal(f"{name}: (carries data, SYN or FIN; lifetime)",
                          {(s.carries, s.lifetime) for s in found},
                          {(True, 300), (False, None)})
                tap.equal(f"{name}: MSS", [s.mss() for s in found if s.flags & syn.SYN], [small])
                carrying = sum(s.carries for s in found)
                if switches:
                    tap.true(f"{name}: checksums are right",
                             all(segments.checksum_right(s.packet) for s in found))
                    tap.true(f"{name}: segments fit into the MTU",
                             all(s.length <= MTU for s in found))
                if name == "single packets":
                    r.account.expect(stamped_forward=carrying, mss_clamped=2)
                else:
                    tap.true(f"{name}: fewer packets than segments",
                             r.xlo.stats()["stamped_forward"] < len(data) / small)
                tap.equal(f"{name}: packets without space", r.xlo.stats()["no_room_mtu"], 0)


def test_tcp_without_something_to_say():
    """Pure ACKs and resets are forwarded unstamped. Segments with SYN, FIN or data are stamped."""
    with marking() as r:
        for flags, payload, is_stamped in (
                (syn.ACK, b"", False), (syn.RST, b"", False), (syn.RST | syn.ACK, b"x", False),
                (syn.SYN, b"", True), (syn.FIN | syn.ACK, b"", True), (syn.ACK, b"x", True),
                (syn.SYN | syn.ACK, b"", True), (0, b"", False)):
            for packet in (syn.ipv4(flags, payload=payload), syn.ipv6(flags, payload=payload),
                           syn.ipv6(flags, payload=payload, extension=ROUTER_ALERT6)):
                found = cross_tcp(r, packet)
                want = expected(packet) if is_stamped else stamped.one_hop_less(packet)
                tap.equal(f"flags {flags}, payload {payload}", found.hex(), want.hex())
                r.account.expect(stamped_forward=int(is_stamped))


def cross_tcp(r, packet):
    """Send the TCP segment through the router. Returns the segment that arrives behind the
    router."""
    r.port.send(packet)
    frames = r.beyond.until("the segment",
                            lambda seen: any(segments.is_tcp(f.packet) for f in seen))
    [found] = [f.packet for f in frames if segments.is_tcp(f.packet)]
    return found


# The MSS that a SYN announces

AO = b"\x1d\x10\1\2" + bytes(12)      # TCP-AO with a MAC of 96 bits
MD5 = b"\x13\x12" + bytes(16)

MSS_OPTIONS = {
    # a function that adds TCP options to an MSS option, and the offset of the MSS option in them
    "alone": (lambda mss: syn.mss(mss), 0),
    "after one byte": (lambda mss: b"\1" + syn.mss(mss), 1),
    "after two bytes": (lambda mss: b"\1\1" + syn.mss(mss), 2),
    "after an option of odd length": (lambda mss: b"\3\3\7" + syn.mss(mss), 3),
    "after four options":
        (lambda mss: b"\4\2\x08\x0a" + bytes(8) + b"\1\3\3\7" + syn.mss(mss), 16),
    "before other options": (lambda mss: syn.mss(mss) + b"\4\2\1\3\3\7", 0),
    "before a malformed option": (lambda mss: syn.mss(mss) + b"\3\0\1\1", 0),
    "before TCP-AO after the end of the list": (lambda mss: syn.mss(mss) + b"\0" + AO, 0),
    "before TCP MD5": (lambda mss: syn.mss(mss) + MD5, 0),
    "after TCP MD5": (lambda mss: b"\1\1" + MD5 + syn.mss(mss), 20),
    "at the very end": (lambda mss: b"\1" * 36 + syn.mss(mss), 36),
}


def clamped(packet, options, at, mss):
    """The segment rebuilt with another MSS and a right checksum."""
    options = options[:at + 2] + struct.pack("!H", mss) + options[at + 4:]
    flags = segments.Segment(packet).flags
    return (syn.ipv4 if packet[0] >> 4 == 4 else syn.ipv6)(flags, options)


def lowered(mss, headers, takes):
    """The MSS that a SYN is expected to announce behind the router. A segment with the option must
    not be longer than the SYN allowed, and must fit into the MTU of the links. TCP accepts no MSS
    less than 48."""
    return min(mss, max(min(mss, MTU - headers) - takes, 48))


MSS_VALUES = (0, 40, 47, 48, 49, 56, 57, 64, 65, 536, 1220, 1439, 1440, 1441, 1459, 1460, 1461,
              9000, 65535)


def test_mss_is_clamped():
    """The router lowers the MSS in a SYN or SYN-ACK by exactly the option's size, at any position
    of the MSS option. The TCP checksum stays right. The router also changes SYNs without the
    profile's mark."""
    with Router() as r:
        r.profile(**PROFILE)        # no packet has the profile's mark
        for make, headers, takes in ((syn.ipv4, 40, 8), (syn.ipv6, 60, 16)):
            for name, (place, at) in MSS_OPTIONS.items():
                for mss in MSS_VALUES:
                    packet = make(syn.SYN | syn.ACK * (mss & 1), place(mss))
                    small = lowered(mss, headers, takes)
                    want = clamped(packet, place(mss), at, small)
                    found = cross_tcp(r, packet)
                    tap.equal(f"{name}: {mss}", found.hex(), stamped.one_hop_less(want).hex())
                    tap.true("the checksum is right", segments.checksum_right(found))
                    r.account.expect(mss_clamped=int(small < mss))


def test_clamped_and_stamped():
    """A marked SYN is stamped, and its MSS is lowered."""
    with marking() as r:
        for make, limit in ((syn.ipv4, MTU - 48), (syn.ipv6, MTU - 76)):
            found = cross_tcp(r, make(syn.SYN, b"\1" + syn.mss(1460)))
            tap.equal("packet", found.hex(), expected(make(syn.SYN, b"\1" + syn.mss(limit))).hex())
            r.account.expect(stamped_forward=1, mss_clamped=1)


def test_mss_by_the_smaller_link():
    """The link with the smaller MTU limits the MSS. The MSS never becomes smaller than TCP
    accepts."""
    with Router() as r:
        r.profile(**PROFILE)
        for left, right, limit in ((1500, 1400, 1352), (1300, 1500, 1252), (1280, 1280, 1232),
                                   (576, 1500, 528), (1500, 98, 50), (1500, 96, 48),
                                   (1500, 90, 48), (1500, 68, 48)):
            r.router.link("r0", True, left)
            r.router.link("r1", True, right)
            found = cross_tcp(r, syn.ipv4(syn.SYN, syn.mss(1460)))
            tap.equal(f"MSS between {left} and {right}", segments.Segment(found).mss(), limit)
            tap.true("the checksum is right", segments.checksum_right(found))


def test_segments_without_an_mss_to_clamp():
    """A segment stays unchanged if it is not a SYN or has no valid MSS option. The MSS option may
    be missing, malformed, or beyond the end of the option list or of the header."""
    big = syn.mss(1460)
    with Router() as r:
        r.profile(**PROFILE)
        for make in (syn.ipv4, syn.ipv6):
            for flags, options, payload in (
                    (syn.SYN, b"", b""), (syn.SYN, b"\1\1\1\1", b""), (syn.SYN, b"\0" + big, b""),
                    (syn.SYN, b"\2\3\xff\1", b""), (syn.SYN, b"\2\5\xff\xff\xff\1\1\1", b""),
                    (syn.SYN, b"\1\1\2\4", b"\xff\xff"), (syn.SYN, b"\1\1\1\2", b"\4\xff\xff"),
                    (syn.SYN, b"\3\0\1\1" + big, b""), (syn.SYN, b"\3\1\1\1" + big, b""),
                    (syn.SYN, b"\3\x28\1\1" + big, b""), (syn.SYN, b"", big),
                    (syn.ACK, big, b""), (syn.FIN, big, b"x"), (syn.RST, big, b"")):
                packet = make(flags, options, payload)
                found = cross_tcp(r, packet)
                tap.equal(f"{flags} {options.hex()}", found.hex(),
                          stamped.one_hop_less(packet).hex())
        r.account.expect()


def test_authenticated_syns():
    """A SYN with TCP-AO stays unchanged, because TCP-AO also protects the TCP options (RFC 5925
    section 5.1). The position of the TCP-AO option does not matter."""
    with Router() as r:
        r.profile(**PROFILE)
        for make in (syn.ipv4, syn.ipv6):
            for options in (syn.mss(1460) + AO, AO + syn.mss(1460),
                            syn.mss(1460) + b"\1\3\3\7" + AO,
                            syn.mss(1460) + b"\1" * 16 + AO, AO[:1] + b"\4\1\2" + syn.mss(1460)):
                for flags in (syn.SYN, syn.SYN | syn.ACK):
                    packet = make(flags, options)
                    tap.equal(options.hex(), cross_tcp(r, packet).hex(),
                              stamped.one_hop_less(packet).hex())
        r.account.expect()


def test_cut_off_syns():
    """A SYN stays unchanged if the packet ends before its TCP options end."""
    with Router() as r:
        r.profile(**PROFILE)
        whole = syn.ipv4(syn.SYN, b"\1\1\1\1" * 5 + syn.mss(1460))
        for size in (40, 52, 62, 63):
            packet = stamped.checksummed(whole[:2] + struct.pack("!H", size) + whole[4:size])
            tap.equal(f"{size} bytes", cross_tcp(r, packet).hex(),
                      stamped.one_hop_less(packet).hex())
        r.account.expect()


MASQUERADE = """table inet nat {
  chain post { type nat hook postrouting priority srcnat; oifname "r1" masquerade; }
  chain forward { type filter hook forward priority 0; ct state invalid drop; }
}"""


def test_nat():
    """Connection tracking and NAT handle stamped packets, and answers reach the sender. A TCP
    connection through NAT delivers all data."""
    data = bench.seed().randbytes(BULK // 4)
    with marking(hosts=True) as r:
        r.router.run("nft -f -", stdin=MASQUERADE)
        with r.mobile.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
                r.sender.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sink.bind((pkt.TARGET4, MARKED))
            for one in (sink, sock):
                one.settimeout(wait.patient(5))
            sock.sendto(pkt.body(0, 50), (pkt.TARGET4, MARKED))
            got, source = sink.recvfrom(100)
            tap.equal("data and source", (got, source[0]), (pkt.body(0, 50), ROUTER4[1]))
            sink.sendto(b"answer", source)
            tap.equal("answer", sock.recv(100), b"answer")
        [found] = ours(r.beyond.drain())
        tap.equal("source and lifetime", (found[12:16], pkt.lifetime(found)),
                  (socket.inet_aton(ROUTER4[1]), 300))
        tap.true("the header checksum is right", pkt.checksum_right(found))
        with mib.Errors(r.mobile, r.router):
            tap.true("all data arrives", transfer(r, socket.AF_INET, data) == data)
        tap.equal("(carries data, SYN or FIN; lifetime)",
                  {(s.carries, s.lifetime) for s in tcp_frames(r.beyond.drain())},
                  {(True, 300), (False, None)})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
