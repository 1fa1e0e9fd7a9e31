# SPDX-License-Identifier: GPL-2.0-or-later
"""Means over seeds with their confidence intervals. This module runs on the host, because it needs
pandas and scipy."""
import numpy
import pandas
from scipy import stats

CONFIDENCE = 0.95


def half_width(values):
    """Return half of the confidence interval of a mean, by Student's t. For a single value the result
    is 0."""
    values = numpy.asarray(values, float)
    if len(values) < 2:
        return 0.0
    return float(stats.sem(values) * stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1))


def means(rows, value, by):
    """Return a table with the mean and the half_width of a column over the seeds, for each group of
    rows."""
    groups = rows.groupby(by, sort=True)[value]
    return pandas.DataFrame({"mean": groups.mean(), "half": groups.agg(half_width)}).reset_index()


def is_less(one, other):
    """Return whether `one` is less than `other` on average: the confidence interval of the
    differences by seed must be below 0."""
    difference = one - other
    return bool(difference.mean() + half_width(difference) < 0)


def text(values, unit="", digits=1):
    """ "70.1 ± 0.4 %" """
    return f"{numpy.mean(values):.{digits}f} ± {half_width(values):.{digits}f}{unit}"


def span(values, unit="", digits=1):
    """ "70.1 to 74.0 %" """
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"
