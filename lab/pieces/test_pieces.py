#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/pieces compute correct results. The tests cover the best result that any queue could
reach, the valid and stale packets of a log, and the retransmissions and timeouts of a TCP connection. The
tests also cover the error messages for a bad trace."""
import itertools
import os
import random
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pieces
from pieces import best, contest, freshness, queues, segments, spikes, stream, tfrc, trace
from lib import dccp, tap
from lib.cell import MS, S
from pieces.claim import Claim
from pieces.segments import Segment
from pieces.spikes import Spike


def by_trial(packets, met, service, buffer):
    """Compute the result of best.in_time() by trying all subsets of the packets."""
    working = best.WorkingTime(met)
    times = [(working(came), working(expires)) for came, expires in packets]
    return max(len(chosen) for number in range(len(times) + 1)
               for chosen in itertools.combinations(times, number)
               if fits(chosen, service, buffer))


def fits(chosen, service, buffer):
    """Return whether all these packets can be sent in time and in order, while at most `buffer`
    packets are queued."""
    begins, free = [], 0
    for number, (came, expires) in enumerate(chosen):
        waiting = sum(begin > came for begin in begins[:number])
        free = max(free, came)
        begins.append(free)
        free += service
        if free > expires or waiting + (begins[-1] > came) > (buffer or 99):
            return False
    return True


def feedback(acknowledged, rate, interval, *more):
    """An Ack with the options of CCID 3."""
    return dccp.Packet(dccp.ACK, 1, acknowledged, options=[
        dccp.number(dccp.LOSS_EVENT_RATE, interval, 4), dccp.number(dccp.RECEIVE_RATE, rate, 4),
        *more]).encode()


def test_feedback():
    """A feedback packet gives the receive rate, the loss event rate, and a round trip without the time that the
    receiver took. Other packets give nothing."""
    taken = dccp.elapsed_time(100)          # units of 10 us
    tap.equal("report", tfrc.read(feedback(7, 3000, 50, taken), 5 * S, {7: 4 * S}),
              [(5 * S, S - MS, 3000, 0.02)])
    tap.equal("no loss yet", tfrc.read(feedback(7, 3000, 2**32 - 1), 5 * S, {7: 4 * S}),
              [(5 * S, S, 3000, 0)])
    tap.equal("of a packet without data", tfrc.read(feedback(8, 3000, 50), 5 * S, {7: 4 * S}), [])
    tap.equal("an Ack", tfrc.read(dccp.Packet(dccp.ACK, 1, 7).encode(), 5 * S, {7: 4 * S}), [])


def reports(*rows):
    return [tfrc.Report(round(when * S), round(rtt * S), 1000, losses) for when, rtt, losses in rows]


def test_allowed_rates():
    """Without losses the rate doubles once in a round trip, and is at least four packets in a round trip. With
    losses it follows the equation: 100 bytes, 1 s and 1 % give 1123 bytes/s. A sample of four times the
    round trip slows the packets down to about half."""
    steady = reports((0, 1, 0), (10, 1, 0), (10.5, 1, 0), (11, 1, 0), (12, 1, 0.01))
    tap.equal("rates", [(when / S, round(rate)) for when, rate in tfrc.allowed(steady, 5 * S, 100, 100)],
              [(10, 400), (10.5, 400), (11, 800), (12, 1123)])
    [(_, late)] = tfrc.allowed(reports((0, 1, 0), (10, 4, 0)), 5 * S, 100, 300)
    # the smoothed round trip is 1.3 s, and the mean of roots 1.1
    tap.equal("a late packet", round(late), round(600 * 1.1 / 2))


def test_best_against_all_choices():
    """best.in_time() and by_trial() have the same results for small random cases with spikes, with and
    without a limited buffer."""
    chance = random.Random(1)
    for _ in range(400):
        packets, came = [], 0
        lifetime, service = chance.randint(2, 14), chance.randint(2, 4)
        for _ in range(chance.randint(1, 8)):
            came += chance.randint(0, 4)
            packets.append((came, came + lifetime))
        first = chance.randint(0, 10)
        met = [Spike(first, chance.randint(1, 12)), Spike(first + 15, chance.randint(1, 5))]
        for buffer in (None, 1, 2):
            tap.equal(f"{packets} {met} {service} {buffer}",
                      best.in_time(packets, met, service, buffer),
                      by_trial(packets, met, service, buffer))


def test_working_time():
    working = best.WorkingTime([Spike(10, 5), Spike(20, 10)])
    tap.equal("moments", [working(t) for t in (0, 10, 12, 15, 16, 20, 29, 30, 40)],
              [0, 10, 10, 10, 11, 15, 15, 15, 25])


def test_spikes_of_a_seed():
    """The same seed gives the same spikes. With another seed the first spike begins at another
    time. The 32 spikes of a seed are 7 to 10 s long, and one begins every 30 s."""
    one, other = spikes.draw(1), spikes.draw(2)
    tap.equal("again", spikes.draw(1), one)
    tap.true("another phase", one[0].start != other[0].start)
    tap.equal("apart", {round((b.start - a.start) / S, 6) for a, b in zip(one, one[1:])}, {30.0})
    tap.true("lengths", all(7 * S <= s.length <= 10 * S for s in one + other))
    tap.equal("how many", len(one), 32)
    tap.equal("moved", spikes.moved([Spike(1, 2)], 5), [Spike(6, 2)])


def log(*rows):
    return [stream.Arrival(number, round(sent * S), round(came * S))
            for number, (sent, came) in enumerate(rows)]


def test_judged():
    """A packet is valid at its deadline, and stale one ns later."""
    arrivals = log((0, 0.3), (1, 4), (2, 5.000000001), (4, 9))
    tap.equal("3 s", freshness.judge(arrivals, 3 * S),
              {"arrived": 4, "valid": 2, "stale": 2, "held": 0, "late_ms": 2000.0})
    tap.equal("one was held", freshness.judge(arrivals, 3 * S, {arrivals[3]}),
              {"arrived": 4, "valid": 2, "stale": 2, "held": 1, "late_ms": 1 / MS})


def test_delays():
    arrivals = log((0, 0.5), (1, 1.25), (2, 3), (3, 5))
    tap.equal("quartiles", freshness.delays(arrivals, [0, 0.25, 0.5, 0.75, 1]), [.25, .5, 1, 2, 2])


def test_held_by_link():
    """The link has held the first packet that arrives after a spike. Packets in flight at the
    beginning of the spike, and packets that were sent after its end, do not count as held."""
    arrivals = log((1, 1.4), (2, 2.4), (2.1, 12.5), (3, 12.6), (21, 21.5))
    met = [Spike(round(2.2 * S), 10 * S), Spike(20 * S, S // 2)]
    tap.equal("held", freshness.held_by_link(arrivals, met, 3 * S // 10), {arrivals[3]})


def test_log_is_read(rows="0,1,9,,0\n1,2,8,,0\n1,2,8,,0\n2,3,7,,1\n"):
    """read_log() returns packets in order of arrival. read_log() leaves out duplicates and packets
    that were cut to headers."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("sequence,sent_ns,received_ns,remaining_ms,headers\n" + rows)
        file.flush()
        tap.equal("log", stream.read_log(file.name), [(1, 2, 8), (0, 1, 9)])
        tap.equal("headers", stream.read_log(file.name, headers=True), [(2, 3, 7)])


def sent(when, copy, sequence):
    return Segment(when * MS, True, copy, sequence, 100)


def came(when, copy, sequence):
    return Segment(when * MS, False, copy, sequence, 100)


def acknowledged(when):
    return Segment(when * MS, False, 0, 0, 0)


def test_segments():
    """summary() counts all retransmissions, those that the timer caused, the spurious ones among
    these, and the duplicates that arrive."""
    seen = [sent(0, 1, 0), sent(0, 2, 100), sent(0, 3, 200),
            sent(2000, 4, 0),                       # spurious: copy 1 arrives
            acknowledged(3000), sent(3000, 5, 100), # go-back-N
            sent(5000, 6, 200)]                     # not spurious: copy 3 is lost
    arrivals = [came(2500, 1, 0), came(2510, 2, 100), came(2600, 4, 0), came(3500, 5, 100),
                came(5500, 6, 200)]
    tap.equal("summary", segments.summary(seen, arrivals),
              {"sent": 6, "retransmitted": 3, "arrived": 5, "again": 2, "timeouts": 2,
               "spurious": 1})
    tap.equal("again", [s.copy for s in segments.again(arrivals)], [4, 5])


def tcp(number, flags, size=0, copy=0):
    """A packet of TCP over IPv4 between fixed ports."""
    return struct.pack("!BBHHHBBH8x", 0x45, 0, 40 + size, copy, 0, 64, 6, 0) + \
        struct.pack("!HHIIBBHHH", 4000, 5000, number, 0, 0x50, flags, 0, 0, 0)


def test_connections():
    """A connection is known by its ports and the number of its SYN. A SYN that is sent again belongs to
    the same connection. Numbers are relative to the SYN, also across 2^32."""
    seen = segments.Connections()
    for when, packet in enumerate((tcp(2**32 - 1, 2), tcp(2**32 - 1, 2), tcp(0, 16, 100, 1),
                                   tcp(1000, 2), tcp(1001, 16, 50, 2))):
        seen.add(packet, when, True)
    seen.add(tcp(7, 18), 5, False)
    seen.add(tcp(8, 16), 6, False)
    tap.equal("connections", list(seen.found.items()), [
        (((4000, 5000), 2**32 - 1), [Segment(2, True, 1, 1, 100)]),
        (((4000, 5000), 1000), [Segment(4, True, 2, 1, 50), Segment(6, False, 0, 1, 0)])])


def test_idle():
    """Idle time is the time from the previous packet to each retransmission by the timer."""
    seen = [sent(0, 1, 0), acknowledged(1000), sent(1000, 2, 100), sent(3500, 3, 100),
            sent(8500, 4, 100), acknowledged(9500), sent(9500, 5, 200), sent(9501, 6, 300)]
    tap.equal("idle", segments.idle(seen), 7500 * MS)
    tap.equal("idle without a timeout", segments.idle(seen[:3]), 0)
    tap.equal("on a wire slower than the timer", segments.idle(seen, 3 * S), 5000 * MS)


def test_queues():
    """Each line of tc names the parent of its qdisc. Without a rate, the line of lpd has "rate unlimited".
    """
    tap.equal("RED+LPD", [line.split(" lpd")[0].split(" red")[0]
                          for line in queues.lines("RED+LPD", 20, 514, 30840, 300)],
              ["qdisc add dev cell root handle 1:", "qdisc add dev cell parent 1:1 handle 2:"])
    tap.equal("no rate", queues.lines("LPD", 5, 514, 0, 20),
              ["qdisc add dev cell root handle 1: lpd limit 5 rate unlimited delay 20ms share 0"])
    tap.equal("queues that ignore lifetimes",
              [q for q in queues.QUEUES if not queues.looks_at_lifetimes(q)],
              ["drop-tail", "links", "RED", "CoDel", "fq_codel", "CAKE", "age limit"])


def refused(text):
    """Read a trace that contains `text`. Return the error message after the file's name, or None."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        try:
            trace.of_user(file.name)
        except ValueError as error:
            return str(error).removeprefix(file.name)
        return None


def test_traces():
    tap.equal("a good trace", refused("0\n5\n5\n"), None)
    tap.equal("a word", refused("1\nx\n"),
              ":2: 'x': expected a time in whole ms, from 0 to 4294967295")
    tap.equal("backwards", refused("5\n4\n"),
              ":2: 4: expected no less than the 5 of the line before")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("b.up", "a.down", "README"):
            with open(os.path.join(folder, name), "w") as file:
                file.write("1\n")
        tap.equal("a folder's", trace.of_user(os.path.relpath(folder, pieces.TREE)),
                  [os.path.join(pieces.TREE, os.path.relpath(folder, pieces.TREE), name)
                   for name in ("a.down", "b.up")])
    for empty in ("", "0\n"):
        tap.equal("nothing", refused(empty), ": expected at least one line, and a last line above 0")


def test_fairness():
    """Jain's index is 1 if all shares are equal, and 1/n if one flow has the whole throughput."""
    for shares, index in (([3, 3, 3], 1), ([0, 0], 1), ([0, 7], 0.5), ([0, 0, 0, 5], 0.25), ([1, 3], 0.8)):
        tap.equal(str(shares), contest.jain(shares), index)


def test_verdicts():
    tap.equal("verdicts", [Claim("", paper, "", holds).verdict for paper in ("1 %", "")
                           for holds in (True, False)],
              ["reproduced", "differs", "holds", "does not hold"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
