#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages of figure "peers" have the wanted rate, the sink notes complete messages once, and the claims
follow from the rows."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import dsr
import pandas
from dsr import comparison, messages, peers, scenes
from lib import tap
from lib.cell import MS, S


def sink():
    """A sink that reads nothing by itself."""
    made = object.__new__(messages.Sink)
    made.missing, made.delays, made.twice = {}, {}, 0
    return made


def test_sources():
    """Both kinds of messages have the wanted rate, and each 30th frame is large."""
    even = messages.even(64, 1000, 12)
    tap.equal("even", (len(even), even[1]), (96, messages.Message(125 * MS, 1000)))
    tap.equal("small", messages.even(64, 160, 1)[49], messages.Message(980 * MS, 160))
    video = messages.video(1000, 100, 1)
    tap.within("rate of the video in kbit/s", sum(each.size for each in video) * 8 / 100 / 1000, 980, 1020)
    sizes = [each.size for each in video]
    tap.true("key frames are larger", min(sizes[::30]) > 3 * max(size for number, size in enumerate(sizes)
                                                                 if number % 30))
    tap.equal("frames a second", video[30].at, S)
    tap.true("the seed decides", messages.video(1000, 1, 1) != messages.video(1000, 1, 2))


def test_pieces():
    """The pieces of a message have all its bytes, and none is larger than allowed."""
    for size, count in ((20, 1), (1400, 1), (1401, 2), (4167, 3)):
        pieces = messages.cut(7, messages.Message(0, size), 1400, 5)
        tap.equal(f"pieces of {size} bytes", len(pieces), count)
        tap.equal(f"bytes of {size}", sum(map(len, pieces)), size)
        tap.true(f"{size}: none is too large", max(map(len, pieces)) <= 1400)


def test_sink():
    """A message is complete with its last piece, whatever the order, and a piece that comes twice counts
    once."""
    received = sink()
    pieces = messages.cut(3, messages.Message(0, 3000), 1400, 10 * MS)
    for payload, now in ((pieces[2], 11), (pieces[0], 12), (pieces[0], 13)):
        received.note(payload, now * MS)
    tap.equal("not complete", (received.delays, received.twice), ({}, 1))
    received.note(pieces[1], 40 * MS)
    tap.equal("complete", received.delays, {3: 30 * MS})
    tap.equal("on time", (received.on_time(30 * MS), received.on_time(30 * MS - 1)), ([3], []))


def rows(**values):
    """Rows of four seeds of the base scene. The values are (share, airtime) by program."""
    return pandas.DataFrame([
        {"scene": "base", "program": program, "seed": seed, "share": share + seed / 10,
         "airtime": airtime + seed / 1000, "messages": 100, "arrived": 90, "on_time": 90, "longest_ms": 290}
        for program, (share, airtime) in values.items() for seed in range(4)])


def test_claims():
    """The best latency of SRT counts. A lower share, or more airtime, fails the claim."""
    for what, ours, holds in (("more on time", (95, 1.1), True), ("fewer on time", (85, 1.1), False),
                              ("more airtime", (95, 1.3), False)):
        table = rows(**{"fixed": ours, "SRT 1/2": (50, 0.5), "SRT": (90, 1.2)})
        first = comparison.claims(table)[0]
        tap.equal(what, first.holds, holds)
        tap.true(f"{what}: the best latency", holds or "SRT 90." in first.why)


def test_controls():
    """The CCIDs are judged versus each congestion control of QUIC."""
    table = rows(**{"CCID 2": (80, 1.0), "QUIC": (70, 1.0), "QUIC BBR": (95, 1.0)})
    found = {claim.text: claim.holds for claim in comparison.claims(table)}
    for control, holds in (("QUIC", True), ("QUIC with BBR", False)):
        tap.equal(control, found[f"CCID 2 or CCID 3 versus {control}: at no more airtime no lower share on "
                                 "time"], holds)


def test_scenes():
    """Each scene varies what the base has, and its name is that of its cells."""
    for name, scene in peers.SCENES.items():
        tap.true(f"{name}: known settings", set(scene) <= set(scenes.BASE))
    tap.equal("bursts lose as much", scenes.losses(scenes.BASE | {"burst": True}),
              {"bad_loss": 10**6, "bad": 100 * MS, "good": 1900 * MS})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
