# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench's numbers out of what the machines left in a directory."""
import json
import os
import statistics

import cases
import steps


def _load(directory, name):
    with open(os.path.join(directory, name)) as file:
        return json.load(file)


class Instructions:
    """Instructions per packet by (case, depth), as steps.Steps."""

    def __init__(self, directory, how="count"):
        told = _load(directory, f"{how}.json")
        counted = steps.read(os.path.join(directory, f"{how}.steps"))
        self.kernel = told["kernel"]
        self.of = {(r["case"], r["depth"]): counted[r["number"]] for r in told["records"]}
        self.symbols = steps.Symbols(os.path.join(directory, "kallsyms"))

    def mean(self, case, depth):
        """None where it is not measured."""
        found = self.of.get((case, depth))
        return found and found.mean

    def aims(self):
        """(aim, instructions, instructions at most) of each that is measured."""
        for aim, case, less, depth, most in cases.AIMS:
            if self.mean(case, depth) is None:
                continue
            if isinstance(most, cases.Multiple):
                most = most.factor * self.mean(most.case, depth)
            yield aim, self.mean(case, depth) - (self.mean(less, depth) if less else 0), most


class Times:
    """Ticks of the processor's clock per packet: medians of all rounds, less what measuring
    takes."""

    def __init__(self, directory):
        self.of = {(r["case"], r["depth"]): statistics.median(r["cycles"]) / r["packets"]
                   for r in _load(directory, "time.json")["records"]}
        nothing = self.of.pop((cases.NOTHING.name, 1))
        self.of = {key: ticks - nothing for key, ticks in self.of.items()}

    def ratio(self, case, depth, to):
        """By how much it is the time of another case; None where it is not measured."""
        if (case, depth) not in self.of:
            return None
        return self.of[case, depth] / self.of[to, depth]


class Throughput:
    """Of paths in the virtual machine: medians of all rounds, bit/s by name."""

    def __init__(self, directory, name):
        told = _load(directory, f"{name}.json")
        self.kernel, self.rounds = told["kernel"], told["rounds"]
        self.of = {name: statistics.median(rates) for name, rates in told["rates"].items()}
