#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A stale packet is discarded by the first event that finds it. The event can be the packet's own
enqueue, the timer, a dequeue, a parent's peek, or an enqueue that needs space. Each kind of event
has its own counter.

The timer discards packets in batches, with pauses in between. A crowd of packets expires first and
keeps the timer busy. While the timer is busy, a row of packets at the head of the queue expires, so
the other events find stale packets. In simulated time one round is enough. In real time the timer
may be late, so the test repeats the round."""
# run.sh: all on vm-6.12: everything
# run.sh: smoke: enqueue purge timer
import time

from lib import bench, packet as pkt, tap, tc, wait

MS = bench.MS
LONG, LIFE, ROW, CROWD, ROUNDS = 60_000, 5000, 40, 15_000, 10
# On a slow host, the test stops sending the crowd EARLY ms before the crowd expires.
EARLY = 500


def packet(number, ms):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 20))


def crowd(b, deadline, make):
    """Send packets that expire in the 2 ms before `deadline`, or later if the host is too slow.
    Returns the number of sent packets and the time when the last packet expires."""
    kinds, last, size = {}, deadline, 0
    while size < CROWD and (ms := (deadline - time.monotonic_ns()) // MS - 1) > EARLY:
        if ms not in kinds:
            kinds[ms] = make(9999, ms)
        b.port.send(kinds[ms])
        size += 1
        last = max(last, time.monotonic_ns() + ms * MS)
    return size, last


def one_round(b, of_row, of_crowd, **more):
    """Send a row of packets, a fresh packet and the crowd. Dequeue when the whole row has
    expired."""
    b.plug()
    row = b.send(*[of_row(number, LIFE) for number in range(ROW)])
    b.send(packet(ROW, LONG))
    size, last = crowd(b, row.last + LIFE * MS, of_crowd)
    wait.till(last + 1)
    tap.equal("packets", b.numbers(), [ROW])
    b.expect(packets_in=ROW + 1 + size, packets_out=1, stale=ROW + size, rewritten=1, **more)


def until_counted(b, cause, of_row=packet, of_crowd=packet, **more):
    """Repeat the round until the counter `cause` rises. After every round the counters must be
    right. `of_row` and `of_crowd` make the packets, and `more` contains further expected
    counters."""
    for rounds in range(1, ROUNDS + 1):
        before = b.counters()[cause]
        one_round(b, of_row, of_crowd, **more)
        if b.counters()[cause] > before:
            tap.note(f"{cause}: {b.counters()[cause] - before} in round {rounds}")
            return
    raise tap.Failed(f"{cause}: none in {ROUNDS} rounds")


def test_enqueue():
    """If a packet is stale on arrival, its enqueue discards it."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(packet(1, 0))
        b.expect(packets_in=1, stale_enqueue=1)


def test_dequeue():
    """If the first packet is stale when the device dequeues, lpd discards the packet and sends the
    fresh packet behind it."""
    with bench.Bench() as b:
        b.lpd(limit=CROWD * 2)
        until_counted(b, "stale_dequeue")


def test_peek():
    """If the parent tbf peeks, lpd discards stale packets and shows tbf the fresh packet."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001, limit=CROWD * 2)
        until_counted(b, "stale_peek")


def test_purge():
    """If the packets of a full queue expire one after the other, fresh packets can replace all of
    them without an overflow. In simulated time the arrivals discard the stale packets. In real time
    the timer may discard them earlier."""
    with bench.Bench() as b:
        b.lpd(limit=ROW)
        for _ in range(5):
            b.plug()
            for number in range(ROW):
                last = b.send(packet(number, 30))
            wait.till(last.last + 30 * MS + 1)
            b.send(*[packet(number, LONG) for number in range(ROW, 2 * ROW)])
            tap.equal("packets", b.numbers(), list(range(ROW, 2 * ROW)))
            b.expect(packets_in=2 * ROW, packets_out=ROW, stale=ROW, rewritten=ROW)
        if wait.virtual_time():
            tap.within("purged", b.counters()["stale_purge"], 5, 5 * ROW)


def test_timer():
    """The timer discards stale packets although no packet leaves or arrives."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[packet(number, 30) for number in range(ROW)])
        wait.until("an empty queue", lambda: b.tree().root.qlen == 0)
        b.expect(packets_in=ROW, stale_timer=ROW)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
