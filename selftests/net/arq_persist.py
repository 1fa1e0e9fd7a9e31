#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet is given up after a number of transmissions, after a time, or when it would arrive after
its lifetime. No airtime is spent on it afterwards, and the receiver does not wait for it."""
# run.sh: needs: simulated time
import time

from lib import arq_device, bench, cell, packet as pkt, sniff, tap
from lib.arq_frame import ACK, BOUNDED, DATA, FIRST, LAST, MS, PACKED, S, SKIP, packed
from lib.arq_peer import Scripted, near, packet, whole

STEP = 100 * MS
SLOW = 0x10                             # flag: the flow responds slowly to congestion
AHEAD = 16384                           # frames that the sender may be ahead of its peer
FIXED = {"timer": arq_device.FIXED, "timeout": STEP}


def times(test, number, count):
    """The times of the transmissions of a frame after the packet was sent."""
    start = test.peer.now
    return [frame.when - start for frame in test.peer.data(*[number] * count)]


def test_attempts():
    """A frame is sent `attempts` times. When its timer then expires, it is given up."""
    for attempts in (1, 2, 7):
        with Scripted(attempts=attempts, **FIXED) as test:
            test.send(0)
            near("times", times(test, 0, attempts), [n * STEP for n in range(attempts)])
            test.device.expect(held=1, attempts=0)
            last = test.peer.now
            near("time of the SKIP", [test.peer.expect(SKIP, oldest=1).when - last], [STEP])
            test.device.expect(held=0, attempts=1, sent=0, flight=0)


def test_slow_flows():
    """A packet whose option has the flag "slow" is sent up to twice as often."""
    for flags, count in ((pkt.DISCARD, 3), (pkt.DISCARD | SLOW, 6)):
        with Scripted(attempts=3, **FIXED) as test:
            test.send(0, options=pkt.xlo4(60_000, flags))
            near("times", times(test, 0, count), [n * STEP for n in range(count)])
            test.peer.expect(SKIP, oldest=1)
            test.device.expect(attempts=1)


def test_attempts_count_nacks():
    """Transmissions after a NACK count as attempts."""
    with Scripted(attempts=2, **FIXED) as test:
        test.send(0)
        test.send(1)
        test.peer.data(0, 1)
        test.peer.nack((0, 1), after=10 * MS)
        test.peer.data(0)
        test.peer.nack((0, 1), after=20 * MS)
        test.peer.expect(SKIP, within=0, oldest=1)
        test.device.expect(attempts=1, repeats_nack=1)


def test_persist():
    """A frame is given up when its timer expires and `persist` has passed since its first
    transmission."""
    for persist, count in ((1, 1), (50 * MS, 1), (150 * MS, 2), (250 * MS, 3)):
        with Scripted(persist=persist, **FIXED) as test:
            test.send(0)
            near("times", times(test, 0, count), [n * STEP for n in range(count)])
            last = test.peer.now
            near("time of the SKIP", [test.peer.expect(SKIP, oldest=1).when - last], [STEP])
            test.device.expect(held=0, persist=1, sent=0)


def test_skip_repeats():
    """SKIP is repeated until its "oldest" is acknowledged, and not afterwards."""
    with Scripted(attempts=1, **FIXED) as test:
        test.send(0)
        test.peer.data(0)
        for _ in range(5):
            test.peer.expect(SKIP, oldest=1)
        test.peer.ack(1, after=10 * MS)
        test.peer.nothing(5 * S)
        told = test.device.counters()
        tap.equal("SKIPs", told["skips"], 5)


def test_skip_after_an_acknowledgment():
    """An acknowledgment of a part of the frames that were given up causes no SKIP, and ends none.
    Frames behind "oldest" cannot be acknowledged."""
    with Scripted(attempts=1, window=4, **FIXED) as test:
        for number in range(4):
            test.send(number)
        test.peer.data(0, 1, 2, 3)
        last = test.peer.heard(STEP + MS)[-1]
        tap.equal("type and oldest", (last.kind, last.oldest), (SKIP, 4))
        skips = test.device.counters()["skips"]
        test.peer.ack(2, after=10 * MS)
        near("time of the SKIP", [test.peer.expect(SKIP, oldest=4).when - last.when], [STEP])
        test.peer.send(ACK, ack=5)
        test.peer.expect(SKIP, oldest=4)
        test.device.expect(in_ack=1, outside=1)
        test.peer.ack(4)
        test.peer.nothing(S)
        test.device.expect(attempts=4, sent=0, skips=skips + 2)


def test_outage():
    """In an outage, each packet is tried during its lifetime. Packets whose lifetimes have ended
    take no places in the window. An acknowledgment of the last one ends the SKIPs."""
    with Scripted(window=2, **FIXED) as test:
        for number in range(20):
            test.send(number, options=pkt.xlo4(150))
            frames = test.peer.heard(160 * MS)
            tap.equal("frames", [frame.number for frame in frames if frame.kind == DATA],
                      [number, number])
            test.device.expect(late=number + 1, held=0, flight=0)
        test.peer.forget()
        test.peer.expect(SKIP, oldest=20)
        test.peer.ack(20)
        test.peer.nothing(S)
        test.device.expect(late=20, expired=0, data=20, repeats_timer=20)


def test_far_ahead():
    """In an outage, the sender goes on for 16384 frames. Further packets wait until the peer knows
    "oldest". Then they are sent."""
    count, size = AHEAD + 100, 36
    with Scripted(attempts=1, window=4096, ring=10**7, **FIXED) as test:
        arq_device.flood(test.device, [arq_device.packet(number, size) for number in range(count)])
        test.device.expect(attempts=AHEAD, held=100, data=AHEAD, flight=0)
        test.peer.now = time.monotonic_ns()
        time.sleep(1)
        test.device.expect(attempts=AHEAD, held=100, data=AHEAD)
        test.peer.forget()
        test.peer.expect(SKIP, oldest=AHEAD)
        test.peer.ack(AHEAD)
        frames = test.peer.data(*range(AHEAD, count))
        tap.equal("last packet", frames[-1].payload, whole(count - 1, size))
        test.peer.ack(count)
        test.device.expect(attempts=AHEAD, sent=100, held=0)


def test_skip_only_for_the_first():
    """A frame that is given up behind a frame that is not needs no SKIP yet. "oldest" jumps over
    both when the first one is acknowledged or given up."""
    with Scripted(persist=250 * MS, **FIXED) as test:
        test.send(0)
        test.peer.data(0)
        test.send(1, options=pkt.xlo4(50))
        test.peer.data(1)
        numbers = [(frame.kind, frame.number) for frame in test.peer.heard(240 * MS)]
        tap.equal("frames", numbers, [(DATA, 0), (DATA, 0)])
        test.device.expect(late=1, persist=0, held=1)
        test.peer.expect(SKIP, oldest=2)
        test.device.expect(late=1, persist=1, held=0)
        test.peer.ack(2)
        test.peer.nothing(S)


def test_all_pieces():
    """All pieces of a packet are given up together. The packet counts once, and the packet behind
    it is sent."""
    with Scripted(attempts=2, window=10, frame=100, **FIXED) as test:
        test.send(0, 300)
        test.send(1)
        test.peer.data(0, 1, 2, 3)
        test.peer.ack(1, after=10 * MS)
        test.peer.data(1, 2, 3)
        seen = test.peer.heard(150 * MS)
        tap.equal("frames", {frame.kind for frame in seen}, {SKIP})
        tap.equal("oldest", seen[-1].oldest, 4)
        test.device.expect(attempts=2, held=0, sent=0)


def test_pieces_that_were_not_sent():
    """Pieces of a packet that was given up are never sent, also if they have no number yet."""
    with Scripted(attempts=1, window=2, frame=100, **FIXED) as test:
        test.send(0, 1000)
        test.send(1)
        test.peer.data(0, 1)
        test.peer.expect(SKIP, oldest=2)
        seen = test.peer.expect(DATA, number=2)
        tap.equal("flags and payload", (seen.flags, seen.payload), (FIRST | LAST, whole(1, 100)))
        test.device.expect(attempts=1, data=3)


def test_lifetime():
    """A packet with a lifetime is sent again only as long as it can arrive in time. The time to the
    peer is half the least round-trip time."""
    for options in ({"options": pkt.xlo4(250)}, {"options": pkt.xlo4(250, pkt.FORWARD)}):
        with Scripted(**FIXED) as test:
            test.send(0, **options)
            near("times", times(test, 0, 3), [0, STEP, 2 * STEP])
            test.peer.expect(SKIP, oldest=1)
            test.device.expect(late=1, held=0)
    with Scripted(**FIXED) as test:
        test.send(0)
        test.peer.data(0)
        test.peer.ack(1, after=80 * MS)
        for number, (lifetime, count) in enumerate(
                ((239, 2), (241, 3), (41, 1), (139, 1), (141, 2)), 1):
            test.send(number, options=pkt.xlo4(lifetime), after=S)
            start = test.peer.now
            near(f"times with the lifetime {lifetime} ms",
                      [frame.when - start for frame in test.peer.data(*[number] * count)],
                      [n * STEP for n in range(count)])
            test.peer.expect(SKIP, oldest=number + 1)
            test.peer.ack(number + 1)
            test.device.expect(late=number, held=0)
        test.send(9, options=pkt.xlo4(39))
        test.peer.nothing(S)
        test.device.expect(expired=1, held=0)


def test_given_up_at_the_deadline():
    """A packet is given up at its deadline, even if its timer expires later."""
    with Scripted(timer=arq_device.FIXED, timeout=S) as test:
        test.send(0, options=pkt.xlo4(250))
        test.peer.data(0)
        start = test.peer.now
        near("time of the SKIP", [test.peer.expect(SKIP).when - start], [250 * MS])
        test.device.expect(late=1, held=0)


def lifetimes(frames):
    """The lifetime in each packet."""
    return [pkt.lifetime(frame.payload[14:]) for frame in frames]


def test_lifetime_shrinks():
    """A relative lifetime gets shorter by the time that the packet waits for each transmission. An
    absolute lifetime stays."""
    for make, option in ((pkt.ipv4, pkt.xlo4), (pkt.ipv6, pkt.xlo6)):
        for is_absolute in range(2):
            with Scripted(frame=500, **FIXED) as test:
                field = pkt.absolute(351, time.time()) if is_absolute else 351
                test.put(make(option(field), pkt.body(0, 50)))
                frames = test.peer.data(0, 0, 0, 0)
                tap.equal("lifetimes", lifetimes(frames),
                          [field - n * 100 * (not is_absolute) for n in range(4)])
                tap.true("checksums", make == pkt.ipv6 or all(
                    pkt.checksum_right(frame.payload[14:]) for frame in frames))


def test_lifetime_of_reliable_packets():
    """The lifetime of a reliable packet also gets shorter, down to 0."""
    with Scripted(reliable_dscp=1, **FIXED) as test:
        test.send(0, options=pkt.xlo4(150))
        tap.equal("lifetimes", lifetimes(test.peer.data(0, 0, 0)), [150, 50, 0])


def test_lifetime_in_ipv6():
    """The option in an IPv6 packet has the same effect."""
    with Scripted(**FIXED) as test:
        test.put(pkt.ipv6(pkt.xlo6(250), pkt.body(0, 50)))
        near("times", times(test, 0, 3), [0, STEP, 2 * STEP])
        test.peer.expect(SKIP, oldest=1)
        test.device.expect(late=1, held=0)


def test_lifetime_of_the_device():
    """`lifetime` is for packets without a lifetime. An option with a lifetime overrides it."""
    for options, count in ((b"", 2), (pkt.xlo4(350), 4), (pkt.xlo4(50), 1),
                           (pkt.xlo4(pkt.NONE), 2)):
        with Scripted(lifetime=150 * MS, **FIXED) as test:
            test.send(0, options=options)
            near("times", times(test, 0, count), [n * STEP for n in range(count)])
            test.peer.expect(SKIP, oldest=1)
            test.device.expect(late=1, held=0)


def test_no_lifetime():
    """A packet without a lifetime, or with an option that says "no lifetime", is sent again
    without end."""
    for options in (b"", pkt.xlo4(pkt.NONE)):
        with Scripted(**FIXED) as test:
            test.send(0, options=options)
            test.peer.data(*[0] * 101)
            test.device.expect(held=1, repeats_timer=100, late=0)


def test_expired_packets_take_no_airtime():
    """A packet whose lifetime ends before its first piece has a number is dropped. Packets behind
    it are sent."""
    with Scripted(window=1, **FIXED) as test:
        test.send(0)
        test.send(1, options=pkt.xlo4(50))
        test.send(2)
        test.peer.data(0)
        test.peer.ack(1, after=60 * MS)
        frame, = test.peer.data(1)
        tap.equal("payload", frame.payload, whole(2, 100))
        test.device.expect(expired=1, late=0, sent=1, held=1, data=2)


def test_lifetime_0():
    """A packet whose lifetime has ended when it arrives is not sent."""
    with Scripted(**FIXED) as test:
        test.send(0, options=pkt.xlo4(0))
        test.send(1)
        tap.equal("payload", test.peer.data(0)[0].payload, whole(1, 100))
        test.device.expect(expired=1)


def together(test, *options):
    """Let packets with these options wait behind the packet 0, and then share the frame 1."""
    test.send(0)
    test.peer.data(0)
    for number, option in enumerate(options, 1):
        test.send(number, 60, options=option)
    test.peer.ack(1)


def test_packed_packet_expires():
    """When the lifetime of a packet ends, the packet is left out of its frame. The frame is sent
    again no earlier. The packet that is left is sent without a list."""
    with Scripted(window=1, pack=1, **FIXED) as test:
        together(test, pkt.xlo4(150), b"", pkt.xlo4(350))
        start = test.peer.now
        frames = test.peer.data(1, 1, 1, 1, 1)
        near("times", [frame.when - start for frame in frames], [n * STEP for n in range(5)])
        reliable = whole(2, 60)

        def aged(number, left):
            return whole(number, 60, options=pkt.xlo4(left))
        tap.equal("payloads", [frame.payload for frame in frames], [
            packed(aged(1, 150), reliable, aged(3, 350), bounded=[0, 2]),
            packed(aged(1, 50), reliable, aged(3, 250), bounded=[0, 2]),
            packed(reliable, aged(3, 150), bounded=[1]), packed(reliable, aged(3, 50), bounded=[1]),
            reliable])
        tap.equal("flags", {frame.flags for frame in frames[:4]}, {FIRST | LAST | PACKED})
        tap.equal("flags of the last frame", frames[4].flags, FIRST | LAST)
        test.device.expect(late=2, packed=3, repeats_timer=4)
        test.peer.ack(2)
        test.device.expect(sent=2, late=2, held=0, flight=0)


def test_packed_frame_is_given_up():
    """A frame with several packets is given up when the last of them is."""
    with Scripted(window=1, pack=1, **FIXED) as test:
        together(test, pkt.xlo4(50), pkt.xlo4(250))
        test.peer.data(1)
        start = test.peer.now
        first, second = test.peer.data(1, 1)
        tap.equal("flags", (first.flags, second.flags), (FIRST | LAST | BOUNDED,) * 2)
        near("time of the SKIP", [test.peer.expect(SKIP, oldest=2).when - start], [250 * MS])
        test.device.expect(late=2, sent=1, held=0)


def test_packed_attempts():
    """Of two packets in a frame, the one whose flow is slow is sent up to twice as often."""
    with Scripted(window=1, pack=1, attempts=2, **FIXED) as test:
        together(test, pkt.xlo4(pkt.NONE, pkt.DISCARD | SLOW), b"")
        frames = test.peer.data(1, 1, 1, 1)
        tap.equal("lists", [frame.flags & PACKED for frame in frames], [PACKED, PACKED, 0, 0])
        test.device.expect(attempts=1, drops=1)
        test.peer.expect(SKIP, oldest=2)
        test.device.expect(attempts=2, drops=2, held=0)


def test_receiver_moves_on():
    """After "oldest" the receiver does not wait for the frames before it. Packets that are complete
    are delivered, and a packet that has lost a piece is not."""
    with Scripted(window=16, ack_delay=S) as test:
        peer, data = test.peer, whole(3)
        peer.packets(1)
        peer.piece(data[:30], FIRST, number=2)
        peer.piece(data[30:], LAST, number=4)
        peer.packets(5)
        peer.forget()
        peer.oldest = 4
        peer.send(SKIP)
        peer.expect(ACK, within=0, ack=6)
        tap.equal("delivered packets", test.arrived(), [1, 5])
        test.device.expect(delivered=2, incomplete=1, in_skip=1)
        peer.packets(3)
        test.device.expect(duplicate=1, delivered=2)
        peer.count = 6
        peer.piece(whole(6), oldest=6)
        tap.equal("delivered packets", test.arrived(), [6])


def test_stale_packets():
    """A bounded packet whose lifetime ends while it waits for a missing frame is dropped. The
    lifetime of all packets gets shorter by the time that they wait."""
    with Scripted(window=16) as test:
        for number, (lifetime, flags) in enumerate(
                ((40, BOUNDED), (70, BOUNDED), (40, 0), (pkt.NONE, BOUNDED)), 1):
            option = pkt.xlo4(lifetime, reorder=0)
            test.peer.piece(whole(number, options=option), FIRST | LAST | flags, number=number)
        test.peer.piece(whole(0), number=0, after=50 * MS)
        frames = test.delivered.drain()
        tap.equal("packets and lifetimes",
                  [(pkt.number(frame.packet), pkt.lifetime(frame.packet)) for frame in frames],
                  [(0, None), (2, 20), (3, 0), (4, pkt.NONE)])
        test.device.expect(delivered=4, stale=1, in_data=5)


def test_stale_packet_of_a_list():
    """Of the packets in a list, only a bounded packet whose own lifetime ends is dropped."""
    with Scripted(window=16) as test:
        packets = [whole(number, options=pkt.xlo4(lifetime, reorder=0))
                   for number, lifetime in ((1, 40), (2, 70), (3, 40))]
        test.peer.piece(packed(*packets, bounded=[0, 1]), FIRST | LAST | PACKED, number=1)
        test.peer.piece(whole(0), number=0, after=50 * MS)
        frames = test.delivered.drain()
        tap.equal("packets and lifetimes",
                  [(pkt.number(frame.packet), pkt.lifetime(frame.packet)) for frame in frames],
                  [(0, None), (2, 20), (3, 0)])
        test.device.expect(delivered=3, stale=1, in_data=2)


def test_skip_beyond_the_window():
    """The receiver moves over up to 16384 frames that never arrived. A SKIP beyond that is dropped.
    Frames in front of "oldest" are delivered, and those behind it are in the window."""
    with Scripted(window=8, reject=arq_device.NEVER) as test:
        test.peer.packets(3)
        ends = [8, 32, 32 + AHEAD, 32 + 2 * AHEAD]
        for oldest in ends:
            test.peer.send(SKIP, oldest=oldest & 0xffff)
            test.peer.expect(ACK, within=0, ack=oldest & 0xffff)
        test.peer.send(SKIP, oldest=ends[3])
        test.peer.expect(ACK, within=0, ack=ends[3])
        for wrong in (AHEAD + 1, 0x7fff, 0x8000):
            test.peer.send(SKIP, oldest=ends[3] + wrong & 0xffff)
        test.device.expect(in_skip=5, outside=3)
        tap.equal("delivered packets", test.arrived(), [3])
        test.peer.piece(whole(5), number=ends[3] + AHEAD + 7, oldest=ends[3] + AHEAD)
        test.peer.expect(ACK, within=0, ack=ends[3] + AHEAD)
        test.peer.piece(whole(6), number=ends[3] + AHEAD + 8, oldest=ends[3] + AHEAD)
        test.device.expect(in_data=2, outside=4)


def test_many_packets_under_loss():
    """Over a link with loss, each packet arrives or is counted by its cause. Every transmission
    can arrive within the lifetime of its packet."""
    random = bench.seed()
    channel = {"loss": 300_000, "delay": 20 * MS}
    with arq_device.Pair(channel=channel, attempts=4, window=16, ring=10**6) as pair:
        sniffer = pair.right.sniffer()
        below = sniff.Sniffer(pair.lower.left.ns, "cell0", outgoing=True)
        port, deadline = pair.left.port(), {}
        for number in range(400):
            lifetime = random.choice((30, 60, 200, 1000))
            deadline[number] = time.monotonic_ns() + lifetime * MS
            port.send(packet(number, 200, options=pkt.xlo4(lifetime, reorder=0)))
            time.sleep(0.01)
        pair.left.expect(held=0)
        told = pair.left.counters()
        tap.true("some packets were given up", told["late"] + told["expired"] > 20)
        tap.equal("packets", told["packets_in"], 400)
        seen = [number for number, _ in cell.ours(sniffer.drain())]
        tap.equal("order", seen, sorted(set(seen)))
        tap.within("packets that arrived", len(seen), told["sent"], 400 - told["expired"])
        sent_at = [(pkt.number(frame.packet), frame.when) for frame in below.drain()]
        tap.equal("transmissions that arrive too late", [
            (number, when) for number, when in sent_at
            if number is not None and when > deadline[number]], [])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
