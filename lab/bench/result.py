# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the bench's numbers from the files that the machines left in a directory."""
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
        guest = _load(directory, f"{how}.json")
        counted = steps.read(os.path.join(directory, f"{how}.steps"))
        self.kernel = guest["kernel"]
        self.of = {(r["case"], r["depth"]): counted[r["number"]] for r in guest["records"]}
        self.symbols = steps.Symbols(os.path.join(directory, "kallsyms"))

    def mean(self, case, depth):
        """The mean of a case; None if the case was not measured."""
        found = self.of.get((case, depth))
        return found and found.mean

    def aims(self):
        """(aim, instructions, most instructions) of each aim whose case was measured."""
        for aim, case, less, depth, most in cases.AIMS:
            if self.mean(case, depth) is None:
                continue
            if isinstance(most, cases.Multiple):
                most = most.factor * self.mean(most.case, depth)
            yield aim, self.mean(case, depth) - (self.mean(less, depth) if less else 0), most


class Times:
    """Ticks of the processor's clock per packet: medians of all rounds, minus the cost of the
    measurement itself."""

    def __init__(self, directory):
        self.of = {(r["case"], r["depth"]): statistics.median(r["cycles"]) / r["packets"]
                   for r in _load(directory, "time.json")["records"]}
        nothing = self.of.pop((cases.NOTHING.name, 1))
        self.of = {key: ticks - nothing for key, ticks in self.of.items()}

    def ratio(self, case, depth, to):
        """The ratio to the time of another case; None if the case was not measured."""
        if (case, depth) not in self.of:
            return None
        return self.of[case, depth] / self.of[to, depth]


class Throughput:
    """Throughput of paths in the virtual machine: medians of all rounds, in bit/s by name."""

    def __init__(self, directory, name):
        guest = _load(directory, f"{name}.json")
        self.kernel, self.rounds = guest["kernel"], guest["rounds"]
        self.of = {name: statistics.median(rates) for name, rates in guest["rates"].items()}
