# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the output of lab/bench/step: the instructions of each case, and their functions."""
import bisect
import collections


class Symbols:
    """A copy of /proc/kallsyms."""

    def __init__(self, path):
        with open(path) as file:
            lines = [line.split() for line in file]
        found = sorted((int(address, 16), name) for address, kind, name, *_ in lines
                       if kind in "tTwW" and int(address, 16))
        self.addresses, self.names = zip(*found)

    def name(self, address):
        """The name of the function that contains an address."""
        return self.names[bisect.bisect(self.addresses, address) - 1]


class Steps:
    """The instructions of one case: the least, the mean and the most for a packet."""

    def __init__(self, words):
        self.number, self.packets, self.sum, self.least, self.most = map(int, words[1::2])
        self.hits = {}

    @property
    def mean(self):
        return self.sum / self.packets

    def functions(self, symbols):
        """(function, instructions per packet), the largest first."""
        total = collections.Counter()
        for address, hits in self.hits.items():
            total[symbols.name(address)] += hits
        return [(name, hits / self.packets) for name, hits in total.most_common()]


def read(path):
    """{number of the case: Steps}."""
    cases = {}
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[0] == "case":
                case = Steps(words)
                cases[case.number] = case
            else:
                case.hits[int(words[1], 16)] = int(words[2])
    return cases
