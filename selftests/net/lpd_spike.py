#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""During a delay spike the link accepts no packets. The queue still discards expired packets, in
batches. After the spike only fresh packets leave."""
# run.sh: all on vm: backlog_* many_* packets_* t* removed_while_the*
# run.sh: all on smp-debug: backlog_* many_* timer_* removed_*
import time

from lib import bench, packet as pkt, tap, tc, wait

MS = bench.MS
LONG = 60_000
# BATCH: packets that one run of the timer may discard. GAP: ns until the next run
# (sch_lpd/qdisc.c).
BATCH, GAP = 256, 100_000


def packet(number, ms):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 60))


def test_backlog_falls_as_packets_expire():
    """The packets have lifetimes from 100 to 1000 ms, and no packet arrives or leaves. At any time
    the queue holds exactly the fresh packets. When the link accepts packets again, the fresh
    packets leave in order."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        lives = [ms for ms in range(1000, 0, -100) for _ in range(10)]
        sent = b.send(*[packet(number, ms) for number, ms in enumerate(lives)])

        def look():
            with bench.Moment() as moment:
                left = b.tree().root.qlen
            tap.true("no packet expires before its time",
                     left >= sum(sent.first + ms * MS > moment.last for ms in lives))
            return left
        for step in range(1, 8):
            wait.till(sent.last + (step * 100 + 50) * MS)
            if wait.virtual_time():
                tap.equal(f"queued after {step} expiries", look(), 100 - 10 * step)
            else:
                wait.until(f"{step} expiries", lambda: look() <= 100 - 10 * step)
        got = b.numbers()
        tap.equal("order", got, sorted(got))
        tap.equal("stale packets that leave", [n for n in got if lives[n] <= 700], [])
        b.expect(packets_in=100, packets_out=len(got), rewritten=len(got), stale=100 - len(got))
        if wait.virtual_time():
            tap.equal("fresh packets", got, list(range(30)))
            b.expect(packets_in=100, packets_out=30, rewritten=30, stale_timer=70)


def look_between_batches(b, count, expired):
    """Check the length of the queue in each pause of the timer, after a quarter of the pause. (A
    sleep may end 50 us late.) The check needs simulated time."""
    for batch in range(1, 1 + -(-count // BATCH)):
        wait.till(expired + (batch - 1) * GAP + GAP // 4)
        tap.equal(f"queued after batch {batch}", b.tree().root.qlen,
                  1 + max(0, count - batch * BATCH))


def test_many_at_once_go_in_batches():
    """If 900 packets expire together, the timer discards 256 of them, pauses, and discards the next
    256. The fresh packet behind the 900 packets is the first packet to leave."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        sent = b.send(*[packet(number, 400) for number in range(900)], packet(900, LONG))
        if wait.virtual_time():
            tap.equal("queued before", b.tree().root.qlen, 901)
            look_between_batches(b, 900, sent.last + 400 * MS)
        b.expect_queued(1, sent.last + 400 * MS)
        b.expect(packets_in=901, stale=900)
        tap.equal("packets", b.numbers(), [900])


def test_packets_without_lifetime_wait():
    """Only packets with a lifetime expire. All other packets keep their positions."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        for number in range(50):
            sent = b.send(packet(number, 50) if number % 2 else
                          pkt.ipv4(payload=pkt.body(number, 60)))
        b.expect_queued(25, sent.last + 50 * MS)
        tap.equal("packets", b.numbers(), list(range(0, 50, 2)))
        b.expect(packets_in=50, packets_out=25, no_lifetime=25, stale_timer=25)


def test_timer_moves_to_an_earlier_deadline():
    """A packet that arrives last but has the earliest deadline expires on time."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(packet(0, LONG))
        b.send(packet(1, LONG // 2))
        b.expect_queued(2, b.send(packet(2, 100)).last + 100 * MS)
        b.expect(packets_in=3, stale_timer=1)


def test_timer_follows_a_change():
    """If a change of `delay` makes packets expire earlier, the timer fires earlier."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        sent = b.send(*[packet(number, 1500) for number in range(10)])
        b.change(delay=1200 * MS)
        b.expect_queued(0, sent.last + 300 * MS)
        b.expect(packets_in=10, stale_timer=10)


def test_ten_seconds_under_tbf():
    """For 10 s tbf sends nothing, while 12 packets per second arrive (figure 4 of the paper). Each
    packet has a lifetime of 5 s. The next arrival wakes tbf, and only fresh packets leave."""
    if not wait.virtual_time():
        tap.note("3 s instead of 10 s")
    seconds, life = (10, 5000) if wait.virtual_time() else (3, 1500)
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1mbit burst 1500 limit 1mb")
        b.lpd(parent=0x10001)
        b.tc("qdisc change DEV root handle 1: tbf rate 8bit burst 1500 limit 1mb")
        start = b.send(*[packet(number, life) for number in range(20)]).last
        leaked = len(b.slip.drain_now())
        for number in range(20, 12 * seconds):
            wait.till(start + number * 10**9 // 12)
            b.send(packet(number, life))
        b.tc("qdisc change DEV root handle 1: tbf rate 10mbit burst 1500 limit 1mb")
        b.send(packet(12 * seconds, life))
        got = b.open()
        numbers = [pkt.number(frame) for frame in got]
        if wait.virtual_time():
            first = 12 * seconds - 12 * life // 1000
            tap.within("first fresh packet", numbers[0], first - 2, first + 6)
            tap.equal("no gap", numbers, list(range(numbers[0], 12 * seconds + 1)))
        tap.equal("in order", numbers, sorted(numbers))
        tap.true("lifetimes", all(pkt.lifetime(frame) > 0 for frame in got))
        total = 12 * seconds + 1
        sent = leaked + len(got)
        b.expect(packets_in=total, packets_out=sent, rewritten=sent, stale=total - sent)


def test_removed_while_the_timer_is_armed():
    """If the qdisc is deleted shortly before packets expire, its timer is stopped."""
    for _ in range(10):
        with bench.Bench() as b:
            b.lpd()
            b.plug()
            sent = b.send(*[packet(number, 20) for number in range(300)])
            wait.till(sent.last + 19 * MS)
            b.tc("qdisc del DEV root")
            wait.till(sent.last + 25 * MS)


def test_removed_while_packets_expire():
    """The tree can be deleted while thousands of packets expire one after the other. Linux 7.2
    frees the memory of the tree without a lock, and the timer must not use the freed memory."""
    count = 4000
    for parent in bench.tree.ROOT, 0x10001:
        with bench.Bench() as b:
            if parent != bench.tree.ROOT:
                b.tc("qdisc add DEV root handle 1: tbf rate 8bit burst 1500 limit 9mb")
            b.lpd(parent=parent, limit=count)
            b.plug()
            expires = time.monotonic_ns() + 5000 * MS
            for number in range(count):
                left = max(0, expires - time.monotonic_ns()) // MS
                b.send(packet(number, left + number // 10))
            wait.till(expires + 50 * MS)
            b.netlink.remove_root("slip0")
            wait.till(expires + 500 * MS)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
