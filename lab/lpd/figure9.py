# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 9: a CBR flow of 25 kbit/s over a link of 30 kbit/s with delay spikes.

The paper states neither the link's rate nor the grid of parameters. The rate and the grid are ours.
A queue that ignores lifetimes delivers the same packets for all lifetimes. One run of such a queue
is therefore judged by each lifetime. The grid is coarser for queues other than drop-tail and LPD.
The order of departure is measured with two flows, an urgent flow and a patient flow."""
import os

from lib.cell import MS

from pieces import freshness, spikes, stream, topology

TITLE = "A CBR flow through drop-tail and LPD: lifetimes and buffers"
HEADLINE = "with LPD about 85 % valid and none stale, whatever lifetime and buffer; " \
    "with drop-tail toward none valid"
SECONDS = 180
KBIT, SIZE, LINK_KBIT = 25, 500, 30             # kbit/s of the flow; bytes of a packet; kbit/s of the link
LIFETIMES = (1, 2, 3, 5, 8, 10)                 # s
BUFFERS = (5, 10, 20, 50, 100)                  # packets
SOME = (5, 20, 100)                             # buffers of the other queues
MIDDLE = 5                                      # s: the lifetime for LPD's variants
BLIND = ("RED", "CoDel", "fq_codel", "age limit")
VARIANTS = ("LPD-head", "RED+LPD")
ORDERS = ("LPD", "LPD-EDF")
URGENT, PATIENT = 1, 10                         # s: the lifetimes of two flows with half the rate each

CELLS = [{"queue": "LPD", "buffer": b, "lifetime": s} for b in BUFFERS for s in LIFETIMES] + \
    [{"queue": "drop-tail", "buffer": b} for b in BUFFERS] + \
    [{"queue": q, "buffer": b} for q in BLIND for b in SOME] + [{"queue": "CAKE"}] + \
    [{"queue": q, "buffer": b, "lifetime": MIDDLE} for q in VARIANTS for b in SOME] + \
    [{"queue": q, "buffer": b, "flow": "pair"} for q in ORDERS for b in SOME[1:]]
QUICK = [cell for cell in CELLS if cell["queue"] in ("LPD", "drop-tail", "RED", *VARIANTS, *ORDERS)
         and cell["buffer"] in SOME[1:] and cell.get("lifetime", MIDDLE) in (1, MIDDLE)]


def run(cell, seed, directory):
    path = topology.Path(SIZE, LINK_KBIT)
    path.queue(cell["queue"], cell.get("buffer"))
    drawn = spikes.draw(seed)
    if cell.get("flow") == "pair":
        return _pair(path, drawn, directory)
    return _single(path, drawn, directory, cell)


def _send(path, drawn, flows):
    """Run flows. Returns (sent, arrivals) of each flow, and the packets that the link held."""
    for flow in flows:
        flow.listen()
    found = path.spikes(drawn)
    for flow in flows:
        flow.begin(SECONDS)
    results = [flow.finish() for flow in flows]
    merged = sorted((a for _, arrivals in results for a in arrivals), key=lambda a: a.received)
    return results, freshness.held_by_link(merged, found, path.delay)


def _single(path, drawn, directory, cell):
    """A row for each lifetime by which the packets can be judged."""
    own = [cell["lifetime"]] if "lifetime" in cell else LIFETIMES
    # an age limit applies only to packets that carry no lifetime
    carried = None if cell["queue"] == "age limit" else own[0] * 1000
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), SIZE, KBIT, carried)
    [(sent, arrivals)], held = _send(path, drawn, [flow])
    return [_judged(sent, arrivals, lifetime, held) | {
        name: freshness.most(path, sent, flow.interval, lifetime * 1000 * MS, drawn, buffer)
        for name, buffer in (("best", cell.get("buffer")), ("best_of_any", None))}
            for lifetime in own]


def _pair(path, drawn, directory):
    """A row for each of two flows."""
    flows = [stream.Stream(path, os.path.join(directory, f"{lifetime}.csv"), SIZE, KBIT / 2,
                           lifetime * 1000, port)
             for lifetime, port in ((URGENT, 5001), (PATIENT, 5002))]
    results, held = _send(path, drawn, flows)
    return [_judged(*each, lifetime, held) for each, lifetime in zip(results, (URGENT, PATIENT))]


def _judged(sent, arrivals, lifetime, held):
    return {"lifetime": lifetime, "sent": sent,
            **freshness.judge(arrivals, lifetime * 1000 * MS, held)}


# --- on the host ---

def percent(rows):
    """The rows with shares of the sent packets, in percent. `fair` is the share of the packets that
    could be valid at best."""
    rows = rows.copy()
    for name in ("valid", "stale", "best", "best_of_any"):
        rows[f"{name}_pct"] = 100 * rows[name] / rows["sent"]
    rows["fair"] = 100 * rows["valid"] / rows["best"]
    return rows


def single(rows, queue, lifetime=None):
    """The rows of one flow through one queue."""
    rows = rows[(rows["queue"] == queue) & (rows["flow"] != "pair")] if "flow" in rows else \
        rows[rows["queue"] == queue]
    return rows if lifetime is None else rows[rows["lifetime"] == lifetime]


def draw(rows, path):
    """Draw valid and stale packets against the buffer: drop-tail, LPD and other queues."""
    from pieces import picture
    rows = percent(rows)
    sheet, axes = picture.sheet(2, 3, (13, 8), sharex=True, sharey="row")
    for column, queue in enumerate(("drop-tail", "LPD")):
        picture.title(axes[0, column], f"{queue}, by lifetime (dotted: at best)")
        for number, lifetime in enumerate(LIFETIMES):
            _draw_lifetime(picture, axes[:, column], single(rows, queue, lifetime), number,
                           f"{lifetime} s")
    picture.title(axes[0, 2], f"lifetime {MIDDLE} s (dotted: at best)")
    for number, queue in enumerate(("drop-tail", "LPD", *VARIANTS, *BLIND, "CAKE")):
        _draw_lifetime(picture, axes[:, 2], single(rows, queue, MIDDLE), number, queue)
    for column in range(3):
        picture.buffers(axes[1, column], BUFFERS)
        picture.legend(axes[1, column], ncols=2)
    axes[0, 0].set_ylabel("valid [% of packets sent]")
    axes[1, 0].set_ylabel("delivered stale [% of packets sent]")
    for line in range(2):
        axes[line, 0].set_ylim(-2, 100)
    picture.save(sheet, path, TITLE)


def _draw_lifetime(picture, axes, rows, number, label):
    if not len(rows):
        return
    if rows["buffer"].isna().all():
        for each, value in zip(axes, ("valid_pct", "stale_pct")):
            picture.level(each, rows, value, number, label)
        return
    for each, value in zip(axes, ("valid_pct", "stale_pct")):
        picture.curve(each, rows, "buffer", value, number, label)
    most = rows.groupby("buffer")["best_pct"].mean()
    axes[0].plot(most.index, most, ":", color=picture.COLORS[number % len(picture.COLORS)],
                 linewidth=0.9)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import span, text
    rows = percent(rows)
    lpd, tail = single(rows, "LPD"), single(rows, "drop-tail")
    cells = lpd.groupby(["lifetime", "buffer"])
    fair = cells["valid"].sum() / cells["best"].sum() * 100
    spikes_met = lpd["held"].sum()
    late = rows[rows["queue"].str.contains("LPD")]["late_ms"].max()
    worst = tail[(tail["lifetime"] == min(LIFETIMES)) & (tail["buffer"] == max(BUFFERS))]
    by_buffer = tail.groupby(["lifetime", "buffer"])["valid_pct"].mean().unstack()
    return [
        Claim("LPD: the share of valid packets, over all lifetimes and buffers",
              "about 85 %", span(cells["valid_pct"].mean(), " %"),
              bool(cells["valid_pct"].mean().between(80, 90).all()),
              f"at best {span(cells['best_pct'].mean(), ' %')} can be valid, because a packet that arrives "
              "during a spike survives it only if lifetime and buffer are long enough; "
              f"{span(cells['best_of_any_pct'].mean(), ' %')} with an unlimited buffer"),
        Claim("LPD: at least 97 % of the packets that could be valid at best are valid",
              "nearly optimal", span(fair, " %"), bool(fair.min() >= 97)),
        Claim("LPD: stale packets that the queue sent", "none",
              f"{int(lpd['stale'].sum() - spikes_met)} of {int(lpd['arrived'].sum())}",
              bool(lpd["stale"].sum() == spikes_met),
              f"the link held {int(spikes_met)} more, "
              f"{100 * spikes_met / lpd['sent'].sum():.2f} % of the packets sent: one per spike, "
              "accepted before or during the spike, which no queue can call back"),
        Claim("LPD and its variants: packets arrive at most 1 ms after their lifetime", "",
              f"at most {late:.3f} ms", bool(late <= 1)),
        Claim("drop-tail: with a larger buffer fewer packets are valid; at "
              f"{min(LIFETIMES)} s and {max(BUFFERS)} packets", "toward none",
              text(worst["valid_pct"], " %"),
              bool((by_buffer.iloc[:, -1] < by_buffer.iloc[:, 0]).all() and
                   worst["valid_pct"].mean() < by_buffer.iloc[0, 0] / 4),
              "the valid packets came before the first spike, which begins in the first 30 s of "
              f"{SECONDS} s"),
        *_variants(rows, Claim, span)]


def _variants(rows, Claim, span):
    """The claims about RED, drop-from-head and earliest deadline first."""
    valid = {queue: single(rows, queue, MIDDLE).groupby("buffer")["valid_pct"].mean()
             for queue in ("LPD", "drop-tail", "RED", *VARIANTS)}
    more = {queue: (valid[queue] - valid[other]).dropna()
            for queue, other in (("RED+LPD", "LPD"), ("RED", "drop-tail"), ("LPD-head", "LPD"))}
    urgent = rows[(rows["flow"] == "pair") & (rows["lifetime"] == URGENT)]
    order = urgent.groupby(["queue", "buffer"])["valid_pct"].mean()
    order = order["LPD-EDF"] - order["LPD"]
    return [
        Claim(f"RED with LPD inside, compared with LPD: more valid packets at a lifetime of {MIDDLE} s",
              "similar results", span(more["RED+LPD"], " points"),
              bool(more["RED+LPD"].abs().max() < 10), "RED drops early packets that LPD could deliver"),
        Claim(f"RED alone, compared with drop-tail: more valid packets at a lifetime of {MIDDLE} s",
              "similar results", span(more["RED"], " points"),
              bool(more["RED"].abs().max() < 10),
              "RED keeps the queue shorter, so packets wait less"),
        Claim(f"drop-from-head, compared with LPD: more valid packets at a lifetime of {MIDDLE} s",
              "can increase performance", span(more["LPD-head"], " points", 2),
              bool(more["LPD-head"].min() > -0.5 and more["LPD-head"].max() > 0),
              "there is little to gain, because LPD's buffer already holds fresh packets"),
        Claim("EDF, compared with order of arrival: more valid packets of a flow with a lifetime of "
              f"{URGENT} s that shares the queue with a flow of {PATIENT} s", "", span(order, " points"),
              bool((order > 0).all()))]
