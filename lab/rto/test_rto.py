#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The channel of the experiments in lab/rto has the required good and bad times."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rto import scenario
from lib import tap


def test_channel_of_a_seed():
    """Good and bad times alternate for the longest possible duration of an experiment. The same seed gives
    the same times."""
    times = scenario.turns(1, 2)
    tap.equal("again", scenario.turns(1, 2), times)
    tap.true("another seed", scenario.turns(2, 2) != times)
    tap.equal("in order, and good at the end", (sorted(times), len(times) % 2), (times, 0))
    tap.true("long enough", times[-1] >= scenario.HOURS * 3_600_000)
    lasting = [b - a for a, b in zip([0, *times], times)]
    for state, own, mean in (("good", lasting[::2], scenario.GOOD), ("bad", lasting[1::2], 2)):
        deviations = (sum(own) / 1000 / len(own) / mean - 1) * len(own) ** 0.5
        tap.within(f"{state}: deviations of the mean", deviations, -4, 4)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
