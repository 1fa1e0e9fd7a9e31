# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's picture: when packets arrived against the lifetime they had left, after figure 4
of Gurtov and Ludwig, Lifetime Packet Discard for Efficient Real-Time Transport over Cellular
Links (2003)."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker

from result import S

INK, FAINT = "#333333", "#767676"
SPIKE, BELOW = "#e6e6e6", "#fdf2e9"
# from the palette of Okabe and Ito; told apart by brightness and shape as well
LOOKS = {"drop-tail": {"color": "#D55E00", "marker": "D", "s": 12, "facecolors": "none",
                       "linewidths": 0.8},
         "LPD": {"color": "#0072B2", "marker": "o", "s": 6}}
ABOVE, UNDER = 0.7, 2.2     # room in s of lifetime beyond the outermost points


def _points(run, result):
    arrivals = sorted(result.arrivals.values(), key=lambda a: a.received)
    return ([(a.received - run.start) / S for a in arrivals],
            [result.remaining(a) / S for a in arrivals])


def _limits(run, flow):
    """Lowest and highest lifetime that a flow's panel shows, in s."""
    left = [y for result in run.of_flow(flow) for y in _points(run, result)[1]]
    return min(left) - UNDER, max(left) + ABOVE


def _last(run):
    return max(x for result in run.results for x in _points(run, result)[0])


def _shade_spikes(axes, run, spikes, top):
    for begin, end in spikes:
        left, right = (begin - run.start) / S, (end - run.start) / S
        axes.axvspan(left, right, color=SPIKE, zorder=0.5, linewidth=0)
        axes.text((left + right) / 2, top - 0.4, f"delay spike\nof {right - left:.0f} s",
                  ha="center", va="top", color=FAINT, fontsize=9)


def _mark_wait(axes, run, result, spike, height):
    """What the receiver waits for after a spike; an arrow where the wait can be seen."""
    color = LOOKS[result.queue]["color"]
    start = (result.spikes[spike][1] - run.start) / S
    wait = result.waits()[spike]
    what = "nothing fresh any more" if wait is None else f"fresh after {wait / S:.1f} s"
    axes.text(start + 0.3, height + 0.1, f"{result.queue}: {what}", va="bottom", color=color,
              fontsize=9)
    if wait is not None and wait > S:
        axes.annotate("", (start + wait / S, height), (start, height), zorder=2,
                      arrowprops={"arrowstyle": "<->", "color": color, "shrinkA": 0,
                                  "shrinkB": 0})


def _draw_result(axes, run, result, low, high):
    label = f"{result.queue}: {result.valid} valid, {result.stale} stale of {result.sent}"
    axes.scatter(*_points(run, result), label=label, zorder=3, **LOOKS[result.queue])
    height = high - 1.95 if result.is_lpd else low + 0.5
    for spike in range(len(result.spikes)):
        _mark_wait(axes, run, result, spike, height)


def _draw_flow(axes, run, flow):
    results = run.of_flow(flow)
    low, high = _limits(run, flow)
    axes.axhspan(low, 0, color=BELOW, zorder=0, linewidth=0)
    axes.axhline(0, color=INK, linewidth=1, zorder=1)
    axes.text(0.4, 0.15, "fresh", color=FAINT, fontsize=9.5, va="bottom")
    axes.text(0.4, -0.2, "stale", color=FAINT, fontsize=9.5, va="top")
    _shade_spikes(axes, run, results[0].spikes, high)
    for result in results:
        _draw_result(axes, run, result, low, high)
    axes.set_ylim(low, high)
    axes.set_title(f"{flow} flow", loc="left", fontsize=11.5, color=INK)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=2, frameon=False,
                borderaxespad=0, handletextpad=0.1, markerscale=1.8, labelcolor=INK)


def _style(axes):
    axes.set_ylabel("lifetime left on arrival [s]", color=INK)
    axes.xaxis.set_major_locator(ticker.MultipleLocator(10))
    axes.yaxis.set_major_locator(ticker.MultipleLocator(2))
    axes.tick_params(colors=INK, length=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw(run, path, title):
    """Write the picture of a run as a PNG."""
    limits = [_limits(run, flow) for flow in run.flows]
    figure, panels = pyplot.subplots(
        len(run.flows), 1, sharex=True, squeeze=False, figsize=(10.5, 8.2),
        layout="constrained",
        gridspec_kw={"height_ratios": [high - low for low, high in limits]})
    for axes, flow in zip(panels[:, 0], run.flows):
        _draw_flow(axes, run, flow)
        _style(axes)
    panels[-1, 0].set_xlim(0, _last(run) + 1)
    panels[-1, 0].set_xlabel("time of arrival since the traffic began [s]", color=INK)
    figure.suptitle(f"{title}\n", fontsize=13, fontweight="bold", color=INK)
    figure.text(0.5, 0.947, run.notes["setting"], ha="center", fontsize=10, color=FAINT)
    figure.savefig(path, dpi=150)
