# SPDX-License-Identifier: GPL-2.0-or-later
"""Delay spikes: times in which a link lets nothing through, and packets wait."""
import random
from typing import NamedTuple

from lib.cell import S

LENGTHS = 7, 10             # s, uniformly distributed, as in the paper
EVERY = 30                  # s from the start of a spike to the start of the next
LINK_TAKES = 32             # most spikes that a cellink accepts


class Spike(NamedTuple):
    """`start` is in ns after the start of the traffic, `length` in ns."""

    start: int
    length: int

    @property
    def end(self):
        return self.start + self.length


def draw(seed, lengths=LENGTHS, every=EVERY, count=LINK_TAKES):
    """The spikes of a seed. The seed decides their lengths and the start of the first."""
    chance = random.Random(f"spikes {seed}")
    first = chance.uniform(0, every)
    return [Spike(round((first + number * every) * S), round(chance.uniform(*lengths) * S))
            for number in range(count)]


def one(seed, earliest, latest, length):
    """A list of one spike, which begins between two times and lasts `length`, all in s."""
    chance = random.Random(f"spike {seed}")
    return [Spike(round(chance.uniform(earliest, latest) * S), round(length * S))]


def moved(spikes, start):
    """The same spikes, counted from another time."""
    return [Spike(start + spike.start, spike.length) for spike in spikes]
