# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench's plot: instructions per packet by the number of packets queued."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker

import cases

INK, FAINT, OURS = "#222222", "#999999", "#0072b2"
STYLES = {"lpd": "-", "lpd, options": "--", "lpd, edf": "-.", "lpd, truncating": ":"}
APART = 1.16            # least ratio of the y values at which two names are written


def _line(axes, counted, name):
    """Draw a queue's line. Returns its last point."""
    points = [(depth, counted.mean(name, depth)) for depth in cases.DEPTHS
              if counted.mean(name, depth) is not None]
    axes.plot(*zip(*points), STYLES.get(name, "-"), marker="o", markersize=3, color=_color(name))
    return points[-1]


def _color(name):
    return OURS if name in STYLES else FAINT


def _names(axes, ends):
    """Write the names next to the ends of the lines, without overlap."""
    least = 0
    for name, (depth, count) in sorted(ends.items(), key=lambda item: item[1][1]):
        least = max(count, least * APART)
        axes.annotate(name, (depth, count), xytext=(depth * 1.4, least), va="center",
                      color=_color(name), fontsize=9)


def draw(counted, path):
    """Write the plot as a PNG."""
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    axes.set_xscale("log")
    axes.set_yscale("log")
    _names(axes, {case.name: _line(axes, counted, case.name) for case in cases.QUEUES
                  if case.name in STYLES or not case.name.startswith("lpd")})
    axes.set_xlim(0.8, 3e7)
    axes.set_xticks(cases.DEPTHS)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda depth, _: f"{depth:,.0f}".replace(",", " ")))
    axes.yaxis.set_major_formatter(ticker.ScalarFormatter())
    axes.set_xlabel("packets queued", color=INK)
    axes.set_ylabel("instructions per packet, enqueue and dequeue", color=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.suptitle("What a packet costs in the queue", color=INK)
    figure.savefig(path, dpi=120)
