#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink's traffic source sends on schedule: at a constant rate, or in bursts, which a seed
repeats. If a queue of the source's host is full, the source sends later."""
# run.sh: once: what a command prints does not depend on the kernel
import csv
import math
import signal
import statistics
import tempfile
import time

from cli import pair
from lib import chance, hosts, tap, tc, wait

HOST = hosts.ADDRESSES["right"][0]
MS, NS = 10**6, 10**9


def test_constant_rate():
    """The source sends 500-byte packets at 1 Mbit/s every 4 ms. Delays do not accumulate: the most
    punctual of the last 50 packets is as punctual as the most punctual of the first 50."""
    frames = pair.sniffed("--rate 1mbit --count 250", HOST)
    tap.equal("sequence", [pair.header(frame.packet)[2] for frame in frames], list(range(250)))
    late = [pair.header(frame.packet)[3] - i * 4_000_000 for i, frame in enumerate(frames)]
    tap.within("lateness gained in 800 ms, ns", min(late[200:]) - min(late[:50]),
               -NS // 100, NS // 100)


def test_bursts():
    """With constant bursts and silences of 100 ms, and packets of 40 ms, a silence follows every
    third packet, because three packets fit into a burst."""
    frames = pair.sniffed("--rate 100kbit --on 100ms --off 100ms --law constant --duration 1s",
                          HOST)
    tap.equal("packets in five bursts", len(frames), 15)
    sent = [pair.header(frame.packet)[3] for frame in frames]
    gaps = [later - sooner for sooner, later in zip(sent, sent[1:])]
    longest = sorted(range(14), key=lambda i: gaps[i])[-4:]
    tap.equal("the four silences come after every third packet", sorted(longest), [2, 5, 8, 11])


def test_exponential_law():
    """Bursts and silences have exponential lengths. In 20 s there are about 200 of each. The means
    of bursts and silences are the requested 20 and 80 ms within 20 %, and the deviations are equal
    to the means within 20 %. In real time a late packet looks like a silence, so only the number of
    packets is checked."""
    seconds = 20 if wait.virtual_time() else 5
    frames = pair.sniffed("--rate 1mbit --size 125 --on 20ms --off 80ms --seed 7 "
                          f"--duration {seconds}s", HOST)
    tap.within("packets, one each ms of a burst", len(frames), 160 * seconds, 240 * seconds)
    if not wait.virtual_time():
        return
    sent = [pair.header(frame.packet)[3] / MS for frame in frames]
    last = [i for i in range(len(sent) - 1) if sent[i + 1] - sent[i] > 1.5]
    # on average, a burst ends half a millisecond after its last packet
    silences = [sent[i + 1] - sent[i] - 0.5 for i in last]
    bursts = [here - before - 0.5 for before, here in zip(last, last[1:])]
    for what, lengths, mean in (("bursts", bursts, 20), ("silences", silences, 80)):
        tap.within(what, len(lengths), 160, 240)
        tap.within(f"mean of {what}, ms", statistics.mean(lengths), mean * 0.8, mean * 1.2)
        tap.within(f"deviation of {what} by mean", statistics.stdev(lengths) /
                   statistics.mean(lengths), 0.8, 1.2)


def test_speaker():
    """The example of a speaker in the man page, but ten times as fast, sends IP packets of 250 bytes
    at 560 kbit/s while the speaker talks. In 150 s there are about 640 talkspurts. Their mean is
    100 ms, and the mean silence is 135 ms. A talkspurt has at least one packet, so the number of
    packets has a geometric distribution. In real time the test checks only the packets."""
    seconds = 150 if wait.virtual_time() else 5
    frames = pair.sniffed("--rate 560kbit --size 250 --on 100ms --off 135ms "
                          f"--duration {seconds}s", HOST)
    tap.equal("sizes", {len(frame.packet) for frame in frames}, {250})
    sent = [pair.header(frame.packet)[3] / MS for frame in frames]
    gaps = [later - sooner for sooner, later in zip(sent, sent[1:])]
    interval = 250 * 8 / 560
    tap.within("median gap, ms", statistics.median(gaps), interval - 0.1, interval + 0.1)
    if not wait.virtual_time():
        return
    last = [i for i, gap in enumerate(gaps) if abs(gap - interval) > 0.01]
    mean = 1 / (1 - math.exp(-interval / 100))
    chance.has_mean("packets of a talkspurt", [here - before for before, here in
                                               zip(last, last[1:])], mean, mean)
    # on average, a talkspurt ends half an interval after its last packet
    chance.has_mean("silences, ms", [gaps[i] - interval / 2 for i in last], 135, 135)


def burst_times(seed):
    """The times at which a source with bursts sent its packets, in ms after the first packet."""
    frames = pair.sniffed("--rate 100kbit --size 125 --on 100ms --off 600ms --duration 3s "
                          f"--seed {seed}", HOST)
    sent = [pair.header(frame.packet)[3] for frame in frames]
    return [(t - sent[0]) / MS for t in sent]


def test_seed_repeats_bursts():
    """The same seed sends the same packets at the same times, and another seed sends at other
    times."""
    first, again, other = burst_times(7), burst_times(7), burst_times(8)
    apart = 250 if not wait.virtual_time() else 0.1
    tap.equal("packets", len(again), len(first))
    tap.within("same seed: greatest difference, ms",
               max(abs(a - b) for a, b in zip(first, again)), 0, apart)
    tap.true("another seed", len(other) != len(first) or
             max(abs(a - b) for a, b in zip(first, other)) > 2 * apart)


def standstill(p, seconds):
    """Start a spike, which holds all packets, on a link of 10 Mbit/s."""
    emulation = p.start(p.left, "emulate v0 -j --rate 10mbit --first 50ms --period 60s "
                        f"--spike {seconds}s --child pfifo limit 1000")
    pair.ready(emulation)
    tap.true("the spike has begun", "spike_start" in emulation.stdout.readline())


def test_source_waits_for_room():
    """If a queue of the source's host sends nothing, the source sleeps, and then sends everything
    without loss or error. The sleep is longer than the interval in which the source checks for
    signals."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 500 --duration 60s --log {log.name}")
        standstill(p, 5)
        summary = p.source(f"{HOST} --rate 10mbit --size 1400 --count 500")
        tap.equal("sent", (summary["sent"], summary["errors"]), (500, 0))
        tap.equal("received", pair.result(sink)[0]["received"], 500)
        sent = [int(row["sent_ns"]) for row in csv.DictReader(log)]
    tap.true("it slept for more than two seconds",
             max(later - sooner for sooner, later in zip(sent, sent[1:])) > 2 * NS)


def test_waiting_source_hears_signals():
    """A signal ends a source that waits for space. The summary has the packets that the source
    sent, and no error."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        def arrived():
            log.seek(0)
            return log.read().count("\n") - 1

        def is_stuck():
            before = tc.show(p.left, "v0")[1]["qlen"]
            time.sleep(0.1)
            return 10 < before == tc.show(p.left, "v0")[1]["qlen"]

        sink = p.sink(f"--log {log.name}")
        standstill(p, 8)
        source = p.start(p.left, f"traffic source {HOST} --rate 10mbit --size 1400 -j")
        pair.settled("the source waits", is_stuck)
        source.send_signal(signal.SIGINT)
        summary = pair.result(source)[0]
        tap.within("packets that arrived meanwhile", arrived(), 0, 1)
        tap.within("sent", summary["sent"], 10, 990)
        tap.equal("errors", summary["errors"], 0)
        pair.settled("all have arrived", lambda: arrived() == summary["sent"])
        sink.terminate()
        tap.equal("received", pair.result(sink)[0]["received"], summary["sent"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
