# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's picture: for each flow a panel with both queues. All panels show the same time. Other
queues and flows are only in the tables."""
import textwrap

from matplotlib import ticker

from lib.cell import S

from demo import panel_tcp, panel_udp
from demo.look import LOOKS
from pieces.picture import FAINT, INK, sheet

WIDTH = 130         # characters to a line
PANELS = {"UDP": panel_udp, "TCP": panel_tcp}


def part(run):
    """The part of a run that the picture shows."""
    return run.only(PANELS, LOOKS)


def _last(run):
    return max(result.arrivals.last - run.start for result in run.results) / S


def _settings(run):
    return "\n".join(textwrap.fill(run.setting(kind), WIDTH) for kind in run.kinds)


def draw(run, path, title):
    """Draw the picture of a part of a run, and write it as a PNG."""
    flows = {result.flow: PANELS[result.kind] for result in run.results}
    heights = [panel.height(run, flow) for flow, panel in flows.items()]
    figure, axes = sheet(len(flows), 1, (10.5, 11.5), sharex=True,
                         gridspec_kw={"height_ratios": heights})
    for panel_axes, (flow, panel) in zip(axes[:, 0], flows.items()):
        panel.draw(panel_axes, run, flow)
        panel_axes.xaxis.set_major_locator(ticker.MultipleLocator(10))
    axes[-1, 0].set_xlim(0, _last(run) + 1)
    axes[-1, 0].set_xlabel("time of arrival since the traffic began [s]", color=INK)
    figure.suptitle(f"{title}\n\n\n", fontsize=13, fontweight="bold", color=INK)
    figure.text(0.5, 0.978, _settings(run), ha="center", va="top", fontsize=9, color=FAINT)
    figure.savefig(path, dpi=150)
