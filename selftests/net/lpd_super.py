#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""When lpd cuts, drops or sends a GSO packet or its segments, the memory that lpd counts remains
correct. The counters of the parent qdiscs also remain correct."""
import struct

from lib import bench, packet as pkt, sequence, stamped, tap, tc, wait

MS = bench.MS
LIFE = 50


def cut_one(b, size, count=10):
    """Send a GSO packet of `count` segments, which expires. Check that only the headers of its
    segments leave."""
    b.plug()
    with bench.Moment() as sent:
        b.port.send_gso(pkt.tcp4(b"x" * size * count), size)
    wait.till(sent.last + (LIFE + 1) * MS)
    wait.until("the packet is cut", lambda: b.counters()["truncated"] % count == 0)
    frames = b.open()
    tap.equal("lengths", [len(frame) for frame in frames], [40] * count)


def sequence_number(frame):
    """The TCP sequence number of an IPv4 packet."""
    return struct.unpack_from("!I", frame, (frame[0] & 15) * 4 + 4)[0]


def test_memory():
    """After many GSO packets were cut, the queue can hold as many packets as before."""
    with bench.Bench() as b:
        b.lpd(memory=65536, lifetime=LIFE * MS, stale=bench.TRUNCATE)
        for _ in range(20):
            cut_one(b, 1000)
        b.plug()
        b.send(*[pkt.ipv4(payload=pkt.body(number, 60)) for number in range(10)])
        b.expect(packets_in=10, default_lifetime=10)
        b.open()


def fragment(packet, ident):
    """Turn a packet without options into a first fragment."""
    return stamped.checksummed(packet[:4] + struct.pack("!HH", ident, 0x2000) + packet[8:])


def test_fragments():
    """A VM can send a GSO packet that claims to be a fragment. Before the cut lpd counts the GSO
    packet as one fragment. After the cut it no longer counts the packet as a fragment. After the
    cut, lpd can track as many datagrams as before."""
    with bench.Bench() as b:
        b.lpd(lifetime=LIFE * MS, stale=bench.TRUNCATE)
        for ident in range(0, 600, 100):
            b.plug()
            with bench.Moment() as sent:
                for number in range(100):
                    b.port.send_gso(fragment(pkt.tcp4(b"x" * 400), ident + number), 200)
            wait.till(sent.last + (LIFE + 1) * MS)
            tap.equal("packets", [len(frame) for frame in b.open()], [40] * 200)
            b.expect(packets_in=200, packets_out=200, truncated=200, truncated_bytes=200 * 200,
                     default_lifetime=100)


def test_too_many_segments():
    """A GSO packet cannot be cut if it has more segments than TCP can make with its smallest MSS.
    This limit prevents a VM from making lpd hold its lock for a long time."""
    for length, cut in ((10_000, 1250), (12_000, 0)):
        with bench.Bench() as b:
            b.lpd(limit=2000, lifetime=LIFE * MS, stale=bench.TRUNCATE)
            b.plug()
            with bench.Moment() as sent:
                b.port.send_gso(pkt.tcp4(b"x" * length), 8)
            wait.till(sent.last + (LIFE + 1) * MS)
            frames = b.open()
            tap.equal(f"packets of {length} bytes", len(frames), cut)
            tap.true("only headers leave", all(len(frame) == 40 for frame in frames))
            b.expect(packets_in=cut or 1, packets_out=cut, truncated=cut, default_lifetime=1,
                     truncated_bytes=8 * cut, uncuttable=int(not cut))


def test_limit_holds_for_segments():
    """If a GSO packet is cut, lpd keeps as many segments as `limit` allows, in order."""
    for order in (bench.FIFO, bench.EDF):
        with bench.Bench() as b:
            b.lpd(limit=15, order=order, lifetime=LIFE * MS, stale=bench.TRUNCATE)
            for _ in range(2):
                b.plug()
                with bench.Moment() as sent:
                    b.port.send_gso(pkt.tcp4(b"x" * 20_000), 1000)
                wait.till(sent.last + (LIFE + 1) * MS)
                numbers = [sequence_number(frame) for frame in b.open()]
                tap.equal("segments", [number - numbers[0] for number in numbers],
                          list(range(0, 15_000, 1000)))
                b.expect(packets_in=20, packets_out=15, overflow_limit=5, truncated=15,
                         truncated_bytes=15 * 1000, default_lifetime=1)
                b.mark()


def test_memory_holds_for_segments():
    """If a GSO packet is cut, lpd keeps as many segments as `memory` allows. The buffers of many
    small segments need more memory than the GSO packet."""
    for order in (bench.FIFO, bench.EDF):
        with bench.Bench() as b:
            b.lpd(memory=65536, order=order, lifetime=LIFE * MS, stale=bench.TRUNCATE)
            b.plug()
            with bench.Moment() as sent:
                b.port.send_gso(pkt.tcp4(b"x" * 20_000), 100)
            wait.till(sent.last + (LIFE + 1) * MS)
            numbers = [sequence_number(frame) for frame in b.open()]
            kept = len(numbers)
            tap.within("segments kept", kept, 20, 65536 // 512)
            tap.equal("segments", [number - numbers[0] for number in numbers],
                      list(range(0, kept * 100, 100)))
            b.expect(packets_in=200, packets_out=kept, overflow_memory=200 - kept, truncated=kept,
                     truncated_bytes=kept * 100, default_lifetime=1)


def test_segments_keep_their_place():
    """With order edf, the headers of a cut GSO packet leave at the position of the GSO packet. Less
    urgent packets and packets that must not overtake the GSO packet leave later."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF, stale=bench.TRUNCATE)
        due = sequence.Deadlines()
        b.plug()
        # The UDP packet belongs to another flow. In the same flow the segments could not overtake
        # the packet.
        b.send(pkt.ipv4(pkt.xlo4(due.at(0), pkt.TRUNCATE, 255), pkt.body(1, 60)))
        with bench.Moment() as sent:
            b.port.send_gso(pkt.tcp4(b"x" * 5000, pkt.xlo4(LIFE, pkt.TRUNCATE, 0)), 1000)
        b.send(pkt.tcp4(b"x" * 60, pkt.xlo4(due.at(-9), pkt.TRUNCATE, 0)))
        wait.till(sent.last + (LIFE + 1) * MS)
        wait.until("the packet is cut", lambda: b.counters()["truncated"] == 5)
        frames = b.open()
        tap.equal("lengths", [len(frame) for frame in frames], [48] * 5 + [108, 96])
        tap.equal("segments", [sequence_number(frame) - sequence_number(frames[0])
                               for frame in frames[:5]], list(range(0, 5000, 1000)))


def test_no_way_to_make_room():
    """If a change lowers the limit, a stale GSO packet is dropped as a whole and not cut. The
    headers of all segments would be many packets."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(pkt.ipv4(payload=pkt.body(1, 60)), pkt.ipv4(payload=pkt.body(2, 60)))
        b.change(lifetime=20_000 * MS, stale=bench.TRUNCATE)
        b.port.send_gso(pkt.tcp4(b"x" * 10_000), 1000)
        b.change(limit=2, delay=30_000 * MS)
        tap.equal("packets", b.numbers(), [1, 2])
        b.expect(packets_in=3, packets_out=2, no_lifetime=2, default_lifetime=1,
                 overflow_limit=1)


def one_counted(**options):
    """One packet is queued, and all qdiscs have counted it. When tbf segments a GSO packet, no
    segment is counted before all segments have arrived. The queued packet must stay until all
    segments are counted."""
    with bench.Bench() as b:
        tc.need("tbf", "hfsc")
        b.tc("qdisc add DEV root handle 2: hfsc default 1",
             "class add DEV parent 2: classid 2:1 hfsc ls rate 1gbit",
             "qdisc add DEV parent 2:1 handle 1: tbf rate 1gbit burst 3000 limit 4mb")
        b.lpd(parent=0x10001, limit=2, **options)
        b.plug()
        b.send(pkt.ipv4(pkt.xlo4(pkt.NONE), pkt.body(1, 60)))
        b.port.send_gso(pkt.tcp4(b"x" * 10_000), 1000)
        tap.equal("packets that leave", len(b.open()), 2)
        b.send(pkt.ipv4(payload=pkt.body(2, 60)))
        tap.equal("packets afterwards", b.numbers(), [2])


def test_head_makes_room_for_segments():
    """With the policy head, the last counted packet stays in the queue when the segments of a GSO
    packet arrive."""
    one_counted(overflow=bench.HEAD)


def test_stalest_makes_room_for_segments():
    """With the policy stalest, the last counted packet stays in the queue when the segments of a
    GSO packet arrive."""
    one_counted(overflow=bench.STALEST, lifetime=60_000 * MS)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
