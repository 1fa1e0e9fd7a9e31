# SPDX-License-Identifier: GPL-2.0-or-later
"""What the panels of the demo's picture have in common."""
from demo.result import S

INK, FAINT = "#333333", "#767676"
SPIKE, BELOW = "#e6e6e6", "#fdf2e9"
# from the palette of Okabe and Ito; told apart by brightness and shape as well
LOOKS = {"drop-tail": {"color": "#D55E00", "marker": "D", "s": 12, "facecolors": "none",
                       "linewidths": 0.8},
         "LPD": {"color": "#0072B2", "marker": "o", "s": 6}}


def shade_spikes(axes, run, spikes, top):
    """Each with its length below a height."""
    for begin, end in spikes:
        left, right = (begin - run.start) / S, (end - run.start) / S
        axes.axvspan(left, right, color=SPIKE, zorder=0.5, linewidth=0)
        axes.text((left + right) / 2, top, f"delay spike\nof {right - left:.0f} s",
                  ha="center", va="top", color=FAINT, fontsize=9)


def title(axes, text):
    axes.set_title(text, loc="left", fontsize=11.5, color=INK)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=2, frameon=False,
                borderaxespad=0, handletextpad=0.1, markerscale=1.8, labelcolor=INK)
