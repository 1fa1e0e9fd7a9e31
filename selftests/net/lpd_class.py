#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets without a lifetime wait in the class of lpd, which has its own qdisc. While packets wait
both in the class and in lpd's own queue, both get their shares of the bytes, and lpd's own queue
first uses its savings. If only one of the two has packets, it gets the whole link. The limits of
lpd do not count the class. Packets that the class drops are counted as `class_drops`."""
# run.sh: all on vm: shares whole_link default_* class_drops_* share_*
# run.sh: all on smp-debug: share_* graft_* reset
# run.sh: smoke: shares default_kinds class_drops_* share_0_*
import contextlib
import itertools
import time

from lib import bench, classful, kmod, netns, packet as pkt, tap, tc, wait
from lib.classful import BULK, CLOSED, LONG, PLACE, Classful, bulk, bulk_numbers, own

MS = bench.MS
SHORT = 30
DATAGRAMS = 600         # more datagrams than the table can contain


def is_bulk(frame):
    return pkt.number(frame) >= BULK


def check_shares(frames, share):
    """Check that the bytes of the frames have the ratio of the shares, after each frame. The
    deviation is at most the size of the last packet."""
    balance = 0
    for count, frame in enumerate(frames, 1):
        before = balance
        balance += -len(frame) * (100 - share) if is_bulk(frame) else len(frame) * share
        tap.equal(f"share {share}, balance {before}, frame {count}: is it the class's",
                  is_bulk(frame), before > 0)


def test_shares():
    """While packets wait both in the class and in lpd's own queue, the class gets its share of the
    bytes. The share is exact to one packet, for packets of any size."""
    for share, sizes in itertools.product((1, 10, 50, 90, 99),
                                          ((1400, 1400), (60, 1400), (1400, 60), (500, 700))):
        with Classful(share=share) as b:
            b.plug()
            b.send(*[own(number, sizes[0]) for number in range(300)],
                   *[bulk(number, sizes[1]) for number in range(300)])
            frames = [b.release()[0] for _ in range(201)][1:]
            found = b.tree()
            tap.true("both still wait", found.lpd().qlen > found.below(found.lpd())[0].qlen > 0)
            check_shares(frames, share)
            tap.equal("own packets leave in order",
                      [pkt.number(f) for f in frames if not is_bulk(f)],
                      list(range(sum(not is_bulk(f) for f in frames))))


def test_whole_link():
    """If packets wait in only one of the two queues, this queue gets the whole link. If lpd's own
    queue has been alone, the shares are exact afterwards, because the class has saved nothing."""
    for first in (own, bulk):
        with Classful(share=20) as b:
            b.plug()
            b.send(own(0, 500), bulk(0, 500), *[first(number, 500) for number in range(1, 50)])
            tap.equal("packets", sorted(n % BULK for n in b.numbers()), [0, *range(50)])
    with Classful(share=20) as b:
        b.plug()
        b.send(*[own(number, 500) for number in range(50)])
        b.numbers()
        b.plug()
        b.send(*[own(number, 500) for number in range(100)],
               *[bulk(number, 500) for number in range(100)])
        check_shares([b.release()[0] for _ in range(101)][1:], 20)


def test_savings():
    """lpd's own queue saves its share while the class sends alone. While the own queue uses its
    savings, each tenth packet is of the class, a fifth of the share of 50 %. When the savings are
    used up, both queues have sent as many packets since the beginning, and take turns."""
    with Classful(share=50) as b:
        b.plug()
        b.send(*[bulk(number) for number in range(40)])
        b.numbers()
        b.plug()
        b.send(*[own(number) for number in range(150)], *[bulk(number) for number in range(100)])
        turns = [is_bulk(b.release()[0]) for _ in range(101)][1:]
        # one own packet more than the 40 + 5 packets of the class, and it is the turn of the class
        tap.equal("turns of the class", [n for n, is_class in enumerate(turns) if is_class],
                  [1, 11, 21, 31, 41, *range(51, 100, 2)])


def test_an_empty_queue_still_owes():
    """If lpd's own queue sends a packet and is then empty, the class gets its share before the next
    own packet leaves. With the share 90 %, nine packets of the class follow each own packet."""
    with Classful(share=90) as b:
        b.plug()
        b.send(own(1), *[bulk(number) for number in range(30)])
        first = [pkt.number(b.release()[0]) for _ in range(3)][1:]
        b.send(own(2))
        tap.equal("packets", first + b.numbers(),
                  [1, *bulk_numbers(*range(9)), 2, *bulk_numbers(*range(9, 30))])


def test_the_class_owes_a_large_packet():
    """After the class has sent a packet that is larger than its share, lpd's own queue sends until
    it has reached its own share. An own packet that leaves while the class is empty does not
    count."""
    with Classful(share=50) as b:
        b.plug()
        b.send(own(0, 100), bulk(0, 1208), *[own(number, 100) for number in range(1, 20)])
        for _ in range(3):
            b.release()
        b.send(bulk(1, 100))
        got = b.numbers()
        # The class has sent 1236 bytes, and lpd's own queue 136 bytes in each packet.
        tap.equal("own packets before the class", got.index(BULK + 1), 1 + -(-(1236 - 136) // 136))
        tap.equal("packets", sorted(got), [*range(1, 20), BULK + 1])


def test_share_0_is_a_fifo():
    """With the share 0 there is no class. All packets leave in the order of arrival."""
    with bench.Bench() as b:
        b.lpd(share=0)
        tap.equal("classes", tc.tc(b.ns, "class show dev slip0").stdout, "")
        tap.equal("qdiscs", [q.kind for q in b.tree().qdiscs], ["lpd"])
        tc.refused(b.ns, "qdisc add dev slip0 parent 8001:1 pfifo")
        b.plug()
        b.send(own(0), bulk(1), bulk(2), own(3), bulk(4), own(5))
        tap.equal("packets", [n % BULK for n in b.numbers()], list(range(6)))
        b.expect(packets_in=6, packets_out=6, no_lifetime=3, rewritten=3)


@contextlib.contextmanager
def default_qdisc(kind):
    """Set net.core.default_qdisc, which is the same for all namespaces."""
    first, name = netns.First(), "/proc/sys/net/core/default_qdisc"
    with first.inside(), open(name) as file:
        before = file.read()
    first.sysctl("net.core.default_qdisc", kind)
    try:
        yield
    finally:
        first.sysctl("net.core.default_qdisc", before)
        first.close()


DEFAULTS = {kind: kind for kind in ("fq_codel", "fq", "sfq", "codel", "pfifo", "bfifo", "cake")} | {
    # qdiscs without a lock, with classes, only for the root, or with mandatory options
    kind: "pfifo" for kind in ("pfifo_fast", "prio", "tbf", "red", "htb", "netem", "mq", "noqueue",
                               "clsact", "lpd", "etf")}


def test_default_kinds():
    """The first qdisc of a class is of the kind net.core.default_qdisc, if it works there, and
    otherwise a pfifo. After its qdisc is deleted, the class gets such a qdisc again."""
    classful.need(*set(DEFAULTS) - {"clsact"})
    kmod.modprobe("sch_ingress")
    with bench.Bench() as b:
        for kind, wanted in DEFAULTS.items():
            with default_qdisc(kind):
                b.lpd(share=50)
                b.send(own(0), bulk(0))
                tap.equal(f"kinds with the default {kind}", [q.kind for q in b.tree().qdiscs],
                          ["lpd", wanted])
                tap.equal("packets", b.numbers(), [0, BULK])
                b.tc("qdisc add DEV parent 8001:1 handle c0: pfifo limit 7",
                     "qdisc del DEV parent 8001:1")
                tap.equal(f"kinds with the default {kind}, after a deletion",
                          [(q.kind, q.handle) for q in b.tree().qdiscs][1:], [(wanted, 0)])
                b.netlink.remove_root("slip0")


def test_default_qdisc_of_a_device():
    """As the default qdisc of a device, lpd has no handle and therefore no class."""
    tc.need("lpd")
    with default_qdisc("lpd"), bench.Bench() as b:
        tap.equal("qdiscs", [(q.kind, q.handle, q.options["share"]) for q in b.tree().qdiscs],
                  [("lpd", 0, 0)])
        b.plug()
        b.send(own(0), bulk(1), own(2))
        tap.equal("packets", b.numbers(), [0, BULK + 1, 2])


def test_limits_do_not_count_the_class():
    """`limit` and `memory` apply to lpd's own packets, and the class has the limit of its qdisc."""
    with Classful(limit=5, memory=1 << 16) as b:
        b.plug()
        tap.true("the class accepts", all(b.port.send(bulk(number, 1400)) for number in range(200)))
        tap.equal("accepted", [b.port.send(own(number)) for number in range(7)],
                  [True] * 5 + [False] * 2)
        b.holds(5, 200)
        b.child("pfifo limit 3")
        b.expect(packets_in=207, no_lifetime=200, overflow_limit=2, class_drops=200)
        tap.equal("accepted", [b.port.send(bulk(number)) for number in range(5)],
                  [True] * 3 + [False] * 2)
        tap.equal("packets", sorted(b.numbers()), [*range(5), *bulk_numbers(0, 1, 2)])
        b.expect(packets_in=212, packets_out=8, no_lifetime=205, overflow_limit=2, rewritten=5,
                 class_drops=202)


def test_no_policy_drops_from_the_class():
    """If lpd's own queue is full, the policies choose among its own packets."""
    for policy, left in ((bench.TAIL, [0, 1, 2]), (bench.HEAD, [2, 3, 4]),
                         (bench.STALEST, [0, 1, 2])):
        with Classful(limit=3, overflow=policy) as b:
            b.plug()
            b.send(bulk(0), *[own(number, ms=LONG - 100 * number) for number in range(5)], bulk(1))
            tap.equal("packets", sorted(b.numbers()), left + bulk_numbers(0, 1))


def test_class_drops_on_arrival():
    """A packet that the class's qdisc refuses is reported to the sender and counted."""
    with Classful("pfifo limit 3") as b:
        b.plug()
        tap.equal("accepted", [b.port.send(bulk(number)) for number in range(5)],
                  [True] * 3 + [False] * 2)
        b.holds(0, 3)
        b.expect(packets_in=5, no_lifetime=5, class_drops=2)
        tap.equal("packets", b.numbers(), bulk_numbers(0, 1, 2))


def test_class_drops_later():
    """Packets that the class's qdisc drops after their arrival are counted. The qdisc may drop them
    for an arriving packet, which it may accept or refuse, or in its dequeue."""
    for child in ("codel target 1ms interval 5ms", "fq_codel target 1ms interval 5ms",
                  "fq_codel limit 20", "sfq limit 20", "pfifo_head_drop limit 20",
                  "cake memlimit 30kb",
                  "red limit 40kb min 2kb max 10kb avpkt 1000 burst 10 probability 0.5"):
        tap.note(child)
        with Classful(child) as b:
            b.plug()
            b.send(*[own(number, 1000) for number in range(10)],
                   *[bulk(number, 1000, 5000 + number % 3) for number in range(80)])
            b.tree()
            wait.till(time.monotonic_ns() + 100 * MS)
            frames = []
            while b.tree().root.qlen:
                frames += [b.release()[0]]
                wait.till(time.monotonic_ns() + 2 * MS)
            frames += b.open()
            dropped = b.class_qdisc().drops
            tap.true("packets were dropped", dropped > 0)
            b.expect(packets_in=90, packets_out=90 - dropped, no_lifetime=80, rewritten=10,
                     class_drops=dropped)
            tap.equal("frames", sum(pkt.number(f) != bench.PLUG for f in frames),
                      90 - dropped)
            b.all_gone()


def test_a_divided_packet():
    """If the class's qdisc divides a GSO packet, each segment counts as a packet, also in
    packets_in."""
    with Classful("cake unlimited interplanetary") as b:
        b.plug()
        b.port.send_gso(pkt.tcp4(b"".join(pkt.body(number, 400) for number in range(12))), 400)
        b.holds(0, 12)
        b.expect(packets_in=12, no_lifetime=1)
        tap.equal("packets", b.numbers(), list(range(12)))
        b.expect(packets_in=12, packets_out=12, no_lifetime=1)


# On a slow host packets wait for a long time, so these qdiscs must accept long delays.
ANY = ("pfifo limit 100", "bfifo limit 100kb", "pfifo_fast", "pfifo_head_drop limit 100", "fq",
       "sfq", "fq_codel target 10s interval 20s", "codel target 10s interval 20s", "pie target 10s",
       "choke limit 100 min 50 max 80 avpkt 1000 bandwidth 10mbit",
       "red limit 1mb min 500kb max 900kb avpkt 1000 burst 600", "cake interplanetary", "lpd",
       "lpd share 0",
       "tbf rate 10mbit burst 3000 limit 1mb", "netem delay 20ms", "netem duplicate 50%", "prio",
       "ets bands 3", "hfsc default 1", "htb default 1", "drr", "qfq")
CLASSES = {"hfsc": "hfsc ls rate 1mbit", "htb": "htb rate 10mbit", "drr": "drr", "qfq": "qfq"}
# Without a filter, these qdiscs drop every packet.
DROPPING = ("drr", "qfq")


def graft_any(words):
    """The class can have any qdisc. The packets of the qdisc leave, and the sums stay right.
    Afterwards the qdisc can be deleted with packets in it."""
    kind = words.split()[0]
    with Classful() as b:
        classful.need(kind)
        b.child(words)
        if kind in CLASSES:
            b.tc(f"class add DEV parent {b.handle:x}: classid {b.handle:x}:1 {CLASSES[kind]}")
        b.mark()
        b.plug()
        b.send(*[packet(number) for number in range(20) for packet in (own, bulk)])
        b.tree()
        got = b.numbers()
        tap.equal("own packets", [n for n in got if n < BULK], list(range(20)))
        wanted = set() if kind in DROPPING else set(bulk_numbers(*range(20)))
        tap.equal("packets of the class", {n for n in got if n >= BULK}, wanted)
        b.all_gone()
        b.plug()
        b.send(*[bulk(number) for number in range(5)], own(7))
        b.tree()
        b.tc(f"qdisc del DEV {PLACE}")
        tap.equal("queued", b.tree().root.qlen, 1)
        tap.equal("packets", b.numbers(), [7])
        b.send(bulk(8))
        tap.equal("packets", b.numbers(), bulk_numbers(8))


def test_graft_with_packets_queued():
    """If the class gets another qdisc, the packets of the old qdisc are counted as dropped. Own
    packets are not affected."""
    with Classful() as b:
        b.plug()
        b.send(*[own(number) for number in range(4)], *[bulk(number) for number in range(6)])
        b.child("fq_codel")
        b.holds(4, 0)
        b.expect(packets_in=10, no_lifetime=6, class_drops=6)
        b.send(bulk(9))
        tap.equal("packets", sorted(b.numbers()), [0, 1, 2, 3, *bulk_numbers(9)])


def test_a_class_that_holds_its_packets_back():
    """While the class's qdisc has packets but returns none, lpd's own packets get the whole link,
    and the class saves nothing up."""
    with Classful(CLOSED) as b:
        b.plug()
        b.send(bulk(0, 1400), *[bulk(number, 500) for number in range(1, 30)],
               *[own(number, 500) for number in range(50)])
        tap.equal("packets", [pkt.number(b.release()[0]) for _ in range(52)][1:],
                  [0, BULK, *range(1, 50)])
        b.holds(0, 29)
        b.send(*[own(number, 500) for number in range(100, 130)])
        b.tc(f"qdisc change DEV {PLACE} tbf rate 1gbit burst 1mb limit 1mb")
        got = [pkt.number(b.release()[0]) for _ in range(20)]
        bytes_of_class = sum(528 for n in got if n >= BULK)
        bytes_of_own = sum(536 for n in got if n < BULK)
        tap.within("bytes of the class, compared with own bytes", bytes_of_class - bytes_of_own,
                   -2 * 536, 2 * 536)


def test_share_changes_under_traffic():
    """A change of the share keeps all queued packets, ends all savings, and applies immediately."""
    with Classful(share=50) as b:
        b.plug()
        b.send(*[bulk(number, 508) for number in range(100)])
        b.numbers()
        b.mark()
        b.plug()
        b.send(*[own(number, 500) for number in range(200)],
               *[bulk(number, 508) for number in range(200)])
        b.release()
        for share in (60, 10, 90):
            b.set(share=share)
            b.holds(b.tree().lpd().qlen - b.class_qdisc().qlen, b.class_qdisc().qlen)
            got = [b.release()[0] for _ in range(50)]
            tap.within(f"packets of the class at the share {share}", sum(map(is_bulk, got)),
                       share / 2 - 2, share / 2 + 2)
        tap.equal("packets left", len(b.numbers()), 400 - 150)
        b.expect(packets_in=400, packets_out=400, no_lifetime=200, rewritten=200)


def test_share_0_with_packets_queued():
    """If the share becomes 0, the class disappears with its packets. If the share is set again,
    packets without a lifetime in lpd's own queue stay there, and all later packets without a
    lifetime go to the class."""
    with Classful() as b:
        b.plug()
        b.send(*[own(number) for number in range(3)], *[bulk(number) for number in range(4)])
        b.set(share=0)
        tap.equal("qdiscs", [q.kind for q in b.tree().qdiscs], ["lpd"])
        b.expect(packets_in=7, no_lifetime=4, class_drops=4)
        b.send(bulk(10), bulk(11))
        b.set(share=50)
        b.child("pfifo limit 5")
        b.send(bulk(12))
        b.holds(5, 1)
        tap.equal("packets", sorted(b.numbers()), [0, 1, 2, *bulk_numbers(10, 11, 12)])
        b.expect(packets_in=10, packets_out=6, no_lifetime=7, rewritten=3, class_drops=4)


def test_reset():
    """If the link goes down, the packets of the class are also removed."""
    with Classful() as b:
        b.plug()
        b.send(own(0), own(1), *[bulk(number) for number in range(5)])
        b.ns.link("slip0", False)
        b.all_gone()
        b.expect(packets_in=7, no_lifetime=5, reset=7)
        b.ns.link("slip0", True)
        b.numbers()
        b.send(own(2), bulk(2))
        tap.equal("packets", b.numbers(), [2, BULK + 2])


def test_stale_packets_do_not_hold_up_the_class():
    """If all own packets are stale, the packets of the class leave immediately. Fresh packets
    behind stale packets get their share."""
    with Classful() as b:
        for fresh in (0, 1, 5):
            b.plug()
            last = b.send(*[own(number, ms=SHORT) for number in range(40)],
                          *[bulk(number) for number in range(10)],
                          *[own(number) for number in range(100, 100 + fresh)])
            wait.till(last.last + SHORT * MS + 1)
            tap.equal("packets", sorted(b.numbers()),
                      [*range(100, 100 + fresh), *bulk_numbers(*range(10))])
            b.expect(packets_in=50 + fresh, packets_out=10 + fresh, stale=40, rewritten=fresh,
                     no_lifetime=10)
            b.mark()


def test_the_timer_runs_beside_the_class():
    """While nobody dequeues, own packets expire, and the packets of the class stay."""
    with Classful() as b:
        b.plug()
        last = b.send(*[own(number, ms=SHORT) for number in range(40)], bulk(0), bulk(1))
        b.expect_queued(2, last.last + SHORT * MS)
        b.holds(0, 2)


def test_tc_shows_the_class():
    """tc shows the class with the packets of its qdisc."""
    with Classful() as b:
        b.plug()
        b.send(own(0), *[bulk(number) for number in range(3)])
        said = tc.tc(b.ns, "-s class show dev slip0").stdout.split()
        tap.equal("class", said[:7], "class lpd a000:1 parent a000: leaf c1:".split())
        tap.equal("backlog", said[said.index("backlog"):][1:3], [f"{3 * len(bulk(0))}b", "3p"])


def test_edf_leaves_the_class_alone():
    """With order edf, own packets exchange positions only among themselves."""
    with Classful(order=bench.EDF) as b:
        b.plug()
        b.send(own(0, ms=LONG), bulk(0), bulk(1), own(1, ms=LONG - 5000), bulk(2))
        tap.equal("packets", b.numbers(), [1, BULK, 0, *bulk_numbers(1, 2)])


def test_which_packets_the_class_gets():
    """The class gets the packets without a lifetime. These are packets and fragments without an
    option, packets whose option says "none" or is malformed, and packets that are not IP. Packets
    with a lifetime, or with the default lifetime, stay outside."""
    none = pkt.ipv4(pkt.xlo4(pkt.NONE), pkt.body(0, 60))
    bare = [pkt.ipv4(payload=pkt.body(0, 60)), pkt.ipv6(payload=pkt.body(0, 60)), none,
            pkt.ipv6(pkt.xlo6(pkt.NONE), pkt.body(0, 60)), pkt.ipv4(b"\x9e\x07" + bytes(6)),
            pkt.ipv4(payload=pkt.body(0, 60), fragment=0x2000)]
    for options, to_class, to_own in (
            ({}, [*bare, pkt.arp()],
             [own(0, flags=flags) for flags in (pkt.DISCARD, pkt.FORWARD, pkt.RESERVED)]),
            ({"lifetime": LONG * MS}, [pkt.arp()], bare),
            ({"lifetime": LONG * MS, "exempt": 1}, [none, pkt.arp()], bare[:2])):
        with Classful(**options) as b:
            b.plug()
            b.send(*to_class)
            b.holds(0, len(to_class))
            b.send(*to_own)
            b.holds(len(to_own), len(to_class))


def test_rules_keep_packets_outside():
    """A packet that gets the lifetime of a rule stays outside. The class gets the packets that match
    a rule with the lifetime "none", even with a default lifetime. Without a default lifetime, the
    class also gets the packets that match no rule."""
    rules = [dict(mark=1, lifetime=LONG * MS), dict(mark=2, lifetime=0)]
    none = pkt.ipv4(pkt.xlo4(pkt.NONE), pkt.body(0, 60))
    for options, outside in (({}, (1,)), ({"lifetime": LONG * MS}, (0, 1, 3)),
                             ({"lifetime": LONG * MS, "exempt": 1}, (0, 1, 3))):
        with Classful(match=rules, **options) as b:
            b.plug()
            for mark in range(4):
                b.port.mark(mark)
                b.send(bulk(mark), none)
                if mark == 1:
                    b.send(pkt.arp())
            packets = 1 if "exempt" in options else 2
            b.holds(packets * len(outside), 9 - packets * len(outside))
            b.expect(packets_in=9, matched=packets,
                     default_lifetime=packets * (len(outside) - 1),
                     no_lifetime=9 - packets * len(outside))


def test_strip():
    """With strip, a packet with the lifetime "none" loses its option before the class gets the
    packet. The sums of the parent qdiscs stay right."""
    with Classful(strip=1) as b:
        b.plug()
        b.send(*[pkt.ipv4(pkt.xlo4(pkt.NONE), pkt.body(number, 60)) for number in range(3)],
               pkt.ipv6(pkt.xlo6(pkt.NONE), pkt.body(3, 60)))
        b.tree()
        frames = b.open()
        without = [pkt.ipv4(payload=pkt.body(number, 60)) for number in range(3)]
        tap.equal("packets", frames, [*without, pkt.ipv6(payload=pkt.body(3, 60))])
        b.expect(packets_in=4, packets_out=4, no_lifetime=4, stripped=4)
        b.all_gone()


def test_fragments_without_a_lifetime():
    """lpd does not track the datagrams of fragments in the class, because it does not know which
    fragment the class drops. These fragments take no space in the table of datagrams."""
    with Classful() as b:
        b.plug()
        b.send(*[pkt.ipv4(payload=pkt.body(number, 64), fragment=0x2000,
                          source=f"10.0.{number >> 8}.{number & 255}")
                 for number in range(DATAGRAMS)])
        b.holds(0, DATAGRAMS)
        b.send(pkt.ipv4(pkt.xlo4(LONG), pkt.body(0, 64), fragment=0x2000))
        b.expect(packets_in=DATAGRAMS + 1, no_lifetime=DATAGRAMS)


if __name__ == "__main__":
    tap.run(tap.collect(globals()) +
            [(f"graft_any:{words.replace(' ', '_')}", lambda words=words: graft_any(words))
             for words in ANY])
