# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistical tests. Each fails with one seed in a hundred even if the distribution is right."""
import math

from . import tap

Z = 2.576                               # standard deviations of a normal variate
CHI_SQUARE = {7: 18.475}                # by degrees of freedom
KOLMOGOROV_SMIRNOV = 1.628              # times 1 / sqrt(n)


def binomial(what, seen, count, chance):
    """`seen` of `count` is consistent with this chance."""
    off = Z * math.sqrt(count * chance * (1 - chance)) + 0.5
    tap.within(what, seen, count * chance - off, count * chance + off)


def chi_square(what, seen, expected):
    """The counts are consistent with the expected ones."""
    value = sum((s - e) ** 2 / e for s, e in zip(seen, expected))
    tap.within(what, value, 0, CHI_SQUARE[len(seen) - 1])


def kolmogorov_smirnov(what, times, mean):
    """The times are consistent with an exponential distribution with this mean."""
    times, count = sorted(times), len(times)
    off = max(max(abs(1 - math.exp(-t / mean) - i / count),
                  abs(1 - math.exp(-t / mean) - (i + 1) / count)) for i, t in enumerate(times))
    tap.note(f"{what}: {count} times, mean {sum(times) / count:.0f}, off by {off:.4f}")
    tap.within(what, off, 0, KOLMOGOROV_SMIRNOV / math.sqrt(count))
