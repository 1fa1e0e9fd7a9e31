#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Parent qdiscs rely on rules that some qdiscs have broken. The tests check that lpd follows the
rules below every parent. When lpd drops a packet, qlen and backlog of every ancestor stay right,
and no sibling stalls. If a peeked packet becomes stale before dequeue, it does not leave. The tests
check the tree at every step (bench.tree). At the end the tree must be empty and must still work.

    slip0 == parent == A: lpd
                   \\== B: pfifo"""
# run.sh: all on vm: *:timer_* *:link_*
# run.sh: all on smp-debug: root:timer_* root:replace_* root:delete_* tbf:timer_* tbf:replace_* tbf:delete_*
# run.sh: all on smp-debug: htb:timer_* htb:replace_* htb:delete_* hfsc:timer_* hfsc:replace_* hfsc:delete_*
# run.sh: all on smp-debug: qfq:timer_* qfq:replace_* qfq:delete_* prio:timer_* prio:replace_* prio:delete_*
# run.sh: smoke: hfsc:all_stale qfq:all_stale drr:all_stale htb:link_down_and_up
import time

from lib import bench, kmod, packet as pkt, tap, tc, wait
from lib.parents import A, B, LONG, LPD, PARENTS, ROUNDS, ROW, SHORT, above_qfq, \
    ends_empty_and_working, packet, send_row, to_sibling

MS = bench.MS


def wait_for_expiry(b, last):
    """Wait until the last packet of the row has expired."""
    wait.till(last.last + SHORT * MS + 1)
    b.tree()


def found_by(b, cause):
    """Check that the event `cause` found stale packets before the timer. The result is certain only
    in simulated time. See lpd_moments.py for tests in real time."""
    if wait.virtual_time():
        tap.true(f"{cause} found stale packets", b.counters()[cause] > 0)


def expiry_between_fresh(parent):
    """Stale packets between fresh packets are discarded by a dequeue, a peek or the timer. The
    fresh packets leave."""
    with bench.Bench() as b:
        parent.build(b)
        for _ in range(ROUNDS):
            b.plug()
            b.send(packet(100, LONG))
            last = send_row(b)
            b.send(packet(101, LONG))
            wait.till(last.last + SHORT * MS + 1)
            tap.equal("packets", b.numbers(), [100, 101])
            b.expect(packets_in=ROW + 2, packets_out=2, rewritten=2, stale=ROW)
        ends_empty_and_working(b, parent)


def expiry_at_the_head(parent):
    """If the first packets are stale when the parent dequeues, the parent gets the fresh packet
    behind them. If only one fresh packet is queued, the timer discards the stale packets later, so
    the parent never sees an empty queue."""
    with bench.Bench() as b:
        parent.build(b)
        for fresh in (2, 1) * (ROUNDS // 2):
            b.plug()
            last = send_row(b)
            b.send(*[packet(number, LONG) for number in range(100, 100 + fresh)])
            wait.till(last.last + SHORT * MS + 1)
            tap.equal("packets", b.numbers(), list(range(100, 100 + fresh)))
            b.expect(packets_in=ROW + fresh, packets_out=fresh, rewritten=fresh, stale=ROW)
        found_by(b, "stale_peek" if parent.peeks else "stale_dequeue")
        ends_empty_and_working(b, parent)


def all_stale(parent):
    """If all packets of lpd are stale when the parent dequeues, no packet of lpd leaves. All
    packets of the sibling leave, even if no further packet arrives."""
    with bench.Bench() as b:
        parent.build(b)
        for _ in range(ROUNDS):
            b.plug()
            if parent.sibling:
                to_sibling(b, *range(500, 520))
            last = send_row(b)
            wait.till(last.last + SHORT * MS + 1)
            tap.equal("packets", b.numbers(), list(range(500, 520)) * parent.sibling)
            b.expect(packets_in=ROW, stale=ROW)
        ends_empty_and_working(b, parent)


def timer_while_nobody_dequeues(parent):
    """While the device is stopped, the timer discards all packets of lpd. The counters of lpd's
    ancestors are immediately correct."""
    with bench.Bench() as b:
        parent.build(b)
        b.plug()
        if parent.sibling:
            to_sibling(b, 500, 501)
        last = send_row(b)
        wait_for_expiry(b, last)
        wait.until("lpd is empty", lambda: b.tree().lpd().qlen == 0)
        tap.equal("root's qlen", b.tree().root.qlen, 2 * parent.sibling)
        # If the first packets expire before the last packets arrive, the enqueue of QFQ finds the
        # expired packets.
        cause = "stale_timer" if wait.virtual_time() else "stale"
        b.expect(packets_in=ROW, **{cause: ROW})
        b.send(packet(100, LONG))
        tap.equal("packets", sorted(b.numbers()), [100] + [500, 501] * parent.sibling)
        ends_empty_and_working(b, parent)


def purge_inside_enqueue(parent):
    """If a queue is full of stale packets, new packets replace them."""
    with bench.Bench() as b:
        parent.build(b, limit=ROW)
        for _ in range(ROUNDS):
            b.plug()
            last = send_row(b)
            wait.till(last.last + SHORT * MS + 1)
            b.send(*[packet(number, LONG) for number in range(100, 100 + ROW)])
            b.tree()
            tap.equal("packets", b.numbers(), list(range(100, 100 + ROW)))
            b.expect(packets_in=2 * ROW, packets_out=ROW, rewritten=ROW, stale=ROW)
        # Only QFQ finds stale packets before the purge, because its enqueue peeks. A real-time HFSC
        # class peeks in its enqueue only if the class was empty.
        found_by(b, "stale_peek" if "qfq" in parent.kinds else "stale_purge")
        ends_empty_and_working(b, parent)


def overflow(parent):
    """If a packet is dropped on arrival, no ancestor qdisc counts it."""
    with bench.Bench() as b:
        parent.build(b, limit=5)
        b.plug()
        b.send(*[packet(number, LONG) for number in range(9)], packet(9, 0))
        b.tree()
        tap.equal("packets", b.numbers(), [0, 1, 2, 3, 4])
        b.expect(packets_in=10, packets_out=5, rewritten=5, overflow_limit=4, stale_enqueue=1)
        ends_empty_and_working(b, parent)


def limit_shrinks(parent):
    """If a change drops queued packets, the counters of every ancestor are right."""
    with bench.Bench() as b:
        parent.build(b)
        b.plug()
        b.send(*[packet(number, LONG) for number in range(10)])
        b.change(parent=parent.at, handle=LPD, limit=3)
        tap.equal("queued", b.tree().lpd().qlen, 3)
        tap.equal("packets", b.numbers(), [0, 1, 2])
        b.expect(packets_in=10, packets_out=3, rewritten=3, overflow_limit=7)
        ends_empty_and_working(b, parent)


def filled(b, parent):
    """Queue packets in lpd and in its sibling. The timer of lpd is armed, but expires much
    later."""
    parent.build(b)
    b.plug()
    if parent.sibling:
        to_sibling(b, 500, 501)
    b.send(packet(1, LONG), packet(2, LONG // 2), packet(3, LONG))


def replace_with_packets_queued(parent):
    """If a pfifo replaces lpd, every ancestor subtracts lpd's packets. Afterwards a new lpd can
    replace the pfifo."""
    with bench.Bench() as b:
        filled(b, parent)
        b.tc(f"qdisc replace DEV {parent.place} handle c: pfifo")
        tap.equal("root's qlen", b.tree().root.qlen, 2 * parent.sibling)
        b.tc(f"qdisc del DEV {parent.place}")
        b.lpd(parent=parent.at, handle=LPD)
        tap.equal("packets", sorted(b.numbers()), [500, 501] * parent.sibling)
        ends_empty_and_working(b, parent)


def delete_with_packets_queued(parent):
    """If lpd is deleted, every ancestor subtracts lpd's packets. Afterwards a new lpd can be
    created."""
    with bench.Bench() as b:
        filled(b, parent)
        b.tc(f"qdisc del DEV {parent.place}")
        tap.equal("root's qlen", b.tree().root.qlen, 2 * parent.sibling)
        b.lpd(parent=parent.at, handle=LPD)
        tap.equal("packets", sorted(b.numbers()), [500, 501] * parent.sibling)
        ends_empty_and_working(b, parent)


def class_deleted_with_packets_queued(parent):
    """If the class of lpd is deleted, lpd is deleted with its packets. The packets of the sibling
    leave."""
    if not parent.classes:
        return
    kind = parent.kinds[-1]
    with bench.Bench() as b:
        filled(b, parent)
        # Some parents, such as drr and qfq, refuse to delete a class that has a filter or packets.
        # The tree must stay right, whether or not the class is deleted.
        b.tc(f"class del DEV classid 1:1 {kind}", check=False)
        b.tree()
        tap.true("the sibling's packets leave", {500, 501} <= set(b.numbers()))
        for q in b.tree().qdiscs:
            tap.equal(f"{q}: qlen", q.qlen, 0)


def tree_deleted_from_the_top(parent):
    """The root can be deleted while packets are queued and the timer is armed. A new tree works
    immediately."""
    with bench.Bench() as b:
        filled(b, parent)
        b.tc("qdisc del DEV root")
        b.port.priority(0)
        b.send(packet(7, LONG))
        wait.until("packet 7 arrives", lambda: 7 in b.numbers())
        parent.build(b)
        ends_empty_and_working(b, parent)


def link_down_and_up(parent):
    """If the link goes down, the kernel resets the tree. The reset packets are counted, and all
    sums are 0."""
    with bench.Bench() as b:
        filled(b, parent)
        b.ns.link("slip0", False)
        for q in b.tree().qdiscs:
            tap.equal(f"{q} after the reset: (qlen, backlog)", (q.qlen, q.backlog), (0, 0))
        b.expect(packets_in=3, reset=3)
        b.ns.link("slip0", True)
        b.numbers()
        if parent.restarts:
            ends_empty_and_working(b, parent)


def sibling_keeps_what_it_has(parent):
    """The sibling is a plug. A closed plug shows a packet on peek but returns no packet on dequeue.
    Parents do not expect this behaviour. The packets of lpd still expire. When the plug opens, the
    fresh packet leaves."""
    with bench.Bench() as b:
        tc.need("plug")
        parent.build(b, sibling="plug limit 1000000")
        b.plug()
        to_sibling(b, 500, 501)
        last = send_row(b)
        b.send(packet(100, LONG))
        wait_for_expiry(b, last)
        b.release(0.05)
        b.tree()
        b.tc("qdisc change DEV parent 1:2 handle b: plug release_indefinite")
        tap.equal("packets", sorted(b.numbers()), [100, 500, 501])
        b.expect(packets_in=ROW + 1, packets_out=1, rewritten=1, stale=ROW)
        ends_empty_and_working(b, parent)


def sibling_waits_for_its_time(parent):
    """The sibling is an etf, which keeps each packet until a given time. The packets of lpd still
    expire or leave."""
    with bench.Bench() as b:
        tc.need("etf")
        parent.build(b, sibling="etf clockid CLOCK_TAI delta 1000000 skip_sock_check")
        b.plug()
        due = time.clock_gettime_ns(time.CLOCK_TAI) + 10 * SHORT * MS
        b.port.priority(B)
        for number in (500, 501):
            b.port.send_stamped(pkt.ipv4(payload=pkt.body(number, 60)), due + number)
        b.port.priority(A)
        last = send_row(b)
        b.send(packet(100, LONG))
        wait_for_expiry(b, last)
        tap.equal("packets", [n for n in b.numbers() if n < 500], [100])
        b.expect(packets_in=ROW + 1, packets_out=1, rewritten=1, stale=ROW)
        for q in b.tree().qdiscs:
            tap.equal(f"{q}: (qlen, backlog)", (q.qlen, q.backlog), (0, 0))


RULES = (expiry_between_fresh, expiry_at_the_head, all_stale, timer_while_nobody_dequeues,
         purge_inside_enqueue, overflow, limit_shrinks, replace_with_packets_queued,
         delete_with_packets_queued, class_deleted_with_packets_queued,
         tree_deleted_from_the_top, link_down_and_up, sibling_keeps_what_it_has,
         sibling_waits_for_its_time)
BESIDE = (sibling_keeps_what_it_has, sibling_waits_for_its_time)


def has(parent, rule):
    """Whether a rule can be tested under a parent. In Linux 6.1, QFQ triggers a kernel warning if
    any child shows a packet on peek but returns no packet on dequeue. In later kernels, QFQ only
    prints a message."""
    if rule is class_deleted_with_packets_queued:
        return parent.classes
    if rule in BESIDE:
        return parent.sibling and ("qfq" not in parent.kinds or kmod.RELEASE >= (6, 12))
    return True


class Netem(bench.Bench):
    """A tree with netem above lpd. When the device dequeues, netem passes to lpd the packets whose
    delay is over. The first packet leaves immediately, and all other packets stay in lpd."""

    def __init__(self, **options):
        super().__init__()
        tc.need("netem")
        self.tc("qdisc add DEV root handle 1: netem limit 1000")
        self.lpd(parent=A, handle=LPD, **options)

    def handed_down(self, *packets):
        """Queue packets in lpd, while another packet occupies the wire."""
        self.plug()
        self.send(packet(99, LONG), *packets[:-1])
        last = self.send(packets[-1])
        self.release()
        return last

    def ends(self, *wanted):
        """Check that the wanted packets leave. Afterwards the tree must be empty and must still
        work."""
        tap.equal("packets", self.numbers(), [99, *wanted])
        for q in self.tree().qdiscs:
            tap.equal(f"{q} at the end: (qlen, backlog)", (q.qlen, q.backlog), (0, 0))
        self.lpd(parent=A, handle=LPD)
        self.send(packet(1000, LONG))
        tap.equal("packets afterwards", self.numbers(), [1000])


def row():
    return [packet(number, SHORT) for number in range(ROW)]


def netem_expiry():
    """Below netem, stale packets are discarded by a dequeue, a peek or the timer."""
    with Netem() as b:
        last = b.handed_down(*row(), packet(100, LONG))
        wait.till(last.last + SHORT * MS + 1)
        b.tree()
        b.ends(100)


def netem_timer():
    """Below netem, the timer discards all stale packets while the device is stopped."""
    with Netem() as b:
        last = b.handed_down(*row())
        wait_for_expiry(b, last)
        wait.until("lpd is empty", lambda: b.tree().lpd().qlen == 0)
        b.ends()


def netem_truncation():
    """Below netem, stale packets are cut."""
    with Netem(stale=bench.TRUNCATE, keep=8) as b:
        last = b.handed_down(*row())
        wait_for_expiry(b, last)
        wait.until("all packets are cut", lambda: b.counters()["truncated"] == ROW)
        b.ends(*range(ROW))


def netem_overflow():
    """If netem passes a packet to a full lpd, lpd drops the packet that the policy selects. All
    sums stay right."""
    for policy, left in ((bench.TAIL, [0, 1, 2, 3, 4]), (bench.HEAD, [4, 5, 6, 7, 8]),
                         (bench.STALEST, [0, 1, 2, 3, 4])):
        with Netem(limit=5, overflow=policy) as b:
            # Packet 99 is also in the queue.
            b.handed_down(*[packet(number, LONG - 100 * number) for number in range(9)])
            tap.note(f"policy {policy}")
            b.tree()
            got = [number for number in b.numbers() if number != 99]
            tap.equal("packets", got, [n for n in left if n in got])
            tap.within("number of packets", len(got), 4, 5)
            b.expect(packets_in=10, packets_out=5, rewritten=5, overflow_limit=5)


def netem_limit_shrinks():
    """Below netem, a change that lowers the limit drops packets. All sums stay right."""
    with Netem() as b:
        b.handed_down(*[packet(number, LONG) for number in range(10)])
        b.change(parent=A, handle=LPD, limit=3)
        tap.equal("queued", b.tree().root.qlen, 3)
        b.ends(0, 1, 2)


def netem_goes(words):
    """Delete lpd or the whole tree while packets are queued, by the tc command `words`."""
    with Netem() as b:
        b.handed_down(*row())
        b.tc(f"qdisc {words}")
        tap.equal("root's qlen", b.tree().root.qlen, 0)
        b.tc("qdisc replace DEV root handle 1: netem limit 1000")
        b.lpd(parent=A, handle=LPD)
        b.ends()


def netem_child_replaced():
    """Let a pfifo replace lpd below netem while packets are queued."""
    netem_goes("replace DEV parent 1:1 handle c: pfifo")


def netem_child_deleted():
    """Delete lpd below netem while packets are queued."""
    netem_goes("del DEV parent 1:1")


def netem_deleted():
    """Delete netem while packets are queued in lpd."""
    netem_goes("del DEV root")


def netem_reset():
    """Below netem, a reset drops all packets of lpd."""
    with Netem() as b:
        b.handed_down(*row())
        b.ns.link("slip0", False)
        for q in b.tree().qdiscs:
            tap.equal(f"{q} after the reset: (qlen, backlog)", (q.qlen, q.backlog), (0, 0))
        b.ns.link("slip0", True)
        b.numbers()
        b.lpd(parent=A, handle=LPD)
        b.send(packet(1000, LONG))
        tap.equal("packets afterwards", b.numbers(), [1000])


NETEM_RULES = (netem_expiry, netem_timer, netem_truncation, netem_overflow, netem_limit_shrinks,
               netem_child_replaced, netem_child_deleted, netem_deleted, netem_reset)


def test_a_thousand_expire_at_once_under_drr():
    """drr has lpd and a sibling as children. Even if more packets of lpd expire than lpd discards
    in one call, the queued packets of the sibling leave without a delay."""
    with bench.Bench() as b:
        PARENTS["drr"].build(b, limit=2000)
        b.plug()
        sent = b.send(*[packet(number, 300) for number in range(1500)])
        to_sibling(b, *range(5000, 5100))
        wait.till(sent.last + 300 * MS + 1)
        tap.equal("packets", b.numbers(), list(range(5000, 5100)))
        b.expect(packets_in=1500, stale=1500)
        ends_empty_and_working(b, PARENTS["drr"])


def test_hfsc_peeks_through_qfq():
    """After each dequeue, a real-time HFSC class peeks at its child QFQ, and QFQ answers with a
    dequeue. During the peek, lpd must not report an empty queue to HFSC."""
    parent = above_qfq("hfsc", "default 1", "rt m2 1gbit")
    with bench.Bench() as b:
        parent.build(b)
        for _ in range(ROUNDS):
            b.plug()
            b.send(packet(99, LONG))
            last = send_row(b)
            b.send(packet(100, LONG))
            wait.till(last.last + SHORT * MS + 1)
            tap.equal("packets", b.numbers(), [99, 100])
            b.expect(packets_in=ROW + 2, packets_out=2, rewritten=2, stale=ROW)
        ends_empty_and_working(b, parent)


def test_gso_segments_arrive_over_a_stale_queue():
    """TBF segments a GSO packet, and counts the segments only when all of them are enqueued. Before
    the last segment is enqueued, lpd may purge stale packets. The parent of TBF must not believe
    that TBF is empty."""
    with bench.Bench() as b:
        tc.need("hfsc", "tbf")
        b.tc("qdisc add DEV root handle 2: hfsc default 2",
             "class add DEV parent 2: classid 2:1 hfsc ls rate 1gbit",
             "class add DEV parent 2: classid 2:2 hfsc ls rate 1gbit",
             "qdisc add DEV parent 2:1 handle 1: tbf rate 1gbit burst 1600 limit 4mb",
             "qdisc add DEV parent 2:2 handle b: pfifo limit 1000")
        b.port.priority(0x20001)
        b.lpd(parent=A, handle=LPD, limit=8)
        b.plug()
        for number in range(8):
            sent = b.send(packet(number, SHORT))
        wait.till(sent.last + SHORT * MS + 1)
        segments = b"".join(pkt.body(number, 400) for number in range(100, 112))
        b.port.send_gso(pkt.tcp4(segments), 400)
        tap.equal("packets", b.numbers(), list(range(100, 108)))
        b.expect(packets_in=20, packets_out=8, no_lifetime=12, stale=8, overflow_limit=4)
        b.send(packet(200, LONG))
        tap.equal("packets afterwards", b.numbers(), [200])


def nothing_stale_leaves(b, count):
    """Read packets from a slow tree until the tree is empty. Checks that each packet leaves with a
    remaining lifetime. Returns the numbers of the packets."""
    got, until = [], time.monotonic() + 20
    while b.tree().root.qlen and time.monotonic() < until:
        if (frame := b.slip.read(0.02)) is not None:
            got.append(frame)
    got += b.open()
    for frame in got:
        tap.true(f"packet {pkt.number(frame)} left with lifetime", pkt.lifetime(frame) > 0)
    b.expect(packets_in=count, packets_out=len(got), rewritten=len(got), stale=count - len(got))
    return [pkt.number(frame) for frame in got]


def test_peeked_packet_expires_under_tbf():
    """If a packet expires after tbf has peeked at it, the packet does not leave. The rate is 1000
    byte/s, and each packet has 500 bytes and a lifetime of 700 ms. The first three packets leave
    immediately, because tbf has tokens for them. The fourth packet leaves after 500 ms. The fifth
    packet would leave after 1 s, when it is stale."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 8kbit burst 1500 limit 1mb")
        b.lpd(parent=A)
        b.send(*[packet(number, 700, 464) for number in range(8)])
        tap.equal("packets", nothing_stale_leaves(b, 8), [0, 1, 2, 3])


def test_peeked_packet_expires_under_hfsc_upper_limit():
    """If a packet expires after HFSC has peeked at it, the packet does not leave. With an upper
    limit of 1000 byte/s, one packet leaves every 500 ms. At most three packets therefore leave
    within 1.2 s."""
    with bench.Bench() as b:
        tc.need("hfsc")
        b.tc("qdisc add DEV root handle 1: hfsc default 1",
             "class add DEV parent 1: classid 1:1 hfsc ls m2 1mbit ul m2 8kbit")
        b.lpd(parent=A)
        b.send(*[packet(number, 1200, 464) for number in range(8)])
        got = nothing_stale_leaves(b, 8)
        tap.equal("packets", got, list(range(len(got))))
        tap.within("number of packets", len(got), 2, 3)


def test_throttled_parent_wakes_after_all_expired():
    """If all packets expire while tbf waits for tokens, a packet that arrives later still
    leaves."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 8kbit burst 1500 limit 1mb")
        b.lpd(parent=A)
        b.send(*[packet(number, 300, 464) for number in range(8)])
        tap.equal("packets", nothing_stale_leaves(b, 8), [0, 1, 2])
        b.send(packet(9, LONG, 464))
        wait.until("packet 9 leaves", lambda: 9 in b.numbers(), 5)


if __name__ == "__main__":
    tap.run([(f"{name}:{rule.__name__}", lambda rule=rule, parent=parent: rule(parent))
             for name, parent in PARENTS.items() for rule in RULES if has(parent, rule)]
            + [(f"netem:{rule.__name__}", rule) for rule in NETEM_RULES]
            + tap.collect(globals()))
