#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In random trees of classful qdiscs, lpd works as well as a pfifo at the same position, while the
trees change and hostile packets arrive. If a sum of packets or bytes is right with pfifo, the sum
is right with lpd. If a tree drains completely with pfifo, it drains with lpd. The kernel refuses
the same requests with lpd as with pfifo.

From a seed the test makes a tree and a plan (lib/plan.py). The class World (lib/world.py) carries
out the plan once with lpd and once with pfifo. FL_TREE=seed runs only the tree of this seed.
FL_SEED=N repeats the run with the seed N."""
# run.sh: all on smp-debug: everything
# run.sh: soak on lab-debug, 36000 s: everything
# run.sh: soak on smp-debug, 14400 s: everything
import itertools
import os

from lib import bench, hostile, plan, soak, tap, wait, world

TREES = soak.amount(100, 15_000)
TREES_OF_QUEUES = soak.amount(40, 4000)
RACES = soak.amount(2, 1000)
BATCH = 100             # trees that use the same packets
SHOTS = 500             # packets of each family.
# Counters of lpd that must rise during the test.
REACHED = ("stale_enqueue", "stale_dequeue", "stale_purge", "stale_timer", "overflow_limit",
           "truncated", "stripped", "rewritten", "class_drops", "reset")
REACHED_IN_QUEUES = ("stale_enqueue", "overflow_limit", "truncated", "rewritten")


class Shots:
    """Hostile IPv4 and IPv6 packets alternately. Each tree starts with a different packet."""

    def __init__(self, seed):
        both = [hostile.frames(family, seed, SHOTS) for family in (4, 6)]
        self.seed, self.all = seed, [frame for pair in zip(*both) for frame in pair]

    def of(self, number):
        start = number * len(self.all) // BATCH
        return itertools.cycle(self.all[start:] + self.all[:start])


def seeds(count):
    """Return (seed of the packets, number) for each tree."""
    hostile.need()
    only, some = os.environ.get("FL_TREE"), bench.seed()
    if only:
        return [divmod(int(only), BATCH)]
    batches = [some.randrange(2**32) for _ in range(-(-count // BATCH))]
    return [(seed, number) for seed in batches for number in range(BATCH)][:count]


def judge(name, steps, answers, wrong):
    """Compare the errors and the answers to each step with lpd to those with pfifo."""
    for number, (one, other) in enumerate(zip(*answers)):
        tap.equal(f"{name}: answer to step {number}, {steps[number]}", one, other)
    worse = {what: detail for what, detail in wrong[0].items() if what not in wrong[1]}
    if worse:
        tap.note("\n".join(f"{number}: {step}" for number, step in enumerate(steps)))
        tap.equal(f"{name}: wrong with lpd alone", worse, {})


def each(done, queues=False):
    """Yields (name, plan, packets) for each tree."""
    shots = None
    for seed, number in done:
        if not shots or shots.seed != seed:
            shots = Shots(seed)
        name = f"FL_TREE={seed * BATCH + number}"
        yield name, plan.Plan(name, queues).steps, lambda: shots.of(number)


def tell(done, w):
    tap.note(f"{len(done)} trees, {w.sent} packets")
    tap.note(", ".join(f"{name} {value}" for name, value in w.counters.items() if value))


def as_with_pfifo(make, count, reached, queues=False):
    """Carry out each plan with lpd and with pfifo, and compare what the kernel reports after each
    step. No packet is sent while the tree changes."""
    done = seeds(count)
    with make("lpd") as lpd, make("pfifo") as pfifo:
        for name, steps, shots in each(done, queues):
            answers = [w.carry_out(steps, shots()) for w in (lpd, pfifo)]
            judge(name, steps, answers, [lpd.wrong, pfifo.wrong])
            for what, detail in pfifo.wrong.items():
                tap.note(f"{name}: wrong with pfifo: {what}: {detail}")
    tell(done, lpd)
    if len(done) > 1:
        tap.equal("counters that have not risen",
                  [name for name in reached if not lpd.counters[name]], [])


def test_as_with_pfifo():
    """On a device with one transmit queue, each tree works with lpd as well as with pfifo."""
    as_with_pfifo(world.World, TREES, REACHED)


def test_as_with_pfifo_in_each_queue():
    """On a device with several transmit queues, each tree works with lpd as well as with pfifo."""
    as_with_pfifo(world.Queues, TREES_OF_QUEUES, REACHED_IN_QUEUES, queues=True)


def races():
    """Packets arrive on both CPUs and leave while the tree changes. The order of events differs
    between runs, so a plan runs with pfifo only after an error with lpd."""
    done = seeds(RACES)
    with world.Race("lpd") as lpd, world.Race("pfifo") as pfifo:
        for name, steps, shots in each(done):
            lpd.carry_out(steps, shots())
            if lpd.wrong:
                pfifo.carry_out(steps, shots())
                judge(name, steps, [], [lpd.wrong, pfifo.wrong])
    tell(done, lpd)


if __name__ == "__main__":
    # In real time only the races run, because some trees send at only 2 Mbit/s and need too much
    # time.
    tap.run(tap.collect(globals()) if wait.virtual_time() else [("races", races)])
