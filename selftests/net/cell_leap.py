#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The clock may leap forward, for instance after a suspended machine wakes up. The channel then
catches up in small steps, and therefore never holds its lock for long. Packets leave at the same
times as with timers that are never late."""
# run.sh: needs: simulated time
import contextlib
import time

from lib import cell, kmod, netns, tap, wait
from lib.cell import MS, S
from net import cell_outage, cell_states

ROUNDS, WARM = 12, 8                    # lab/bench/module sends WARM packets first
GAP = S
NOTHING = {"dev": "lo", "what": "nothing"}
STATES = (ROUNDS + WARM) * GAP // MS
PORTION = 256                           # events at a time
OPPORTUNITY = 10 * MS
BURST = 5000                            # packets; an input queue holds 1000


@contextlib.contextmanager
def leapt(**parameters):
    """Let time pass while softirqs are off, so that no timer of a channel fires. The body of the
    `with` statement runs immediately afterwards."""
    kmod.insmod("bench", gap=GAP, packets=ROUNDS, **parameters)
    yield
    tap.equal("rmmod", kmod.rmmod("bench"), 0)


def times(lines, event):
    """The times of the events with this name in the trace."""
    return [int(dict(word.split("=") for word in line.split(f" cell_{event}: ")[1].split())["at"])
            for line in lines if f" cell_{event}: " in line]


def portions(lines):
    """The number of states that began during each call of the channel's timer."""
    found = [0]
    for line in lines:
        if "cell_timer_fire" in line:
            found.append(0)
        found[-1] += " cell_state: " in line
    return found


def test_in_portions():
    """Each time the timer fires, the channel catches up by one portion at most. Each state begins
    at its own time."""
    with cell_states.traced("state") as trace:
        trace.clock("mono", 16384)
        trace.also("timer/hrtimer_expire_entry")
        with cell.Pair(good=MS, bad=MS, sojourn=cell.CONSTANT) as pair:
            with leapt(**NOTHING):
                pass
            wait.until("the channel has caught up", lambda: sum(portions(trace.lines())) >= STATES)
            lines = trace.lines()
            found = times(lines, "state")
            tap.equal("time from one state to the next",
                      {b - a for a, b in zip(found, found[1:])}, {MS})
            tap.within("states in one portion", max(portions(lines)), PORTION // 2, PORTION)
            counters = pair.left.counters()
            tap.true("time in states", counters["good_ns"] + counters["bad_ns"] >= STATES * MS)


def test_packets_wait():
    """If a packet arrives before the channel has caught up, the packet waits. The channel then
    sends the packet at the normal rate."""
    with cell.Pair(rate=cell_outage.RATE) as pair:
        # the module sends in the first namespace
        pair.left.move(netns.First())
        pair.up()
        sniffer = pair.sniffer()
        start = cell_outage.begin(pair, outage=MS, outage_every=2 * MS)
        with leapt(dev="cell0", what="device"):
            sent = time.monotonic_ns()
            cell_outage.send(pair, 5)
        tap.true("the clock has leapt", sent - start >= (ROUNDS + WARM) * GAP)
        outages = [(start + k * 2 * MS, MS) for k in range(STATES)]
        outages = [(at, ns) for at, ns in outages if at + ns > sent]
        cell_outage.expect(sniffer, cell_outage.sent_at(sent, 5, outages), MS)
        pair.left.expect(packets_in=5)


def test_burst_is_received():
    """More packets arrive at the same time than an input queue can contain. The host receives all
    packets in order."""
    with cell.Pair(ring_packets=65536) as pair:
        sniffer = pair.sniffer()
        pair.left.change(outages=[(0, 5 * S)])
        pair.flood([cell.packet(number, 100) for number in range(BURST)])
        tap.equal("held", pair.left.counters()["held"], BURST)
        pair.left.expect(delivered=BURST)
        tap.equal("received", [number for number, _ in cell.arrivals(sniffer, BURST)],
                  list(range(BURST)))


def test_lost_at_once():
    """One change of the configuration loses many packets at the same time. The trace shows the same
    time for all lost packets."""
    with cell_states.traced("drop") as trace:
        trace.clock("mono", 4096)
        with cell.Pair(delay=S) as pair:
            pair.flood([cell.packet(number, 100) for number in range(BURST)])
            pair.left.expect(sent=BURST, held=BURST)
            pair.left.change(handover=cell.LOSE)
            pair.left.expect(handover=BURST, held=0)
            lost = times(trace.lines(), "drop")
            tap.equal("number of drops, number of different times",
                      (len(lost), len(set(lost))), (BURST, 1))


def test_comes_by_itself():
    """A packet leaves at the next opportunity, even if the channel noticed the previous opportunity
    late. It does not matter whether the kernel reports unused opportunities."""
    for watched in (False, True):
        with cell_states.traced("departure") as trace, cell.Pair() as pair:
            trace.clock("mono", 4096)
            if watched:
                trace.also("cellink/cell_opportunity")
            pair.left.move(netns.First())
            pair.up()
            pair.left.follow([OPPORTUNITY // MS])
            # each packet arrives a little later in the period of the opportunities than the packet
            # before it; the gap is one period longer if somebody watches
            gap = (1 + watched) * OPPORTUNITY + OPPORTUNITY // 80
            kmod.insmod("bench", dev="cell0", what="device", gap=gap, packets=100 - WARM)
            tap.equal("rmmod", kmod.rmmod("bench"), 0)
            pair.left.expect(sent=100)
            found = times(trace.lines(), "departure")
            tap.equal("departures", len(found), 100)
            tap.equal("different times within 10 ms", len({at % OPPORTUNITY for at in found}), 1)


def test_read_meanwhile():
    """The counters of durations may be read before the channel has caught up. The counters do not
    decrease later."""
    with cell.Pair(good=MS, bad=MS, sojourn=cell.CONSTANT, outage=MS, outage_every=2 * MS) as pair:
        with leapt(**NOTHING):
            before = pair.left.counters()
        # the change waits until the channel has caught up
        pair.left.change(delay=MS)
        after = pair.left.counters()
        tap.within("time in states",
                   after["good_ns"] + after["bad_ns"], STATES * MS, 2 * STATES * MS)
        for name in ("good_ns", "bad_ns", "outage_ns"):
            tap.true(f"{name}: {before[name]}, then {after[name]}", before[name] <= after[name])


def test_changed_meanwhile():
    """A change takes effect after the channel has caught up. States are counted until the time of
    the change."""
    with cell.Pair(good=MS, bad=MS, sojourn=cell.CONSTANT) as pair:
        with leapt(**NOTHING):
            pair.left.change(good=0, bad=0)
        counters = pair.left.counters()
        tap.within("time in bad state / time in good state",
                   counters["bad_ns"] / counters["good_ns"], 0.999, 1.001)


def test_another_trace_meanwhile():
    """A new trace of state changes also takes effect after the channel has caught up."""
    with cell.Pair() as pair:
        pair.left.follow([1, 2], turns=1)
        with leapt(**NOTHING):
            pair.left.follow([1000, 2000], turns=1)
        counters = pair.left.counters()
        tap.within("time in bad state / time in good state",
                   counters["bad_ns"] / counters["good_ns"], 0.999, 1.001)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
