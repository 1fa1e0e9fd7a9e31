#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""However many packets expire at once, an enqueue, a dequeue and a peek each discard a limited
number of them and leave the rest to the timer. (lpd_spike.py tests the batches of the timer.)

    queue, head first:  decoy | row of stale packets | fresh packets

The decoy expires shortly before the row. The timer discards the decoy and pauses, so the next call
finds the complete row. In simulated time this is certain. In real time the timer may run first, and
the test checks only that no call discards more."""
from lib import bench, packet as pkt, tap, tc, wait

MS = bench.MS
BATCH = 64              # LPD_BATCH in sch_lpd/expire.c
AHEAD = 20_000          # ns from the decoy's expiry to the row's; the timer pauses for 100 us
LIFE = 500              # ms, enough for the slowest machine to fill the queue
LONG, DECOY, FRESH = 20_000, 8888, 9000


def packet(number, ms):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 60))


def expire(b, row, fresh=0):
    """Queue the decoy, the row and the fresh packets, and wait until the whole row is stale."""
    b.plug()
    decoy = b.send(packet(DECOY, LIFE))
    wait.sharp(decoy.first + AHEAD)
    sent = b.send(*[packet(number, LIFE) for number in range(row)],
                  *[packet(FRESH + number, LONG) for number in range(fresh)])
    wait.sharp(sent.last + LIFE * MS + 1000)


def discarded(what, got, exactly, at_most):
    """Check that exactly this many packets are discarded in simulated time. In real time the timer
    may run in between, so check only the maximum."""
    if wait.virtual_time():
        tap.equal(what, got, exactly)
    tap.within(what, got, 0, at_most)


def test_enqueue():
    """An arrival above the limit discards 64 of 200 expired packets. The next arrival discards
    none, because there is space."""
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
    """Let the device dequeue while a row of stale packets stands before two fresh ones. Returns how
    many packets this discards. The fresh packets leave, at once or later."""
    expire(b, row, fresh=2)
    before = b.counters()[cause]
    b.release(5)
    got = b.counters()[cause] - before
    tap.equal("packets", b.numbers(), [FRESH, FRESH + 1])
    b.expect(packets_in=row + 3, packets_out=2, rewritten=2, stale=row + 1)
    return got


def asked_for_rows(b, cause):
    """Check that the stale packets before a fresh packet are discarded, but at most 64 of them."""
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
