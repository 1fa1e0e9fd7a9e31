#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a stale packet asks for truncation, lpd cuts the packet to its headers and sends them. The cut
packet keeps its position in the queue, and every bit of the packet is right. The tests vary the
protocol, the layout in memory and the state of the checksum. A packet that cannot be cut is
discarded. Parent qdiscs count the remaining bytes. (lpd_truncate_hosts.py tests devices, hosts and
dissectors.)"""
# run.sh: all on lab-debug: *paged [!i]*
# run.sh: smoke: ipv4_udp:linear ipv6_tcp:paged qfq:parent_finds_them tbf:timer_cuts
import struct
import time

from lib import bench, cast, packet as pkt, parents, port, tap, tc, wait
from lib.cast import ACK, DCCP, FIN, PSH, RST, SHAPES, SYN, TCP, UDP, URG, VERSIONS, Shape

MS = bench.MS
SHORT, LONG, ROW = 60, 20_000, 20
LARGE = 5000            # more than a page, so the skb is not linear
MTU = 9000


def linear(b, shape, packet):
    return b.send(packet(bytes(range(256)) * 4))


def of_odd_length(b, shape, packet):
    return b.send(packet(bytes(range(255)) * 3))


def paged(b, shape, packet):
    """Send a packet whose linear part ends within the transport header."""
    with bench.Moment() as moment:
        b.port.send_virtio(packet(bytes(range(256)) * (LARGE // 256)), shape.transport() + 4)
    return moment


def begun(b, shape, packet):
    """Send a packet whose checksum the device should compute. The device of the test cannot compute
    checksums, so the kernel computes the checksum after lpd has sent the packet."""
    with bench.Moment() as moment:
        b.port.send_virtio(packet(bytes(range(251)) * 3), checksum=shape.checksum_place())
    return moment


def begun_and_paged(b, shape, packet):
    with bench.Moment() as moment:
        b.port.send_virtio(packet(bytes(range(251)) * (LARGE // 251)), shape.transport() + 24,
                           shape.checksum_place())
    return moment


WAYS = (linear, of_odd_length, paged, begun, begun_and_paged)


def exactly(what, got, want):
    """Compare the packets bit by bit."""
    tap.equal(what, [p.hex() for p in got], [p.hex() for p in want])


def cut_in_the_queue(shape, way):
    """If a packet expires in the queue, only its headers leave, with the lifetime 0."""
    seen = []

    def packet(payload):
        seen.append(payload)
        begins = way in (begun, begun_and_paged)
        return shape._replace(begun=begins).packet(payload, lifetime=SHORT)
    with bench.Bench(MTU) as b:
        b.lpd(keep=shape.keep)
        b.plug()
        sent = way(b, shape, packet)
        wait.till(sent.last + (SHORT + 1) * MS)
        exactly("packets", b.open(), [shape.cut(seen[0])])
        b.expect(packets_in=1, packets_out=1, rewritten=1, truncated=1,
                 truncated_bytes=len(seen[0]) - shape.keep)


def test_cut_on_arrival():
    """If a packet is stale on arrival, it is cut and leaves immediately, even if no further packet
    arrives."""
    with bench.Bench() as b:
        b.lpd(keep=12)
        for version in VERSIONS:
            for kind in (Shape(version, TCP), Shape(version, UDP, keep=12), Shape(version, DCCP)):
                b.mark()
                b.send(kind.packet(b"x" * 500))
                exactly("packets", b.open(), [kind.cut(b"x" * 500)])
                b.expect(packets_in=1, packets_out=1, rewritten=1, truncated=1,
                         truncated_bytes=500 - kind.keep)


def test_absolute_deadline():
    """A packet with an absolute deadline is cut, and its option does not change."""
    with bench.Bench() as b:
        b.lpd()
        whole = pkt.ipv4(pkt.xlo4(pkt.absolute(-1000, time.time()), pkt.TRUNCATE), b"x" * 100)
        b.send(whole)
        [got] = b.open()
        tap.equal("option", got[20:28].hex(), whole[20:28].hex())
        tap.equal("length", (len(got), got[2:4]), (36, struct.pack("!H", 36)))
        b.expect(packets_in=1, packets_out=1, truncated=1, truncated_bytes=100)


def test_place_in_the_queue():
    """Cut packets leave at their positions among other packets, and never expire again."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        shape = Shape(4, UDP)
        fresh = pkt.ipv4(pkt.xlo4(LONG), pkt.body(1, 100))
        plain = pkt.ipv4(b"", pkt.body(2, 100))
        sent = b.send(shape.packet(b"a" * 100, lifetime=SHORT), fresh,
                      shape.packet(b"b" * 200, lifetime=SHORT), plain,
                      shape.packet(b"c" * 300, lifetime=SHORT))
        wait.till(sent.last + 10 * SHORT * MS)
        b.tree()
        got = [pkt.with_lifetime(p, 0) if pkt.number(p) == 1 else p for p in b.open()]
        cut = shape.cut(b"")
        exactly("packets", got, [cut, pkt.with_lifetime(fresh, 0), cut, plain, cut])
        b.expect(packets_in=5, packets_out=5, rewritten=4, no_lifetime=1, truncated=3,
                 truncated_bytes=600)


def test_nothing_to_cut():
    """A stale packet leaves unchanged if it has no payload, or if it is a UDP datagram with no more
    payload than `keep`."""
    with bench.Bench() as b:
        b.lpd(keep=20)
        b.plug()
        packets = [(Shape(version, proto), b"x" * 20 * (proto == UDP))
                   for version in VERSIONS for proto in (TCP, UDP, DCCP)]
        sent = b.send(*[shape.packet(payload, lifetime=SHORT) for shape, payload in packets])
        wait.till(sent.last + (SHORT + 1) * MS)
        exactly("packets", b.open(), [shape.packet(payload) for shape, payload in packets])
        b.expect(packets_in=6, packets_out=6, rewritten=6)


def test_treatment_of_the_qdisc():
    """With `stale truncate` all stale packets are cut, even if their flags ask for another
    treatment. Packets without an option are cut after the default lifetime."""
    with bench.Bench() as b:
        b.lpd(stale=bench.TRUNCATE, lifetime=SHORT * MS, keep=4)
        b.plug()
        packets = [pkt.ipv4(pkt.xlo4(SHORT, flags), b"x" * 100)
                   for flags in (pkt.FORWARD, pkt.DISCARD, pkt.TRUNCATE)] + \
            [pkt.ipv4(b"", b"x" * 100), pkt.ipv6(None, b"x" * 100)]
        sent = b.send(*packets)
        wait.till(sent.last + (SHORT + 1) * MS)
        tap.equal("lengths", [len(p) for p in b.open()], [len(p) - 96 for p in packets])
        b.expect(packets_in=5, packets_out=5, rewritten=3, default_lifetime=2, truncated=5,
                 truncated_bytes=5 * 96)


def test_other_treatments_do_not_cut():
    """With `stale discard` or `stale forward`, a stale packet is not cut, even if its flags ask for
    truncation."""
    whole = Shape(4, UDP).packet(b"x" * 100)
    for stale, counters, out in ((bench.DISCARD, {"stale": 1}, 0),
                                 (bench.FORWARD, {"stale_forwarded": 1, "rewritten": 1}, 1)):
        with bench.Bench() as b:
            b.lpd(stale=stale)
            b.plug()
            b.send(whole)
            exactly("packets", b.open(), [whole] * out)
            b.expect(packets_in=1, packets_out=out, **counters)


def uncuttable(version):
    """Yields (name, protocol, bytes after the IP header) for packets that cannot be cut."""
    segment = Shape(version, TCP)
    for name, flags in (("SYN", SYN), ("FIN", FIN | ACK), ("RST", RST), ("URG", URG | ACK)):
        yield name, TCP, segment.checked(cast.tcp(flags), b"x" * 50)
    yield "SYN without data", TCP, segment.checked(cast.tcp(SYN), b"")
    for proto in (50, 51, 1, 58, 132, 136, 253):
        yield f"protocol {proto}", proto, bytes(range(1, 101))
    yield "TCP header longer than the packet", TCP, bytes(12) + b"\xf0\x10" + bytes(20)
    yield "UDP length too large", UDP, cast.udp(100) + bytes(91)
    yield "UDP length too small", UDP, cast.udp(7) + bytes(91)
    yield "DCCP coverage too large", DCCP, cast.dccp(15) + bytes(55)


UNCUTTABLE = {f"IPv{version}: {name}":
              lambda ms, version=version, proto=proto, data=data:
              Shape(version, proto).network(data, lifetime=ms)
              for version in VERSIONS for name, proto, data in uncuttable(version)} | {
    f"IPv{version}: shorter than it says":
    lambda ms, version=version: Shape(version, TCP).packet(bytes(50), lifetime=ms)[:-1]
    for version in VERSIONS}


def test_uncuttable_in_the_queue():
    """If a packet cannot be cut, lpd discards it when it becomes stale. The counter uncuttable
    counts the packet."""
    with bench.Bench() as b:
        b.lpd(adu=0)
        b.plug()
        for name, packet in UNCUTTABLE.items():
            tap.note(name)
            b.mark()
            sent = b.send(packet(SHORT))
            wait.till(sent.last + (SHORT + 1) * MS)
            wait.until("the packet is discarded", lambda: b.tree().lpd().qlen == 0)
            b.expect(packets_in=1, uncuttable=1)
        exactly("packets", b.open(), [])


def test_uncuttable_on_arrival():
    """If a packet is stale on arrival and cannot be cut, it is not queued."""
    with bench.Bench() as b:
        b.lpd(adu=0)
        b.plug()
        for name, packet in UNCUTTABLE.items():
            tap.note(name)
            b.mark()
            b.send(packet(0))
            tap.equal("queued", b.tree().lpd().qlen, 0)
            b.expect(packets_in=1, uncuttable=1)
        exactly("packets", b.open(), [])


def test_fresh_uncuttable_packets_pass():
    """A fresh packet that cannot be cut leaves with its remaining lifetime."""
    with bench.Bench() as b:
        b.lpd(adu=0)
        b.plug()
        packets = [packet(LONG) for packet in UNCUTTABLE.values()]
        b.send(*packets)
        exactly("packets", [pkt.with_lifetime(p, LONG) for p in b.open()], packets)
        b.expect(packets_in=len(packets), packets_out=len(packets), rewritten=len(packets))


def fragments_of(shape):
    """A cut first fragment becomes a complete packet with a checksum over its remaining bytes. With
    `adu`, the other fragments are dropped because they belong to the same datagram. With `noadu`,
    the other fragments are dropped because they cannot be cut."""
    payload, size = bytes(range(250)) * 6, 512
    whole = shape.packet(payload)[shape.transport():]
    pieces = [shape.network(whole[at:at + size], SHORT,
                            fragment=(at // 8, at + size < len(whole)))
              for at in range(0, len(whole), size)]
    want = shape.cut(payload, fragment=(0, False))
    for adu in (True, False):
        with bench.Bench() as b:
            b.lpd(keep=shape.keep, adu=adu)
            b.plug()
            sent = b.send(*pieces)
            wait.till(sent.last + (SHORT + 1) * MS)
            exactly("packets", b.open(), [want])
            b.expect(packets_in=len(pieces), packets_out=1, rewritten=1, truncated=1,
                     truncated_bytes=len(pieces[0]) - len(want),
                     **{"adu" if adu else "uncuttable": len(pieces) - 1})


def test_tcp_super_packets():
    """A stale GSO packet is segmented. Each segment is cut and counted as one packet. If the last
    segment has a FIN, only this segment cannot be cut."""
    for version in VERSIONS:
        for flags, last in ((PSH | ACK, True), (FIN | PSH | ACK, False)):
            super_packet(Shape(version, TCP), flags, last)


def super_packet(shape, flags, last, size=400, count=5):
    payload = bytes(range(200)) * (size * (count - 1) // 200) + bytes(100)
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        with bench.Moment() as sent:
            b.port.send_virtio(shape._replace(begun=True).packet(payload, {"flags": flags},
                                                                 lifetime=SHORT),
                               shape.transport() + 32, shape.checksum_place(),
                               (port.GSO_TCP4 if shape.version == 4 else port.GSO_TCP6, size))
        tap.equal("queued", b.tree().lpd().qlen, 1)
        wait.till(sent.last + (SHORT + 1) * MS)
        want = [shape.cut(b"", {"flags": flags if i == count - 1 else flags & ~(PSH | FIN),
                                "sequence": 1 + i * size}, identification=1 + i)
                for i in range(count)]
        exactly("packets", b.open(), want if last else want[:-1])
        b.expect(packets_in=count, packets_out=count - (not last),
                 rewritten=count - (not last), truncated=count - (not last),
                 truncated_bytes=len(payload) - (not last) * 100, uncuttable=not last)


def row(b, count=ROW):
    """Send packets that must be cut when they are stale."""
    shape = Shape(4, UDP)
    return shape, b.send(*[shape.packet(bytes([number]) * 500, lifetime=parents.SHORT)
                           for number in range(count)])


def timer_cuts(parent):
    """The timer cuts packets that expire while the device is stopped. The backlogs of lpd and of
    every ancestor are the sums of the shortened lengths. All cut packets leave."""
    with bench.Bench() as b:
        parent.build(b)
        b.plug()
        if parent.sibling:
            parents.to_sibling(b, 500, 501)
        above = b.tree().root.backlog
        shape, sent = row(b)
        wait.till(sent.last + parents.SHORT * MS + 1)
        wait.until("all packets are cut", lambda: b.counters()["truncated"] == ROW)
        tap.equal("lpd's backlog", b.tree().lpd().backlog, ROW * shape.headers())
        tap.equal("the root's backlog", b.tree().root.backlog, above + ROW * shape.headers())
        got = [p for p in b.open() if pkt.number(p) not in (500, 501)]
        exactly("packets", got, [shape.cut(b"")] * ROW)
        b.expect(packets_in=ROW, packets_out=ROW, rewritten=ROW, truncated=ROW,
                 truncated_bytes=ROW * 500)
        parents.ends_empty_and_working(b, parent)


def parent_finds_them(parent):
    """Stale packets between fresh packets are cut by the timer, or when the parent dequeues or
    peeks. All packets leave in order. At every step all sums in the tree are right."""
    with bench.Bench() as b:
        parent.build(b)
        for _ in range(parents.ROUNDS):
            b.plug()
            b.send(parents.packet(100, LONG))
            shape, sent = row(b)
            b.send(parents.packet(101, LONG))
            wait.till(sent.last + parents.SHORT * MS + 1)
            got = []
            for _ in range(4):
                got.append(b.release()[0])
                b.tree()
            got = [p for p in got + b.open() if pkt.number(p) != bench.PLUG]
            tap.equal("numbers", [pkt.number(p) for p in got], [100] + [None] * ROW + [101])
            exactly("packets", got[1:-1], [shape.cut(b"")] * ROW)
            b.expect(packets_in=ROW + 2, packets_out=ROW + 2, rewritten=ROW + 2, truncated=ROW,
                     truncated_bytes=ROW * 500)
        parents.ends_empty_and_working(b, parent)


def nothing_else_is_queued(parent):
    """If all packets must be cut when the parent dequeues or peeks, lpd notifies the parent during
    the parent's call. The parent must not believe that lpd is empty. Another packet expires a
    little earlier and is discarded. Therefore the timer pauses when the test's packets expire."""
    with bench.Bench() as b:
        parent.build(b)
        for count in (1, 2, 3, ROW):
            b.plug()
            b.send(parents.packet(99, parents.SHORT))
            shape, sent = row(b, count)
            wait.till(sent.last + parents.SHORT * MS + 1)
            exactly("packets", b.open(), [shape.cut(b"")] * count)
            b.expect(packets_in=count + 1, packets_out=count, rewritten=count, stale=1,
                     truncated=count, truncated_bytes=count * 500)
            parents.ends_empty_and_working(b, parent)


def arrival_finds_them(parent):
    """If a packet arrives at a full queue, lpd first cuts stale packets at their positions. The new
    packet is dropped, and no ancestor counts it."""
    with bench.Bench() as b:
        parent.build(b, limit=ROW)
        b.plug()
        shape, sent = row(b)
        wait.till(sent.last + parents.SHORT * MS + 1)
        b.send(parents.packet(100, LONG))
        b.tree()
        exactly("packets", b.open(), [shape.cut(b"")] * ROW)
        b.expect(packets_in=ROW + 1, packets_out=ROW, rewritten=ROW, truncated=ROW,
                 truncated_bytes=ROW * 500, overflow_limit=1)
        parents.ends_empty_and_working(b, parent)


def super_packet_is_cut(parent):
    """The segments of a cut GSO packet are queued at the position of the GSO packet. Every ancestor
    counts the segments."""
    shape, payload = Shape(4, TCP, begun=True), b"x" * 4000
    with bench.Bench() as b:
        parent.build(b)
        b.plug()
        with bench.Moment() as sent:
            for _ in range(3):
                b.port.send_virtio(shape.packet(payload, lifetime=parents.SHORT),
                                   shape.transport() + 32, shape.checksum_place(),
                                   (port.GSO_TCP4, 400))
        tap.equal("queued", b.tree().lpd().qlen, 3)
        wait.till(sent.last + parents.SHORT * MS + 1)
        wait.until("all packets are cut", lambda: b.counters()["truncated"] == 30)
        found = b.tree()
        tap.equal("lpd's (qlen, backlog)", (found.lpd().qlen, found.lpd().backlog),
                  (30, 30 * shape.headers()))
        tap.equal("lengths", [len(p) for p in b.open()], [shape.headers()] * 30)
        b.expect(packets_in=30, packets_out=30, rewritten=30, truncated=30,
                 truncated_bytes=3 * 4000)
        parents.ends_empty_and_working(b, parent)


def test_peeked_packet_is_cut_under_tbf():
    """If a packet expires half a second after tbf has peeked at it, only its headers leave."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 8kbit burst 1500 limit 1mb")
        b.lpd(parent=parents.A)
        shape = Shape(4, UDP)
        b.send(*[shape.packet(b"x" * 464, lifetime=700) for _ in range(8)])
        got = []
        wait.until("all packets leave", lambda: got.extend(b.slip.drain_now()) or len(got) == 8, 20)
        tap.equal("lengths", [len(p) for p in got], [500] * 4 + [shape.headers()] * 4)
        b.expect(packets_in=8, packets_out=8, rewritten=8, truncated=4, truncated_bytes=4 * 464)


RULES = (timer_cuts, parent_finds_them, nothing_else_is_queued, arrival_finds_them,
         super_packet_is_cut)


if __name__ == "__main__":
    tap.run([(f"{name}:{way.__name__}", lambda shape=shape, way=way: cut_in_the_queue(shape, way))
             for name, shape in SHAPES.items() for way in WAYS
             if shape.summed or way not in (begun, begun_and_paged)]
            + [(f"fragments:{name}", lambda shape=shape: fragments_of(shape))
               for name, shape in SHAPES.items() if shape.proto != DCCP]
            + [(f"{name}:{rule.__name__}", lambda rule=rule, parent=parent: rule(parent))
               for name, parent in parents.PARENTS.items() for rule in RULES]
            + tap.collect(globals()))
