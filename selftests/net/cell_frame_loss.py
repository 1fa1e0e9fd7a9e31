#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If each bit has the bit error rate of the state in which the bit is sent, a link with two states
loses as many frames as Xylomenos measured ("Limitations of Fixed Timers for Wireless Links"). A
statistical check would fail for one of 100 seeds, even if the channel is right, so the seeds are
fixed."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (sends 500,000 frames)
# run.sh: soak on lab, 36000 s: everything (at the article's own rate)
import math
import time

from lib import cell, chance, soak, tap, wait
from lib.cell import MS, S
from net import cell_ber_state, cell_states

# The channel of the article. All times are in seconds.
RATE = 8000                             # bytes/s
FRAME = 250 + cell.HEADER               # the article does not say how long its header is
GOOD, GOOD_BER, BAD_BER = 10, 1e-6, 1e-2
# frame loss rates by the mean duration of the bad state, from 30 runs of 2000 s
MEASURED = {0.1: 0.015, 0.2: 0.025, 0.5: 0.054, 1.0: 0.098}
MEASURED_TIME, ROUNDING = 30 * 2000, 0.0005

BITS = 8 * FRAME
COUNT = 4000 * RATE // FRAME            # frames of each test
# The test divides all times by this number. This does not change the frame loss rates.
FASTER = soak.amount(100, 1)
SEED = 1


def good_frame(good_bits, bad_bits):
    """The probability that a frame has no bad bit."""
    return (1 - GOOD_BER) ** good_bits * (1 - BAD_BER) ** bad_bits


def last_bit_loss(bad):
    """The expected frame loss rate if the state of the last bit applies to all bits of a frame."""
    return 1 - (GOOD * good_frame(BITS, 0) + bad * good_frame(0, BITS)) / (GOOD + bad)


def each_bit_loss(bad):
    """The expected frame loss rate if the state in which a bit is sent applies to the bit. The
    function follows a frame bit by bit. `p` is the probability that the frame has no bad bit so far
    and that the state is good, and `q` the same for the bad state."""
    changed = 1 - math.exp(-(1 / GOOD + 1 / bad) / (8 * RATE))
    p, q = GOOD / (GOOD + bad), bad / (GOOD + bad)
    to_bad, to_good = changed * q, changed * p
    for _ in range(BITS):
        p, q = p + q * to_good - p * to_bad, q + p * to_bad - q * to_good
        p, q = p * (1 - GOOD_BER), q * (1 - BAD_BER)
    return 1 - p - q


def deviation(bad, loss, seconds):
    """The standard deviation of a frame loss rate that is measured over a time. A good and a bad
    state make a cycle, in which the lost frames take about as long as the bad state. The formula is
    that of a renewal-reward process with exponential times, plus the frames that are lost
    independently in good states."""
    cycles = ((1 - loss) ** 2 * bad ** 2 + loss ** 2 * GOOD ** 2) / (GOOD + bad) / seconds
    return math.sqrt(cycles + BITS * GOOD_BER * FRAME / RATE / seconds)


def test_expected_rates():
    """The expected frame loss rates agree with the article. If the state of the last bit applied to
    all bits of a frame, the rates would not agree."""
    for bad, measured in MEASURED.items():
        loss, other = each_bit_loss(bad), last_bit_loss(bad)
        off = chance.Z * deviation(bad, loss, MEASURED_TIME) + ROUNDING
        tap.note(f"bad {bad} s: expected {loss:.4f}, or {other:.4f} by the last bit; article "
                 f"{measured} +- {off:.4f}")
        tap.within(f"bad {bad} s", loss, measured - off, measured + off)
        tap.true(f"bad {bad} s: by the last bit", other < measured - off)


def chances(ranges):
    """The probability for each frame that it has a bad bit. `ranges` are the bits that were sent in
    the bad state."""
    exposed = [0] * COUNT
    for low, high in ranges:
        for frame in range(low // BITS, -(-high // BITS)):
            exposed[frame] += min(high, (frame + 1) * BITS) - max(low, frame * BITS)
    return [1 - good_frame(BITS - bad, bad) for bad in exposed]


def keep_busy(pair):
    """Send frames so that the link never waits for a frame. The frames wait in the qdisc, which has
    space for 1000 frames."""
    start, frame = time.monotonic_ns(), cell.packet(0, FRAME)
    took = FRAME * S // RATE // FASTER
    for first in range(0, COUNT, 500):
        wait.till(start + (first - 400) * took)
        pair.flood([frame] * min(500, COUNT - first))
    wait.till(start + COUNT * took + 10 * MS)
    pair.left.expect(sent=COUNT, held=0)


def dropped(bad, seed):
    """Send frames on the channel. Returns the number of dropped frames and the probability for each
    frame that it is dropped in the states that occurred."""
    with cell_states.traced("state") as trace, \
            cell.Pair(rate=RATE * FASTER, good=GOOD * S // FASTER, bad=round(bad * S / FASTER),
                      ber=10**6, bad_ber=10**10, ber_state=cell.PER_BIT, seed=seed) as pair:
        # only the time of the first arrival is needed
        trace.also("cellink/cell_arrival", f"at < {time.monotonic_ns() + 100 * MS}")
        keep_busy(pair)
        # the kernel removes the device later, and until then the next test would see its states
        pair.left.up(False)
        clock = cell_ber_state.Clock(cell_ber_state.times(trace, "arrival")[0], RATE * FASTER)
        bad_bits = clock.ranges(cell_ber_state.bad_states(trace), COUNT * BITS)
        return pair.left.counters()["corrupted"], chances(bad_bits)


def test_rates():
    """The number of dropped frames is as expected for the states that occurred. Their share is as
    expected on average."""
    for seed, bad in enumerate(MEASURED, SEED):
        lost, expected = dropped(bad, seed)
        mean, loss = sum(expected), each_bit_loss(bad)
        off = chance.Z * math.sqrt(sum(p * (1 - p) for p in expected))
        tap.note(f"bad {bad} s, seed {seed}: {lost} of {COUNT} frames dropped ({lost / COUNT:.4f})"
                 f", expected {mean:.0f} +- {off:.0f} in these states, {loss:.4f} on average")
        tap.within(f"frames dropped with bad {bad} s", lost, mean - off, mean + off)
        off = chance.Z * deviation(bad, loss, COUNT * FRAME / RATE)
        tap.within(f"share with bad {bad} s", lost / COUNT, loss - off, loss + off)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
