# SPDX-License-Identifier: GPL-2.0-or-later
"""The panel of a flow of datagrams: the lifetime left on arrival by time of arrival, as in figure 4 of
Gurtov and Ludwig, Lifetime Packet Discard for Efficient Real-Time Transport over Cellular Links
(2003)."""
from matplotlib import ticker

from lib.cell import S

from demo.look import BELOW, LOOKS, shade_spikes, title
from pieces.picture import FAINT, INK

ABOVE, UNDER = 0.7, 2.2     # space in s of lifetime beyond the outermost points


def _points(run, result):
    arrivals = result.arrivals
    return ([(a.received - run.start) / S for a in arrivals.packets],
            [arrivals.remaining(a) / S for a in arrivals.packets])


def _limits(run, flow):
    """The lowest and the highest lifetime of the panel, in s."""
    left = [y for result in run.of_flow(flow) for y in _points(run, result)[1]]
    return min(left) - UNDER, max(left) + ABOVE


def height(run, flow):
    """The height of the panel in s of lifetime. All panels of datagrams have the same scale."""
    low, high = _limits(run, flow)
    return high - low


def _text(wait):
    return "nothing fresh any more" if wait is None else f"fresh after {wait / S:.1f} s"


def _mark_short_waits(axes, run, result):
    """Write how long the receiver waits after each spike. The text is within the spike, because no packets
    arrive there."""
    for (_, end), wait in zip(result.spikes, result.waits()):
        axes.text((end - run.start) / S - 0.3, 0.2, f"{result.queue}:\n{_text(wait)}", ha="right",
                  va="bottom", color=LOOKS[result.queue]["color"], fontsize=9)


def _mark_long_waits(axes, run, result, height):
    """Write how long the receiver waits after each spike, and draw an arrow of this length."""
    color = LOOKS[result.queue]["color"]
    for (_, end), wait in zip(result.spikes, result.waits()):
        start = (end - run.start) / S
        axes.text(start + 0.3, height + 0.1, f"{result.queue}: {_text(wait)}", va="bottom", color=color,
                  fontsize=9)
        if wait is not None:
            axes.annotate("", (start + wait / S, height), (start, height), zorder=2,
                          arrowprops={"arrowstyle": "<->", "color": color, "shrinkA": 0,
                                      "shrinkB": 0})


def _draw_result(axes, run, result, low):
    label = f"{result.queue}: {result.valid} valid, {result.stale} stale of {result.sent}"
    axes.scatter(*_points(run, result), label=label, zorder=3, **LOOKS[result.queue])
    if result.is_lpd:
        _mark_short_waits(axes, run, result)
    else:
        _mark_long_waits(axes, run, result, low + 0.5)


def draw(axes, run, flow):
    results = run.of_flow(flow)
    low, high = _limits(run, flow)
    axes.axhspan(low, 0, color=BELOW, zorder=0, linewidth=0)
    axes.axhline(0, color=INK, linewidth=1, zorder=1)
    axes.text(0.4, 0.15, "fresh", color=FAINT, fontsize=9.5, va="bottom")
    axes.text(0.4, -0.2, "stale", color=FAINT, fontsize=9.5, va="top")
    shade_spikes(axes, run, results[0].spikes, high - 0.4)
    for result in results:
        _draw_result(axes, run, result, low)
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(ticker.MultipleLocator(2))
    axes.set_ylabel("lifetime left on arrival [s]", color=INK)
    title(axes, f"{flow} flow")
