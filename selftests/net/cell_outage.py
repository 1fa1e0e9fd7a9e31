#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""During an outage the channel sends nothing. After the outage the channel continues where it
stopped, to the microsecond. The channel restarts without a new packet and never sends faster than
the rate. Outages begin and end at the configured times."""
# run.sh: needs: simulated time
import time

from lib import cell, chance, tap, tree, wait
from lib.cell import MS, S, US
from net import cell_states

RATE = 100_000                          # bytes/s: 1000 bytes take 10 ms
SIZE = 1000
EXACT = US
SETUP = 20 * US                         # duration of a request


def send(pair, count):
    port = pair.port()
    for number in range(count):
        port.send(cell.packet(number, SIZE))
    port.close()


def begin(pair, **values):
    """Start the outages now. Returns the present time."""
    start = time.monotonic_ns()
    pair.left.change(**values)
    return start


def sent_at(start, count, outages, pace=SIZE * S // RATE):
    """The times at which `count` packets, one after the other, have been sent completely. The
    channel sends nothing during the outages."""
    now, times, coming = start, [], list(outages)
    for _ in range(count):
        left = pace
        while coming and now + left > coming[0][0]:
            left -= max(0, coming[0][0] - now)
            now = sum(coming.pop(0))
        now += left
        times.append(now)
    return times


def expect(sniffer, times, exact=EXACT):
    """Check that packets arrive at these times."""
    wait.till(times[-1] + 2 * MS)
    seen = cell.ours(sniffer.drain())
    tap.equal("order", [number for number, _ in seen], list(range(len(times))))
    for (number, when), ideal in zip(seen, times):
        tap.within(f"packet {number}", when - ideal, -exact, exact)


def test_schedule():
    """A scheduled outage delays packets by its length, even if it begins in the middle of a
    packet."""
    outages = [(13 * MS, 50 * MS), (100 * MS, 1), (105 * MS, 2 * S), (2105 * MS, 7 * MS),
               (3 * S, 10 * S)]
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outages=outages)
        send(pair, 300)
        expect(sniffer, sent_at(start, 300, [(start + at, ns) for at, ns in outages]), SETUP)
        counters = pair.left.counters()
        tap.equal("outages", counters["outages"], len(outages))
        tap.equal("time in outages", counters["outage_ns"], sum(ns for _, ns in outages))


def test_exactly_as_long():
    """An outage lengthens the gap between two packets by exactly the outage's length, to the
    resolution of the clock. Later packets keep their distances."""
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        begin(pair, outages=[(25 * MS, 10 * S)])
        send(pair, 20)
        wait.till(time.monotonic_ns() + 11 * S)
        times = [when for _, when in cell.ours(sniffer.drain())]
        gaps = [b - a for a, b in zip(times, times[1:])]
        for number, gap in enumerate(gaps):
            ideal = 10 * MS + (10 * S if number == 1 else 0)
            tap.within(f"gap {number}", gap - ideal, -EXACT, EXACT)


def test_periodic():
    """Each period has one outage. The first outage begins after outage_start."""
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outage=30 * MS, outage_start=5 * MS, outage_every=100 * MS)
        send(pair, 500)
        outages = [(start + 5 * MS + k * 100 * MS, 30 * MS) for k in range(100)]
        expect(sniffer, sent_at(start, 500, outages), SETUP)


def events(trace, pair, count):
    """The times at which the first outages begin and end, in order, from the tracepoint. The
    function lets simulated time pass."""
    def lines():
        found = [dict(word.split("=") for word in line.split(" cell_outage: ")[1].split())
                 for line in trace.lines() if " cell_outage: " in line]
        return [(e["down"] == "1", int(e["at"])) for e in found]
    wait.until("outages", lambda: len(lines()) >= 2 * count, seconds=1000, step=5)
    seen = lines()[:2 * count]
    tap.equal("begins and ends alternate", [down for down, _ in seen], [True, False] * count)
    return [at for _, at in seen]


def test_jitter():
    """Each outage starts later by a random time between 0 and the jitter, evenly distributed. The
    outage keeps its length."""
    with cell_states.traced("outage") as trace:
        trace.clock("mono", 4096)
        with cell.Pair() as pair:
            start = begin(pair, outage=9 * MS, outage_every=100 * MS, outage_jitter=80 * MS,
                          seed=1)
            at = events(trace, pair, 800)
            tap.equal("lengths", {b - a for a, b in zip(at[::2], at[1::2])}, {9 * MS})
            late = [begun - start - k * 100 * MS for k, begun in enumerate(at[::2])]
            tap.within("smallest jitter", min(late), 0, 1 * MS)
            tap.within("largest jitter", max(late), 79 * MS, 80 * MS + SETUP)
            eighths = [sum(ns // (10 * MS) == k for ns in late) for k in range(8)]
            chance.chi_square("spread", eighths, [100] * 8)


def test_exponential():
    """With the exponential law, the lengths of outages and the times between outages have
    exponential distributions. The means are as configured."""
    with cell_states.traced("outage") as trace:
        trace.clock("mono", 4096)
        with cell.Pair() as pair:
            begin(pair, outage=20 * MS, outage_every=100 * MS, outage_law=cell.EXPONENTIAL,
                  seed=1)
            at = events(trace, pair, 800)
            chance.kolmogorov_smirnov("length", [b - a for a, b in zip(at[::2], at[1::2])],
                                           20 * MS)
            chance.kolmogorov_smirnov("between", [b - a for a, b in zip(at[1::2], at[2::2])],
                                           80 * MS)


def test_same_seed_same_outages():
    """With the same seed, outages have the same lengths and the same distances. With another seed
    they have others."""
    def times(seed):
        with cell_states.traced("outage") as trace, cell.Pair() as pair:
            begin(pair, outage=20 * MS, outage_every=100 * MS, outage_law=cell.EXPONENTIAL,
                  seed=seed)
            at = events(trace, pair, 50)
            return [moment - at[0] for moment in at]
    first = times(1)
    tap.equal("times with the same seed", times(1), first)
    tap.true("another seed gives other times", times(2) != first)


def test_backlog_waits_above():
    """Packets that arrive during an outage wait in the qdisc, and leave at the rate after the
    outage."""
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outages=[(0, 5 * S)])
        wait.till(start + 1 * S)
        send(pair, 50)
        counters = pair.left.counters()
        tap.equal("(packets in the device, outage)", (counters["held"], counters["down"]), (2, 1))
        tap.equal("packets above it", tree.Tree(pair.left.netlink, "cell0").qdiscs[0].qlen, 48)
        tap.equal("sent packets", counters["sent"], 0)
        expect(sniffer, [start + 5 * S + (k + 1) * 10 * MS for k in range(50)], SETUP)


def test_under_way_arrives():
    """An outage does not affect packets that were sent before it."""
    with cell.Pair(rate=RATE, delay=100 * MS) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outages=[(55 * MS, 10 * S)])
        send(pair, 5)
        expect(sniffer, [start + (k + 1) * 10 * MS + 100 * MS for k in range(5)], SETUP)
        tap.equal("whether there is an outage", pair.left.counters()["down"], 1)


def test_unlimited_rate():
    """If the device has no rate, all waiting packets arrive when the outage ends."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outages=[(0, 300 * MS)])
        send(pair, 20)
        expect(sniffer, [start + 300 * MS] * 20, SETUP)


def test_changed_in_an_outage():
    """If the outage is removed, it ends immediately. If the rate is changed during an outage, the
    new rate applies after the outage."""
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outages=[(5 * MS, 100 * S)])
        send(pair, 3)
        wait.sharp(start + 1 * S)
        pair.left.change(rate=RATE // 2)
        wait.sharp(start + 2 * S)
        tap.equal("sent packets", pair.left.counters()["sent"], 0)
        pair.left.change(outages=[])
        # half of the first packet remains, and then two whole packets follow
        expect(sniffer, [start + 2 * S + ms * MS for ms in (10, 30, 50)], 2 * SETUP)
        tap.equal("outages", pair.left.counters()["outages"], 1)


def test_up_begins_anew():
    """The schedule begins again when the device goes up."""
    with cell.Pair(rate=RATE) as pair:
        pair.left.change(outages=[(1 * S, 1 * S)])
        wait.till(time.monotonic_ns() + 1500 * MS)
        tap.equal("whether there is an outage", pair.left.counters()["down"], 1)
        pair.left.up(False)
        tap.within("time in outages", pair.left.counters()["outage_ns"], 499 * MS, 501 * MS)
        wait.till(time.monotonic_ns() + 10 * S)
        tap.equal("whether there is an outage while down", pair.left.counters()["down"], 0)
        pair.up()
        start = time.monotonic_ns()
        wait.till(start + 900 * MS)
        tap.equal("whether there is an outage before its time", pair.left.counters()["down"], 0)
        wait.till(start + 1100 * MS)
        tap.equal("whether there is an outage at its time", pair.left.counters()["down"], 1)
        tap.equal("outages", pair.left.counters()["outages"], 2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
