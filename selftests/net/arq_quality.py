#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An arqlink device measures the loss, the attempts, the delays and the rate of its link. The
channel below has known values, from which the test computes what the device must measure."""
# run.sh: needs: simulated time
import math
import time

from lib import arq_device, arq_frame, packet as pkt, tap, wait
from lib.arq_frame import MS, S, US

SIZE = 1000                             # of a packet behind its Ethernet header
ON_THE_LINK = SIZE + 14 + arq_frame.HEADER + arq_frame.ETHERNET
RATE = 100_000                          # bytes/s
EFFECTIVE = RATE * (SIZE + 14) / ON_THE_LINK
WAY = 10 * MS
TRANSMISSION = ON_THE_LINK * S // RATE
SLOW = {"channel": {"rate": RATE, "delay": WAY}, "back": {"delay": WAY}, "frame": 1500}
# every packet is one frame, and a lost frame is sent again after 1 ms
SHORT = {"window": 1, "timer": arq_device.FIXED, "timeout": MS, "ack_delay": 0, "ring": 10**6}
SIGMAS = 4
GAUGES = ("loss", "mean_attempts", "delay_50", "delay_90", "delay_99", "effective_rate")


def told(device):
    counters = device.counters()
    return {name: counters[name] for name in GAUGES}


def near(what, got, wanted):
    """Check a delay. A bucket of the histogram is at most an eighth of its delays wide."""
    tap.within(what, got, wanted * 8 // 9, wanted * 9 // 8)


def one_by_one(pair, count, size=SIZE):
    """Send packets. Each packet is sent when the packet before has been acknowledged."""
    out = pair.left.port()
    for number in range(count):
        out.send(arq_device.packet(number, size))
        pair.left.expect(held=0)


def test_unknown_before_packets():
    """Before the first packet all values are 0."""
    with arq_device.Pair() as pair:
        tap.equal("values", told(pair.left), dict.fromkeys(GAUGES, 0))


def test_no_backlog():
    """If no packet has ever waited, the rate is unknown. A packet that does not wait is delayed by its
    transmission, the way, and a half of what the way back takes more: least_rtt is the sum of all, and
    its half is subtracted."""
    with arq_device.Pair(**SLOW) as pair:
        one_by_one(pair, 10)
        found, least = told(pair.left), pair.left.counters()["least_rtt"]
        tap.within("least_rtt", least, TRANSMISSION + 2 * WAY, TRANSMISSION + 2 * WAY + 5 * MS + MS)
        for name in ("delay_50", "delay_90", "delay_99"):
            near(name, found[name], least // 2)
        tap.equal("the rest", (found["loss"], found["mean_attempts"], found["effective_rate"]),
                  (0, 1000, 0))


def test_rate_with_a_backlog():
    """The rate is that of the link, less the headers of the frames."""
    with arq_device.Pair(**SLOW, window=50) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, SIZE) for number in range(150)])
        pair.left.expect(held=0)
        found = told(pair.left)
        # the acknowledgments follow each other in the distance of the frames
        tap.within("rate", found["effective_rate"], EFFECTIVE * 0.999, EFFECTIVE * 1.001)
        tap.equal("loss and attempts", (found["loss"], found["mean_attempts"]), (0, 1000))


def test_rate_of_a_small_window():
    """A window of one frame carries a packet in each round trip, and so much is the rate."""
    with arq_device.Pair(**SLOW, window=1, ack_delay=0) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, SIZE) for number in range(40)])
        pair.left.expect(held=0)
        wanted = (SIZE + 14) * S / (TRANSMISSION + 2 * WAY)
        tap.within("rate", told(pair.left)["effective_rate"], wanted * 0.999, wanted * 1.001)


def test_delays_with_a_backlog():
    """Packet N of 20 that are accepted at the same time waits for N round trips."""
    with arq_device.Pair(**SLOW, window=1, ack_delay=0, ring=10**6) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, SIZE) for number in range(20)])
        pair.left.expect(held=0)
        found = told(pair.left)
        for name, rank in (("delay_50", 10), ("delay_90", 18), ("delay_99", 20)):
            near(name, found[name], (2 * rank - 1) * (TRANSMISSION + 2 * WAY) // 2)


def lossy(loss):
    """A pair over a fast channel that loses frames on the way to the right."""
    return arq_device.Pair(channel={"delay": 100 * US, "loss": int(loss * 10**6), "seed": 7},
                           back={"delay": 100 * US}, **SHORT)


def test_loss():
    """The loss and the mean of the attempts are those of the channel, within four standard deviations
    of so many transmissions. They are exactly those that the counters tell."""
    for loss in (0, 0.1, 0.3):
        with lossy(loss) as pair:
            lost = pair.lower.left.counters()["lost"]
            arq_device.flood(pair.left, [arq_device.packet(n, 100) for n in range(900)])
            pair.left.expect(held=0)
            told_all, lost = pair.left.counters(), pair.lower.left.counters()["lost"] - lost
            frames = told_all["data"]
            sent = frames + told_all["repeats_timer"]
            tap.equal("frames, repeats", (frames, told_all["repeats_timer"]), (900, lost))
            tap.equal("loss", told_all["loss"], lost * 10**6 // sent)
            tap.equal("attempts", told_all["mean_attempts"], sent * 1000 // frames)
            bound = SIGMAS * math.sqrt(loss * (1 - loss) / sent)
            tap.within("loss", told_all["loss"] / 10**6, loss - bound, loss + bound)
            bound = SIGMAS * math.sqrt(loss / frames) / (1 - loss)
            tap.within("attempts", told_all["mean_attempts"] / 1000, 1 / (1 - loss) - bound - 0.001,
                       1 / (1 - loss) + bound)


def quantile(loss, share):
    """The number of repeats that a packet needs with the given probability."""
    return math.ceil(math.log(1 - share) / math.log(loss)) - 1


def test_delays_with_loss():
    """A packet that needs N repeats is delayed by N timeouts. The percentiles are within four standard
    deviations of their ranks."""
    loss, count = 0.3, 400
    with lossy(loss) as pair:
        out = pair.left.port()
        begin = time.monotonic_ns()
        for number in range(count):
            wait.till(begin + number * 4900 * US)
            out.send(arq_device.packet(number, 100))
        pair.left.expect(held=0)
        found, least = told(pair.left), pair.left.counters()["least_rtt"]
        near("delay_50", found["delay_50"], least // 2)
        for name, share in (("delay_90", 0.9), ("delay_99", 0.99)):
            bound = SIGMAS * math.sqrt(share * (1 - share) / count)
            low, high = (quantile(loss, min(each, 1 - 1 / count / 4))
                         for each in (share - bound, share + bound))
            tap.within(name, found[name], (low * MS + least // 2) * 8 // 9,
                       (high * MS + least // 2) * 9 // 8)


def test_given_up():
    """The last transmission of a frame that is given up has failed, too. It says nothing about the
    attempts of acknowledged frames."""
    with arq_device.Pair(attempts=2, **SHORT) as pair:
        pair.lower.left.change(loss=10**6)
        arq_device.flood(pair.left, [arq_device.packet(number, 100) for number in range(5)])
        pair.left.expect(attempts=5, held=0, flight=0)
        found = told(pair.left)
        tap.equal("loss and attempts", (found["loss"], found["mean_attempts"]), (10**6, 0))


def test_late_packets():
    """A packet whose lifetime ends before its acknowledgment counts with its age. A packet that has not
    been sent at all counts with twice the time that it would have needed at least."""
    with arq_device.Pair(lifetime=50 * MS, **SHORT) as pair:
        one_by_one(pair, 1, size=100)
        pair.left.up(False)
        pair.left.up()
        pair.connected()
        pair.lower.left.change(loss=10**6)
        out = pair.left.port()
        out.send(arq_device.packet(1, 100))
        pair.left.expect(late=1, held=0)
        found = told(pair.left)
        for name in ("delay_50", "delay_90", "delay_99"):
            near(name, found[name], 50 * MS)
        out.send(pkt.ipv4(pkt.xlo4(60_000), pkt.body(0, 60)))
        begin = time.monotonic_ns()
        arq_device.flood(pair.left, [arq_device.packet(number, 100) for number in range(9)])
        wait.till(begin + 100 * MS)
        pair.lower.left.change(loss=0)
        pair.left.expect(late=1, expired=9, sent=2, held=0)
        found, age = told(pair.left), time.monotonic_ns() - begin
        for name in ("delay_50", "delay_90", "delay_99"):
            tap.within(name, found[name], 2 * 100 * MS * 8 // 9, 2 * age * 9 // 8)


def test_idle_time_and_new_connection():
    """The values stay the same while the link is idle or fails. A new connection sets them to 0."""
    with arq_device.Pair(**SLOW, window=50) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, SIZE) for number in range(100)])
        pair.left.expect(held=0)
        before = told(pair.left)
        time.sleep(60)
        tap.equal("after an idle time", told(pair.left), before)
        pair.lower.left.change(loss=10**6)
        pair.left.port().send(arq_device.packet(1, SIZE))
        time.sleep(60)
        after = told(pair.left)
        tap.true("the loss rises", after["loss"] > before["loss"])
        tap.equal("the rest", after | {"loss": 0}, before | {"loss": 0})
        pair.lower.left.change(loss=0)
        pair.left.up(False)
        pair.left.up()
        pair.connected()
        tap.equal("a new connection", told(pair.left), dict.fromkeys(GAUGES, 0))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
