#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If the queue exceeds a limit, lpd first discards stale packets, or cuts them at their positions.
If the queue is still too large, the option `overflow` selects the packet to drop. The policy tail
drops the packet that arrives. The policy head drops the packet that would be sent next. The policy
stalest drops the packet that becomes stale first. Without rules all packets have the same
importance, and then the policy least drops the same packets as the policy stalest.

The tests use both limits (`limit` and `memory`) and both orders."""
# run.sh: all on lab-6.1 lab-6.12: *tail:* *head:* *stalest:* *least:* *one_*
# run.sh: all on lab-debug: *tail:fifo *head:edf *stalest:edf *least:edf *one_*
from lib import bench, packet as pkt, sequence, tap, wait
from lib.parents import LPD, PARENTS, ends_empty_and_working

MS = bench.MS
LIFE, SOON = 60, 30_000
DECOY, AHEAD = 8888, 20_000     # ns
KEEP = 8                # bytes of payload that contain a cut packet's number
MEMORY = 65536
POLICIES = {"tail": bench.TAIL, "head": bench.HEAD, "stalest": bench.STALEST,
            "least": bench.LEAST}
BY_DEADLINE = (bench.STALEST, bench.LEAST)
ORDERS = {"fifo": bench.FIFO, "edf": bench.EDF}


def packet(number, lifetime=pkt.NONE, flags=pkt.DISCARD, size=1300):
    return pkt.ipv4(pkt.xlo4(lifetime, flags, 255), pkt.body(number, size))


class Model(sequence.Sequence):
    """A model of a queue with space for `room` packets. The model knows which packets leave and how
    many packets are dropped."""

    def __init__(self, room, policy, order):
        super().__init__(order)
        self.room, self.policy, self.dropped = room, policy, 0

    def victim(self):
        if self.policy == bench.HEAD:
            return self.next()
        stalest = self.first_to_expire() if self.policy in BY_DEADLINE else None
        return stalest or self.places[-1]

    def drop(self):
        self.places.remove(self.victim())
        self.dropped += 1

    def arrive(self, *args, **kwargs):
        """Let a packet arrive. Returns whether the packet is accepted. If the queue holds only one
        packet besides the arriving packet, every policy drops the arriving packet. (Parent qdiscs
        rely on the queued packet.)"""
        super().arrive(*args, **kwargs)
        newest = self.places[-1]
        if len(self.places) > self.room:
            if len(self.places) < 3:
                self.places.pop()
                self.dropped += 1
            else:
                self.drop()
        return newest in self.places

    def expire(self, *numbers):
        """Remove the packets `numbers`."""
        self.places = [found for found in self.places if found.number not in numbers]


class Limit:
    """A limit by number: `limit` packets."""

    def __init__(self, b, room=10):
        self.b, self.room, self.cause = b, room, "overflow_limit"

    def options(self):
        return {"limit": self.room}


class Memory:
    """A limit by memory: `memory` bytes. The attribute `room` is the number of test packets that
    fit."""

    def __init__(self, b):
        self.b, self.cause = b, "overflow_memory"
        b.lpd(**self.options())
        b.plug()
        self.room = [b.port.send(packet(number)) for number in range(100)].count(True)
        tap.within("packets that fit", self.room, 10, 49)
        b.open()

    @staticmethod
    def options():
        return {"memory": MEMORY}


RESOURCES = {"limit": Limit, "memory": Memory}


class Queue:
    """An lpd with little space, and its model. Each packet goes to the lpd and to the model."""

    def __init__(self, b, resource, policy, order, **options):
        self.b, self.due = b, sequence.Deadlines()
        self.cause = resource.cause
        b.lpd(**{**resource.options(), **options}, overflow=policy, order=order, keep=KEEP)
        self.model = Model(resource.room, policy, order)

    def send(self, number, ms=None, flags=pkt.DISCARD):
        """Send a packet with a deadline far away, or without a lifetime."""
        taken = self.b.port.send(packet(number, pkt.NONE if ms is None else self.due.at(ms),
                                        flags))
        key = None if ms is None or flags == pkt.FORWARD else ms
        tap.equal(f"packet {number} is accepted", taken, self.model.arrive(number, key))

    def fill(self, short, others, flags=pkt.DISCARD, life=LIFE):
        """Queue packets that expire soon (`short`), between packets with late deadlines (`others`).
        A decoy, which is queued first, expires a little earlier. In simulated time the timer
        discards the decoy and pauses for 100 us, so the next call finds all other packets in the
        queue. Returns the time when the short-lived packets are stale."""
        packets = []
        for number in sorted([*short, *others]):
            ms = number * 7 % 10
            packets.append(packet(number, life, flags) if number in short else
                           packet(number, self.due.at(ms)))
            # In the model, packets that expire soon are the most urgent.
            self.model.arrive(number, number - 10**6 if number in short else ms)
        decoy = self.b.send(packet(DECOY, life))
        wait.sharp(decoy.first + AHEAD)
        last = self.b.send(*packets)
        return last.last + life * MS + 1000

    def left(self):
        """Check that the packets leave as the model says."""
        tap.equal("packets", self.b.numbers(), self.model.numbers())

    def expect(self, **wanted):
        """Check the counters that overflows affect."""
        counters = self.b.counters()
        before = self.b.marks[LPD if LPD in self.b.marks else 0x80010000]
        risen = {name: counters[name] - before[name] for name in bench.tree.COUNTERS}
        risen["stale"] = sum(risen[name] for name in bench.tree.STALE)
        wanted = {"stale": 0, "truncated": 0, self.cause: self.model.dropped, **wanted}
        tap.equal("counters", {name: risen[name] for name in wanted}, wanted)
        tap.equal("no other overflow", risen["overflow_limit"] + risen["overflow_memory"],
                  self.model.dropped)


def random_mix(b, resource, policy, order):
    """Packets with any deadline, or without a lifetime, arrive faster than packets leave. The queue
    accepts, drops and sends the same packets as the model."""
    random = bench.seed()
    queue = Queue(b, resource, policy, order)
    b.plug()
    sent, expected = [], []
    for number in range(200):
        queue.send(number, random.choice((None, *range(50))),
                   random.choice((pkt.DISCARD, pkt.TRUNCATE, pkt.FORWARD)))
        if random.randrange(4) == 0:
            sent.append(b.release(5)[0])
            expected.append(queue.model.leave())
    sent += b.open()
    # The first frame in `sent` is the plug.
    tap.equal("packets", [pkt.number(frame) for frame in sent[1:]],
              expected + queue.model.numbers())
    queue.expect(packets_in=200)


def stale_go_first(b, resource, policy, order):
    """Half of the packets in a full queue have expired. New packets can replace the expired
    packets, and no fresh packet is dropped. Each further arrival drops one fresh packet."""
    queue = Queue(b, resource, policy, order)
    b.plug()
    stale = range(0, resource.room - 1, 2)
    expired = queue.fill(stale, range(1, resource.room - 1, 2))
    wait.sharp(expired)
    queue.model.expire(*stale)
    for number in range(100, 105 + len(stale)):
        queue.send(number, number * 7 % 10 if number % 3 else None)
    tap.equal("packets dropped", queue.model.dropped, 4)
    queue.left()
    queue.expect(stale=len(stale) + 1)


def stale_are_cut(b, resource, policy, order):
    """Expired packets that ask for truncation are cut at their positions. A cut makes no space
    here, because the limits count packets or buffers. Therefore the policy selects a packet to
    drop. A cut packet cannot become stale again."""
    queue = Queue(b, resource, policy, order)
    b.plug()
    # With the policy head the first packet may be dropped before or after the cut.
    first = 1 if policy == bench.HEAD else 0
    stale = range(first, resource.room - 1, 2)
    expired = queue.fill(stale, range(1 - first, resource.room - 1, 2), pkt.TRUNCATE)
    wait.sharp(expired)
    queue.model.cut(*stale)
    for number in range(100, 105):
        queue.send(number, number * 7 % 10)
    tap.equal("packets dropped", queue.model.dropped, 4)
    frames = b.open()
    tap.equal("packets", [pkt.number(frame) for frame in frames], queue.model.numbers())
    for frame in frames:
        tap.equal(f"packet {pkt.number(frame)} is cut", len(frame) < 1300,
                  pkt.number(frame) in stale)
    queue.expect(stale=1, truncated=len(stale))


def stale_to_be_forwarded(b, resource, policy, order):
    """An expired packet that must be sent anyway counts as fresh, and the policy stalest never
    drops it. In this test the policy stalest drops each arriving packet."""
    queue = Queue(b, resource, policy, order)
    b.plug()
    for number in range(resource.room):
        short = b.send(packet(number, LIFE, pkt.FORWARD))
        queue.model.arrive(number)
    wait.till(short.last + LIFE * MS + bench.GRACE)
    for number in range(100, 106):
        queue.send(number, number if number % 2 else None)
    queue.left()
    queue.expect()


def nothing_has_a_lifetime(b, resource, policy, order):
    """If no packet has a lifetime, the policy stalest acts like the policy tail."""
    queue = Queue(b, resource, policy, order)
    b.plug()
    for number in range(resource.room + 5):
        queue.send(number)
    first = 5 if policy == bench.HEAD else 0
    tap.equal("packets", b.numbers(), list(range(first, resource.room + first)))
    queue.expect()


def arrival_is_the_stalest(b, resource, policy, order):
    """Every policy may drop the arriving packet. The policy tail always drops the arriving packet.
    The policy head drops the arriving packet if it would be sent next. This happens with order edf.
    The policy stalest drops the packet if it becomes stale first."""
    queue = Queue(b, resource, policy, order)
    b.plug()
    for number in range(resource.room):
        queue.send(number, 1000 - number)
    taken = b.port.send(packet(100, queue.due.at(0)))
    tap.equal("accepted", taken, policy == bench.HEAD and order == bench.FIFO)
    queue.model.arrive(100, 0)
    queue.left()
    queue.expect()


def change_shrinks(b, resource, policy, order):
    """If a change lowers a limit and makes packets stale, lpd first discards the stale packets. If
    the queue is still too large, lpd drops the packets that the policy selects."""
    queue = Queue(b, resource, policy, order, limit=1000, memory=2 * MEMORY)
    queue.model.room = 1000
    b.plug()
    count = resource.room + 10
    stale = range(0, count, 5)
    queue.fill(stale, set(range(count)) - set(stale), life=SOON)
    b.change(**resource.options(), delay=(SOON + 1000) * MS)
    # The queue discards stale packets until the space is sufficient. The other stale packets are
    # discarded later.
    queue.model.expire(*stale)
    while len(queue.model.places) > resource.room:
        queue.model.drop()
    queue.left()
    queue.expect(stale=len(stale) + 1)


def arrives_too_late_for_its_data(b, resource, policy, order):
    """A packet that is stale on arrival and asks for truncation counts as cut, so the policy
    stalest does not drop it. (With order edf the packet would be sent next, so the policy head
    refuses it.)"""
    queue = Queue(b, resource, policy, order)
    b.plug()
    for number in range(resource.room):
        queue.send(number, number * 7 % 10)
    taken = b.port.send(packet(100, 0, pkt.TRUNCATE))
    tap.equal("accepted", taken, queue.model.arrive(100, -1, cut=True))
    tap.equal("accepted by the policy", taken, policy in BY_DEADLINE or
              (policy == bench.HEAD and order == bench.FIFO))
    queue.left()
    queue.expect(truncated=int(taken))


RULES = (random_mix, stale_go_first, stale_are_cut, stale_to_be_forwarded,
         nothing_has_a_lifetime, arrival_is_the_stalest, arrives_too_late_for_its_data,
         change_shrinks)


def small_limits(policy, order):
    """With a limit of two packets, a queued packet can be dropped for a new packet. With a limit of
    one packet, every policy drops the new packet, because parent qdiscs rely on the queued
    packet."""
    for room in (1, 2):
        with bench.Bench() as b:
            queue = Queue(b, Limit(b, room), policy, order)
            b.plug()
            for number, ms in enumerate((5, 4, 9, None, 8, 1, 7)):
                queue.send(number, ms)
                tap.equal("queued", b.tree().root.qlen, len(queue.model.places))
            queue.left()
            queue.expect()


def test_one_arrival_takes_the_room_of_several():
    """A large packet may need the memory of several small packets. The queue drops only as many
    small packets as necessary."""
    for policy in (bench.HEAD, bench.STALEST):
        with bench.Bench() as b:
            b.lpd(memory=MEMORY, overflow=policy)
            b.plug()
            due, number = sequence.Deadlines(), 0
            while b.port.send(packet(number, due.at(number), size=20)) and number < 250 and \
                    not b.counters()["overflow_memory"]:
                number += 1
            b.mark()
            b.send(packet(1000, due.at(1000), size=1300))
            dropped = b.counters()["overflow_memory"] - b.marks[0x80010000]["overflow_memory"]
            tap.within("packets dropped", dropped, 2, 8)
            # The last small packet has replaced the first small packet.
            tap.equal("packets", b.numbers(), [*range(1 + dropped, number + 1), 1000])


def test_no_room_for_one_too_large():
    """A packet larger than `memory` fits only into an empty queue. If other packets are queued, the
    large packet is dropped and the others stay."""
    for policy in POLICIES.values():
        with bench.Bench(mtu=65000) as b:
            b.lpd(memory=MEMORY, overflow=policy)
            b.plug()
            due = sequence.Deadlines()
            b.send(*[packet(number, due.at(number), size=100) for number in range(10)])
            tap.equal("accepted", b.port.send(packet(100, due.at(100), size=64900)), False)
            tap.equal("packets", b.numbers(), list(range(10)))
            b.expect(packets_in=11, packets_out=10, overflow_memory=1)


def under_parent(parent):
    """After each drop, qlen and backlog of every ancestor qdisc are immediately right. No qdisc
    stalls."""
    # In real time the test skips the policy tail, because emulated VMs need a long time for each
    # policy. The test lpd_parents.py also uses the policy tail.
    for policy in list(POLICIES.values())[0 if wait.virtual_time() else 1:]:
        for order in ORDERS.values():
            with bench.Bench() as b:
                model = Model(5, policy, order)
                parent.build(b, limit=5, overflow=policy, order=order)
                due = sequence.Deadlines()
                b.plug()
                for number, ms in enumerate((50, 60, 40, None, 70, 30, 80, None, 90, 35, 20)):
                    size = 60 + 10 * number
                    b.send(packet(number, pkt.NONE if ms is None else due.at(ms), size=size))
                    model.arrive(number, ms)
                    tap.equal("queued", b.tree().lpd().qlen, len(model.places))
                b.change(parent=parent.at, handle=LPD, limit=3)
                while len(model.places) > 3:
                    model.drop()
                tap.equal("queued", b.tree().lpd().qlen, 3)
                tap.equal("packets", b.numbers(), model.numbers())
                tap.equal("packets dropped", b.counters()["overflow_limit"], model.dropped)
                b.change(parent=parent.at, handle=LPD, limit=5)
                ends_empty_and_working(b, parent)


def of_each(rule, resource, policy, order):
    with bench.Bench() as b:
        rule(b, RESOURCES[resource](b), POLICIES[policy], ORDERS[order])


if __name__ == "__main__":
    tap.run([(f"{rule.__name__}:{resource}:{policy}:{order}",
              lambda rule=rule, three=(resource, policy, order): of_each(rule, *three))
             for rule in RULES for resource in RESOURCES for policy in POLICIES
             for order in ORDERS] +
            [(f"small_limits:{policy}:{order}",
              lambda policy=policy, order=order: small_limits(POLICIES[policy], ORDERS[order]))
             for policy in POLICIES for order in ORDERS] +
            [(f"{name}:overflow", lambda parent=parent: under_parent(parent))
             for name, parent in PARENTS.items()] + tap.collect(globals()))
