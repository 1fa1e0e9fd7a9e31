#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The queue holds up to `limit` packets and `memory` bytes of buffers. If a new packet exceeds a
limit, lpd first discards stale packets. If the space is still too small, lpd drops the new packet,
counts the cause and reports the drop to the sender."""
# run.sh: smoke: limit_drops_the_newest stale_make_room memory_drops_the_newest
import contextlib
import socket

from lib import bench, packet as pkt, segments, syn, tap, tun, wait

LONG = 20_000


def packet(number, ms=LONG, size=100, flags=pkt.DISCARD):
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, size))


def test_limit_drops_the_newest():
    """A packet that arrives at a full queue is dropped, counted, and reported to the sender."""
    with bench.Bench() as b:
        b.lpd(limit=5)
        b.plug()
        taken = [b.port.send(packet(number)) for number in range(8)]
        tap.equal("accepted", taken, [True] * 5 + [False] * 3)
        tap.equal("queued", b.tree().root.qlen, 5)
        tap.equal("drops", b.tree().root.drops, 3)
        tap.equal("packets", b.numbers(), [0, 1, 2, 3, 4])
        b.expect(packets_in=8, packets_out=5, overflow_limit=3, rewritten=5)


def test_limit_one():
    """With the smallest limit, 1, the queue holds and sends one packet."""
    with bench.Bench() as b:
        b.lpd(limit=1)
        b.plug()
        b.send(packet(1), packet(2))
        tap.equal("packets", b.numbers(), [1])
        b.expect(packets_in=2, packets_out=1, overflow_limit=1, rewritten=1)


def test_stale_make_room():
    """If all packets of a full queue have expired, new packets replace them, and no new packet is
    dropped."""
    with bench.Bench() as b:
        b.lpd(limit=20)
        b.plug()
        sent = b.send(*[packet(number, 25) for number in range(20)])
        wait.till(sent.last + 25 * bench.MS + 1)
        b.send(*[packet(number) for number in range(100, 120)])
        tap.equal("packets", b.numbers(), list(range(100, 120)))
        b.expect(packets_in=40, packets_out=20, stale=20, rewritten=20)


def test_fresh_do_not_make_room():
    """A fresh packet in the queue is never dropped for a new packet, even if the queued packet has
    the shorter lifetime."""
    with bench.Bench() as b:
        b.lpd(limit=3)
        b.plug()
        b.send(packet(0, 10_000), packet(1, LONG), packet(2, 10_000), packet(3, LONG))
        tap.equal("packets", b.numbers(), [0, 1, 2])
        b.expect(packets_in=4, packets_out=3, overflow_limit=1, rewritten=3)


def test_memory_drops_the_newest():
    """A queue with 64 KiB of `memory` holds between 16 KiB and 64 KiB of packets."""
    with bench.Bench() as b:
        b.lpd(memory=65536)
        b.plug()
        taken = [b.port.send(packet(number, size=1300)) for number in range(100)]
        kept = taken.count(True)
        tap.equal("accepted", taken, [True] * kept + [False] * (100 - kept))
        tap.within("backlog", b.tree().root.backlog, 16384, 65536)
        tap.equal("packets", b.numbers(), list(range(kept)))
        b.expect(packets_in=100, packets_out=kept, overflow_memory=100 - kept, rewritten=kept)
        b.plug()
        b.send(*[packet(number, size=1300) for number in range(100)])
        b.expect(packets_in=100, overflow_memory=100 - kept)


def test_memory_counts_buffers_not_bytes():
    """Small packets occupy far more memory than their length. The option `memory` limits the
    occupied memory."""
    with bench.Bench() as b:
        b.lpd(memory=65536)
        b.plug()
        kept = [b.port.send(packet(number, size=10)) for number in range(1000)].count(True)
        tap.within("packets kept", kept, 20, 250)
        b.expect(packets_in=1000, overflow_memory=1000 - kept)


@contextlib.contextmanager
def acknowledging(b):
    """Open a TCP connection, and yield a function that makes the connection send ACKs without data
    through the bench's device. Each time the function repeats old data, the connection answers with
    an ACK."""
    b.ns.ip(f"addr add {pkt.TARGET4}/32 dev slip0", f"route add {pkt.SOURCE4} dev slip0")
    with tun.Tun(b.ns) as wire, b.ns.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        for name in ("all", "tun0"):
            b.ns.sysctl(f"net.ipv4.conf.{name}.rp_filter", 0)
        listener.bind((pkt.TARGET4, 80))
        listener.listen()
        wire.send(syn.ipv4(segments.SYN, sequence=0))
        begun = {"acknowledged": segments.Segment(b.slip.read()).sequence + 1}
        wire.send(syn.ipv4(segments.ACK, payload=b"x", **begun))
        tap.equal("acknowledged", [segments.Segment(frame).acknowledged for frame in b.open()], [2])

        def acknowledge(count):
            for _ in range(count):
                wire.send(syn.ipv4(segments.ACK, payload=b"x", **begun))

        yield acknowledge


def acknowledgments_overflow(**options):
    with bench.Bench() as b:
        b.lpd(memory=65536, lifetime=LONG * bench.MS, **options)
        with acknowledging(b) as acknowledge:
            b.plug()
            acknowledge(300)
            kept = b.tree().root.qlen
            tap.within("packets kept", kept, 20, 65536 // 512)
            b.expect(packets_in=300, default_lifetime=300, overflow_memory=300 - kept)
            tap.equal("packets sent", len(b.open()), kept)


def test_acknowledgments_count_as_buffers():
    """TCP sets the truesize of an ACK without data to 2 bytes. If the ACK has a lifetime, lpd
    counts it like an sk_buff without data, SKB_TRUESIZE(0). The test uses each order and each
    overflow policy."""
    for order in (bench.FIFO, bench.EDF):
        for overflow in (bench.TAIL, bench.HEAD, bench.STALEST):
            acknowledgments_overflow(order=order, overflow=overflow)


def test_acknowledgments_get_a_lifetime_later():
    """An ACK without data may arrive while `stale forward` is set. If `stale` changes later, lpd
    counts the ACK like an sk_buff without data."""
    with bench.Bench() as b:
        b.lpd(memory=65536, lifetime=LONG * bench.MS, stale=bench.FORWARD)
        with acknowledging(b) as acknowledge:
            b.plug()
            acknowledge(300)
            b.change(stale=bench.DISCARD, order=bench.EDF)
            kept = b.tree().root.qlen
            tap.within("packets kept", kept, 20, 65536 // 512)
            b.expect(packets_in=300, default_lifetime=300, overflow_memory=300 - kept)
            tap.equal("packets sent", len(b.open()), kept)


def test_one_packet_is_always_taken():
    """A packet larger than `memory` passes if the queue is empty, so no setting blocks the link."""
    with bench.Bench(mtu=65000) as b:
        b.lpd(memory=65536)
        b.plug()
        b.send(packet(1, size=64900), packet(2, size=64900))
        tap.equal("packets", b.numbers(), [1])
        b.expect(packets_in=2, packets_out=1, overflow_memory=1, rewritten=1)


def test_stale_make_room_in_memory():
    """If expired packets occupy all of `memory`, new packets replace them, and no new packet is
    dropped."""
    with bench.Bench() as b:
        b.lpd(memory=65536)
        b.plug()
        # The slowest host must fill the queue before the first packet expires.
        sent = b.send(*[packet(number, 500, 1300) for number in range(100)])
        kept = b.tree().root.qlen
        wait.till(sent.last + 500 * bench.MS + 1)
        b.send(*[packet(number, LONG, 1300) for number in range(kept)])
        tap.equal("packets", b.numbers(), list(range(kept)))
        b.expect(packets_in=100 + kept, packets_out=kept, stale=kept, rewritten=kept,
                 overflow_memory=100 - kept)


def kept_though_stale(flags, override, **wanted):
    """Check that a full queue accepts no new packet if its expired packets must be sent anyway."""
    with bench.Bench() as b:
        b.lpd(limit=20, stale=override)
        b.plug()
        sent = b.send(*[packet(number, 25, flags=flags) for number in range(20)])
        wait.till(sent.last + 25 * bench.MS + bench.GRACE)
        tap.equal("queued", b.tree().root.qlen, 20)
        taken = [b.port.send(packet(number)) for number in range(20, 25)]
        tap.equal("accepted", taken, [False] * 5)
        tap.equal("packets", b.numbers(), list(range(20)))
        b.expect(packets_in=25, packets_out=20, overflow_limit=5, rewritten=20,
                 stale_forwarded=20, **wanted)


def test_stale_to_be_forwarded_count_as_fresh():
    """A queue full of expired packets that ask for forwarding drops new packets."""
    kept_though_stale(pkt.FORWARD, bench.HONOR)


def test_stale_of_reserved_treatment_count_as_fresh():
    """A queue full of expired packets with the reserved treatment drops new packets, because lpd
    forwards packets with the reserved treatment."""
    kept_though_stale(pkt.RESERVED, bench.HONOR, reserved=20)


def test_stale_forwarded_by_the_administrator_count_as_fresh():
    """With `stale forward`, a queue full of expired packets drops new packets. The flags of the
    expired packets do not matter."""
    kept_though_stale(pkt.DISCARD, bench.FORWARD)


def test_stale_make_room_between_those_to_be_forwarded():
    """If all packets of a full queue are stale, new packets replace only packets whose option asks
    for discarding. The position of the stale packets in the queue does not matter."""
    with bench.Bench() as b:
        b.lpd(limit=20)
        b.plug()
        for number in range(20):
            sent = b.send(packet(number, 500, flags=pkt.FORWARD if number % 2 else pkt.DISCARD))
        wait.till(sent.last + 500 * bench.MS + 1)
        taken = [b.port.send(packet(number)) for number in range(20, 35)]
        tap.equal("accepted", taken, [True] * 10 + [False] * 5)
        tap.equal("packets", b.numbers(), [*range(1, 20, 2), *range(20, 30)])
        b.expect(packets_in=35, packets_out=20, stale=10, overflow_limit=5, rewritten=20,
                 stale_forwarded=10)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
