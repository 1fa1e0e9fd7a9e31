#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The first event that meets a stale packet discards it: its own enqueue, the timer, a dequeue, a
parent's peek, or an enqueue that needs space. Each event has its own counter.

The timer discards in batches with pauses in between. A crowd of packets expires first and keeps the
timer busy while a row of packets at the head expires, so the other events find stale packets. In
simulated time the first round shows this. In real time a wake-up may be late, and the round is
repeated."""
# run.sh: all on vm-6.12: everything
# run.sh: smoke: enqueue purge timer
import time

from lib import bench, packet as pkt, tap, tc, wait

MS = bench.MS
LONG, LIFE, ROW, CROWD, ROUNDS = 60_000, 5000, 40, 15_000, 10
# A slow machine stops sending the crowd this many ms before the crowd expires.
EARLY = 500


def packet(number, ms):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 20))


def crowd(b, deadline, make):
    """Send packets that expire in the 2 ms before the deadline, or later if the machine is too
    slow. Returns their number and the time when the last one expires."""
    kinds, last, size = {}, deadline, 0
    while size < CROWD and (ms := (deadline - time.monotonic_ns()) // MS - 1) > EARLY:
        if ms not in kinds:
            kinds[ms] = make(9999, ms)
        b.port.send(kinds[ms])
        size += 1
        last = max(last, time.monotonic_ns() + ms * MS)
    return size, last


def one_round(b, of_row, of_crowd, **more):
    """Send a row, a fresh packet and the crowd. Dequeue when the whole row has expired."""
    b.plug()
    row = b.send(*[of_row(number, LIFE) for number in range(ROW)])
    b.send(packet(ROW, LONG))
    size, last = crowd(b, row.last + LIFE * MS, of_crowd)
    wait.till(last + 1)
    tap.equal("packets", b.numbers(), [ROW])
    b.expect(packets_in=ROW + 1 + size, packets_out=1, stale=ROW + size, rewritten=1, **more)


def until_counted(b, cause, of_row=packet, of_crowd=packet, **more):
    """Repeat the round until its cause is counted. Every round must be right. The packets of the
    round and further counters can be given."""
    for rounds in range(1, ROUNDS + 1):
        before = b.counters()[cause]
        one_round(b, of_row, of_crowd, **more)
        if b.counters()[cause] > before:
            tap.note(f"{cause}: {b.counters()[cause] - before} in round {rounds}")
            return
    raise tap.Failed(f"{cause}: none in {ROUNDS} rounds")


def test_enqueue():
    """A packet that is stale on arrival is discarded by its enqueue."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(packet(1, 0))
        b.expect(packets_in=1, stale_enqueue=1)


def test_dequeue():
    """If the head is stale when the device asks, dequeue discards it and sends the fresh packet
    behind it."""
    with bench.Bench() as b:
        b.lpd(limit=CROWD * 2)
        until_counted(b, "stale_dequeue")


def test_peek():
    """If tbf peeks, the peek discards stale packets and shows the fresh one."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001, limit=CROWD * 2)
        until_counted(b, "stale_peek")


def test_purge():
    """A full queue whose packets expire one after the other accepts as many fresh ones, and none
    overflows. Only in simulated time is it certain that the arrivals make the space, and not the
    timer."""
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
    """The timer discards stale packets although there is neither a dequeue nor an arrival."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[packet(number, 30) for number in range(ROW)])
        wait.until("an empty queue", lambda: b.tree().root.qlen == 0)
        b.expect(packets_in=ROW, stale_timer=ROW)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
