#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""On a cellink device, freshlink emulate holds packets in the queue under test exactly as long as a
spike lasts. After the end of freshlink, the device has its former configuration, even if one of
freshlink's two processes is killed."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
import os
import signal
import subprocess
import time

from cli import pair, tools
from lib import cell, kmod, tap, wait

MS, S = cell.MS, cell.S
SIZE = 500          # bytes of a packet on the wire
SENDING = 4 * MS    # transmission time of the packet at 1 Mbit/s
DELAY = 20 * MS
# the configuration before the emulation, which must be restored completely
BEFORE = {"rate": 7 * 10**6, "delay": 3 * MS, "ring_packets": 1, "buffer": 10**6, "grant": 5 * MS,
          "loss": 20, "ber": 5, "good": 5 * S, "bad": 2 * S, "bad_loss": 500, "seed": 99,
          "outages": [(100 * S, S), (200 * S, 2 * S)]}


class Emulated(cell.Pair):
    """A pair whose left device becomes an emulated link."""

    def __init__(self, **there):
        super().__init__(**there)
        self.running = []

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.wait()
        super().__exit__()

    def start(self, words):
        with self.left.ns.inside():
            process = subprocess.Popen([tools.FRESHLINK, *f"emulate cell0 -j {words}".split()],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def now(self):
        """Everything that the emulation changes."""
        return self.left.config(), pair.root_qdisc(self.left.ns, "cell0")


def test_spike():
    """Of ten packets that arrive during a spike, none leaves before the end of the spike. After the
    spike the packets leave one after the other at the rate, and arrive after the delay. In
    simulated time the times are exact to the microsecond."""
    late = cell.US if wait.virtual_time() else 250 * MS
    with Emulated() as p:
        sniffer, sender = p.sniffer(), p.port()
        emulation = p.start("--replace --rate 1mbit --delay 20ms --first 500ms --period 60s "
                            "--spike 2s --child bfifo limit 100kb")
        pair.ready(emulation)
        tap.true("the spike begins", '"spike_start"' in emulation.stdout.readline())
        begun = time.monotonic_ns()
        for number in range(10):
            sender.send(cell.packet(number, SIZE))
        tap.equal("in an outage", p.left.counters()["down"], 1)
        seen = cell.arrivals(sniffer, 10)
        emulation.terminate()
        pair.events(emulation)
    tap.equal("packets", [number for number, _ in seen], list(range(10)))
    first = begun + 2 * S + SENDING + DELAY
    tap.within("the first, ns", seen[0][1], first - late, first + late)
    gaps = [b - a for (_, a), (_, b) in zip(seen, seen[1:])]
    if wait.virtual_time():
        tap.within("shortest gap, ns", min(gaps), SENDING - cell.US, SENDING + cell.US)
        tap.within("longest gap, ns", max(gaps), SENDING - cell.US, SENDING + cell.US)


def test_two_spikes_of_one_length():
    """A second spike of the same length interrupts the link as the first spike does."""
    with Emulated() as p:
        emulation = p.start("--replace --rate 1mbit --first 200ms --period 1s --spike 300ms")
        pair.ready(emulation)
        for _ in range(2):
            tap.true("a spike begins", '"spike_start"' in emulation.stdout.readline())
            tap.true("and ends", '"spike_end"' in emulation.stdout.readline())
        p.left.expect(outages=2, down=0)
        emulation.terminate()
        pair.events(emulation)


def worker_killed(process):
    pid = int(subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE,
                             check=True).stdout)
    os.kill(pid, signal.SIGKILL)


def restored(end):
    kmod.insmod("sch_lpd")
    with Emulated(**BEFORE) as p:
        before = p.now()
        emulation = p.start("--replace --rate 1mbit --delay 20ms --loss 1% --seed 5 "
                            "--first 100ms --period 60s --spike 30s --child lpd limit 50")
        pair.ready(emulation)
        tap.true("the spike begins", '"spike_start"' in emulation.stdout.readline())
        config, root = p.now()
        tap.equal("queue", root[0], "lpd")
        tap.equal("set", {name: config[name] for name, value in BEFORE.items()
                          if config[name] != value},
                  {"rate": 125000, "delay": DELAY, "loss": 10000, "seed": 5, "outages": []})
        tap.equal("outage", config["outage"], 30 * S)
        end(emulation)
        pair.settled("restored", lambda: p.now() == before)
        tap.true("event", '"restored"' in emulation.communicate(timeout=wait.patient(20))[0].splitlines()[-1])


def test_ended():
    """After SIGTERM in the middle of a spike, every attribute and the root qdisc are as before."""
    restored(lambda emulation: emulation.terminate())


def test_worker_killed():
    """The device is restored if the worker is killed."""
    restored(worker_killed)


def test_parent_killed():
    """The device is restored if the worker's parent is killed."""
    restored(lambda emulation: emulation.kill())


def test_other_modes():
    """On a cellink device, --mode tbf and --mode netem also work, and the device keeps its
    configuration."""
    for words, kind in ("--mode tbf", "tbf"), ("--mode netem", "netem"):
        with Emulated(**BEFORE) as p:
            before = p.left.config()
            emulation = p.start(f"--replace {words}")
            pair.ready(emulation)
            tap.equal(words, pair.root_qdisc(p.left.ns, "cell0")[0], kind)
            tap.equal(f"{words}: device", p.left.config(), before)
            emulation.terminate()
            pair.events(emulation)


def test_traces():
    """States that follow a trace continue during the emulation. A rate and a trace exclude each
    other. freshlink shows the kernel's refusal, and the device is unchanged."""
    with Emulated() as p:
        p.left.follow([1000, 3000], turns=1)
        turns, before = p.left.trace(cell.TURNS), p.now()
        emulation = p.start("--replace")
        pair.ready(emulation)
        tap.equal("states at work", p.left.trace(cell.TURNS), turns)
        emulation.terminate()
        pair.events(emulation)
        tap.equal("afterwards", (p.left.trace(cell.TURNS), p.now()), (turns, before))
    with Emulated() as p:
        p.left.follow([1, 2, 3])
        trace, before = p.left.trace(), p.now()
        out, err = p.start("--replace").communicate(timeout=wait.patient(20))
        tap.equal("refused", err.count("\n"), 1)
        tap.true(err, err.startswith("freshlink emulate: cell0: the kernel refused the change: "
                                     "cellink: rate"))
        tap.equal("afterwards", (p.left.trace(), p.now()), (trace, before))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
