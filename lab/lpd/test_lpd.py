#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/lpd compute correct results. The tests cover the length of a frame on the wire, the
difference between two downloads, and the share of duplicates."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lpd import fetch, figure6, traces
from lib import tap
from lib.cell import S


def test_frames_on_the_wire():
    """Each fragment of a frame has headers. A frame that fits into one packet has headers only once."""
    for size, family, has_option, fragments, headers in (
            (1500, 4, True, 1, 14), (1501, 4, True, 2, 28 + 2 * 14), (6285, 4, False, 5, 80 + 70),
            (6285, 6, True, 5, 5 * 8 + 4 * 56 + 70)):
        tap.equal(f"{size} bytes of IPv{family} in {fragments}",
                  traces.wire_bytes(size, family, has_option), size + headers)


def test_longer():
    """longer() computes the differences between downloads from pairs with the same seed. In this test the
    differences are 10 % and 30 %."""
    import pandas
    tail = pandas.DataFrame({"buffer": 5, "seed": [1, 2], "seconds": [110.0, 260.0]})
    lpd = pandas.DataFrame({"buffer": 5, "seed": [2, 1], "seconds": [200.0, 100.0]})
    [row] = fetch.longer(tail, lpd, ["buffer"]).to_dict("records")
    tap.equal("mean, %", round(row["mean"], 6), 20)
    tap.equal("half of the interval: t(0.975, 1) * 10", round(row["half"], 2), 127.06)


def test_copies():
    """copies() computes the share of duplicates for each buffer from all segments of all seeds, so a seed
    with more segments has more weight."""
    import pandas
    rows = pandas.DataFrame({"buffer": [5, 5, 9], "again": [10, 0, 1], "arrived": [100, 300, 4]})
    tap.equal("%", fetch.copies(rows, "buffer").to_dict(), {5: 2.5, 9: 25.0})


def test_rate_is_back():
    """The rate is back at the packet from which eight packets follow as fast as the program makes them. A single
    pair of packets that follow each other does not count."""
    times = [0, 1, 10, 11, 15, 19, *range(20, 30)]
    tap.equal("back", figure6.back(times, 5, 1), 19)
    tap.equal("after a later end", figure6.back(times, 21, 1), 21)


def test_mean_rate():
    """The mean of a rate counts each rate for the time until the next one, and 0 before the first."""
    rates = [(2 * S, 10), (6 * S, 40), (12 * S, 99)]
    tap.equal("first change to 20 or more, and the next", figure6.first_two(rates, 20), (6 * S, 12 * S))
    tap.equal("mean", figure6.mean(rates, 0, 10 * S), (4 * 10 + 4 * 40) / 10)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
