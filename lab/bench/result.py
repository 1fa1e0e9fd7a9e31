# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the bench's numbers from the files that the machines left in a directory."""
import collections
import json
import os
import statistics

import cases
import steps


def _load(directory, name):
    with open(os.path.join(directory, name)) as file:
        return json.load(file)


def _most(aim, value, depth):
    """The most that an aim allows at a depth."""
    if isinstance(aim.most, cases.Multiple):
        return aim.most.factor * statistics.mean(value(case, depth) for case in aim.most.cases)
    if isinstance(aim.most, cases.Spread):
        found = [value(aim.case, depth) for depth in aim.depths]
        return aim.most.factor * min(number for number in found if number is not None)
    return aim.most


def judge(aims, value):
    """(aim, number, most) of each aim whose case was measured, at the depth that is worst. value(case,
    depth) is the measured number, or None."""
    for aim in aims:
        found = [(value(aim.case, depth) - (value(aim.less, depth) if aim.less else 0),
                  _most(aim, value, depth))
                 for depth in aim.depths if value(aim.case, depth) is not None]
        if found:
            yield aim.name, *max(found, key=lambda pair: pair[0] / pair[1])


class Instructions:
    """Instructions per packet by (case, depth), as steps.Steps."""

    def __init__(self, directory, how="count"):
        guest = _load(directory, f"{how}.json")
        counted = steps.read(os.path.join(directory, f"{how}.steps"))
        self.kernel = guest["kernel"]
        self.of = {(r["case"], r["depth"]): counted[r["number"]] for r in guest["records"]}
        self.symbols = steps.Symbols(os.path.join(directory, f"{how}.kallsyms"))

    def mean(self, case, depth):
        """The mean of a case; None if the case was not measured."""
        found = self.of.get((case, depth))
        return found and found.mean

    def aims(self):
        """(aim, instructions, most instructions) of each aim whose case was measured."""
        return judge(cases.AIMS, self.mean)


class Times:
    """Ticks of the processor's clock per packet: medians of all rounds in all passes, minus the cost of
    the measurement itself."""

    def __init__(self, directory, how="time"):
        guest, rounds = _load(directory, f"{how}.json"), collections.defaultdict(list)
        self.kernel = guest["kernel"]
        for r in guest["records"]:
            rounds[r["case"], r["depth"]] += [ticks / r["packets"] for ticks in r["cycles"]]
        self.of = {key: statistics.median(ticks) for key, ticks in rounds.items()}
        nothing = self.of.pop((cases.NOTHING.name, 1))
        self.of = {key: ticks - nothing for key, ticks in self.of.items()}

    def ratio(self, case, depth, to):
        """The ratio to the time of another case; None if the case was not measured."""
        if (case, depth) not in self.of:
            return None
        return self.of[case, depth] / self.of[to, depth]


class Memory:
    """The memory of queues in bytes for each packet, by the queue's name: (empty, full). The packets
    themselves are not counted."""

    def __init__(self, directory):
        records = {r["case"]: r for r in _load(directory, "time.json")["memory"]}
        packets = records.pop("pfifo")["full"]
        self.of = {name: (r["empty"] / r["packets"], (r["full"] - packets) / r["packets"])
                   for name, r in records.items()}

    def aims(self):
        """(aim, bytes, most bytes)."""
        return [(aim, max(self.of[case]), most) for aim, case, most in cases.MEMORY_AIMS]


class Throughput:
    """Throughput of paths in the virtual machine: medians of all rounds, in bit/s by name."""

    def __init__(self, directory, name):
        guest = _load(directory, f"{name}.json")
        self.kernel, self.rounds = guest["kernel"], guest["rounds"]
        self.of = {name: statistics.median(rates) for name, rates in guest["rates"].items()}
