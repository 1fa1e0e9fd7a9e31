#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/lpd compute correct results. The tests cover the length of a frame on the wire, the
difference between two downloads, the share of duplicates, and the rates and the times of figures 6 and 11."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lpd import fetch, figure6, figure11, traces
from lib import tap
from lib.cell import S
from pieces.segments import Segment
from pieces.stream import Arrival


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
    """The rate is back at the packet from which eight packets follow as fast as the program makes them. A
    single pair of packets that follow each other does not count."""
    times = [0, 1, 10, 11, 15, 19, *range(20, 30)]
    tap.equal("back", figure6.back(times, 5, 1), 19)
    tap.equal("after a later end", figure6.back(times, 21, 1), 21)


def test_mean_rate():
    """The mean of a rate counts each rate for the time until the next one, and 0 before the first."""
    rates = [(2 * S, 10), (6 * S, 40), (12 * S, 99)]
    tap.equal("first change to 20 or more, and the next", figure6.first_two(rates, 20), (6 * S, 12 * S))
    tap.equal("mean", figure6.mean(rates, 0, 10 * S), (4 * 10 + 4 * 40) / 10)


def segment(when, sequence, size=100):
    return Segment(when, False, 0, sequence, size)


def test_complete():
    """The first bytes of a download are complete when the last missing one of them arrives. Duplicates and
    bytes behind them do not count."""
    data = [segment(1, 1), segment(2, 201), segment(3, 301), segment(4, 1), segment(5, 101)]
    for total, when in ((100, 1), (101, 5), (300, 5), (400, 5), (401, float("inf"))):
        tap.equal(f"{total} bytes", figure11.complete(data, total), when)


def test_judged_by_lifetime():
    """A packet is valid at its deadline. Stale packets that the link held are counted apart."""
    packets = [Arrival(0, 0, 5 * S), Arrival(1, 0, 5 * S + 1), Arrival(2, 0, 9 * S)]
    tap.equal("5 s", figure11.judged(packets, 5, {packets[0], packets[2]}),
              {"arrived": 3, "valid": 1, "stale": 2, "held": 1})
    order = figure11.in_order(packets, [segment(7 * S, 1)])
    tap.equal("with a segment", [arrival.sequence for arrival in order], [0, 1, -1, 2])


def test_differences_from_drop_tail():
    """The gain of a cell is the mean difference from drop-tail with the same seeds. Cells with a negative gain
    are told, and whether it is certain."""
    import pandas
    rows = pandas.DataFrame(
        [{"queue": queue, "lifetime": 3, "buffer": buffer, "seed": seed, "valid": valid}
         for queue, buffer, seed, valid in (
             ("LPD", 5, 1, 12), ("LPD", 5, 2, 24), ("drop-tail", 5, 2, 20), ("drop-tail", 5, 1, 10),
             ("LPD", 10, 1, 5), ("LPD", 10, 2, 8), ("drop-tail", 10, 1, 8), ("drop-tail", 10, 2, 8))])
    more = figure11.differences(rows, "LPD", "valid")
    tap.equal("means", more["mean"].to_dict(), {(3, 5): 3, (3, 10): -1.5})
    text, holds, where = figure11.in_each(more, " %")
    tap.equal("text", (text, holds), ("-1.5 to 3.0 %; in 1 of 2 cells", False))
    tap.true(where, "in 0 of them certainly: -1.5 ± 19.1 at 3 s and 10 packets" in where)
    tap.equal("without them", figure11.in_each(more[more["mean"] > 0], "")[1:], (True, ""))
    low, high = pandas.Series([2, 8]), pandas.Series([4, 2])
    tap.equal("closeness", figure11.closeness(low, high).to_list(), [50, 25])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
