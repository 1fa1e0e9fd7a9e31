# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of qdiscs on the device of bench.Bench, with lpd below each kind of parent qdisc. Parent
qdiscs rely on rules that some qdiscs have broken.

    slip0 == parent == A: lpd
                   \\== B: pfifo"""
from . import bench, packet as pkt, tap, tc, tree, wait

MS = bench.MS
SHORT, LONG, ROW = 30, 20_000, 40
# On an emulated VM a round takes a long time.
ROUNDS = 5 if wait.virtual_time() else 2
A, B = 0x10001, 0x10002
LPD = 0xa0000000


class Parent:
    """Builds a tree. `kinds` contains the names of the qdiscs above lpd, beginning with the root.
    If `kinds` is empty, lpd is the root. `words` contains lines for tc. `sibling` says whether lpd
    has a sibling. `peeks` says whether lpd's parent peeks at a packet before it dequeues the
    packet."""

    def __init__(self, kinds, *words, sibling=True, classes=(), restarts=True, peeks=False):
        self.kinds, self.words, self.sibling = kinds.split(), words, sibling
        self.classes, self.restarts, self.peeks = classes, restarts, peeks
        self.at, self.place = (A, "parent 1:1") if kinds else (tree.ROOT, "root")

    def build(self, b, sibling="pfifo limit 1000", **options):
        tc.need(*self.kinds)
        words = self.words + self.classes
        if self.sibling:
            words += (f"qdisc add DEV parent 1:2 handle b: {sibling}",)
        b.tc(*words)
        b.port.priority(A)
        b.lpd(parent=self.at, handle=LPD, **options)


def classful(kind, options="", first="", second=None, restarts=True, peeks=False):
    """A qdisc with the classes 1:1 and 1:2, which tc creates one by one."""
    return Parent(kind, f"qdisc add DEV root handle 1: {kind} {options}", restarts=restarts,
                  peeks=peeks,
                  classes=(f"class add DEV parent 1: classid 1:1 {kind} {first}",
                           f"class add DEV parent 1: classid 1:2 {kind} {second or first}"))


def above_qfq(kind, options, first):
    """A parent above QFQ. Before QFQ dequeues a packet from its child, QFQ subtracts the packet
    from its qlen. The parent of QFQ must not infer from the lower qlen that the tree is empty."""
    return Parent(f"{kind} qfq", f"qdisc add DEV root handle 2: {kind} {options}",
                  f"class add DEV parent 2: classid 2:1 {kind} {first}",
                  "qdisc add DEV parent 2:1 handle 1: qfq",
                  *(["filter add DEV parent 2: matchall classid 2:1"] if kind == "drr" else []),
                  classes=("class add DEV parent 1: classid 1:1 qfq weight 1 maxpkt 1500",
                           "class add DEV parent 1: classid 1:2 qfq weight 1 maxpkt 1500"),
                  peeks=True)


PARENTS = {
    "root": Parent("", sibling=False),
    "tbf": Parent("tbf", "qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 4mb",
                  sibling=False, peeks=True),
    "red": Parent("red", "qdisc add DEV root handle 1: red limit 4mb min 1mb max 3mb "
                  "avpkt 1000 burst 1500 bandwidth 1gbit", sibling=False),
    # The qdisc sfb stores hashes in the control blocks of packets, which every child overwrites.
    # Therefore the bins of sfb only grow. For this reason the test sets large limits.
    "sfb": Parent("sfb", "qdisc add DEV root handle 1: sfb limit 5000 max 5000 target 4000 "
                  "increment 0.00005 decrement 0.000005 rehash 600000 db 60000", sibling=False),
    "htb": classful("htb", "default 2", "rate 1gbit quantum 1500"),
    "hfsc": classful("hfsc", "default 2", "ls rate 1gbit"),
    # The real-time classes of hfsc stall after a reset, even with a pfifo in place of lpd.
    "hfsc_realtime": classful("hfsc", "default 2", "rt m2 1gbit", restarts=False),
    "hfsc_upper_limit": classful("hfsc", "default 2", "ls m2 1gbit ul m2 1gbit"),
    "drr": classful("drr", "", "quantum 1500", peeks=True),
    "qfq": classful("qfq", "", "weight 1 maxpkt 1500", peeks=True),
    "qfq_uneven": classful("qfq", "", "weight 1 maxpkt 1500", "weight 10 maxpkt 600",
                           peeks=True),
    "ets_strict": Parent("ets", "qdisc add DEV root handle 1: ets bands 2 strict 2"),
    "ets_shared": Parent("ets", "qdisc add DEV root handle 1: ets bands 2 quanta 1500 1500",
                         peeks=True),
    "prio": Parent("prio", "qdisc add DEV root handle 1: prio bands 2 "
                   "priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
    "tbf_above_prio": Parent(
        "tbf prio", "qdisc add DEV root handle 2: tbf rate 1gbit burst 1mb limit 4mb",
        "qdisc add DEV parent 2:1 handle 1: prio bands 2 "
        "priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", peeks=True),
    "hfsc_above_qfq": above_qfq("hfsc", "default 1", "ls rate 1gbit"),
    "htb_above_qfq": above_qfq("htb", "default 1", "rate 1gbit quantum 1500"),
    "drr_above_qfq": above_qfq("drr", "", "quantum 1500"),
}


def packet(number, ms, size=60):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, size))


def to_sibling(b, *numbers):
    b.port.priority(B)
    b.send(*[pkt.ipv4(payload=pkt.body(number, 60)) for number in numbers])
    b.port.priority(A)


def ends_empty_and_working(b, parent):
    """Check that the whole tree is empty, and that packets still pass both leaves."""
    for q in b.tree().qdiscs:
        tap.equal(f"(qlen, backlog) of {q} at the end", (q.qlen, q.backlog), (0, 0))
    b.send(packet(1000, LONG), packet(1001, LONG))
    if parent.sibling:
        to_sibling(b, 2000, 2001)
    tap.equal("packets afterwards", sorted(b.numbers()),
              [1000, 1001] + [2000, 2001] * parent.sibling)


def send_row(b, first=0):
    for number in range(first, first + ROW):
        last = b.send(packet(number, SHORT))
    return last
