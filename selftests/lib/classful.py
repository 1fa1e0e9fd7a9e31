# SPDX-License-Identifier: GPL-2.0-or-later
"""An lpd with a class on the device of bench.Bench. Packets with a lifetime wait in lpd's own
queue, and packets without a lifetime wait in the class.

    slip0 == parent == 1:1 lpd == class == c0: the qdisc of the class
                   \\== 1:2 pfifo"""
from . import bench, packet as pkt, parents, tap, tc

LONG = 20_000
BULK = 1000             # the first number of packets without a lifetime
PLACE = f"parent {parents.LPD >> 16:x}:1"
DEEP = "pfifo limit 1000"
# A token bucket that sends the first packet, and no further packet during a test.
CLOSED = "tbf rate 8bit burst 1600 limit 1mb"


# qdiscs that are not separate modules
BUILT_IN = {"pfifo", "bfifo", "pfifo_fast", "pfifo_head_drop", "mq", "noqueue"}


def need(*kinds):
    """Load the modules of qdiscs."""
    tc.need("lpd", *set(kinds) - BUILT_IN)


def own(number, size=60, ms=LONG, flags=pkt.DISCARD):
    """A packet for lpd's own queue."""
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, size))


def bulk(number, size=68, port=5000):
    """A packet for the class, as long as own(number). The port determines the flow."""
    return pkt.ipv4(payload=pkt.body(BULK + number, size), port=port)


def bulk_numbers(*numbers):
    return [BULK + number for number in numbers]


class Classful(bench.Bench):
    """A bench whose lpd has a class, at the root or below a parent of parents.PARENTS."""

    def __init__(self, child=DEEP, parent=None, share=50, **options):
        super().__init__()
        need(child.split()[0])
        self.handle = 0xc0
        # the limit of every pfifo that a qdisc creates
        self.netlink.set_queue_length("slip0", 1000)
        self.parent = parent or parents.PARENTS["root"]
        self.parent.build(self, share=share, **options)
        self.child(child)
        self.mark()

    def plug(self):
        """Occupy the wire. The plug has a lifetime, because the class may drop or delay its
        packets."""
        self.port.send(own(bench.PLUG, 20))
        self.mark()

    def child(self, words):
        """Give a new qdisc with a separate handle to the class."""
        self.handle += 1
        self.tc(f"qdisc replace DEV {PLACE} handle {self.handle:x}: {words}")

    def set(self, **options):
        self.change(parent=self.parent.at, handle=parents.LPD, **options)

    def class_qdisc(self):
        """The qdisc of the class."""
        found = self.tree()
        children = found.below(found.lpd())
        tap.equal("qdiscs of the class", len(children), 1)
        return children[0]

    def holds(self, own_packets, class_packets):
        """Check how many packets wait in lpd's own queue and in the class."""
        held = self.class_qdisc().qlen
        tap.equal("packets in lpd's own queue and in the class",
                  (self.tree().lpd().qlen - held, held), (own_packets, class_packets))

    def all_gone(self):
        for q in self.tree().qdiscs:
            tap.equal(f"(qlen, backlog) of {q}", (q.qlen, q.backlog), (0, 0))
