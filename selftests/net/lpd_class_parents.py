#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Below every parent, an lpd with a class follows the rules on which parents rely (lpd_parents.py).
The class's qdisc may drop its packets at any time, also within the parent's enqueue, dequeue and
peek. All sums of packets and bytes stay right, no sibling stalls, and the tree becomes empty
without a further arrival.

    slip0 == parent == A: lpd == class == c0: pfifo, codel, fq_codel, ...
                   \\== B: pfifo"""
# run.sh: all on vm: tbf:stale_* hfsc:class_* drr:class_* below_mq
# run.sh: all on smp-debug: hfsc:*
# run.sh: smoke: hfsc:class_empties_* drr:class_empties_* qfq:stale_*
import time

from lib import bench, kmod, packet as pkt, tap, wait
from lib.classful import BULK, CLOSED, PLACE, Classful, bulk, bulk_numbers, own
from lib.parents import LPD, LONG, PARENTS, ROUNDS, Parent, ends_empty_and_working, to_sibling
from net import lpd_mq

MS = bench.MS
SHORT, ROW = 30, 40
SIBLING = (500, 501, 502)


def beside(parent, *numbers):
    """The numbers of packets that leave, with those of the sibling."""
    return sorted([*numbers, *SIBLING * parent.sibling])


def to_sibling_if_any(b):
    if b.parent.sibling:
        to_sibling(b, *SIBLING)


def stale_beside_the_class(parent):
    """Own packets expire between the packets of the class. All packets of the class and of the
    sibling leave, and all fresh packets."""
    with Classful(parent=parent) as b:
        for fresh in (0, 1, 2, 5) * (ROUNDS // 2):
            b.plug()
            b.send(*[bulk(number) for number in range(10)])
            last = b.send(*[own(number, ms=SHORT) for number in range(ROW)])
            b.send(*[own(number) for number in range(100, 100 + fresh)])
            to_sibling_if_any(b)
            wait.till(last.last + SHORT * MS + 1)
            tap.equal("packets", sorted(b.numbers()),
                      beside(parent, *range(100, 100 + fresh), *bulk_numbers(*range(10))))
            b.expect(packets_in=ROW + 10 + fresh, packets_out=10 + fresh, rewritten=fresh,
                     no_lifetime=10, stale=ROW)
        ends_empty_and_working(b, parent)


def class_drops_in_dequeue(parent):
    """The class's qdisc drops packets while a parent dequeues or peeks."""
    with Classful("codel target 1ms interval 5ms", parent) as b:
        b.plug()
        b.send(*[bulk(number, 1000) for number in range(80)], own(1), own(2))
        to_sibling_if_any(b)
        wait.till(time.monotonic_ns() + 100 * MS)
        frames = []
        while b.tree().root.qlen:
            frames.append(b.release()[0])
            wait.till(time.monotonic_ns() + 2 * MS)
        numbers = [pkt.number(frame) for frame in frames + b.open()]
        dropped = b.class_qdisc().drops
        tap.true("codel drops", dropped > 0)
        tap.equal("packets", len(set(numbers) - {bench.PLUG}),
                  82 - dropped + len(SIBLING) * parent.sibling)
        b.expect(packets_in=82, packets_out=82 - dropped, no_lifetime=80, rewritten=2,
                 class_drops=dropped)
        b.all_gone()
        ends_empty_and_working(b, parent)


def class_drops_older_packets(parent):
    """When a packet arrives, the class's qdisc drops an older packet of another flow. The class has
    at most one packet, and lpd's qlen must not become 0 during the enqueue."""
    with Classful("fq_codel limit 1", parent) as b:
        for _ in range(ROUNDS):
            b.plug()
            for number in range(6):
                b.send(bulk(number, 1000 - 100 * number, 5000 + number))
                b.holds(0, 1)
            to_sibling_if_any(b)
            got = b.numbers()
            # QFQ and real-time classes of HFSC peek in their enqueue, and fq_codel keeps the packet
            # that was peeked at.
            tap.equal("packets of the class", sum(n >= BULK for n in got), 1)
            tap.equal("other packets", sorted(n for n in got if n < BULK), beside(parent))
            b.expect(packets_in=6, packets_out=1, no_lifetime=6, class_drops=5)
        ends_empty_and_working(b, parent)


def class_empties_on_arrival(parent):
    """The arriving packet makes the class's qdisc drop all packets, including the arriving one. The
    parents must learn that lpd is empty, so that the sibling's packets leave."""
    with Classful("fq_codel limit 1", parent) as b:
        for _ in range(ROUNDS):
            b.plug()
            b.send(bulk(0, 60))
            b.holds(0, 1)
            b.send(bulk(1, 1200))
            b.holds(0, 0)
            to_sibling_if_any(b)
            tap.equal("packets", sorted(b.numbers()), beside(parent))
            b.expect(packets_in=2, no_lifetime=2, class_drops=2)
            b.send(bulk(2))
            tap.equal("packets", b.numbers(), bulk_numbers(2))
        ends_empty_and_working(b, parent)


def class_goes(words, left):
    """Delete or replace the qdisc of the class with packets in it. Own packets and the sibling's
    packets leave."""
    def rule(parent):
        for own_packets in (0, 3):
            with Classful(parent=parent) as b:
                b.plug()
                b.send(*[bulk(number) for number in range(8)],
                       *[own(number) for number in range(own_packets)])
                to_sibling_if_any(b)
                words(b)
                tap.equal("queued", b.tree().lpd().qlen, own_packets)
                tap.equal("packets", sorted(b.numbers()), beside(parent, *range(own_packets)))
                b.expect(packets_in=8 + own_packets, packets_out=own_packets,
                         rewritten=own_packets, no_lifetime=8, class_drops=8)
                b.all_gone()
                tap.equal("qdiscs of the class", len(b.tree().below(b.tree().lpd())), left)
                ends_empty_and_working(b, parent)
    return rule


def lpd_goes(parent):
    """Delete lpd with packets in its own queue and in the class."""
    with Classful(parent=parent) as b:
        b.plug()
        b.send(*[bulk(number) for number in range(8)], *[own(number) for number in range(3)])
        to_sibling_if_any(b)
        b.tc(f"qdisc del DEV {parent.place}")
        tap.equal("root's qlen", b.tree().root.qlen, len(SIBLING) * parent.sibling)
        b.lpd(parent=parent.at, handle=LPD, share=50)
        tap.equal("packets", sorted(b.numbers()), beside(parent))
        ends_empty_and_working(b, parent)


def link_goes(parent):
    """If the link goes down, both queues of lpd are reset."""
    with Classful(parent=parent) as b:
        b.plug()
        b.send(*[bulk(number) for number in range(8)], *[own(number) for number in range(3)])
        to_sibling_if_any(b)
        b.ns.link("slip0", False)
        b.all_gone()
        b.expect(packets_in=11, no_lifetime=8, reset=11)
        b.ns.link("slip0", True)
        b.numbers()
        if parent.restarts:
            ends_empty_and_working(b, parent)


def class_holds_its_packets_back(parent):
    """The class's qdisc shows a packet on peek but returns none on dequeue. lpd's own packets and
    the sibling's packets leave. When the class's qdisc is deleted, the parents learn that lpd is
    empty."""
    with Classful(CLOSED, parent) as b:
        b.send(bulk(0, 1400))
        b.numbers()
        b.plug()
        b.send(*[bulk(number, 1400) for number in range(1, 5)],
               *[own(number) for number in range(9)])
        b.release()
        got = [pkt.number(b.release()[0]) for _ in range(9)]
        tap.equal("packets", got, list(range(9)))
        b.holds(0, 4)
        to_sibling_if_any(b)
        b.tc(f"qdisc del DEV {PLACE}")
        tap.equal("packets", sorted(b.numbers()), beside(parent))
        b.all_gone()
        ends_empty_and_working(b, parent)


def test_below_mq():
    """Below mq, each transmit queue has an lpd with a class. The sums of mq are right, and all
    packets of the classes leave."""
    with lpd_mq.MultiQueue("mq", [gate + 1 for gate in lpd_mq.GATES], lpd_mq.SLOW) as m:
        bare = [pkt.ipv4(payload=pkt.body(number, 60), port=5000 + number) for number in range(100)]
        last = m.send(bare + lpd_mq.flows(100, lpd_mq.SHORT))
        wait.till(last.last + lpd_mq.SHORT * MS)
        wait.until("only the classes have packets", lambda: m.queued() == sum(
            q.qlen for q in m.tree().qdiscs if q.parent & 0xffff0000 in lpd_mq.LPDS))
        in_classes = m.queued()
        tap.within("packets in the classes", in_classes, 60, 100)
        m.gate(lpd_mq.FAST)
        m.send(lpd_mq.flows(40, LONG))
        wait.until("all packets are sent", lambda: m.queued() == 0)
        tap.equal("unmarked packets", m.sums("no_lifetime", "class_drops"), [100, 0])


def test_below_netem():
    """netem passes its packets to lpd while the device dequeues, and calls lpd's dequeue through a
    different pointer than other parents. The class also works below netem."""
    netem = Parent("netem", "qdisc add DEV root handle 1: netem limit 1000", sibling=False)
    with Classful(parent=netem) as b:
        b.plug()
        b.send(own(99), *[bulk(number) for number in range(10)])
        last = b.send(*[own(number, ms=SHORT) for number in range(ROW)])
        b.release()
        b.holds(ROW, 10)
        wait.till(last.last + SHORT * MS + 1)
        tap.equal("packets", b.numbers(), [99, *bulk_numbers(*range(10))])
        b.expect(packets_in=ROW + 11, packets_out=11, rewritten=1, no_lifetime=10, stale=ROW)
        b.plug()
        b.send(own(99), *[bulk(number) for number in range(8)])
        b.release()
        b.holds(0, 8)
        b.tc(f"qdisc del DEV {PLACE}")
        b.all_gone()
        tap.equal("packets", b.numbers(), [99])
        ends_empty_and_working(b, netem)


RULES = {"stale_beside_the_class": stale_beside_the_class,
         "class_drops_in_dequeue": class_drops_in_dequeue,
         "class_drops_older_packets": class_drops_older_packets,
         "class_empties_on_arrival": class_empties_on_arrival,
         "child_deleted": class_goes(lambda b: b.tc(f"qdisc del DEV {PLACE}"), 1),
         "child_replaced": class_goes(lambda b: b.child("fq_codel"), 1),
         "share_0": class_goes(lambda b: b.set(share=0), 0),
         "lpd_goes": lpd_goes, "link_goes": link_goes,
         "class_holds_its_packets_back": class_holds_its_packets_back}


def has(kind, name):
    """Whether a rule can be tested under a parent. QFQ of Linux 6.1 triggers a kernel warning about
    a child that shows a packet on peek but returns none on dequeue. HFSC above QFQ stalls if an
    fq_codel below them drops an older packet, also without lpd. A real-time class of HFSC peeks at
    the first packet, and fq_codel does not drop this packet any more."""
    if name == "class_holds_its_packets_back":
        return "qfq" not in PARENTS[kind].kinds or kmod.RELEASE >= (6, 12)
    return (kind, name) not in {("hfsc_above_qfq", "class_drops_older_packets"),
                                ("hfsc_realtime", "class_empties_on_arrival")}


if __name__ == "__main__":
    tap.run([(f"{kind}:{name}", lambda rule=rule, parent=parent: rule(parent))
             for kind, parent in PARENTS.items() for name, rule in RULES.items()
             if has(kind, name)] +
            tap.collect(globals()))
