# SPDX-License-Identifier: GPL-2.0-or-later
"""Panels, curves and colours that the figures share. This module runs on the host, because it
needs matplotlib."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import patches, pyplot, ticker

INK, FAINT, SPIKE = "#333333", "#767676", "#e6e6e6"
# The palette of Okabe and Ito. Lines also differ in markers and dashes.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D1F",
          "#7F7F7F", "#5B3A8C"]
SIDES = pyplot.get_cmap("PuOr")      # colour-blind people can also distinguish these colours
MARKERS = ["o", "D", "s", "^", "v", "P", "X", "<", ">", "*"]
DASHES = ["-", "--", "-.", ":", (0, (3, 1, 1, 1)), (0, (5, 1)), (0, (1, 1)), "-", "--", "-."]


def look(number):
    """The style of the number-th line."""
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)],
            "linestyle": DASHES[number % len(DASHES)], "markersize": 4.5, "linewidth": 1.2,
            "capsize": 2.5}


def sheet(rows, columns, size, **more):
    """Make a sheet of panels. Return the figure and its two-dimensional array of axes."""
    figure, axes = pyplot.subplots(rows, columns, figsize=size, layout="constrained",
                                   squeeze=False, **more)
    for each in axes.flat:
        each.tick_params(colors=INK, length=3)
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    return figure, axes


def title(axes, text):
    axes.set_title(text, loc="left", fontsize=10.5, color=INK)


def curve(axes, rows, x, y, number, label):
    """Draw the mean of y over the seeds against x, with confidence bars."""
    # imported here because it loads pandas and scipy, which the demo does not need
    from pieces import estimate
    table = estimate.means(rows, y, [x])
    axes.errorbar(table[x], table["mean"], yerr=table["half"], label=label, **look(number))


def level(axes, rows, y, number, label):
    """For rows without an x, draw the mean of y as a line across the panel."""
    from pieces import estimate
    mean, half = rows[y].mean(), estimate.half_width(rows[y])
    style = look(number)
    axes.axhline(mean, label=label, color=style["color"], linestyle=style["linestyle"],
                 linewidth=style["linewidth"])
    axes.axhspan(mean - half, mean + half, color=style["color"], alpha=0.15, linewidth=0)


def tiles(axes, table, x, y, across, down, limit=20):
    """Draw a tile for each x and y of a table of means. The number in the tile is the mean, and
    the color shows the mean clipped to ±limit. The tile is faint if the confidence interval
    contains 0."""
    for _, one in table.iterrows():
        at = across.index(one[x]), down.index(one[y])
        sure = abs(one["mean"]) > one["half"]
        color = SIDES((one["mean"] / limit + 1) / 2)
        axes.add_patch(patches.Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, facecolor=color,
                                         alpha=1 if sure else 0.3, edgecolor="white"))
        dark = sure and abs(one["mean"]) > 0.6 * limit
        axes.text(*at, f"{one['mean']:+.1f}\n±{one['half']:.1f}", ha="center", va="center",
                  fontsize=7, color="white" if dark else INK if sure else FAINT)
    axes.set_xticks(range(len(across)), across)
    axes.set_yticks(range(len(down)), down)
    axes.set_xlim(-0.5, len(across) - 0.5)
    axes.set_ylim(-0.5, len(down) - 0.5)


def buffers(axes, values):
    """An axis of buffer sizes."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.FixedLocator(values))
    axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%d"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("buffer [packets]", color=INK)


def legend(axes, **more):
    axes.legend(frameon=False, fontsize=7.5, labelcolor=INK, handlelength=2.6, **more)


def shade(axes, spikes):
    """Shade the spikes, given as pairs (start, end) in seconds."""
    for start, end in spikes:
        axes.axvspan(start, end, color=SPIKE, zorder=0.5, linewidth=0)


def save(figure, path, text):
    figure.suptitle(text, fontsize=12, fontweight="bold", color=INK)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
