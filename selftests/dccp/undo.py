#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink traffic dccp-source with CCID 3 across a delay spike of 10 s, behind a router that cuts
what is stale to its headers. With undo it sends at its former rate within two round trips of the
first feedback, as in figure 7 of Gurtov and Ludwig 2003. Without, it takes seconds."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
from dccp import traffic, way
from lib import tap

MS, S = traffic.MS, traffic.S
RTT = 2 * traffic.DELAY
SPIKE = {"outage": 10 * S, "outage_start": 5 * S, "outage_every": 100 * S}
EVERY = 8 * MS                  # of packets of 1000 bytes at 1 Mbit/s
WAITING = 16                    # packets that the adapter keeps
SOURCE = "--ccid 3 --rate 1mbit --duration 30s --lifetime 5s --via option --stale truncate"


def across(words, family=way.FAMILIES[0], **there):
    """Run a source across the spike. Returns its summary, the times at which it sent, and the time of
    the first feedback after the spike."""
    with traffic.spiky({"keep": 64}, **SPIKE | there) as w:
        sent, _, rows = traffic.run(w, words, family, root=True)
        tap.true("packets were cut", sent["fates"]["cut"] > 10)
        tap.equal("cut: Data Dropped 0", sent["fates"]["cut"], w.counters()["truncated"])
    told = sorted(int(row["told_ns"]) for row in rows)
    silence, heard = max((b - a, b) for a, b in zip(told, told[1:]))
    tap.within("silence", silence, 10 * S - 3 * RTT, 10 * S + 2 * RTT)
    return sent, [int(row["sent_ns"]) for row in rows], heard


def back(times, heard):
    """The time from the first feedback until packets leave as often as the program makes them: eight
    in a row."""
    after = [when for when in times if when >= heard]
    even = (start for at, start in enumerate(after[:-8]) if after[at + 8] - start < 8 * EVERY + MS)
    return next(even) - heard


def shortest(times, heard):
    """The shortest time for nine packets after the first feedback."""
    after = [when for when in times if when >= heard]
    return min(later - when for when, later in zip(after, after[8:]))


def count(times, start, end):
    return sum(start <= when < end for when in times)


def test_undo():
    """Nothing is reported lost, and the former rate is back within two round trips of the first
    feedback, for both families. The rate fell in the spike, and no burst follows it."""
    for family in way.FAMILIES:
        sent, times, heard = across(SOURCE, family)
        tap.equal("lost, p", (sent["fates"]["lost"], sent["loss_event_rate"]), (0, 0))
        tap.within("packets in a second before", count(times, heard - 12 * S, heard - 11 * S),
                   124, 126)
        tap.true("packets in the last 5 s of it", count(times, heard - 5 * S, heard) < 20)
        tap.within("back after, in ns", back(times, heard), 0, 2 * RTT)
        # with those that waited in the adapter, but not all at once
        tap.within("packets in the next second", count(times, heard, heard + S), 115, 126 + WAITING)
        tap.true("no burst", shortest(times, heard) > 8 * EVERY // 3)
        tap.within("packets in the 5 s after it", count(times, heard + S, heard + 6 * S), 620, 626)


def test_off():
    """As RFC 5348 has it, the rate is back only seconds later, though nothing is lost."""
    sent, times, heard = across(f"{SOURCE} --undo off")
    tap.equal("lost, p", (sent["fates"]["lost"], sent["loss_event_rate"]), (0, 0))
    tap.note(f"back after {back(times, heard) / S:.3f} s")
    tap.true("back after seconds", back(times, heard) > 2 * S)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
