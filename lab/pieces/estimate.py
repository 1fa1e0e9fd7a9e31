# SPDX-License-Identifier: GPL-2.0-or-later
"""Means over seeds with their confidence intervals. On the host: pandas, scipy."""
import numpy
import pandas
from scipy import stats

CONFIDENCE = 0.95


def half_width(values):
    """Half of the confidence interval of a mean, by Student's t; 0 for one value."""
    values = numpy.asarray(values, float)
    if len(values) < 2:
        return 0.0
    return float(stats.sem(values) * stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1))


def means(rows, value, by):
    """A table with the mean and the half_width of a column over the seeds, for each group of rows."""
    groups = rows.groupby(by, sort=True)[value]
    return pandas.DataFrame({"mean": groups.mean(), "half": groups.agg(half_width)}).reset_index()


def is_less(one, other):
    """Whether `one` is less than `other` on average: the confidence interval of the differences by seed
    is below 0."""
    difference = one - other
    return bool(difference.mean() + half_width(difference) < 0)


def text(values, unit="", digits=1):
    """ "70.1 ± 0.4 %" """
    return f"{numpy.mean(values):.{digits}f} ± {half_width(values):.{digits}f}{unit}"


def span(values, unit="", digits=1):
    """ "70.1 to 74.0 %" """
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"
