#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink recv gives messages when its order says, and measures their times on its own clock. The
sender's log has the true times."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import json
import random

from dccp import way
from dccp.line import DELAY, MS, S, Line
from lib import tap

CCIDS = 2, 3
LOSS = 50_000                   # 5 %
LATENCY = 150 * MS
# the first round-trip times of a connection have waits of the handshake in them
LEARNT = 20


def pairs(rows, got):
    """The messages that were given, in this order: the sender's line, and the receiver's."""
    sent = {row["number"]: row for row in rows}
    return [(sent[row["number"]], row) for row in sorted(got, key=lambda row: row["given_ns"])]


def learnt(rows):
    """The number from which on the receiver knows the sender's clock: one before has waited
    nowhere, also not for the rate."""
    free = [row["number"] for row in rows if row["attempts"] == 1 and row["end"] == "acknowledged"
            and row["sent_ns"] - row["submitted_ns"] < MS]
    tap.true("the receiver learns the clock soon", free and free[0] < 100)
    return max(LEARNT, free[0] + 1)


def irregular(w, count=300):
    """A trace with irregular times, and the times."""
    chance = random.Random(1)
    times = [0]
    for _ in range(count - 1):
        times.append(times[-1] + chance.randrange(5000, 30000))
    return w.path("trace", "".join(f"{time / 10**6:.6f},200\n" for time in times)), times


def in_time(both):
    """No message is given after its deadline, by the sender's clock."""
    for sent, got in both:
        tap.within(f"message {sent['number']}", got["given_ns"], 0, sent["deadline_ns"] + MS)


def test_asap():
    """Messages are given when they arrive: after the delay of the way. The receiver knows this time
    within 1 ms. The interval is longer than that of the initial rate, four packets in a round trip
    (RFC 4342 section 5): a message that waits for the rate seems to have been submitted later."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            with Line() as w:
                *_, rows, got = w.exchange(f"--ccid {ccid} --via off --count 200 --interval 12ms",
                                           "", family)
                tap.equal("messages", len(got), 200)
                for sent, given in pairs(rows, got):
                    tap.within("way", given["given_ns"] - sent["sent_ns"], DELAY, DELAY + MS)
                    if sent["number"] >= LEARNT:
                        tap.within("submitted", given["submitted_ns"] - sent["submitted_ns"],
                                   -MS, MS)


def test_one_way():
    """The receiver's statistics have the one-way latency, within 1 ms."""
    with Line() as w:
        sink = w.recv("--stats 500ms")
        way.result(w.send("--via off --count 200"))
        out, _ = sink.communicate()
        told = [line["one_way"] for line in map(json.loads, out.splitlines()) if "one_way" in line]
        tap.true("statistics", len(told) > 2)
        for one_way in told[1:-1]:
            tap.within("one-way latency", one_way, (DELAY - MS) / S, (DELAY + MS) / S)


def test_schedule():
    """The sender keeps the times of a trace exactly."""
    with Line() as w:
        trace, times = irregular(w)
        *_, rows, got = w.exchange(f"--via off --input {trace}")
        start = rows[0]["submitted_ns"]
        for row, time in zip(rows, times):
            tap.within("submitted", row["submitted_ns"] - start - time * 1000, 0, 100_000)


def test_ordered():
    """Over a lossy channel, messages are given by number, and none after its deadline, once one has
    arrived that waited nowhere: the first ones may all wait for CCID 3's rate."""
    for ccid in CCIDS:
        with Line(loss=LOSS, seed=1) as w:
            sent, _, rows, got = w.exchange(f"--ccid {ccid} --via off --count 300 --lifetime 150ms",
                                            "--order ordered")
            both = pairs(rows, got)
            numbers = [row["number"] for row, _ in both]
            tap.equal("order", numbers, sorted(numbers))
            tap.true("some were repeated", sent["packets"]["repeats"] > 0)
            in_time([pair for pair in both if pair[0]["number"] >= learnt(rows)])


def test_paced():
    """Over a lossy channel, messages are given at their submission plus the latency. So they have
    the intervals of the trace, without jitter."""
    for ccid in CCIDS:
        with Line(loss=LOSS, seed=1) as w:
            trace, _ = irregular(w)
            _, told, rows, got = w.exchange(
                f"--ccid {ccid} --via off --input {trace} --lifetime {LATENCY}ns",
                f"--order paced --latency {LATENCY}ns")
            both = pairs(rows, got)
            tap.true("most arrive", len(both) > 280)
            tap.equal("given", len(both), told["on_time"])
            ages = [given["given_ns"] - sent["submitted_ns"] for sent, given in both
                    if sent["number"] >= learnt(rows)]
            tap.note(f"ages {min(ages)} to {max(ages)}")
            tap.within("least age", min(ages), LATENCY - MS, LATENCY + MS)
            tap.within("greatest age", max(ages), LATENCY - MS, LATENCY + MS)


def test_late():
    """With `drop` nothing is given after its deadline; with `deliver` it is given, and marked."""
    for late in ("drop", "deliver"):
        with Line(outage=200 * MS, outage_start=S, outage_every=S) as w:
            _, told, rows, got = w.exchange("--via off --control none --count 300 --lifetime 60ms",
                                            f"--late {late}")
            both = pairs(rows, got)
            marked = sum(row["late"] == "1" for row in got)
            tap.true("some are late", told["late"] > 3)
            tap.equal("given", len(got), told["on_time"] + (told["late"] if marked else 0))
            tap.equal("marked", marked, told["late"] if late == "deliver" else 0)
            in_time([(sent, given) for sent, given in both if given["late"] == "0"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
