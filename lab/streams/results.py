# SPDX-License-Identifier: GPL-2.0-or-later
"""What the reports of these experiments share: tables of means over the seeds, comparisons of cells on
the same links, and pictures. This module runs on the host, because it needs pandas and matplotlib."""
import itertools
import math
import os
import textwrap

import pandas

from pieces import paths, picture
from pieces.claim import Claim
from streams import scenario

UPLOADS = [flows for flows, (_, uploads) in scenario.FLOWS.items() if uploads]
WHERE = ["link", "modem", "queue", "flows"]
WORST = 6                               # links that a table of targets names
WIDTHS = 10, 52, 44                     # of its columns
# columns of a table: the name, the column of the rows, and the digits
SHOWN = [(f"{delay / 1000:g} s", f"part_{delay}", 3) for delay in scenario.DELAYS]
COLUMNS = [*SHOWN, ("stale", "stale", 3), ("fresh", "fresh_s", 2), ("first", "first_s", 2),
           ("control", "control_part", 3), ("p50", "control_p50", 0), ("p99", "control_p99", 0),
           ("upload", "upload_part", 3)]
# values over time: the column of the rows about a second, and the label
SERIES = [("shown", "frames shown in a second"), ("control_ms", "control: longest delay [ms]")]
LEGEND = textwrap.fill(
    "Columns: the share of the frames that can be shown " + ", ".join(name for name, *_ in SHOWN) +
    " after they were sent; the share of the packets that arrived more than "
    f"{scenario.LIFETIMES['video']} ms after they were sent; the mean time in s from the end of an "
    "outage to the first fresh packet, and to the first frame that is shown; the share of the control "
    f"packets that arrived within {scenario.LIFETIMES['control']} ms; two percentiles of the delay in "
    "ms of the control packets that arrived; the share of the link that the upload used. Queues with 0 "
    "KB are directly above the radio, the other queues in front of a modem of this size.", 100)


def label(link):
    """The name of a link, or the name of a trace without its directory."""
    return os.path.basename(link)


def place(modem):
    return f"{modem} KB" if modem else "radio"


def whole(rows):
    """The rows about whole cells, with shares."""
    rows = rows[rows["second"] == -1].reindex(columns=dict.fromkeys([
        *rows.columns, "need_kbit", "frames", "outages", "fresh_s", "fresh_worst_s", "first_s", "control_sent",
        "control_in_time", "control_p50", "control_p99", "stale",
        *(f"shown_{delay}" for delay in scenario.DELAYS), *paths.PATHS])).copy()
    for delay in scenario.DELAYS:
        rows[f"part_{delay}"] = rows[f"shown_{delay}"] / rows["frames"]
    rows["fast_part"] = rows[paths.FAST] / rows[list(paths.PATHS)].sum(axis=1)
    rows["control_part"] = rows["control_in_time"] / rows["control_sent"]
    rows["upload_part"] = rows["upload_kbit"].where(rows["flows"].isin(UPLOADS)) / rows["link_kbit"]
    rows["need_part"] = rows["need_kbit"] / rows["link_kbit"]
    return rows


def means(rows):
    """The mean over the seeds of each column, by WHERE. A time after outages is the mean over the
    outages, and fresh_worst_s is the longest time."""
    groups = whole(rows).groupby(WHERE, sort=False)
    found = groups.mean(numeric_only=True)
    found["fresh_worst_s"] = groups["fresh_worst_s"].max()
    return found


def table(rows):
    """A table for people, with a block for each link."""
    found = means(rows)
    lines = [LEGEND]
    for link in found.index.unique("link"):
        lines.append(f"\n{label(link)}")
        lines.append(f"{'KB':>4} {'queue':15} {'flows':9}" +
                     "".join(f"{name:>8}" for name, *_ in COLUMNS))
        for (modem, queue, flows), one in found.loc[link].iterrows():
            lines.append(f"{modem:4} {queue:15} {flows:9}" + "".join(
                f"{'-' if pandas.isna(one[column]) else f'{one[column]:.{digits}f}':>8}"
                for _, column, digits in COLUMNS))
    return "\n".join(lines)


def taken(rows):
    """The paths of the packets with an option, in a line for each kind of cells."""
    found = whole(rows).groupby(WHERE[1:], sort=False)[list(paths.PATHS)].sum()
    return "\n".join(f"The fast path of {queue}, {place(modem)}, took {paths.describe(counters.astype(int))}."
                     for (modem, queue, _), counters in found.iterrows())


def of_kind(found, column, kind):
    """A column of a kind of cells (modem, queue, flows), by link."""
    if kind not in {key[1:] for key in found.index}:
        return pandas.Series(dtype=float)
    return found.xs(kind, level=WHERE[1:])[column].dropna()


def ratio(found, column, one, other):
    """The ratio of a column between two kinds of cells on the same links. `one` and `other` are (modem,
    queue, flows)."""
    both = [of_kind(found, column, kind) for kind in (one, other)]
    return (both[0] / both[1]).replace(math.inf, math.nan).dropna()


def values(rows, bar):
    """Return {kind: values by link} of the bar's kinds. Kinds without results are left out. If the other
    kind shows no frames at all, the link has no ratio."""
    if bar.each_seed:
        rows = rows.assign(link=rows["link"].map(label) + " seed " + rows["seed"].astype(str))
    if bar.need:
        cells = whole(rows)
        rows = cells[cells["need_part"] <= bar.need]
    found = means(rows)
    return {kind: ratio(found, bar.column, kind, other) if other else of_kind(found, bar.column, kind)
            for kind, other in bar.pairs
            if all(len(of_kind(found, bar.column, one)) for one in (kind, other) if one)}


def claims(rows, bars):
    """A claim for each bar that has results."""
    made = []
    for bar in bars:
        if found := values(rows, bar):
            made.append(Claim(bar.text, "", "; ".join(
                f"{queue}, {place(modem)}, {flows}: {by_link(value)}"
                for (modem, queue, flows), value in found.items()),
                all(map(bar.reached, found.values()))))
    return made


def target(rows, bar):
    """Return the verdict about a bar, and the worst value of each link that misses the bar, with the range
    of the others. If all links reach the bar, return the range and the worst link."""
    found = [value for value in values(rows, bar).values() if len(value)]
    if not found:
        return "no results", ""
    worst = pandas.concat(found).groupby(level=0).agg("min" if bar.most is None else "max")
    worst = worst.sort_values(ascending=bar.most is None)
    missed = worst[[not bar.reached(worst[[link]]) for link in worst.index]]
    rest = worst.drop(missed.index)
    span = f"{rest.min():.2f} to {rest.max():.2f}" if len(rest) else ""
    if missed.empty:
        return "met", f"{span}, worst: {label(rest.index[0])}"
    told = by_link(missed[:WORST])
    if len(missed) > WORST:
        told += f", and {len(missed) - WORST} more"
    return "**missed**", f"{told}; others {span}" if span else told


def targets(figures):
    """A table of the verdicts about all bars, in reStructuredText. `figures` has (rows, bars) of each
    figure."""
    rule = "  ".join("=" * width for width in WIDTHS)
    lines = [rule, _line("result", "target", "links"), rule]
    for rows, bars in figures:
        for bar in bars:
            verdict, links = target(rows, bar)
            columns = [textwrap.wrap(text, width) for text, width in
                       zip((verdict, bar.text, links), WIDTHS)]
            lines += [_line(*cells) for cells in itertools.zip_longest(*columns, fillvalue="")]
    return "\n".join([*lines, rule])


def _line(*cells):
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip()


def by_link(values, digits=2):
    return ", ".join(f"{label(link)} {value:.{digits}f}" for link, value in values.items())


def bars(axes, found, link, kinds, column):
    """A bar for each kind of cell on a link. `kinds` are (modem, queue, flows)."""
    for at, kind in enumerate(kinds):
        if (link, *kind) in found.index:
            axes.bar(at, 100 * found.loc[(link, *kind), column], 0.7,
                     color=picture.COLORS[bool(kind[0])])
    several = len({flows for *_, flows in kinds}) > 1
    axes.set_xticks(range(len(kinds)), [f"{queue}, {flows}" if several else queue
                                        for _, queue, flows in kinds], rotation=70, fontsize=7)


def series(axes, rows, link, kinds):
    """Draw the SERIES of some kinds on a link, one below the other."""
    for one, (column, _) in zip(axes, SERIES):
        over_time(one, rows, link, kinds, column, column == "shown")
    axes[-1].set_yscale("log")
    axes[-1].set_xlabel("time [s]")


def over_time(axes, rows, link, kinds, column, zeros):
    """The first seed's values of each second. Without `zeros`, seconds with the value 0 are left out."""
    here = rows[(rows["link"] == link) & (rows["second"] >= 0) & (rows["seed"] == rows["seed"].min())]
    for number, (modem, queue, flows) in enumerate(kinds):
        one = here[(here["modem"] == modem) & (here["queue"] == queue) & (here["flows"] == flows)]
        if len(one):
            axes.plot(one["second"], one[column].where((one[column] > 0) | zeros),
                      color=picture.COLORS[number], linewidth=1.1, label=f"{queue}, {place(modem)}")
    out = here.loc[here["outage"].astype(bool), "second"].unique()
    picture.shade(axes, [(second, second + 1) for second in out])


def draw(rows, path, title, kinds, followed, columns):
    """Draw for each link the shares of some columns as bars, and values over time of the kinds in
    `followed`. `columns` are (column, label) of the bars."""
    found = means(rows)
    places = found.index.unique("link")
    lines = [*columns, *SERIES]
    sheet, axes = picture.sheet(len(lines), len(places), (3.6 * len(places) + 1, 3.2 * len(lines)),
                                sharey="row")
    for at, link in enumerate(places):
        picture.title(axes[0, at], label(link))
        for line, (column, _) in enumerate(columns):
            bars(axes[line, at], found, link, kinds, column)
        series(axes[len(columns):, at], rows, link, followed)
    for line, (_, text) in enumerate(lines):
        axes[line, 0].set_ylabel(text)
    if axes[len(columns), 0].lines:
        picture.legend(axes[len(columns), 0])
    picture.save(sheet, path, title)
