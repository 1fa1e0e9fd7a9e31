#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Even if many packets expire at the same time, each enqueue, dequeue or peek discards only a
limited number of packets. The timer discards the remaining packets. (lpd_spike.py tests the batches
of the timer.)

    queue, head first:  decoy | row of stale packets | fresh packets

The decoy expires shortly before the row of stale packets. The timer discards the decoy and pauses,
so the next call finds the complete row. In simulated time the test expects the exact number of
discarded packets. In real time the timer may run before the call, so the test checks only the
maximum."""
from lib import bench, packet as pkt, tap, tc, wait

MS = bench.MS
BATCH = 64              # LPD_BATCH in sch_lpd/expire.c
AHEAD = 20_000          # ns from the first to the second expiry, less than the timer's pause
LIFE = 500              # ms, enough for the slowest host to fill the queue
LONG, DECOY, FRESH = 20_000, 8888, 9000


def packet(number, ms):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 60))


def expire(b, row, fresh=0):
    """Queue the decoy, `row` short-lived packets and `fresh` long-lived packets. Wait until the
    short-lived packets are stale."""
    b.plug()
    decoy = b.send(packet(DECOY, LIFE))
    wait.sharp(decoy.first + AHEAD)
    sent = b.send(*[packet(number, LIFE) for number in range(row)],
                  *[packet(FRESH + number, LONG) for number in range(fresh)])
    wait.sharp(sent.last + LIFE * MS + 1000)


def discarded(what, got, exactly, at_most):
    """Check that the number of discarded packets is `exactly` in simulated time. In real time the
    timer may discard some of the packets, so check only that `got` is not above `at_most`."""
    if wait.virtual_time():
        tap.equal(what, got, exactly)
    tap.within(what, got, 0, at_most)


def test_enqueue():
    """A packet that arrives at a full queue causes 64 of 200 expired packets to be discarded. The
    next arrival discards no packet, because the queue has space."""
    with bench.Bench() as b:
        b.lpd(limit=201)
        expire(b, 200)
        purged = []
        for number in range(3):
            before = b.counters()["stale_purge"]
            b.send(packet(FRESH + number, LONG))
            purged.append(b.counters()["stale_purge"] - before)
        for number, exactly in enumerate((0, BATCH, 0)):
            discarded(f"discarded by arrival {number}", purged[number], exactly, BATCH)
        tap.equal("packets", b.numbers(), [FRESH, FRESH + 1, FRESH + 2])
        b.expect(packets_in=204, packets_out=3, rewritten=3, stale=201)


def asked(b, row, cause):
    """Let the device dequeue while `row` stale packets are queued in front of two fresh packets.
    Returns how many packets the dequeue discards. The two fresh packets leave, immediately or
    later."""
    expire(b, row, fresh=2)
    before = b.counters()[cause]
    b.release(5)
    got = b.counters()[cause] - before
    tap.equal("packets", b.numbers(), [FRESH, FRESH + 1])
    b.expect(packets_in=row + 3, packets_out=2, rewritten=2, stale=row + 1)
    return got


def asked_for_rows(b, cause):
    """Check that one call discards the stale packets in front of a fresh packet, but at most 64 of
    them."""
    for row, exactly in ((BATCH - 1, BATCH - 1), (BATCH, BATCH), (200, BATCH)):
        discarded(f"{cause}: discarded of {row}", asked(b, row, cause), exactly, BATCH)


def test_dequeue():
    """A dequeue discards at most 64 packets."""
    with bench.Bench() as b:
        b.lpd()
        asked_for_rows(b, "stale_dequeue")


def test_peek():
    """A peek by tbf discards at most 64 packets."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001)
        asked_for_rows(b, "stale_peek")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
