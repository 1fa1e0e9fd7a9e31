#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With overflow least, a full queue drops the least important packet. Among packets of equal
importance it drops the packet that becomes stale first. If none of them becomes stale, it drops the
packet that arrived last. Rules give the importance to any packet by its mark, DSCP or priority."""
# run.sh: smoke: least_important_first equals_by_deadline random_mix:limit:edf
from lib import bench, classful, gate, packet as pkt, sequence, soak, tap, wait
from net import lpd_overflow
from net.lpd_overflow import DECOY, KEEP, LIFE

MS = bench.MS
ROOM = 6
# the mark of a packet is its importance
BY_MARK = [dict(mark=mark, lifetime=0, importance=mark) for mark in range(1, 8)]


class Queue:
    """An lpd with overflow least, whose rules use the mark of a packet as its importance."""

    def __init__(self, b, match=None, **options):
        self.b, self.due = b, sequence.Deadlines()
        b.lpd(overflow=bench.LEAST, keep=KEEP, match=BY_MARK if match is None else match,
              **{"limit": ROOM, **options})
        b.plug()

    def send(self, number, importance=0, ms=None, flags=pkt.DISCARD, size=100):
        """Send a packet with a deadline far away, or without a lifetime. Returns whether lpd
        accepted the packet."""
        self.b.port.mark(importance)
        lifetime = pkt.NONE if ms is None else self.due.at(ms)
        return self.b.port.send(pkt.ipv4(pkt.xlo4(lifetime, flags, 255), pkt.body(number, size)))


class Model(sequence.Sequence):
    """A model of the queue, which searches all packets for the packet to drop."""

    def __init__(self, order=bench.FIFO):
        super().__init__(order)
        self.importance, self.dropped = {}, 0

    def victim(self):
        def rank(packet):
            found = self.importance[packet.number]
            return (found, 0, packet.key, packet.arrival) if packet.expires else \
                (found, 1, 0, -packet.arrival)
        return min(self.places, key=rank)

    def drop(self):
        self.places.remove(self.victim())
        self.dropped += 1

    def accept(self, room, number, importance, *args):
        """Let a packet arrive. Returns whether the packet is accepted."""
        self.importance[number] = importance
        self.arrive(number, *args)
        if len(self.places) > room:
            self.drop()
        return any(packet.number == number for packet in self.places)


def test_least_important_first():
    """The least important packet is dropped for each packet that arrives. A packet less important
    than all queued packets is refused. The order of arrival and the deadlines do not matter."""
    with bench.Bench() as b:
        queue = Queue(b)
        for number, importance in enumerate((3, 7, 1, 5, 0, 2)):
            queue.send(number, importance, number * 100)
        tap.equal("accepted", [queue.send(10, 4), queue.send(11, 0, 5), queue.send(12, 7, 1),
                               queue.send(13, 1), queue.send(14, 2), queue.send(15, 6)],
                  [True, False, True, False, True, True])
        # dropped: 4 (0), then the arriving 11 (0), 2 (1), the arriving 13 (1), 5 (2), 14 (2)
        tap.equal("packets", b.numbers(), [0, 1, 3, 10, 12, 15])
        b.expect(packets_in=12, packets_out=6, overflow_limit=6, no_lifetime=4)


def test_equals_by_deadline():
    """Of equally important packets, the one that becomes stale first is dropped, wherever it is in
    the queue. Packets without a lifetime, and packets to be sent even when stale, are dropped last.
    The newest of these packets is dropped first."""
    with bench.Bench() as b:
        queue = Queue(b)
        queue.send(0, 4)
        queue.send(1, 4, 300)
        queue.send(2, 4, 100)
        queue.send(3, 4, 50, pkt.FORWARD)
        queue.send(4, 4, 200)
        queue.send(5, 4)
        for number in range(10, 15):
            tap.equal(f"{number} is accepted", queue.send(number, 7), True)
        tap.equal("packets", b.numbers(), [0, *range(10, 15)])
        b.expect(packets_in=11, packets_out=6, overflow_limit=5, no_lifetime=7)


def test_arrival_among_equals():
    """A packet without a lifetime is refused if all queued packets have the same importance and no
    lifetime. A packet that becomes stale is refused if no other packet of its importance becomes
    stale first."""
    with bench.Bench() as b:
        queue = Queue(b)
        for number in range(ROOM):
            queue.send(number, 2)
        tap.equal("accepted", [queue.send(10, 2), queue.send(11, 2, 100), queue.send(12, 3, 100),
                               queue.send(13, 3, 50), queue.send(14, 3, 200)],
                  [False, False, True, True, True])
        tap.equal("packets", b.numbers(), [0, 1, 2, 12, 13, 14])


def test_importance_of_any_packet():
    """The importance of a rule applies to packets with and without an option, to packets that are
    not IP packets, and to packets with a malformed option."""
    packets = [pkt.ipv4(pkt.xlo4(20_000), pkt.body(1, 60)), pkt.ipv4(b"", pkt.body(2, 60)),
               pkt.arp(), pkt.ipv6(None, pkt.body(4, 60)),
               pkt.ipv4(b"\x9e\x07" + bytes(6), pkt.body(5, 60))]
    for number, packet in enumerate(packets):
        with bench.Bench() as b:
            queue = Queue(b, limit=2)
            b.port.mark(5)
            b.port.send(packet)
            queue.send(10, 4)
            tap.equal(f"packet {number}: less important", queue.send(11, 3), False)
            tap.equal(f"packet {number}: more important", queue.send(12, 5, 100), True)
            sizes = [len(frame) for frame in b.open()]
            tap.equal("sizes", sizes[0], len(packet))
            b.expect(packets_in=4, packets_out=2, overflow_limit=2, rewritten=int(number == 0),
                     no_lifetime=2 + (number > 0), malformed=int(number == 4))


def test_by_dscp_and_priority():
    """Rules can also give an importance by DSCP or priority, and the first rule that matches
    applies. A packet that matches no rule has the importance 0."""
    rules = [dict(priority=6, lifetime=0, importance=6), dict(dscp=46, lifetime=0, importance=5),
             dict(dscp=8, lifetime=0)]
    with bench.Bench() as b:
        Queue(b, rules, limit=2)
        for number, (dscp, priority) in enumerate(((46, 0), (0, 0), (8, 6), (46, 6), (8, 0))):
            b.port.priority(priority)
            b.port.send(pkt.ipv4(b"", pkt.body(number, 60), tos=dscp << 2))
        tap.equal("packets", b.numbers(), [2, 3])
        b.expect(packets_in=5, packets_out=2, overflow_limit=3, no_lifetime=5)


def test_stale_go_first():
    """Stale packets are discarded before any fresh packet is dropped, however important the stale
    packets are."""
    with bench.Bench() as b:
        queue = Queue(b)
        b.port.mark(0)
        b.send(pkt.ipv4(pkt.xlo4(LIFE), pkt.body(DECOY, 60)))
        wait.sharp(b.send().first + lpd_overflow.AHEAD)
        queue.send(0, 0)
        b.port.mark(7)
        sent = b.send(*[pkt.ipv4(pkt.xlo4(LIFE), pkt.body(number, 60)) for number in (1, 2, 3)])
        queue.send(4, 0)
        wait.sharp(sent.last + LIFE * MS + 1000)
        tap.equal("accepted", [queue.send(number, 1) for number in range(10, 14)], [True] * 4)
        tap.equal("packets", b.numbers(), [0, 4, *range(10, 14)])
        b.expect(packets_in=10, packets_out=6, stale=4, no_lifetime=6)


def test_cut_packets():
    """A packet that has been cut counts as a packet without a lifetime of the same importance."""
    with bench.Bench() as b:
        queue = Queue(b, limit=5)
        for number, importance in ((0, 2), (1, 2), (2, 1)):
            b.port.mark(importance)
            sent = b.send(pkt.ipv4(pkt.xlo4(LIFE, pkt.TRUNCATE), pkt.body(number, 100)))
        wait.till(sent.last + LIFE * MS + bench.GRACE)
        wait.until("the packets are cut", lambda: b.counters()["truncated"] == 3)
        queue.send(3, 2, 500)
        queue.send(4, 2)
        tap.equal("accepted", [queue.send(number, 3) for number in range(10, 14)], [True] * 4)
        # dropped: 2 (1), 3 (becomes stale), 4 (the newest), 1
        tap.equal("packets", b.numbers(), [0, 10, 11, 12, 13])
        b.expect(packets_in=9, packets_out=5, overflow_limit=4, truncated=3,
                 truncated_bytes=3 * (100 - KEEP), no_lifetime=5, rewritten=1)


def test_late_arrival_to_be_cut():
    """A packet that is stale on arrival and is queued to be cut is dropped after all other packets
    of its importance."""
    for others in (2, 3):
        with bench.Bench() as b:
            queue = Queue(b)
            for number in range(ROOM):
                queue.send(number, others)
            b.port.mark(2)
            taken = b.port.send(pkt.ipv4(pkt.xlo4(0, pkt.TRUNCATE), pkt.body(100, 100)))
            tap.equal("accepted", taken, others == 2)
            tap.equal("packets", b.numbers(),
                      [0, 1, 2, 3, 4, 100] if others == 2 else list(range(ROOM)))


def test_change_to_least():
    """After a change to overflow least with new rules, lpd ranks the queued packets by the new
    rules. A change to a lower limit drops the least important packets."""
    with bench.Bench() as b:
        b.lpd(limit=20)
        b.plug()
        for number in range(12):
            b.port.mark(number % 4)
            b.send(pkt.ipv4(pkt.xlo4(20_000) if number % 2 else b"", pkt.body(number, 100)))
        b.change(overflow=bench.LEAST, match=BY_MARK)
        tap.equal("queued", b.tree().root.qlen, 12)
        b.change(limit=8)                   # without 8, 4, 0 and 1
        b.change(match=[dict(mark=2, lifetime=0, importance=7)])
        b.change(limit=5)                   # without 3, 5 and 7, which become stale first
        b.change(overflow=bench.TAIL, limit=20)
        tap.equal("packets", b.numbers(), [2, 6, 9, 10, 11])
        b.expect(packets_in=12, packets_out=5, overflow_limit=7, no_lifetime=6, rewritten=2)


def test_change_with_many_plain_packets():
    """A change to overflow least ranks more packets than `memory` has entries for, because plain
    packets may be small. Packets that no longer fit are dropped."""
    with bench.Bench() as b:
        b.lpd(limit=5000, memory=1 << 26)
        b.plug()
        for number in range(2000):
            b.port.send(pkt.ipv4(b"", pkt.body(number, 20)))
        b.change(overflow=bench.LEAST, memory=1 << 16)
        kept = b.tree().root.qlen
        tap.within("queued", kept, 20, (1 << 16) // 576)
        tap.equal("packets", b.numbers(), list(range(kept)))
        b.expect(packets_in=2000, packets_out=kept, overflow_memory=2000 - kept, no_lifetime=2000)


def test_super_packet():
    """The segments of a GSO packet that is cut have the importance of the packet."""
    with bench.Bench() as b:
        queue = Queue(b, limit=4, stale=bench.TRUNCATE)
        b.port.mark(2)
        b.port.send_gso(pkt.tcp4(pkt.body(1, 3000), pkt.xlo4(LIFE)), 1000)
        sent = b.send()
        wait.till(sent.last + LIFE * MS + bench.GRACE)
        wait.until("the segments are cut", lambda: b.counters()["truncated"] == 3)
        tap.equal("accepted", [queue.send(10, 1), queue.send(11, 1), queue.send(12, 3)],
                  [True, False, True])
        queue.send(13, 3)
        frames = b.open()
        tap.equal("segments", [frame[9] for frame in frames], [6, 6, 17, 17])
        b.expect(packets_in=7, packets_out=4, overflow_limit=3, truncated=3,
                 truncated_bytes=3000, no_lifetime=4, rewritten=2)


def test_class_stays_outside():
    """A full queue drops only packets outside the class, whatever the importance of the packets in
    the class. The limit does not count the packets in the class."""
    rules = [dict(mark=mark, lifetime=0 if mark == 7 else 20_000 * MS, importance=mark)
             for mark in range(1, 8)]
    with classful.Classful(overflow=bench.LEAST, limit=4, match=rules) as b:
        b.plug()
        for number, mark in enumerate((0, 7, 2, 3, 0, 4, 5, 7, 6, 1)):
            b.port.mark(mark)
            b.port.send(pkt.ipv4(b"", pkt.body(number, 60)))
        b.holds(4, 4)
        b.expect(packets_in=10, matched=6, no_lifetime=4, overflow_limit=2)
        tap.equal("packets", sorted(b.numbers()), [0, 1, 3, 4, 5, 6, 7, 8])


def test_new_rate_of_a_gate():
    """If a gate uses a new rate, all packets keep their importance. Among packets of equal
    importance, the packet that becomes stale first with the new rate is dropped first."""
    for order in (bench.FIFO, bench.EDF):
        with gate.Modem(overflow=bench.LEAST, order=order, limit=ROOM,
                        match=BY_MARK) as m:
            def send(number, importance, ms=pkt.NONE, size=100, m=m):
                m.port.mark(importance)
                return m.port.send(gate.mortal(number, ms, size))
            m.gate.set(0)
            send(100, 7)
            send(0, 3)
            send(1, 3, 9000, 1400)
            send(2, 3, 8900, 200)
            send(3, 5)
            send(4, 2, 9000)
            send(5, 2)
            # at 1000 bytes/s the packets 1 and 2 must start within 7.6 and 8.7 s
            tap.equal("rate", m.gate.set(0, rate=1000)["rate"], 1000)
            tap.equal("accepted", [send(10, 1), *[send(number, 7) for number in (11, 12, 13)]],
                      [False, True, True, True])
            # dropped: the arriving 10, 4 (becomes stale), 5, 1
            m.expect(packets_in=11, packets_out=1, no_lifetime=8, overflow_limit=4)
            m.gate.delete()
            m.expect_left(100, 0, 2, 3, 11, 12, 13)


def random_mix(order, memory):
    """Packets of random importance arrive faster than packets leave, while the rules change. The
    queue accepts, drops and sends the same packets as the model."""
    random = bench.seed()
    for _ in range(soak.amount(3, 300)):
        with bench.Bench() as b:
            size = 1300 if memory else 100
            queue = Queue(b, order=order, **memory)
            room, model = ROOM, Model(order)
            if memory:
                b.open()
                b.plug()
                room = [queue.send(number, size=size) for number in range(100)].count(True)
                b.open()
                b.plug()
            sent, expected = [], []
            for number in range(200):
                importance, ms = random.randrange(8), random.choice((None, *range(50)))
                flags = random.choice((pkt.DISCARD, pkt.TRUNCATE, pkt.FORWARD))
                taken = queue.send(number, importance, ms, flags, size)
                key = None if flags == pkt.FORWARD else ms
                tap.equal(f"packet {number} is accepted", taken,
                          model.accept(room, number, importance, key))
                if random.randrange(4) == 0:
                    sent.append(b.release(5)[0])
                    expected.append(model.leave())
                if random.randrange(20) == 0:
                    b.change(order=order)
                    model.change(order)
            sent += b.open()
            tap.equal("packets", [pkt.number(frame) for frame in sent[1:]],
                      expected + model.numbers())
            tap.true("packets were dropped", model.dropped > 50)


def test_reset():
    """If the link goes down, the queue is emptied. Afterwards the queue works as before."""
    with bench.Bench() as b:
        queue = Queue(b)
        for number in range(ROOM):
            queue.send(number, number, number if number % 2 else None)
        b.ns.link("slip0", False)
        b.ns.link("slip0", True)
        b.plug()
        for number in range(ROOM):
            queue.send(10 + number, number)
        tap.equal("accepted", [queue.send(20, 0), queue.send(21, 7)], [False, True])
        tap.equal("packets", b.numbers(), [*range(11, 10 + ROOM), 21])


if __name__ == "__main__":
    tap.run([(f"random_mix:{name}:{order}",
              lambda order=order, memory=memory: random_mix(lpd_overflow.ORDERS[order], memory))
             for name, memory in (("limit", {}),
                                  ("memory", {"limit": 1000, "memory": lpd_overflow.MEMORY}))
             for order in lpd_overflow.ORDERS] + tap.collect(globals()))
