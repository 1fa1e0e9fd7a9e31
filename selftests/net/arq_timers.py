#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A frame is sent again exactly when its timer expires. The adaptive timer follows the measured
round-trip times by the equations in Documentation/arqlink.rst."""
# run.sh: needs: simulated time
from fractions import Fraction
import itertools

from lib import arq_device, arq_peer, bench, tap
from lib.arq_frame import MS, S, US
from lib.arq_peer import Scripted, near, since_the_first

FIXED, ADAPTIVE = arq_device.FIXED, arq_device.ADAPTIVE
G = {arq_device.STANDARD: (Fraction(1, 8), Fraction(1, 4)),
     arq_device.FAST: (Fraction(1, 4), Fraction(1, 2)),
     arq_device.SLOW: (Fraction(1, 16), Fraction(1, 8))}
DEFAULTS = {"gains": arq_device.STANDARD, "variance": arq_device.ABSOLUTE, "mean_factor": 3000,
            "deviation_factor": 2000, "floor": 10 * MS}
SLACK = 2 * arq_peer.PRECISION          # of a sample
# bytes of a packet whose frame has 100 bytes with the Ethernet header of the lower device
SIZE = 100 - 14 - 24 - 14


class Model:
    """The equations 1 and 2 of the paper, without rounding."""

    def __init__(self, **options):
        self.options = DEFAULTS | options
        self.srtt = None

    def sample(self, sample):
        signed = self.options["variance"] == arq_device.SIGNED
        if self.srtt is None:
            self.srtt, self.srttvar = Fraction(sample), Fraction(0 if signed else sample, 2)
            return
        g, h = G[self.options["gains"]]
        err = sample - self.srtt
        self.srtt += g * err
        self.srttvar += h * ((err if signed else abs(err)) - self.srttvar)

    @property
    def timeout(self):
        return max(self.options["floor"],
                   Fraction(self.options["mean_factor"], 1000) * self.srtt +
                   Fraction(self.options["deviation_factor"], 1000) * self.srttvar)

    def agrees(self, device, samples):
        """Check that the device has the values of the model after `samples` samples."""
        told = device.counters()
        tap.equal("samples", told["samples"], samples)
        for name in ("srtt", "srttvar"):
            want = getattr(self, name)
            tap.within(name, told[name], want - SLACK, want + SLACK)
        weight = (self.options["mean_factor"] + self.options["deviation_factor"]) / 1000
        tap.within("timeout", told["timeout"], self.timeout - SLACK * weight,
                   self.timeout + SLACK * weight)


def exchange(test, number, rtt):
    """Send a packet, which the peer acknowledges after the round-trip time."""
    test.send(number)
    test.peer.data(number)
    test.peer.ack(number + 1, after=rtt)


def follow(rtts, **options):
    """Check the device after each of the given round-trip times."""
    model = Model(**options)
    with Scripted(**options) as test:
        for number, rtt in enumerate(rtts):
            exchange(test, number, rtt)
            model.sample(rtt)
            model.agrees(test.device, number + 1)
        tap.within("least round-trip time", test.device.counters()["least_rtt"], min(rtts) - SLACK,
                   min(rtts) + SLACK)


def measured(test, srtt, samples=1, **more):
    """Check the mean round-trip time, and other counters."""
    test.device.expect(samples=samples, **more)
    near("mean", [test.device.counters()["srtt"]], [srtt])


def times(test, number, count):
    """The times of the transmissions of a frame after the packet was sent."""
    start = test.peer.now
    return [frame.when - start for frame in test.peer.data(*[number] * count, within=70 * S)]


def test_fixed():
    """With a fixed timer, a frame is sent again after the timeout, each time, to the ns. There is
    no back-off."""
    for timeout in (MS, 123_456_789, 1_100 * MS, 9 * S):
        with Scripted(timer=FIXED, timeout=timeout) as test:
            test.send(0)
            near("times", times(test, 0, 6), [timeout * n for n in range(6)])
            test.device.expect(timeout=timeout, repeats_timer=5, data=1, samples=0)


def test_fixed_measures():
    """With a fixed timer, the round-trip times are measured, but the timeout stays the same."""
    with Scripted(timer=FIXED, timeout=S) as test:
        exchange(test, 0, 30 * MS)
        measured(test, 30 * MS, timeout=S)


def test_before_the_first_sample():
    """Before the first sample, the adaptive timeout is `timeout`."""
    with Scripted(timeout=321_000_123) as test:
        test.device.expect(timeout=321_000_123, srtt=0, srttvar=0, least_rtt=0)
        test.send(0)
        near("times", times(test, 0, 4), [n * 321_000_123 for n in range(4)])


def test_equations():
    """Mean, deviation and timeout follow the equations, with all gains and both kinds of
    deviation."""
    random = bench.seed()
    for gains, variance in itertools.product(G, (arq_device.ABSOLUTE, arq_device.SIGNED)):
        rtts = [random.randrange(60 * MS, 140 * MS) for _ in range(30)]
        follow(rtts, gains=gains, variance=variance)


def test_factors():
    """The factors weigh mean and deviation. The timeout is never below the floor."""
    rtts = [100 * MS, 100 * MS + 7, 130 * MS, 80 * MS, 90 * MS + 1, 100 * MS]
    for mean, deviation, floor in ((1500, 4000, MS), (0, 0, 200 * MS), (100_000, 100_000, MS),
                                   (1, 1, 60 * S), (2000, 0, MS)):
        follow(rtts, mean_factor=mean, deviation_factor=deviation, floor=floor)


def test_adaptive_timeout_is_used():
    """A frame is sent again after the adaptive timeout that is valid when its timer starts. There
    is no back-off."""
    with Scripted() as test:
        for number, rtt in enumerate((100 * MS, 60 * MS, 90 * MS)):
            exchange(test, number, rtt)
        timeout = test.device.counters()["timeout"]
        test.send(3)
        near("times", times(test, 3, 4), [n * timeout for n in range(4)])


def test_retransmitted_frames_give_samples():
    """The sample of a retransmitted frame counts from its last transmission."""
    with Scripted(timeout=200 * MS) as test:
        test.send(0)
        test.peer.data(0, 0, 0)
        test.peer.ack(1, after=30 * MS)
        measured(test, 30 * MS, repeats_timer=2)


def test_nack_gives_no_sample():
    """A NACK gives no sample, even if it acknowledges frames."""
    with Scripted() as test:
        for number in range(3):
            test.send(number)
        test.peer.data(0, 1, 2)
        test.peer.acked = 1
        test.peer.nack((1, 1), after=50 * MS)
        test.peer.data(1)
        test.device.expect(samples=0, sent=1, repeats_nack=1)


def test_one_sample_of_several_frames():
    """An ACK that covers several frames gives one sample, of the last of them."""
    with Scripted() as test:
        for number in range(3):
            test.send(number, after=10 * MS)
        test.peer.data(0, 1, 2)
        test.peer.ack(3, after=50 * MS)
        measured(test, 50 * MS, sent=3)


def test_repeated_ack_gives_no_sample():
    """An ACK that covers no new frame gives no sample."""
    with Scripted() as test:
        exchange(test, 0, 50 * MS)
        test.send(1)
        test.peer.data(1)
        for _ in range(3):
            test.peer.ack(1, after=10 * MS)
        measured(test, 50 * MS, in_ack=4)


def test_data_acknowledges():
    """An acknowledgment that travels with a DATA frame gives a sample."""
    with Scripted() as test:
        test.send(0)
        test.peer.data(0)
        test.peer.acked = 1
        test.peer.piece(arq_peer.whole(0), after=70 * MS)
        measured(test, 70 * MS, sent=1)


def test_clock_of_samples():
    """With `clock queued` the time in the queue of frames is part of the sample, with `clock sent`
    it is not."""
    for clock, waited in ((arq_device.QUEUED, 20 * MS), (arq_device.SENT, 0)):
        with Scripted(clock=clock, rate=10_000) as test:
            for number in range(3):
                test.send(number, SIZE, after=S * (number == 0))
            near("times", since_the_first(test.peer.data(0, 1, 2)), [0, 10 * MS, 20 * MS])
            test.peer.ack(3, after=50 * MS)
            measured(test, 50 * MS + waited)


def test_clock_of_timers():
    """With `clock queued` the timer starts when the frame enters the queue of frames, with
    `clock sent` when it leaves."""
    for clock, time in ((arq_device.QUEUED, 250 * MS), (arq_device.SENT, 350 * MS)):
        with Scripted(clock=clock, rate=1000, timer=FIXED, timeout=250 * MS) as test:
            test.send(0, SIZE, after=S)
            test.send(1, SIZE)
            first, _ = test.peer.data(0, 1)
            test.peer.ack(1, after=20 * MS)
            near("times", since_the_first([first, *test.peer.data(1)]), [0, time])


def test_frame_that_still_waits():
    """A frame whose timer expires while it waits is not sent twice. Its timer starts again when it
    leaves."""
    for clock in (arq_device.QUEUED, arq_device.SENT):
        with Scripted(clock=clock, rate=1000, timer=FIXED, timeout=50 * MS) as test:
            for number in range(3):
                test.send(number, SIZE, after=S * (number == 0))
            frames = test.peer.heard(S - MS)
            tap.equal("numbers", [f.number for f in frames], [n % 3 for n in range(10)])
            near("times", since_the_first(frames), [n * 100 * MS for n in range(10)])


def repeated(acked, timeout, **values):
    """The times, in units of 100 ms, at which a frame is sent again after it was acknowledged at
    the time `acked`. The next frame can leave 100 ms after the first transmission."""
    with Scripted(rate=1000, timer=FIXED, timeout=timeout, **values) as test:
        test.send(0, SIZE, after=S)
        first, = test.peer.data(0)
        test.peer.ack(1, after=acked)
        return [round((frame.when - first.when) / (100 * MS), 3)
                for frame in test.peer.heard(10 * S)]


def test_copies():
    """A frame that was acknowledged while it waits to be sent again is not sent, except with
    `copies`. With `copies` each timeout puts a copy into the queue of frames, at most 50."""
    for timeout, copies in ((60 * MS, 1), (40 * MS, 2), (15 * MS, 6), (MS, 50)):
        tap.equal(f"timeout {timeout}", repeated(99 * MS, timeout), [])
        tap.equal(f"copies with the timeout {timeout}", repeated(99 * MS, timeout, copies=1),
                  list(range(1, copies + 1)))


def test_samples_of_copies():
    """A sample counts from the last transmission, and not from a copy that still waits."""
    for clock in (arq_device.QUEUED, arq_device.SENT):
        with Scripted(rate=1000, clock=clock, copies=1, timeout=60 * MS) as test:
            test.send(0, SIZE, after=S)
            test.peer.data(0)
            test.peer.ack(1, after=80 * MS)
            measured(test, 80 * MS)


def test_nack_of_an_earlier_transmission():
    """A NACK is ignored if the frame was sent again less than the least round-trip time ago."""
    with Scripted(timer=FIXED, timeout=10 * S) as test:
        exchange(test, 0, 80 * MS)
        exchange(test, 1, 200 * MS)
        test.send(2)
        test.send(3)
        test.peer.data(2, 3)
        test.peer.nack((2, 1), after=90 * MS)
        test.peer.data(2, within=0)
        test.peer.nack((2, 2), after=80 * MS - 10 * US)
        test.peer.data(3, within=0)
        test.peer.nothing(0)
        test.device.expect(nacks_ignored=1, repeats_nack=2)
        test.peer.nack((2, 1), after=20 * US)
        test.peer.data(2, within=0)
        test.device.expect(nacks_ignored=1, repeats_nack=3)


def test_nack_while_the_frame_waits():
    """A NACK is ignored while the frame waits in the queue of frames."""
    with Scripted(rate=1000, timer=FIXED, timeout=10 * S) as test:
        for number in range(3):
            test.send(number, SIZE, after=S * (number == 0))
        test.peer.data(0, 1, 2)
        test.peer.nack((0, 3), after=100 * MS)
        test.peer.data(0, within=0)
        test.peer.nack((1, 2), after=50 * MS)
        test.peer.data(1, 2)
        test.peer.nothing(S)
        test.device.expect(nacks_ignored=2, repeats_nack=3)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
