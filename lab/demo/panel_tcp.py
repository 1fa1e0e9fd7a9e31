# SPDX-License-Identifier: GPL-2.0-or-later
"""The panel of a download: sequence numbers by time of arrival, as in the receiver's trace in figure 5 of
Gurtov and Ludwig (2003)."""
from lib.cell import S

from demo.look import LOOKS, shade_spikes, title
from pieces.picture import INK

SPACE = 0.08        # from the highest point to the top of the labels, as a share of its height
ONCE = {"s": 2, "zorder": 3}
AGAIN = {"s": 24, "marker": "x", "linewidths": 0.9, "zorder": 4}


def height(_run, _flow):
    """The height of the panel, on the scale of the panels of datagrams."""
    return 12


def _points(run, segments):
    """The coordinates of the segments that carry data."""
    data = [s for s in segments if s.bytes]
    return [(s.received_ns - run.start) / S for s in data], [s.sequence / 1000 for s in data]


def _draw_result(axes, run, result):
    look, arrivals = LOOKS[result.queue], result.arrivals
    axes.scatter(*_points(run, arrivals.once), **look | ONCE)
    axes.scatter(*_points(run, arrivals.again), color=look["color"], **AGAIN)
    # the legend's marker, as large as in the other panels
    axes.scatter([], [], label=f"{result.queue}: {result.once} once, {result.duplicates} again "
                               f"of {result.sent}", **look)


def draw(axes, run, flow):
    results = run.of_flow(flow)
    top = (1 + SPACE) * max(result.arrivals.delivered for result in results) / 1000
    shade_spikes(axes, run, results[0].spikes, top)
    for result in results:
        _draw_result(axes, run, result)
    axes.set_ylim(0, top * (1 + SPACE / 2))
    axes.set_ylabel("sequence number [kB]", color=INK)
    title(axes, f"{flow} flow (x: arrived again)")
