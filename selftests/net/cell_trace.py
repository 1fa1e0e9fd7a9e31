#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that follows a trace sends each packet in the millisecond of its opportunity, as
mahimahi does. Opportunities are measured in bytes, and an unused opportunity is lost. The tests
compare the receiver's capture with a model of the link that shares no code with cellink."""
# run.sh: needs: simulated time
import errno
import itertools
import time

from lib import bench, cell, netlink, packet as pkt, tap, wait
from lib.cell import MS, S, US
from net import cell_states

EXACT = US
SETUP = 20 * US                         # duration of a request
NEVER = 1 << 31                         # ms
ABOVE = 100 * US                        # longest time to dequeue small packets from the qdisc
SIZE = 1504
# like an LTE uplink: single opportunities, a pause, many opportunities within a ms, single
# opportunities again
BURSTS = [*range(1, 17, 2), *[70] * 12, *[71] * 4, *[72] * 14, *[73] * 6, *range(75, 120),
          *[130] * 8, *range(133, 140, 2)]


def moments(lines, once, offset):
    """Yield (ns since the device follows the trace, number of opportunities). The sequence has no
    end if the trace repeats."""
    counts = [(ms, len(list(same))) for ms, same in itertools.groupby(lines)]
    for again in itertools.count():
        for ms, count in counts:
            at = again * lines[-1] * MS + ms * MS - offset
            if at > 0 or (at == 0 and not offset):
                yield at, count
        if once:
            return


def departures(packets, lines, size=SIZE, once=False, offset=0):
    """The model computes when packets leave an unlimited queue if each opportunity sends its number
    of bytes. `packets` contains (ns since the device follows the trace, bytes) for each packet."""
    waiting, times, coming, left = [], [], list(packets), 0
    for at, count in moments(lines, once, offset):
        while coming and coming[0][0] < at:
            waiting.append(coming.pop(0)[1])
        budget = count * size
        while budget and (left or waiting):
            left = left or waiting.pop(0)
            used = min(budget, left)
            budget, left = budget - used, left - used
            if not left:
                times.append(at)
        if len(times) == len(packets):
            break
    return times


def follow(pair, lines, **values):
    """Follow the trace from now on. Returns the time at which the trace begins."""
    pair.left.follow(lines, **values)
    return time.monotonic_ns()


def send(pair, packets, start=0):
    """Send packets of these sizes, each at its own time after the start."""
    port = pair.port()
    for number, (at, size) in enumerate(packets):
        wait.till(start + at)
        port.send(cell.packet(number, size))
    port.close()


def expect(sniffer, start, times, late=SETUP + EXACT):
    """Check that exactly these packets arrive, in order and at these times."""
    wait.till(start + times[-1] + 2 * MS)
    seen = cell.ours(sniffer.drain())
    tap.equal("order", [number for number, _ in seen], list(range(len(times))))
    for (number, when), ideal in zip(seen, times):
        tap.within(f"packet {number} of {len(times)}, which leaves {ideal / MS} ms after the start",
                   when - start - ideal, -SETUP - EXACT, late)


def backlog(lines, sizes, late=SETUP + EXACT, pair_values=None, **values):
    """Check that packets that wait when the trace begins leave as the model says."""
    with cell.Pair(**(pair_values or {})) as pair:
        sniffer = pair.sniffer()
        pair.left.follow([NEVER])
        send(pair, [(0, size) for size in sizes])
        start = follow(pair, lines, **values)
        packets = [(-1, size) for size in sizes]
        expect(sniffer, start, departures(
            packets, lines, values.get("opportunity", SIZE), bool(values.get("once")),
            values.get("offset", 0)), late)


def test_bursts():
    """Packets as large as an opportunity leave at one opportunity each, also after the trace
    repeats."""
    backlog(BURSTS, [SIZE] * (2 * len(BURSTS)), ABOVE)


def test_made_traces():
    """Packets of random sizes leave at the times that the model says. Traces and the sizes of
    opportunities are also random."""
    random = bench.seed()
    for _ in range(5):
        lines = sorted(random.choices(range(random.choice((30, 300, 3000))), k=200))
        lines[-1] += 1
        backlog(lines, [random.randrange(60, 1514) for _ in range(500)], ABOVE,
                opportunity=random.choice((100, SIZE, 9000)))


def test_packets_one_by_one():
    """A packet that arrives at an empty queue waits for a new opportunity. The packet cannot use
    the remaining bytes of an earlier opportunity."""
    random = bench.seed()
    lines = list(range(3, 3001, 3))
    packets = list(zip(sorted(random.sample(range(500), 300)), random.choices(range(60, 1514),
                                                                              k=300)))
    # a packet must not arrive close to an opportunity, where the order would be undefined
    packets = [(10 * MS + at * 3 * MS + random.randrange(100 * US, 1900 * US), size)
               for at, size in packets]
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, lines)
        send(pair, packets, start)
        expect(sniffer, start, departures(packets, lines), ABOVE)


def test_small_packets_share_one():
    """One opportunity sends fifteen packets of 100 bytes and a part of the sixteenth packet. Three
    kinds of qdiscs above the ring give the same result."""
    for qdisc in ("pfifo", "fq_codel", "pfifo_fast"):
        with cell.Pair() as pair:
            if qdisc == "pfifo_fast":
                pair.left.netlink.remove_root("cell0")
            elif qdisc != "pfifo":
                pair.left.netlink.qdisc("cell0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE,
                                        qdisc)
            sniffer = pair.sniffer()
            start = follow(pair, [10])
            send(pair, [(0, 100)] * 45)
            # 1504, 3008, 4512 bytes
            expect(sniffer, start, [10 * MS] * 15 + [20 * MS] * 15 + [30 * MS] * 15, ABOVE)


def test_large_packets_take_several():
    """A packet leaves at the opportunity that sends its last byte. The next packet uses the
    remaining bytes of this opportunity."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [2, 4, 6, 8, 10], opportunity=500)
        send(pair, [(0, 1250), (0, 250), (0, 501), (0, 60)])
        expect(sniffer, start, [6 * MS, 6 * MS, 10 * MS, 10 * MS], ABOVE)


def test_super_packets():
    """A GSO packet needs as many bytes of opportunities as its segments with their headers."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [5])
        port = pair.port()
        port.send_gso(pkt.tcp4(pkt.body(0, 10_000)), 1000)
        wire = 10 * (1000 + 20 + 20 + cell.HEADER)
        expect(sniffer, start, [5 * MS * -(-wire // SIZE)])


def test_segments_share_one():
    """If losses are random, the device refuses GSO packets. The stack then sends the segments one
    after the other, and they share an opportunity like packets that wait in the qdisc."""
    with cell.Pair(ring_packets=1, ber=1) as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [10], opportunity=20_000)
        port = pair.port()
        port.send(cell.packet(0, 1000))
        # this packet fills the ring, so the GSO packet waits in the qdisc and is segmented when it
        # leaves
        port.send(cell.packet(1, 1000))
        port.send_gso(pkt.tcp4(pkt.body(2, 10_000)), 1000)
        wait.till(start + 15 * MS)
        seen = sniffer.drain()
        tap.equal("packets", len(seen), 12)
        for frame in seen:
            tap.within("arrival", frame.when - start - 10 * MS, -SETUP - EXACT, ABOVE)


def test_gone_with_its_millisecond():
    """Packets that wait in the qdisc may use the remaining bytes of an opportunity, but only for
    one ms. Packets that a shaper delays cannot use these bytes."""
    with cell.Pair(ring_packets=100) as pair:
        # tbf sends a packet every 7 ms
        pair.left.ns.run("tc qdisc replace dev cell0 root tbf rate 114286bit burst 100 limit 100000")
        sniffer = pair.sniffer()
        start = follow(pair, [19])
        send(pair, [(0, 100)] * 12)
        # tbf releases packets at 0 to 14 ms, 21 to 35, 42 to 56, 63 to 70, and 77
        expect(sniffer, start, [ms * MS for ms, count in ((19, 3), (38, 3), (57, 3), (76, 2),
                                                          (95, 1)) for _ in range(count)], ABOVE)


def test_default_opportunity():
    """The default opportunity has 1504 bytes, as in mahimahi. A packet that is one byte longer
    needs a second opportunity."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [1])
        tap.equal("dump", pair.left.trace()["opportunity"], SIZE)
        send(pair, [(0, SIZE), (0, SIZE + 1), (0, SIZE - 1), (0, SIZE)])
        expect(sniffer, start, [1 * MS, 3 * MS, 3 * MS, 4 * MS], ABOVE)


def test_repeats():
    """When the trace repeats, its lines with the time 0 apply at the same time as its last line.
    When the first packet arrives, the time 0 of the first repetition has passed."""
    lines = [0, 0, 4, 7]
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, lines)
        packets = [(US, SIZE)] * 20
        send(pair, packets, start)
        expect(sniffer, start, [ms * MS for ms in
                                (4, 7, 7, 7, 11, 14, 14, 14, 18, 21, 21, 21, 25, 28, 28, 28, 32,
                                 35, 35, 35)], ABOVE)


def test_zero_is_for_what_waits():
    """Opportunities at time 0 serve packets that wait when the trace begins. If the trace starts at
    an offset, these opportunities occur only after the trace repeats."""
    backlog([0, 0, 3, 5], [SIZE] * 9, ABOVE)
    backlog([0, 0, 3, 5], [SIZE] * 9, ABOVE, offset=4 * MS)


def test_once():
    """With `once`, the device sends nothing after the last line of the trace. Waiting packets are
    not lost."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [1, 2, 2, 50], once=1)
        send(pair, [(0, SIZE)] * 10)
        expect(sniffer, start, [1 * MS, 2 * MS, 2 * MS, 50 * MS], ABOVE)
        wait.till(start + 100 * S)
        trace, position = pair.left.trace_and_position()
        tap.equal("(once, position) at the end", (trace["once"], position), (1, 50 * MS))
        counters = pair.left.counters()
        tap.equal("packets sent and held", (counters["sent"], counters["held"]), (4, 2))
        pair.left.follow([1])
        pair.left.expect(delivered=10, held=0)


def test_offset():
    """The trace begins at its offset. Each repetition begins at 0."""
    for offset in (1, 7 * MS, 8 * MS - 1, 8 * MS, 99 * MS):
        lines = [0, 3, 8, 8, 60, 100]
        backlog(lines, [SIZE] * 15, ABOVE, offset=offset)
    with cell.Pair() as pair:
        start = follow(pair, [0, 100], offset=30 * MS)
        wait.till(start + 1050 * MS)
        trace, position = pair.left.trace_and_position()
        tap.equal("dump", (trace["offset"], trace["length"]), (30 * MS, 100 * MS))
        tap.within("position", position, 80 * MS - SETUP, 80 * MS + MS)


def test_million_lines():
    """The device follows a trace of a million lines up to the end of the trace, and then repeats
    the trace."""
    lines = list(range(1, 1_000_001))
    lines[500_000:500_010] = [500_001] * 10
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, lines, offset=500_000 * MS - 500)
        tap.equal("lines", (pair.left.trace()["count"], pair.left.trace()["length"]),
                  (1_000_000, 1_000_000 * MS))
        send(pair, [(0, SIZE)] * 12)
        # the opportunity at 500000 ms occurs half a us after the start
        expect(sniffer, start, [MS] * 10 + [11 * MS, 12 * MS], ABOVE)
        start = follow(pair, lines, offset=999_998 * MS)
        send(pair, [(0, SIZE)] * 4)
        expect(sniffer, start, [1 * MS, 2 * MS, 3 * MS, 4 * MS], ABOVE)


def test_delay_and_losses_beside_it():
    """With a trace, the delay of a packet begins when the packet is sent. Losses apply, too: if the
    chance is 1, all packets are lost."""
    backlog([10, 17], [SIZE] * 20, ABOVE, {"delay": 0})
    with cell.Pair(delay=300 * MS) as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [10, 17])
        send(pair, [(0, SIZE)] * 4)
        expect(sniffer, start, [310 * MS, 317 * MS, 327 * MS, 334 * MS], ABOVE)
        pair.left.change(loss=1_000_000)
        send(pair, [(0, SIZE)] * 4)
        pair.left.expect(lost=4, held=0)


def test_outage_beside_it():
    """An opportunity during an outage is lost. The opportunity at the end of the outage is also
    lost, but the opportunity at its beginning is used. Bytes of a packet that were already sent are
    not sent again."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, list(range(10, 201, 10)), opportunity=1000)
        send(pair, [(0, 1000), (0, 1500), (0, 1500), (0, 60)], start)
        now = time.monotonic_ns()
        # one outage begins after half of the second packet and lasts from 25 ms to 71 ms, and
        # another outage lasts less than a ms
        pair.left.change(outages=[(start + 25 * MS - now, 45 * MS + MS), (start + 82 * MS - now,
                                                                        100 * US)])
        expect(sniffer, start, [10 * MS, 80 * MS, 90 * MS, 100 * MS], ABOVE)


def test_replaced_under_traffic():
    """The device follows a new trace from its beginning. The new trace sends the second half of a
    packet if the old trace has sent the first half. The remaining opportunities of the old trace
    are lost."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [10], opportunity=500)
        send(pair, [(0, 1000)] * 4)
        wait.sharp(start + 35 * MS)
        second = follow(pair, [7], opportunity=250)
        seen = [when - start for _, when in cell.arrivals(sniffer, 2)]
        tap.within("packet sent by the first trace", seen[0] - 20 * MS, -EXACT - SETUP, ABOVE)
        tap.within("packet sent by both traces",
                   seen[1] - (second - start) - 14 * MS, -EXACT - SETUP, ABOVE)
        expect_later = [when - second for _, when in cell.arrivals(sniffer, 2)]
        for when, ideal in zip(expect_later, (42 * MS, 70 * MS)):
            tap.within("packet sent by the second trace", when - ideal, -EXACT - SETUP, ABOVE)


def test_removed_under_traffic():
    """When the trace is removed, all queued packets leave immediately, in order. The device then
    accepts a rate."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        start = follow(pair, [1000], opportunity=100)
        send(pair, [(0, 1000)] * 30)
        wait.sharp(start + 1500 * MS)
        traces = cell.Traces(pair.left.ns)
        traces.delete(pair.left)
        expect(sniffer, start, [1500 * MS] * 30, 10 * SETUP)
        tap.equal("dump", pair.left.trace(), None)
        pair.left.change(rate=1000)
        pair.left.change(rate=0)
        start = follow(pair, [5])
        send(pair, [(0, 100)])
        expect_one = cell.arrivals(sniffer, 1)[0][1]
        tap.within("arrival with a trace again", expect_one - start - 5 * MS, -EXACT - SETUP, ABOVE)


def test_loaded_in_an_outage():
    """An outage delays a packet before a trace is loaded. The new trace must then send all bytes of
    the packet."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        pair.left.change(outages=[(0, 100 * S)])
        send(pair, [(0, 1000)] * 2)
        pair.left.follow([10], opportunity=500)
        wait.till(time.monotonic_ns() + 100 * MS)
        tap.equal("sent packets", pair.left.counters()["sent"], 0)
        pair.left.change(outages=[])
        start = follow(pair, [10], opportunity=500)
        expect(sniffer, start, [20 * MS, 40 * MS], ABOVE)


def test_zero_in_an_outage():
    """An opportunity at time 0 during an outage is lost, even if the outage ends within the same
    ms."""
    with cell.Pair() as pair:
        sniffer = pair.sniffer()
        now = time.monotonic_ns()
        pair.left.change(outages=[(0, 100 * MS)])
        send(pair, [(0, 1000)])
        wait.sharp(now + 99 * MS + 500 * US)
        start = follow(pair, [0, 10])
        expect(sniffer, start, [10 * MS])


def turned(lines, at, once=False, offset=0):
    """Return whether the state is bad this long after the trace of turns has begun."""
    at += offset
    return sum(ms * MS <= (at if once else at % (lines[-1] * MS)) for ms in lines) % 2 == 1


def test_states_turn():
    """With a trace of turns, packets are lost exactly in the bad states, in each repetition. If
    several turns have the same ms, each of them changes the state."""
    random = bench.seed()
    for number in range(6):
        lines = sorted(random.choices(range(1, 200), k=random.choice((1, 8, 9))))
        values = {"once": number % 2, "offset": random.choice((0, 1, lines[-1] * MS // 2))}
        with cell.Pair(bad_loss=1_000_000) as pair:
            sniffer = pair.sniffer()
            start = follow(pair, lines, turns=1, **values)
            # send half a ms after each ms, when no state changes
            times = [ms * MS + 500 * US + values["offset"] // MS * MS - values["offset"]
                     for ms in range(1, 500)]
            send(pair, [(at, 100) for at in times], start)
            got = [number for number, _ in cell.ours(sniffer.drain())]
            tap.equal(f"{lines} {values}", got, [number for number, at in enumerate(times)
                                                 if not turned(lines, at, **values)])
            counters = pair.left.counters()
            tap.equal("lost", counters["lost"], len(times) - len(got))


def test_turns_go_on():
    """A trace of turns does not restart when losses or the seed change."""
    with cell.Pair() as pair:
        start = follow(pair, [1000, 2000], turns=1)
        for at, values in ((1500, {"bad_loss": 500_000}), (1700, {"seed": 2})):
            wait.till(start + at * MS)
            pair.left.change(**values)
            now = time.monotonic_ns() - start
            tap.within("position", pair.left.trace_and_position(cell.TURNS)[1], now,
                       now + SETUP + EXACT)
            tap.equal("state", pair.left.counters()["state"], cell.BAD)
        wait.till(start + 2500 * MS)
        tap.equal("state", pair.left.counters()["state"], cell.GOOD)


def test_turns_are_exact():
    """Each state begins exactly at the ms in the trace. The tracepoint does not report states of
    length 0."""
    lines = [3, 10, 10, 17, 20, 31]
    with cell_states.traced("state") as trace, cell.Pair() as pair:
        start = follow(pair, lines, turns=1)
        found = cell_states.moments(trace, 40)
        ideal = [(state, again * 31 * MS + ms * MS) for again in range(10)
                 for ms, state in ((3, "bad"), (17, "good"), (20, "bad"), (31, "good"))]
        tap.equal("states", [state for state, _ in found], [state for state, _ in ideal])
        for (_, at), (_, want) in zip(found, ideal):
            tap.within("turn", at - start - want, -SETUP, SETUP)
        # the state is good from 0 to 3 and from 17 to 20, of 31 ms
        counters = pair.left.counters()
        share = counters["bad_ns"] / (counters["good_ns"] + counters["bad_ns"])
        tap.within("share of bad", share, 0.7, 0.9)
        tap.equal("dump", pair.left.trace(cell.TURNS), {"count": 6, "once": 0, "offset": 0,
                                                        "length": 31 * MS})
        cell.Traces(pair.left.ns).delete(pair.left, turns=1)
        tap.equal("(trace, state) after the deletion",
                  (pair.left.trace(cell.TURNS), pair.left.counters()["state"]), (None, 0))


def test_turns_beside_opportunities():
    """A direction may have a trace of turns and a trace of opportunities. Each trace can be
    replaced and removed without the other."""
    with cell.Pair(bad_loss=1_000_000) as pair:
        sniffer = pair.sniffer()
        pair.left.follow([5, 100], turns=1)
        start = follow(pair, [1])
        send(pair, [(0, SIZE)] * 8)
        expect(sniffer, start, [1 * MS, 2 * MS, 3 * MS, 4 * MS], ABOVE)
        pair.left.expect(lost=4)
        traces = cell.Traces(pair.left.ns)
        traces.delete(pair.left)
        tap.equal("lines of the trace of turns", pair.left.trace(cell.TURNS)["count"], 2)
        pair.left.follow([1])
        traces.delete(pair.left, turns=1)
        tap.equal("lines of the trace of opportunities", pair.left.trace()["count"], 1)


def test_up_begins_anew():
    """When the device goes up, the trace begins at its offset again."""
    with cell.Pair() as pair:
        pair.left.follow([100], offset=10 * MS)
        wait.till(time.monotonic_ns() + 55 * MS)
        pair.left.up(False)
        tap.equal("position while down", pair.left.trace_and_position()[1], 10 * MS)
        wait.till(time.monotonic_ns() + 33 * MS)
        pair.left.up()
        start = time.monotonic_ns()
        pair.up()
        sniffer = pair.sniffer()
        send(pair, [(0, 100)])
        when = cell.arrivals(sniffer, 1)[0][1]
        tap.within("arrival", when - start - 90 * MS, -EXACT - SETUP, SETUP)


def test_forgotten_after_a_while():
    """If an upload receives no further request, it ends after a fixed time and not earlier. The
    next upload can then begin."""
    with cell.Pair() as pair:
        idle = [cell.Traces(pair.left.ns) for _ in range(8)]
        for traces in idle:
            traces.do("trace_start", count=2)
            traces.do("trace_add", times=[5])
        start = time.monotonic_ns()
        another = cell.Traces(pair.left.ns)
        wait.till(start + 29 * S)
        idle[0].do("trace_start", count=2)
        idle[1].do("trace_add", times=[6])
        for at in (29 * S, 30 * S - 100 * MS):
            wait.till(start + at)
            tap.equal("error of one upload too many", refusal(another.upload, [5]), errno.EBUSY)
        wait.till(start + 31 * S)
        for traces in idle[2:]:
            tap.equal("error of a forgotten upload",
                      refusal(traces.commit, pair.left), errno.ENOENT)
        another.upload([5])
        idle[1].commit(pair.left)
        tap.equal("lines of the upload that was continued", pair.left.trace()["count"], 2)
        wait.till(start + 60 * S)
        tap.equal("error of a forgotten upload",
                  refusal(idle[0].do, "trace_add", times=[5]), errno.ENOENT)
        another.commit(pair.left)


def refusal(function, *arguments, **values):
    """The errno of a refused request, or None if the request is accepted."""
    try:
        function(*arguments, **values)
    except netlink.Refused as refused:
        return refused.code
    return None


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
