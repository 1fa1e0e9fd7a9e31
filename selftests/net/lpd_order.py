#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With order edf, packets that may expire exchange positions among themselves. Of all positions of
packets that may expire, the packet with the earliest deadline gets the first. All other packets
keep their positions. Let `reorder` be the value of this field in a packet's option. At most
`reorder` - 1 packets of the same flow overtake the packet. If the value is 0, no packet of the flow
overtakes. In the figure, E9, E4 and E1 may expire, and their deadlines are 9, 4 and 1. N1 and N2
have no lifetime, or are sent even when they are stale.

    arrival     E9  N1  E4  N2  E1
    departure   E1  N1  E4  N2  E9"""
from lib import bench, cast, packet as pkt, port, segments, sequence, tap, tc, wait
from lib.parents import PARENTS, ends_empty_and_working, to_sibling

MS = bench.MS
LIFE = 60
DECOY, AHEAD = 8888, 20_000     # ns
KEEP = 8                # bytes of payload that contain a cut packet's number
CUT = 36 + KEEP         # length of a cut packet with IPv4, option and UDP
ROUNDS = 5 if wait.virtual_time() else 2


class Flow:
    """An IP version and a port."""

    def __init__(self, version=4, port=5000):
        self.version, self.port = version, port

    def packet(self, number, lifetime, flags=pkt.DISCARD, reorder=255, size=60):
        payload = pkt.body(number, size)
        if self.version == 4:
            return pkt.ipv4(pkt.xlo4(lifetime, flags, reorder), payload, port=self.port)
        return pkt.ipv6(pkt.xlo6(lifetime, flags, reorder), payload, port=self.port)


FLOW = Flow()


def plain(number, size=60):
    return pkt.ipv4(payload=pkt.body(number, size))


def distinct_flows(b, random, count):
    """Choose flows whose ports have different hashes. If two flows have the same hash, lpd treats
    them as one flow. The test sends packets that must not be reordered within a flow, so the order
    of the packets reveals equal hashes."""
    for _ in range(20):
        flows = [Flow(random.choice((4, 6)), port)
                 for port in random.sample(range(1024, 65536), count)]
        due = sequence.Deadlines()
        b.plug()
        b.send(*[flow.packet(number, due.at(count - number), reorder=0)
                 for number, flow in enumerate(flows)])
        if b.numbers() == list(reversed(range(count))):
            return flows
    raise tap.Failed("the kernel distinguishes no flows")


def test_earliest_deadline_first():
    """The packet with the earliest deadline leaves first, for any order of arrival."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due, order = sequence.Deadlines(), list(range(100))
        bench.seed().shuffle(order)
        b.plug()
        b.send(*[FLOW.packet(number, due.at(number)) for number in order])
        tap.equal("packets", b.numbers(), list(range(100)))


def test_fifo_is_the_order_of_arrival():
    """Without order edf, deadlines do not change the order."""
    with bench.Bench() as b:
        b.lpd()
        due = sequence.Deadlines()
        b.plug()
        b.send(*[FLOW.packet(number, due.at(-number)) for number in range(20)])
        tap.equal("packets", b.numbers(), list(range(20)))
        b.expect(packets_in=20, packets_out=20)


def test_equal_deadlines_stay_in_order():
    """Packets with equal deadlines leave in the order of arrival, even if their flow tolerates any
    reordering. For example, the packets of a video frame have equal deadlines. Packets of a more
    urgent frame leave earlier."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        b.plug()
        b.send(*[FLOW.packet(number, due.at(-(number % 3))) for number in range(240)])
        tap.equal("packets", b.numbers(),
                  [*range(2, 240, 3), *range(1, 240, 3), *range(0, 240, 3)])


def test_others_keep_their_places():
    """Only packets that may expire exchange positions. A packet keeps its position if it has no
    lifetime or is not an IP packet. A packet that must be forwarded even when stale also keeps its
    position."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        others = [plain(1), FLOW.packet(2, pkt.NONE), FLOW.packet(3, due.at(-9), pkt.FORWARD),
                  FLOW.packet(4, due.at(-9), pkt.RESERVED), b"\xf0" + pkt.body(5, 60)]
        b.plug()
        for number, other in enumerate(others):
            b.send(FLOW.packet(10 + number, due.at(-number)), other)
        tap.equal("packets", b.numbers(), [14, 1, 13, 2, 12, 3, 11, 4, 10, 5])
        b.expect(packets_in=10, packets_out=10, no_lifetime=3, reserved=1, reordered=4)


def test_the_administrator_can_keep_all_in_their_places():
    """With `stale forward` no packet is reordered. With `stale discard` or `stale truncate` all
    packets with a lifetime are reordered."""
    for stale, wanted in ((bench.FORWARD, [0, 1, 2, 3]), (bench.DISCARD, [3, 2, 1, 0]),
                          (bench.TRUNCATE, [3, 2, 1, 0])):
        with bench.Bench() as b:
            b.lpd(order=bench.EDF, stale=stale)
            due = sequence.Deadlines()
            b.plug()
            b.send(*[FLOW.packet(number, due.at(-number), (pkt.FORWARD, pkt.DISCARD)[number % 2])
                     for number in range(4)])
            tap.equal("packets", b.numbers(), wanted)


def test_link_decides_with_the_deadline():
    """The order depends on the deadline minus the time that the link needs. If two packets have the
    same deadline, the longer packet is more urgent."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF, rate=10_000)
        due = sequence.Deadlines()
        b.plug()
        b.send(FLOW.packet(1, due.at(0), size=60), FLOW.packet(2, due.at(0), size=1000),
               FLOW.packet(3, due.at(-90), size=60), FLOW.packet(4, due.at(-100), size=60))
        tap.equal("packets", b.numbers(), [4, 2, 3, 1])


RATE = 10**6            # byte/s, so a byte needs exactly 1000 ns


def random_packet(random, number, flow, due):
    """Return a random packet and its description for the model."""
    ms, reorder, size = random.randrange(60), random.choice((0, 1, 2, 3, 5, 255)), \
        random.randrange(8, 1000)
    kind = random.random()
    if kind < 0.15:
        return plain(number, size), {}
    if kind < 0.25:
        return flow.packet(number, due.at(ms), pkt.FORWARD, reorder, size), {}
    if kind < 0.3:
        return flow.packet(number, pkt.NONE, reorder=reorder, size=size), {}
    packet = flow.packet(number, due.at(ms), random.choice((pkt.DISCARD, pkt.TRUNCATE)), reorder,
                         size)
    return packet, {"flow": flow, "key": ms * MS - len(packet) * 10**9 // RATE,
                    "reorder": reorder}


def random_mix(b, random, flows, count):
    """Let packets arrive and leave, and sometimes change the order. Returns the packets that leave,
    the packets that the model expects, and the model."""
    due, model, got, expected = sequence.Deadlines(), sequence.Sequence(), [], []
    b.plug()
    for number in range(count):
        packet, known = random_packet(random, number, random.choice(flows), due)
        b.send(packet)
        model.arrive(number, **known)
        if random.random() < 0.02:
            order = random.choice((bench.FIFO, bench.EDF, bench.EDF))
            b.change(order=order)
            model.change(order)
        while len(model.places) > random.randrange(1, 80):
            got.append(b.release(5)[0])
            expected.append(model.leave())
    # The first frame in `got` is the plug.
    got += b.open()
    return [pkt.number(frame) for frame in got[1:]], expected + model.numbers(), model


def test_random_mixes():
    """Random packets leave in the order that the model expects. The flows have both IP versions.
    The packets have any `reorder` value and any size, equal or different deadlines, or no
    lifetime."""
    random = bench.seed()
    with bench.Bench() as b:
        b.lpd(order=bench.EDF, rate=RATE)
        for _ in range(ROUNDS):
            b.change(order=bench.EDF)
            flows = distinct_flows(b, random, 4)
            before = b.counters()["reordered"]
            got, expected, model = random_mix(b, random, flows, 400)
            tap.equal("packets", got, expected)
            tap.equal("reordered", b.counters()["reordered"] - before, model.reordered)


def overtaken(departures):
    """For each packet, the number of later packets that overtook it. Packets are numbered in the
    order of arrival."""
    return [sum(later > number for later in departures[:at])
            for at, number in enumerate(departures)]


def reorder_limit(reorder):
    """Each packet is more urgent than all earlier packets. The test checks that the number of
    packets of the same flow that overtake a packet is at most `reorder` - 1, and that this maximum
    is reached. The limit does not apply to packets of other flows."""
    count = 2 * 255 + 90
    with bench.Bench() as b:
        b.lpd(order=bench.EDF, limit=2 * count)
        one, other = distinct_flows(b, bench.seed(), 2)
        due = sequence.Deadlines()
        b.plug()
        b.send(*[(other if number % 2 else one).packet(number, due.at(-number), reorder=reorder)
                 for number in range(2 * count)])
        got = b.numbers()
        for flow in (0, 1):
            mine = [number // 2 for number in got if number % 2 == flow]
            tap.equal("packets of a flow", sorted(mine), list(range(count)))
            tap.equal("most packets that overtook a packet", max(overtaken(mine)),
                      max(reorder - 1, 0))


def test_keys_decide_within_each_block():
    """Packets with the `reorder` value 3 leave in blocks of three packets. Each block is sorted by
    deadline, and no packet overtakes an earlier block."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        b.plug()
        b.send(*[FLOW.packet(number, due.at(-number), reorder=3) for number in range(9)])
        tap.equal("packets", b.numbers(), [2, 1, 0, 5, 4, 3, 8, 7, 6])


def test_super_packets_count_as_their_segments():
    """A GSO packet counts as all its segments when it overtakes a packet. A GSO packet of two
    segments can overtake a packet with the `reorder` value 4. A GSO packet of four segments cannot
    overtake the packet. The lengths distinguish the packets."""
    for segments, wanted in ((4, [100, 200, 200, 200, 200]), (2, [200, 200, 100])):
        with bench.Bench() as b:
            b.lpd(order=bench.EDF)
            due = sequence.Deadlines()
            packet = pkt.tcp4(b"x" * 52, pkt.xlo4(due.at(0), pkt.DISCARD, 4))
            larger = pkt.tcp4(b"x" * 152 * segments, pkt.xlo4(due.at(-9), pkt.DISCARD, 4))
            b.plug()
            b.send(packet)
            b.port.send_gso(larger, 152)
            tap.equal("lengths", [len(frame) for frame in b.open()], wanted)


def test_least_reorder_counts():
    """A packet with the `reorder` value 0 is never overtaken by a packet of its flow. The `reorder`
    values of the other packets do not matter."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        b.plug()
        b.send(*[FLOW.packet(number, due.at(-number), reorder=255) for number in range(5)],
               FLOW.packet(5, due.at(-5), reorder=0),
               *[FLOW.packet(number, due.at(99 - number), reorder=255) for number in range(6, 10)])
        tap.equal("packets", b.numbers(), [4, 3, 2, 1, 0, 5, 9, 8, 7, 6])


def test_others_do_not_starve():
    """A packet that keeps its position waits only for earlier packets. More urgent packets that
    arrive later do not delay this packet."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due, got = sequence.Deadlines(), []
        b.plug()
        b.send(*[FLOW.packet(number, due.at(0)) for number in range(10)], plain(10),
               *[FLOW.packet(number, due.at(0)) for number in range(11, 16)], plain(16))
        for number in range(100, 120):
            b.send(FLOW.packet(number, due.at(-number)))
            got.append(pkt.number(b.release(5)[0]))
        # The first frame in `got` is the plug.
        tap.equal("places of both packets",
                  [got.index(number) - 1 for number in (10, 16)], [10, 16])
        b.open()


def test_what_may_expire_does_not_starve():
    """Packets without a lifetime that arrive later do not delay packets that may expire. Packets
    that may expire leave only at the positions of packets that may expire. The most urgent packet
    leaves at the first of these positions. (A packet that may expire still waits for more urgent
    packets, but not after its deadline.)"""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due, got = sequence.Deadlines(), []
        b.plug()
        b.send(*[FLOW.packet(number, due.at(-number)) if number % 4 == 0 else plain(number)
                 for number in range(20)])
        for number in range(100, 125):
            b.send(plain(number))
            got.append(pkt.number(b.release(5)[0]))
        # The first frame in `got` is the plug.
        tap.equal("packets that may expire", {at - 1: number for at, number in enumerate(got)
                                              if number != bench.PLUG and number % 4 == 0
                                              and number < 20},
                  {0: 16, 4: 12, 8: 8, 12: 4, 16: 0})
        b.open()


def test_change_to_edf():
    """After a change to order edf, queued packets are reordered like new packets, within the limit
    of `reorder`."""
    with bench.Bench() as b:
        b.lpd()
        due = sequence.Deadlines()
        b.plug()
        b.send(*[FLOW.packet(number, due.at(number // 3 * 9 - number), reorder=3)
                 for number in range(6)], plain(6))
        b.change(order=bench.EDF)
        b.send(FLOW.packet(7, due.at(-99), reorder=3))
        tap.equal("packets", b.numbers(), [2, 1, 0, 5, 4, 3, 6, 7])


def partly_sent(b, due):
    """Queue packets of two flows, and let two packets leave. First the packet at the head leaves,
    and then a packet from a later position."""
    one, other = distinct_flows(b, bench.seed(), 2)
    b.plug()
    b.send(plain(0), one.packet(1, due.at(0), reorder=1), one.packet(2, due.at(0), reorder=0),
           plain(3), one.packet(4, due.at(-9), reorder=0), one.packet(5, due.at(-9), reorder=0),
           plain(6), other.packet(7, due.at(-5)), one.packet(8, due.at(-9), reorder=0))
    b.release(5)
    frames = [b.release(5)[0] for _ in range(2)]
    tap.equal("sent", [pkt.number(frame) for frame in frames], [0, 7])


def change_keeps_the_order(wanted, **change):
    """Check that a flow that must not be reordered keeps its order when the options `change` are
    set."""
    with bench.Bench() as b:
        due = sequence.Deadlines()
        b.lpd(order=bench.EDF)
        partly_sent(b, due)
        b.change(**change)
        tap.equal("packets", b.numbers(), wanted)


def test_change_to_fifo():
    """After a change to fifo, the queued packets that may expire leave in the order of arrival. The
    other packets keep their positions."""
    change_keeps_the_order([1, 3, 2, 4, 6, 5, 8], order=bench.FIFO)


def test_change_of_something_else():
    """After a change of another option, lpd orders the queued packets again, starting from the
    order of arrival."""
    change_keeps_the_order([1, 3, 2, 4, 6, 5, 8], limit=500)


def test_stale_never_leaves():
    """Packets that expire are discarded at any position. The fresh packets share the remaining
    positions. Packets without a lifetime keep their positions."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        b.plug()
        b.send(FLOW.packet(0, due.at(0)), FLOW.packet(1, LIFE), plain(2), FLOW.packet(3, LIFE),
               FLOW.packet(4, due.at(-4)), plain(5), FLOW.packet(6, due.at(-6)))
        last = b.send(FLOW.packet(7, LIFE))
        wait.till(last.last + LIFE * MS + 1)
        tap.equal("packets", b.numbers(), [6, 2, 4, 5, 0])
        b.expect(packets_in=8, packets_out=5, no_lifetime=2, stale=3, reordered=2)


def stale_head(b, cause, last):
    """A row of packets at the head expires while no packet leaves. The first dequeue or peek finds
    the fresh packet behind the row. If the timer has not yet discarded the row, this dequeue or
    peek discards the row."""
    due = sequence.Deadlines()
    for _ in range(ROUNDS):
        b.plug()
        b.send(*[FLOW.packet(number, LIFE) for number in range(40)])
        fresh = [FLOW.packet(100 + number, due.at(-number)) for number in range(last)]
        sent = b.send(*fresh, FLOW.packet(99, LIFE))
        wait.till(sent.last + LIFE * MS + 1)
        tap.equal("packets", b.numbers(), list(reversed(range(100, 100 + last))))
        b.expect(packets_in=41 + last, packets_out=last, stale=41, reordered=last - 1)
        b.mark()
    # The result is certain only in simulated time, where the timer fires later. See lpd_moments.py
    # for tests in real time.
    if wait.virtual_time():
        tap.true(f"{cause} found stale packets", b.counters()[cause] > 0)


def test_stale_at_dequeue():
    """A dequeue discards stale packets and sends the most urgent fresh packet."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        stale_head(b, "stale_dequeue", 3)


def test_stale_at_peek():
    """If tbf peeks, lpd discards stale packets and shows the most urgent fresh packet."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001, order=bench.EDF)
        stale_head(b, "stale_peek", 3)


def test_stale_without_anybody_asking():
    """The timer discards packets that expire at any position."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        b.plug()
        b.send(*[FLOW.packet(number, due.at(-number) if number % 3 == 0 else LIFE + number)
                 for number in range(30)])
        wait.until("ten packets are left", lambda: b.tree().root.qlen == 10)
        b.expect(packets_in=30, stale_timer=20)
        tap.equal("packets", b.numbers(), list(range(27, -1, -3)))


def test_expires_in_time_whatever_its_place():
    """The order of a flow may keep a packet behind another packet with a later deadline. The packet
    still expires on time. Either the timer or an arrival that needs space discards the packet. If
    the queue overflows under the policy stalest, lpd drops the packet first."""
    for overflow in (bench.TAIL, bench.STALEST):
        with bench.Bench() as b:
            b.lpd(order=bench.EDF, limit=3, overflow=overflow)
            due = sequence.Deadlines()
            b.plug()
            decoy = b.send(FLOW.packet(DECOY, LIFE, reorder=0))
            wait.sharp(decoy.first + AHEAD)
            sent = b.send(FLOW.packet(0, due.at(0), reorder=0), FLOW.packet(1, LIFE, reorder=0))
            wait.sharp(sent.last + LIFE * MS + 1000)
            b.send(FLOW.packet(2, due.at(0)), FLOW.packet(3, due.at(0)))
            b.expect(packets_in=5, stale=2)
            tap.equal("packets", b.numbers(), [0, 2, 3])
            b.mark()
            b.plug()
            b.send(FLOW.packet(0, due.at(0), reorder=0), FLOW.packet(1, LIFE, reorder=0))
            wait.until("one packet is left", lambda: b.tree().root.qlen == 1)
            b.expect(packets_in=2, stale_timer=1)
            b.send(FLOW.packet(2, due.at(-9), reorder=0), FLOW.packet(3, due.at(-8), reorder=0),
                   FLOW.packet(4, due.at(-7), reorder=0))
            tap.equal("packets", b.numbers(),
                      [0, 3, 4] if overflow == bench.STALEST else [0, 2, 3])


def test_kept_back_until_stale():
    """A packet may expire while the order of its flow keeps it behind a fresh packet. The expired
    packet is never sent."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        due = sequence.Deadlines()
        b.plug()
        sent = b.send(FLOW.packet(0, due.at(0), reorder=0), FLOW.packet(1, LIFE, reorder=0),
                      FLOW.packet(2, due.at(0), reorder=0), plain(3))
        wait.till(sent.last + LIFE * MS + 1)
        tap.equal("packets", b.numbers(), [0, 2, 3])
        b.expect(packets_in=4, packets_out=3, no_lifetime=1, stale=1)


def cut_in_order(b):
    """Check that a cut packet stays in the order with the packets that may expire, and is now the
    most urgent packet."""
    due = sequence.Deadlines()
    b.plug()
    b.send(FLOW.packet(0, due.at(0), pkt.TRUNCATE), plain(1), FLOW.packet(2, LIFE, pkt.TRUNCATE),
           FLOW.packet(3, due.at(-3), pkt.TRUNCATE))
    sent = b.send(FLOW.packet(4, LIFE, pkt.TRUNCATE), FLOW.packet(5, LIFE), plain(6))
    size = len(plain(0)) + 8
    wait.till(sent.last + LIFE * MS + 1)
    frames = b.open()
    tap.equal("packets and lengths", [(pkt.number(frame), len(frame)) for frame in frames],
              [(2, CUT), (1, size - 8), (4, CUT), (3, size), (0, size), (6, size - 8)])
    b.expect(packets_in=7, packets_out=6, no_lifetime=2, stale=1, truncated=2, rewritten=2,
             truncated_bytes=2 * (size - CUT), reordered=2)
    b.mark()


def test_cut_in_order():
    """Packets that are cut by a dequeue or by the timer leave in order."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF, keep=KEEP)
        for _ in range(ROUNDS):
            cut_in_order(b)


def test_cut_is_overtaken_by_no_more():
    """A cut packet keeps its position in its flow. Packets of the same flow that must not overtake
    the cut packet leave later."""
    with bench.Bench() as b:
        b.lpd(order=bench.EDF, keep=KEEP)
        due = sequence.Deadlines()
        one, other = distinct_flows(b, bench.seed(), 2)
        b.plug()
        b.send(*[other.packet(number, due.at(0)) for number in range(4)])
        sent = b.send(one.packet(4, LIFE, pkt.TRUNCATE, reorder=1))
        b.send(*[one.packet(number, due.at(-9), reorder=1) for number in range(5, 9)])
        wait.till(sent.last + LIFE * MS + 1)
        wait.until("the packet is cut", lambda: b.counters()["truncated"] == 1)
        tap.equal("packets", b.numbers(), [4, 5, 6, 7, 8, 0, 1, 2, 3])


def test_segments_stay_in_order():
    """After a change to order fifo, the segments of cut GSO packets leave in the order in which the
    GSO packets arrived. All segments of a GSO packet leave one after the other."""
    shape, size, count = cast.Shape(4, cast.TCP, begun=True), 400, 5
    bases = (1, 100_001, 200_001)
    with bench.Bench() as b:
        b.lpd(order=bench.EDF)
        b.plug()
        for number, base in enumerate(bases):
            with bench.Moment() as sent:
                b.port.send_virtio(
                    shape.packet(b"x" * size * count, {"sequence": base},
                                 lifetime=LIFE - 10 * number),
                    shape.transport() + 32, shape.checksum_place(), (port.GSO_TCP4, size))
        wait.till(sent.last + LIFE * MS + 1)
        wait.until("all segments are cut", lambda: b.counters()["truncated"] == count * len(bases))
        b.change(order=bench.FIFO)
        tap.equal("sequence numbers", [segments.Segment(packet).sequence for packet in b.open()],
                  [base + size * i for base in bases for i in range(count)])


def test_cut_at_peek():
    """Packets that a peek by tbf cuts leave in order."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001, order=bench.EDF, keep=KEEP)
        for _ in range(ROUNDS):
            cut_in_order(b)


def cut_in_its_turn(b):
    """If only the timer may cut the first of two packets, the second packet waits for the timer. (A
    decoy, which is queued first, expires a little earlier. In simulated time the timer then pauses,
    and the device finds the first packet uncut.)"""
    due = sequence.Deadlines()
    b.plug()
    decoy = b.send(FLOW.packet(99, LIFE))
    wait.sharp(decoy.first + AHEAD)
    sent = b.send(FLOW.packet(0, LIFE, pkt.TRUNCATE), FLOW.packet(1, due.at(0)))
    wait.sharp(sent.last + LIFE * MS + 1000)
    tap.equal("packets", b.numbers(), [0, 1])
    b.expect(packets_in=3, packets_out=2, stale=1, truncated=1, truncated_bytes=60 - KEEP,
             rewritten=1)


def test_cut_in_its_turn():
    """With both orders, a packet that the timer must cut leaves before later packets. The test uses
    a dequeue and a peek."""
    tc.need("tbf")
    for order in (bench.FIFO, bench.EDF):
        with bench.Bench() as b:
            b.lpd(order=order, keep=KEEP)
            cut_in_its_turn(b)
        with bench.Bench() as b:
            b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
            b.lpd(parent=0x10001, order=order, keep=KEEP)
            cut_in_its_turn(b)


def edf_under(parent):
    """The order is the same under every parent qdisc. If packets expire or are cut, the counters of
    every ancestor qdisc remain correct. The most urgent packet is sent next, even if it arrives
    last."""
    with bench.Bench() as b:
        parent.build(b, order=bench.EDF, keep=KEEP)
        due = sequence.Deadlines()
        for _ in range(ROUNDS):
            cut_in_order(b)
            b.plug()
            if parent.sibling:
                to_sibling(b, 500, 501)
            b.send(*[FLOW.packet(number, due.at(-number)) for number in range(10)], plain(10))
            got = b.numbers()
            tap.equal("packets", [number for number in got if number < 500],
                      list(reversed(range(10))) + [10])
            b.plug()
            b.send(*[FLOW.packet(number, due.at(number)) for number in range(5)])
            got = [pkt.number(b.release(5)[0]) for _ in range(2)]
            b.send(FLOW.packet(9, due.at(-9)))
            tap.equal("packets", got[1:] + b.numbers(), [0, 1, 9, 2, 3, 4])
        ends_empty_and_working(b, parent)


if __name__ == "__main__":
    tap.run([(f"reorder_{reorder}", lambda reorder=reorder: reorder_limit(reorder))
             for reorder in (0, 1, 2, 3, 255)] +
            [(f"{name}:edf", lambda parent=parent: edf_under(parent))
             for name, parent in PARENTS.items()] + tap.collect(globals()))
