# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistical tests. Even if the distribution is right, each test fails with about one seed in a
hundred."""
import math

from . import tap

Z = 2.576                               # standard deviations of a normal variate
CHI_SQUARE = {7: 18.475}                # thresholds, by degrees of freedom
KOLMOGOROV_SMIRNOV = 1.628              # threshold, times 1 / sqrt(n)


def binomial(what, seen, count, chance):
    """Check that `seen` successes in `count` trials are consistent with the probability
    `chance`."""
    off = Z * math.sqrt(count * chance * (1 - chance)) + 0.5
    tap.within(what, seen, count * chance - off, count * chance + off)


def has_mean(what, values, mean, deviation):
    """The mean of the values is within the confidence interval of the expected mean."""
    off = Z * deviation / math.sqrt(len(values))
    tap.note(f"{what}: mean {sum(values) / len(values):.1f}, expected {mean:.1f} +- {off:.1f}")
    tap.within(f"mean of {what}", sum(values) / len(values), mean - off, mean + off)


def chi_square(what, seen, expected):
    """Check that the counts are consistent with the expected counts."""
    value = sum((s - e) ** 2 / e for s, e in zip(seen, expected))
    tap.within(what, value, 0, CHI_SQUARE[len(seen) - 1])


def kolmogorov_smirnov(what, times, mean):
    """Check that the times are consistent with an exponential distribution with the given mean."""
    times, count = sorted(times), len(times)
    off = max(max(abs(1 - math.exp(-t / mean) - i / count),
                  abs(1 - math.exp(-t / mean) - (i + 1) / count)) for i, t in enumerate(times))
    tap.note(f"{what}: {count} times, mean {sum(times) / count:.0f}, off by {off:.4f}")
    tap.within(what, off, 0, KOLMOGOROV_SMIRNOV / math.sqrt(count))
