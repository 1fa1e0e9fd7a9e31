# SPDX-License-Identifier: GPL-2.0-or-later
"""Delay spikes: times in which a link lets nothing through, and packets wait."""
import random
from typing import NamedTuple

from lib.cell import S

LENGTHS = 7, 10             # s, of the paper: all as likely
EVERY = 30                  # s from the start of one to that of the next
LINK_TAKES = 32             # that a link can be told


class Spike(NamedTuple):
    """When it begins, in ns from the moment the traffic does, and how long it is."""

    start: int
    length: int

    @property
    def end(self):
        return self.start + self.length


def draw(seed, lengths=LENGTHS, every=EVERY, count=LINK_TAKES):
    """The spikes of a seed: their lengths, and when the first begins."""
    chance = random.Random(f"spikes {seed}")
    first = chance.uniform(0, every)
    return [Spike(round((first + number * every) * S), round(chance.uniform(*lengths) * S))
            for number in range(count)]


def one(seed, earliest, latest, length):
    """A single spike that begins between two times in s, and lasts so many."""
    chance = random.Random(f"spike {seed}")
    return [Spike(round(chance.uniform(earliest, latest) * S), round(length * S))]


def moved(spikes, start):
    """The same from another moment on."""
    return [Spike(start + spike.start, spike.length) for spike in spikes]
