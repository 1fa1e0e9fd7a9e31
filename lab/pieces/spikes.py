# SPDX-License-Identifier: GPL-2.0-or-later
"""Delay spikes: times during which a link delivers no packets, so packets are queued."""
import random
from typing import NamedTuple

from lib.cell import S

LENGTHS = 7, 10             # s, uniformly distributed, as in the paper
EVERY = 30                  # s from the start of a spike to the start of the next spike
LINK_TAKES = 32             # largest number of spikes that a cellink accepts


class Spike(NamedTuple):
    """A spike. `start` is in ns after the start of the traffic, and `length` is in ns."""

    start: int
    length: int

    @property
    def end(self):
        return self.start + self.length


def draw(seed, lengths=LENGTHS, every=EVERY, count=LINK_TAKES):
    """Return the spikes of a seed. The seed determines the lengths of the spikes and the
    start of the first spike."""
    chance = random.Random(f"spikes {seed}")
    first = chance.uniform(0, every)
    return [Spike(round((first + number * every) * S), round(chance.uniform(*lengths) * S))
            for number in range(count)]


def one(seed, earliest, latest, length):
    """Return a list of one spike with a given length, which begins between `earliest` and
    `latest`. All times are in s."""
    chance = random.Random(f"spike {seed}")
    return [Spike(round(chance.uniform(earliest, latest) * S), round(length * S))]


def moved(spikes, start):
    """Return the same spikes with times relative to another start."""
    return [Spike(start + spike.start, spike.length) for spike in spikes]
