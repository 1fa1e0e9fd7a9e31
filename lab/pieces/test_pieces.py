#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the pieces compute is right: the best that any queue could do, what a log was worth, what a
TCP connection did, and what is said of a trace that is none."""
import itertools
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pieces
from pieces import best, contest, freshness, queues, segments, spikes, stream, trace
from lib import tap
from lib.cell import MS, S
from lpd import traces
from pieces.claim import Claim
from pieces.segments import Segment
from pieces.spikes import Spike


def by_trial(packets, met, service, buffer):
    """best.in_time(), by trying which packets to take."""
    working = best.WorkingTime(met)
    times = [(working(came), working(expires)) for came, expires in packets]
    return max(len(chosen) for number in range(len(times) + 1)
               for chosen in itertools.combinations(times, number)
               if fits(chosen, service, buffer))


def fits(chosen, service, buffer):
    """Are these sent in time, one after the other, without more than so many waiting?"""
    begins, free = [], 0
    for number, (came, expires) in enumerate(chosen):
        waiting = sum(begin > came for begin in begins[:number])
        free = max(free, came)
        begins.append(free)
        free += service
        if free > expires or waiting + (begins[-1] > came) > (buffer or 99):
            return False
    return True


def test_best_against_all_choices():
    """Small cases at random, with and without a buffer's limit, and spikes among them."""
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
    """The same for the same seed, of other lengths and phases for another, 30 s apart."""
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
    """At its deadline a packet is valid, a ns later stale."""
    arrivals = log((0, 0.3), (1, 4), (2, 5.000000001), (4, 9))
    tap.equal("3 s", freshness.judge(arrivals, 3 * S),
              {"arrived": 4, "valid": 2, "stale": 2, "held": 0, "late_ms": 2000.0})
    tap.equal("one was held", freshness.judge(arrivals, 3 * S, {arrivals[3]}),
              {"arrived": 4, "valid": 2, "stale": 2, "held": 1, "late_ms": 1 / MS})


def test_delays():
    arrivals = log((0, 0.5), (1, 1.25), (2, 3), (3, 5))
    tap.equal("quartiles", freshness.delays(arrivals, [0, 0.25, 0.5, 0.75, 1]), [.25, .5, 1, 2, 2])


def test_held_by_link():
    """The first after a spike, what was under way apart; none if it came after the end."""
    arrivals = log((1, 1.4), (2, 2.4), (2.1, 12.5), (3, 12.6), (21, 21.5))
    met = [Spike(round(2.2 * S), 10 * S), Spike(20 * S, S // 2)]
    tap.equal("held", freshness.held_by_link(arrivals, met, 3 * S // 10), {arrivals[3]})


def test_log_is_read(rows="0,1,9,,0\n1,2,8,,0\n1,2,8,,0\n2,3,7,,1\n"):
    """In the order of arrival, without duplicates and headers."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("sequence,sent_ns,received_ns,remaining_ms,headers\n" + rows)
        file.flush()
        tap.equal("log", stream.read_log(file.name), [(1, 2, 8), (0, 1, 9)])


def sent(when, copy, sequence):
    return Segment(when * MS, True, copy, sequence, 100)


def came(when, copy, sequence):
    return Segment(when * MS, False, copy, sequence, 100)


def acknowledged(when):
    return Segment(when * MS, False, 0, 0, 0)


def test_segments():
    """A timer's retransmission, one that an acknowledgement causes, and which copies came."""
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


def test_queues():
    """Each line has its place, and a rate that there is none of."""
    tap.equal("RED+LPD", [line.split(" lpd")[0].split(" red")[0]
                          for line in queues.lines("RED+LPD", 20, 514, 30840, 300)],
              ["qdisc add dev cell root handle 1:", "qdisc add dev cell parent 1:1 handle 2:"])
    tap.equal("no rate", queues.lines("LPD", 5, 514, 0, 20),
              ["qdisc add dev cell root handle 1: lpd limit 5 rate unlimited delay 20ms"])
    tap.equal("blind", [q for q in queues.QUEUES if not queues.looks_at_lifetimes(q)],
              ["drop-tail", "RED", "CoDel", "fq_codel", "CAKE", "age limit"])


def refused(text):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        try:
            trace.of_user(file.name)
        except ValueError as error:
            return str(error).removeprefix(file.name)
        return None


def test_traces():
    tap.equal("whole", refused("0\n5\n5\n"), None)
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
        tap.equal("nothing", refused(empty), ": expected lines, of which the last is more than 0")


def test_frames_on_the_wire():
    """A frame in fragments has the headers of each; what is no larger than a packet has one."""
    for size, family, has_option, fragments, headers in (
            (1500, 4, True, 1, 14), (1501, 4, True, 2, 28 + 2 * 14), (6285, 4, False, 5, 80 + 70),
            (6285, 6, True, 5, 5 * 8 + 4 * 56 + 70)):
        tap.equal(f"{size} bytes of IPv{family} in {fragments}",
                  traces.wire_bytes(size, family, has_option), size + headers)


def test_fairness():
    """Jain's index is 1 where all have the same, and 1/n where one has all."""
    for shares, index in (([3, 3, 3], 1), ([0, 0], 1), ([0, 7], 0.5), ([0, 0, 0, 5], 0.25), ([1, 3], 0.8)):
        tap.equal(str(shares), contest.jain(shares), index)


def test_verdicts():
    tap.equal("verdicts", [Claim("", paper, "", holds).verdict for paper in ("1 %", "")
                           for holds in (True, False)],
              ["reproduced", "differs", "holds", "does not hold"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
