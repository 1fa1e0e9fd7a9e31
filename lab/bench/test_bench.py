#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench judges each aim at the depth that is worst, and computes times and memory from the numbers that
the machines left."""
import json
import os
import sys
import tempfile

sys.path[:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../selftests"),
                os.path.dirname(os.path.abspath(__file__))]
import cases
import result
import table
from lib import tap

NUMBERS = {("one", 1): 100, ("one", 100): 130, ("other", 1): 80, ("other", 100): 100, ("short", 100): 50}


def judged(*aims):
    return list(result.judge(aims, lambda case, depth: NUMBERS.get((case, depth))))


def test_worst_depth_counts():
    """An aim with a number is judged at the depth with the largest number. Depths that were not measured do
    not count, and neither does an aim whose case was not measured."""
    tap.equal("a number", judged(cases.Aim("a", "one", 120)), [("a", 130, 120)])
    tap.equal("one depth", judged(cases.Aim("a", "one", 120, depths=(1,))), [("a", 100, 120)])
    tap.equal("a difference", judged(cases.Aim("a", "one", 25, "other")), [("a", 30, 25)])
    tap.equal("not measured", judged(cases.Aim("a", "none", 1), cases.Aim("b", "short", 50)), [("b", 50, 50)])


def test_other_cases_are_compared_at_the_same_depth():
    """A multiple is of the mean of other cases. The depth at which the ratio is largest counts."""
    tap.equal("of one case", judged(cases.Aim("a", "one", cases.Multiple(2, ("other",)))), [("a", 130, 200)])
    tap.equal("of two", judged(cases.Aim("a", "short", cases.Multiple(1, ("one", "other")))),
              [("a", 50, 115)])


def test_spread():
    """A spread is a multiple of the smallest number at any depth of the aim."""
    tap.equal("spread", judged(cases.Aim("a", "one", cases.Spread(1.2))), [("a", 130, 120)])
    tap.equal("one depth", judged(cases.Aim("a", "one", cases.Spread(1.2), depths=(100,))), [("a", 130, 156)])


def test_verdicts():
    lines = table.aims([("a", 120, 120), ("b", 121, 120)])[2:]
    tap.equal("verdicts", [line.split(None, 3)[3] for line in lines], ["holds", "falls short"])


def times(**more):
    """The times and the memory in a file as the machine writes it."""
    nothing, one, fast = (dict(case=name, depth=1, packets=10) for name in ("nothing", "one", "fast"))
    found = {"kernel": "k", "memory": [], "records": [
        # the second pass was disturbed
        nothing | {"cycles": [40, 50]}, one | {"cycles": [230, 250]}, fast | {"cycles": [150]},
        nothing | {"cycles": [60]}, one | {"cycles": [9999]}, fast | {"cycles": [150, 150]}]} | more
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "time.json"), "w") as file:
            json.dump(found, file)
        return result.Times(directory), result.Memory(directory) if found["memory"] else None


def test_times_are_medians():
    """A time is the median of the rounds of all passes, without the time of the measurement itself."""
    timed, _ = times()
    tap.equal("ticks", timed.of, {("one", 1): 20, ("fast", 1): 10})
    tap.equal("ratio", timed.ratio("one", 1, "fast"), 2)
    tap.equal("not measured", timed.ratio("one", 100, "fast"), None)


def test_memory_is_without_packets():
    """The memory of the packets is that of a full pfifo. The last record of a case counts."""
    def record(case, empty, full):
        return {"case": case, "packets": 10, "empty": empty, "full": full}
    _, memory = times(memory=[record("pfifo", 0, 77), record("pfifo", 0, 1000), record("one", 800, 1900)])
    tap.equal("bytes for each packet", memory.of, {"one": (80, 90)})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
