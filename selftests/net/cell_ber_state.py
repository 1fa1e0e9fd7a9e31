#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With `ber_state bit`, each bit has the bit error rate of the state in which the bit is sent. With
`ber_state packet`, all bits of a packet have the bit error rate of the state in which the packet
leaves. The tests compute from the times of the channel's events which bits can be bad. A
statistical check would fail for one of 100 seeds, even if the channel is right, so the seed is
fixed."""
# run.sh: needs: simulated time
import itertools
import time

from lib import cell, chance, packet as pkt, sniff, tap, wait
from lib.cell import MS, S
from net import cell_errors, cell_states
from net.cell_trace import NEVER

SEED = 1
RATE = 8000                             # bytes/s
BIT = S // (8 * RATE)                   # ns
SIZE, COUNT = 500, 100                  # a packet takes 62.5 ms
BITS = 8 * SIZE
ALL_BAD = 10**11                        # bad_ber in 10^-12: one bit in ten
# in ms: several turns in a packet, and several packets between two turns
TURNS = [10, 30, 45, 200, 211, 250, 333, 334]
VALUES = {"corrupt": cell.DELIVER, "seed": SEED, "bad_ber": ALL_BAD}


def times(trace, event, condition=""):
    """The times of the recorded events of a kind, such as "arrival", whose line contains the
    condition."""
    return [int(line.split(" at=")[1].split()[0]) for line in trace.lines()
            if f" cell_{event}: " in line and condition in line]


def spans(begins, ends):
    """The time spans from each begin to its end. The last span may end later than now."""
    return list(itertools.zip_longest(begins, ends, fillvalue=time.monotonic_ns()))


def bad_states(trace):
    """The time spans of the bad states. The first turn begins a bad state."""
    return spans(times(trace, "state", "state=bad"), times(trace, "state", "state=good"))


def is_in(during, at):
    return any(begin <= at < end for begin, end in during)


class Clock:
    """Computes how many bits a link has sent completely at a given time. The link sends without a
    pause from `start` on, except during outages."""

    def __init__(self, start, rate=RATE, outages=()):
        self.start, self.rate, self.outages = start, rate, outages

    def bits(self, at):
        paused = sum(max(0, min(at, end) - max(self.start, begin)) for begin, end in self.outages)
        return max(0, at - self.start - paused) * 8 * self.rate // S

    def ranges(self, during, count):
        """The ranges of bits that were sent in some time spans, among the first `count` bits."""
        found = [(self.bits(begin), min(self.bits(end), count)) for begin, end in during]
        return [(low, high) for low, high in found if low < high]


def frames(pair, seconds, count=COUNT, make=cell.packet):
    """Send packets and wait. Returns all bits of the frames that arrive and of the frames that were
    sent."""
    sniffer = sniff.Sniffer(pair.right.ns, "cell1", header=0)
    sent = [pkt.ethernet(make(number, SIZE)) for number in range(count)]
    pair.flood([frame[14:] for frame in sent])
    wait.till(time.monotonic_ns() + seconds * S)
    seen = [frame.packet for frame in sniffer.drain()]
    tap.equal("lengths", [len(frame) for frame in seen], [SIZE] * count)
    return seen, sent


def expect(seen, sent, ranges):
    """Check that all bad bits are in the given ranges of bits, and that one bit in ten is bad: of
    all bits in the ranges, of the first bits and of the last bits of the ranges."""
    flips = set(cell_errors.flips(b"".join(seen), b"".join(sent)))
    allowed = bytearray(8 * len(b"".join(sent)))
    for low, high in ranges:
        allowed[low:high] = bytes([1]) * (high - low)
    tap.equal("bad bits outside", sorted(bit for bit in flips if not allowed[bit])[:5], [])
    chance.binomial("bad bits", len(flips), sum(allowed), 0.1)
    chance.binomial("bad first bits", sum(low in flips for low, _ in ranges), len(ranges), 0.1)
    chance.binomial("bad last bits", sum(high - 1 in flips for _, high in ranges), len(ranges), 0.1)


def whole_packets(trace):
    """The bits of each packet that has left in the bad state."""
    bad = bad_states(trace)
    return [(k * BITS, (k + 1) * BITS) for k, at in enumerate(times(trace, "departure"))
            if is_in(bad, at)]


def test_changes_in_a_packet():
    """If the state changes while a packet is sent, only the bits that are sent in the bad state can
    be bad. This is exact to the bit, also with several changes in a packet."""
    with cell_states.traced("state") as trace:
        trace.also("cellink/cell_arrival")
        with cell.Pair(rate=RATE, ber_state=cell.PER_BIT, **VALUES) as pair:
            pair.left.follow(TURNS, turns=1)
            seen, sent = frames(pair, 8)
            ranges = Clock(times(trace, "arrival")[0]).ranges(bad_states(trace), COUNT * BITS)
            tap.true("many changes", len(ranges) > COUNT // 2)
            expect(seen, sent, ranges)


def test_state_of_the_packet():
    """By default, and with `ber_state packet`, the state in which a packet leaves applies to all
    bits of the packet."""
    for values in ({}, {"ber_state": cell.PER_PACKET}):
        with cell_states.traced("state") as trace:
            trace.also("cellink/cell_departure")
            with cell.Pair(rate=RATE, **VALUES, **values) as pair:
                pair.left.follow(TURNS, turns=1)
                seen, sent = frames(pair, 8)
                expect(seen, sent, whole_packets(trace))


def test_no_change():
    """While the state does not change, the option makes no difference."""
    arrived = []
    for value in (cell.PER_PACKET, cell.PER_BIT):
        with cell.Pair(rate=RATE, ber=10**8, loss=100_000, seed=SEED, ber_state=value) as pair:
            sniffer = pair.sniffer()
            pair.flood([cell.packet(number, SIZE) for number in range(COUNT)])
            wait.till(time.monotonic_ns() + 8 * S)
            arrived.append([number for number, _ in cell.ours(sniffer.drain())])
    tap.within("packets that arrive", len(arrived[0]), COUNT // 3, COUNT * 2 // 3 + 10)
    tap.equal("packets with the option", arrived[1], arrived[0])


def test_trace():
    """With a trace, the bits that an opportunity sends have the bit error rate of the state at the
    time of the opportunity. If the state changes at the same time, the new state applies."""
    with cell_states.traced("state") as trace:
        trace.also("cellink/cell_departure")
        with cell.Pair(ber_state=cell.PER_BIT, **VALUES) as pair:
            pair.left.follow([10], opportunity=100)
            pair.left.follow([30, 65, 120, 170], turns=1)
            # both traces start at the same time
            pair.left.up(False)
            pair.up()
            seen, sent = frames(pair, 6)
            bad = bad_states(trace)
            moments = [at - 10 * MS * before for at in times(trace, "departure")
                       for before in (4, 3, 2, 1, 0)]
            for what, changes in zip(("bad", "good"), zip(*bad)):
                tap.true(f"turns {what} at an opportunity", set(changes) & set(moments))
            expect(seen, sent, [(k * 800, (k + 1) * 800) for k, at in enumerate(moments)
                                if is_in(bad, at)])


def test_outages():
    """The bits that were sent before an outage have the bit error rate of the state before the
    outage, even if the state changes during the outage."""
    with cell_states.traced("state") as trace:
        for event in ("arrival", "outage"):
            trace.also(f"cellink/cell_{event}")
        with cell.Pair(rate=RATE, ber_state=cell.PER_BIT, **VALUES) as pair:
            pair.left.follow(TURNS, turns=1)
            pair.left.change(outage=31 * MS, outage_every=53 * MS)
            seen, sent = frames(pair, 16)
            outages = spans(times(trace, "outage", "down=1"), times(trace, "outage", "down=0"))
            bad = bad_states(trace)
            tap.true("many changes in outages",
                     sum(is_in(outages, at) for at, _ in bad) > COUNT // 4)
            clock = Clock(times(trace, "arrival")[0], outages=outages)
            expect(seen, sent, clock.ranges(bad, COUNT * BITS))


def test_without_rate():
    """Without a rate, a packet is sent at the moment at which it leaves. A packet that waits for
    the end of an outage is sent completely in the state after the outage."""
    for turns, bad in (([1, 500, NEVER, NEVER], False), ([500, NEVER], True)):
        with cell.Pair(ber_state=cell.PER_BIT, **VALUES) as pair:
            pair.left.follow(turns, turns=1)
            pair.left.change(outages=[(0, S)])
            wait.till(time.monotonic_ns() + 100 * MS)
            seen, sent = frames(pair, 2)
            expect(seen, sent, [(k * BITS, (k + 1) * BITS) for k in range(COUNT)] if bad else [])


def test_grants():
    """With grants, a packet is sent over the air at its grant. The state at this time applies to
    all bits of the packet."""
    with cell_states.traced("state") as trace:
        trace.also("cellink/cell_departure")
        with cell.Pair(rate=RATE, grant=70 * MS, ber_state=cell.PER_BIT, **VALUES) as pair:
            pair.left.follow(TURNS, turns=1)
            seen, sent = frames(pair, 8)
            expect(seen, sent, whole_packets(trace))


def test_losses():
    """The option does not apply to losses: a packet is lost with the probability of the state in
    which it leaves."""
    with cell_states.traced("state") as trace:
        trace.also("cellink/cell_arrival")
        with cell.Pair(rate=RATE, bad_loss=1_000_000, ber_state=cell.PER_BIT) as pair:
            pair.left.follow(TURNS, turns=1)
            sniffer = pair.sniffer()
            pair.flood([cell.packet(number, SIZE) for number in range(COUNT)])
            wait.till(time.monotonic_ns() + 8 * S)
            start = times(trace, "arrival")[0]
            bad = bad_states(trace)
            tap.equal("packets that arrive", [number for number, _ in cell.ours(sniffer.drain())],
                      [k for k in range(COUNT) if not is_in(bad, start + (k + 1) * BITS * BIT)])


def test_tolerant():
    """With `corrupt tolerant`, a packet whose headers are sent in the good state arrives, marked as
    damaged. A packet whose headers are sent in the bad state is dropped."""
    def make(number, size):
        return pkt.ipv4(pkt.xlo4(5000, cell_errors.OK), pkt.body(number, size - 50))

    values = VALUES | {"corrupt": cell.TOLERANT}
    with cell.Pair(rate=RATE, ber_state=cell.PER_BIT, **values) as pair:
        sniffer = sniff.Sniffer(pair.right.ns, "cell1", header=0)
        # the channel is bad from the middle of the first packet to almost the end of the second
        pair.left.follow([32, 120, NEVER, NEVER], turns=1)
        sent = [pkt.ethernet(make(number, SIZE)) for number in range(4)]
        pair.flood([frame[14:] for frame in sent])
        pair.left.expect(held=0)
        seen = [frame.packet for frame in sniffer.drain()]
        counters = pair.left.counters()
        tap.equal("packets delivered, damaged and dropped",
                  (counters["delivered"], counters["damaged"], counters["corrupted"]), (3, 1, 1))
        tap.equal("undamaged packets", seen[1:], sent[2:])
        at = 14 + pkt.option_offset(sent[0][14:])
        tap.equal("flags", seen[0][at + 3], cell_errors.OK | cell_errors.CORRUPTED)
        tap.true("header checksum", pkt.checksum_right(seen[0][14:]))
        half = SIZE // 2 - 10
        tap.equal("first half after the headers", seen[0][at + 8:half], sent[0][at + 8:half])
        tap.true("the second half is damaged", seen[0][half:] != sent[0][half:])


def changed(pair, after, **values):
    """Send one packet, and change the configuration when `after` bits have been sent. Returns the
    bits of the packet that are bad."""
    sniffer = sniff.Sniffer(pair.right.ns, "cell1", header=0)
    sent = pkt.ethernet(cell.packet(0, SIZE))
    start = time.monotonic_ns()
    pair.flood([sent[14:]])
    wait.sharp(start + after * BIT)
    pair.left.change(**values)
    pair.left.expect(held=0)
    [frame] = sniffer.drain()
    return cell_errors.flips(frame.packet, sent)


def expect_near(flips, low, high):
    """Check that one in ten bits is bad from bit `low` on and before bit `high`, and no other bit.
    The limits are exact to 10 bits, because a request takes some time."""
    tap.equal("bad bits outside", [bit for bit in flips if not low - 10 <= bit < high + 10], [])
    chance.binomial("bad bits", len(flips), high - low, 0.1)


def test_configured_in_a_packet():
    """If the bit error rate is configured while a packet is sent, the bits that have been sent keep
    the old rate."""
    for before, after in ((ALL_BAD, 0), (0, ALL_BAD)):
        with cell.Pair(rate=RATE, ber=before, ber_state=cell.PER_BIT, corrupt=cell.DELIVER,
                       seed=SEED) as pair:
            flips = changed(pair, BITS // 2, ber=after)
            expect_near(flips, *((0, BITS // 2) if before else (BITS // 2, BITS)))


def test_rate_removed_in_a_packet():
    """If the rate is removed during an outage, the bits that have been checked are not checked
    again. The other bits are sent at the end of the outage."""
    with cell.Pair(rate=RATE, ber_state=cell.PER_BIT, **VALUES) as pair:
        pair.left.follow([10, 20, 40, NEVER], turns=1)
        pair.left.change(outages=[(30 * MS, 100 * MS)])
        flips = changed(pair, 35 * MS // BIT, rate=0)
        expect_near(flips, 10 * MS // BIT, BITS)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
