#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Good and bad states last as long as configured. The lengths of states are exponentially
distributed, or constant to the nanosecond, and do not depend on the packets that are sent. The
state in which a packet is sent determines its losses."""
# run.sh: needs: simulated time
import time

from lib import cell, chance, kmod, tap, wait
from lib.cell import MS
from lib.trace import Trace


def traced(event):
    """A tracer for one of cellink's events. The events exist only while the module is loaded."""
    kmod.insmod("cellink")
    return Trace(f"cellink/cell_{event}")


def moments(trace, count):
    """The first states as (state, time at which the state begins), from the tracepoint. The
    function lets simulated time pass."""
    def events():
        found = [dict(word.split("=") for word in line.split(" cell_state: ")[1].split())
                 for line in trace.lines() if " cell_state: " in line]
        return [(e["state"], int(e["at"])) for e in found]
    wait.until("states", lambda: len(events()) >= count, seconds=1000, step=10)
    return events()[:count]


def states(trace, count):
    """The first states as (state, duration in ns), from the tracepoint."""
    seen = moments(trace, count + 1)
    tap.true("states alternate", all(a[0] != b[0] for a, b in zip(seen, seen[1:])))
    return [(a[0], b[1] - a[1]) for a, b in zip(seen, seen[1:])]


def test_exponential_sojourns():
    """The durations of good and bad states are exponentially distributed, with the configured
    means."""
    with traced("state") as trace:
        trace.clock("mono", 4096)
        with cell.Pair(good=150 * MS, bad=10 * MS, seed=1) as pair:
            found = states(trace, 2000)
            for state, mean in (("good", 150 * MS), ("bad", 10 * MS)):
                times = [ns for which, ns in found if which == state]
                chance.kolmogorov_smirnov(state, times, mean)
            counters = pair.left.counters()
            tap.within("time in all states", counters["good_ns"] + counters["bad_ns"],
                       sum(ns for _, ns in found), time.monotonic_ns())


def test_constant_sojourns():
    """Constant states last exactly as configured, to the nanosecond. The first state is good."""
    with traced("state") as trace:
        with cell.Pair(good=70 * MS, bad=30 * MS + 1, sojourn=cell.CONSTANT) as pair:
            found = states(trace, 100)
            tap.equal("times", set(found), {("good", 70 * MS), ("bad", 30 * MS + 1)})
            tap.equal("the first state that begins later is bad", found[0][0], "bad")
            counters = pair.left.counters()
            tap.within("share of bad", counters["bad_ns"] /
                       (counters["good_ns"] + counters["bad_ns"]), 0.29, 0.31)


def test_states_decide():
    """A packet is lost in the bad state and arrives in the good state."""
    with cell.Pair(good=70 * MS, bad=30 * MS, bad_loss=1_000_000,
                   sojourn=cell.CONSTANT) as pair:
        sniffer, from_left = pair.sniffer(), pair.port()
        pair.left.change(seed=1)
        start = time.monotonic_ns()
        for number in range(1000):
            wait.till(start + number * MS + MS // 2)
            tap.equal(f"state at {number}", pair.left.counters()["state"], number % 100 >= 70)
            from_left.send(cell.packet(number, 100))
        seen = [number for number, _ in cell.ours(sniffer.drain())]
        tap.equal("packets sent in good states", seen, [n for n in range(1000) if n % 100 < 70])
        tap.equal("lost", pair.left.counters()["lost"], 300)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
