# SPDX-License-Identifier: GPL-2.0-or-later
"""Colours and functions that the panels of the demo's picture share."""
from lib.cell import S

from pieces.picture import COLORS, FAINT, INK, shade

BELOW = "#fdf2e9"
# the marks of the queues also differ in brightness and shape
LOOKS = {"drop-tail": {"color": COLORS[1], "marker": "D", "s": 12, "facecolors": "none",
                       "linewidths": 0.8},
         "LPD": {"color": COLORS[0], "marker": "o", "s": 6}}


def shade_spikes(axes, run, spikes, top):
    """Shade each spike, and write its length below the height `top`."""
    for begin, end in spikes:
        left, right = (begin - run.start) / S, (end - run.start) / S
        shade(axes, [(left, right)])
        axes.text((left + right) / 2, top, f"delay spike\nof {right - left:.0f} s",
                  ha="center", va="top", color=FAINT, fontsize=9)


def title(axes, text):
    """Write a panel's title, and its legend to the right of the title."""
    axes.set_title(text, loc="left", fontsize=11.5, color=INK)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=2, frameon=False,
                borderaxespad=0, handletextpad=0.1, markerscale=1.8, labelcolor=INK)
