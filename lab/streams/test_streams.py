#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules of lab/streams recognize traces and queues, and their tables and claims have the means of the
cells."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from streams import links, places, results, scenario
from lib import tap


def test_links():
    """A user's file is a trace also where TRACES is not set, as in the machine."""
    tap.equal("traces", [links.is_trace(name) for name in ("/x/a.down", "handover", "steady", "outage")],
              [True, True, False, False])


def test_queues():
    """Only known queues are accepted, and pace only with lpd."""
    for queue, known in (("lpd-edf+pace", True), ("cake", True), ("cake+pace", False), ("lpd-shaped+pace", False), ("none", False),
                         ("lpd+", False), ("lpd+pacer", False)):
        try:
            scenario.check({"queue": queue})
        except ValueError as error:
            tap.true(f"{queue}: {error}", not known)
        else:
            tap.true(f"{queue} is refused", known)


def rows(queue, modem, seed, shown, p99, fresh):
    """The rows of a cell with 100 frames, all of them shown in the first second."""
    import pandas
    whole = {"second": -1, "link_kbit": 100, "upload_kbit": 0, "frames": 100, "stale": 0,
             "fresh_s": fresh, "fresh_worst_s": fresh, "first_s": fresh, "control_sent": 10,
             "control_in_time": 5, "control_p50": 1, "control_p99": p99,
             **{f"shown_{delay}": shown for delay in scenario.DELAYS}}
    return pandas.DataFrame([{"link": "steady", "modem": modem, "queue": queue, "seed": seed,
                              "flows": scenario.VIDEO, **one}
                             for one in (whole, {"second": 0, "upload_kbit": 0, "shown": shown})])


def cells(paced):
    """Two seeds above the radio, in front of a modem, and with pace."""
    import pandas
    return pandas.concat([rows(queue, modem, seed, shown + seed, 10 * factor, 0.1 * factor)
                          for queue, modem, shown, factor in (
                              ("pfifo-1000", 1000, 40, 9), ("lpd", 0, 80, 1), ("lpd+pace", 1000, paced, 1),
                              ("lpd-edf", 0, 80, 1), ("lpd-edf+pace", 1000, paced, 1))
                          for seed in (1, 3)])


def test_means():
    """A mean is over the seeds, without the rows about seconds. The upload has no share if there is no
    upload."""
    found = results.means(cells(80)).loc[("steady", 0, "lpd", scenario.VIDEO)]
    tap.equal("shown", round(found["part_500"], 9), 0.82)
    tap.equal("control", found["control_part"], 0.5)
    tap.true("no upload", found["upload_part"] != found["upload_part"])
    text = results.table(cells(80))
    tap.true(f"table: {text}", "\nsteady\n" in text and "\n   0 lpd             video       0.820" in text)


def test_claims():
    """A claim holds if each link reaches the bar."""
    for paced, holds in ((80, [True] * 4), (70, [False, True, True, True]), (30, [False, False, True, True])):
        tap.equal(f"{paced} frames", [c.holds for c in places.claims(cells(paced))], holds)
    slow = cells(80)
    slow.loc[slow["queue"].str.endswith("+pace"), ["control_p99", "fresh_worst_s"]] *= 4
    tap.equal("slow", [c.holds for c in places.claims(slow)], [True, True, False, False])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
