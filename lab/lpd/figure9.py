# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 9: a CBR flow of 25 kbit/s over a link of 30 kbit/s with delay spikes.

The paper prints neither its link's rate nor its grid; these are ours. What a queue lets through
that does not look at lifetimes is the same whatever they are: a run of it is judged by all. Beside
drop-tail and LPD the grid is coarser. The order of departure is tried with two flows, an urgent one
and a patient one."""
import os

from lib.cell import MS

from pieces import freshness, spikes, stream, topology

TITLE = "A CBR flow through drop-tail and LPD: lifetimes and buffers"
HEADLINE = "with LPD about 85 % valid and none stale, whatever lifetime and buffer; " \
    "with drop-tail toward none valid"
SECONDS = 180
KBIT, SIZE, LINK_KBIT = 25, 500, 30             # of the flow; bytes of a packet; of the link
LIFETIMES = (1, 2, 3, 5, 8, 10)                 # s
BUFFERS = (5, 10, 20, 50, 100)                  # packets
SOME = (5, 20, 100)                             # buffers of the others
MIDDLE = 5                                      # s: the lifetime of LPD's variants
BLIND = ("RED", "CoDel", "fq_codel", "age limit")
VARIANTS = ("LPD-head", "RED+LPD")
ORDERS = ("LPD", "LPD-EDF")
URGENT, PATIENT = 1, 10                         # s; each of both flows has half the rate

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
    """(sent, arrivals) of each, and the packets that no queue could call back."""
    for flow in flows:
        flow.listen()
    found = path.spikes(drawn)
    for flow in flows:
        flow.begin(SECONDS)
    told = [flow.finish() for flow in flows]
    merged = sorted((a for _, arrivals in told for a in arrivals), key=lambda a: a.received)
    return told, freshness.held_by_link(merged, found, path.delay)


def _single(path, drawn, directory, cell):
    """A row for each lifetime that the packets can be judged by."""
    own = [cell["lifetime"]] if "lifetime" in cell else LIFETIMES
    # an age limit is for packets that do not say their own
    says = None if cell["queue"] == "age limit" else own[0] * 1000
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), SIZE, KBIT, says)
    [(sent, arrivals)], held = _send(path, drawn, [flow])
    return [_judged(sent, arrivals, lifetime, held) | {
        name: freshness.most(path, sent, flow.interval, lifetime * 1000 * MS, drawn, room)
        for name, room in (("best", cell.get("buffer")), ("best_of_any", None))}
            for lifetime in own]


def _pair(path, drawn, directory):
    """A row for each of the flows."""
    flows = [stream.Stream(path, os.path.join(directory, f"{lifetime}.csv"), SIZE, KBIT / 2,
                           lifetime * 1000, port)
             for lifetime, port in ((URGENT, 5001), (PATIENT, 5002))]
    told, held = _send(path, drawn, flows)
    return [_judged(*each, lifetime, held) for each, lifetime in zip(told, (URGENT, PATIENT))]


def _judged(sent, arrivals, lifetime, held):
    return {"lifetime": lifetime, "sent": sent,
            **freshness.judge(arrivals, lifetime * 1000 * MS, held)}


# --- on the host ---

def percent(rows):
    """The same with shares of the packets sent, in percent; `fair` is of what could be valid."""
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
    """Valid and stale packets against the buffer: drop-tail, LPD, and what else there is."""
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
        Claim("LPD: the part of the packets that is valid, over all lifetimes and buffers",
              "about 85 %", span(cells["valid_pct"].mean(), " %"),
              bool(cells["valid_pct"].mean().between(80, 90).all()),
              f"at best {span(cells['best_pct'].mean(), ' %')} can be: what arrives in a spike "
              "waits it out only with a lifetime and a buffer of its length, and "
              f"{span(cells['best_of_any_pct'].mean(), ' %')} with any buffer"),
        Claim("LPD: of what could be valid at best so many are (at least 97 %)", "nearly optimal",
              span(fair, " %"), bool(fair.min() >= 97)),
        Claim("LPD: stale packets that the queue sent", "none",
              f"{int(lpd['stale'].sum() - spikes_met)} of {int(lpd['arrived'].sum())}",
              bool(lpd["stale"].sum() == spikes_met),
              f"{int(spikes_met)} more were the link's when a spike began or the first to come "
              f"during one, {100 * spikes_met / lpd['sent'].sum():.2f} % of those sent: "
              "one a spike, which no queue can call back"),
        Claim("LPD: by how much a packet came too late, whatever the variant", "",
              f"at most {late:.3f} ms", bool(late <= 1)),
        Claim("drop-tail: the larger the buffer, the fewer packets are valid; at "
              f"{min(LIFETIMES)} s and {max(BUFFERS)} packets", "toward none",
              text(worst["valid_pct"], " %"),
              bool((by_buffer.iloc[:, -1] < by_buffer.iloc[:, 0]).all() and
                   worst["valid_pct"].mean() < by_buffer.iloc[0, 0] / 4),
              "what is left came before the first spike, which is in the first 30 s of "
              f"{SECONDS} s"),
        *_variants(rows, Claim, span)]


def _variants(rows, Claim, span):
    """What the paper says of RED and of drop-from-head, and what earliest deadline first does."""
    valid = {queue: single(rows, queue, MIDDLE).groupby("buffer")["valid_pct"].mean()
             for queue in ("LPD", "drop-tail", "RED", *VARIANTS)}
    more = {queue: (valid[queue] - valid[other]).dropna()
            for queue, other in (("RED+LPD", "LPD"), ("RED", "drop-tail"), ("LPD-head", "LPD"))}
    urgent = rows[(rows["flow"] == "pair") & (rows["lifetime"] == URGENT)]
    order = urgent.groupby(["queue", "buffer"])["valid_pct"].mean()
    order = order["LPD-EDF"] - order["LPD"]
    return [
        Claim(f"RED with LPD in it: valid packets of {MIDDLE} s beyond those of LPD",
              "similar results", span(more["RED+LPD"], " points"),
              bool(more["RED+LPD"].abs().max() < 10), "RED's early drops cost what LPD could keep"),
        Claim(f"RED without: valid packets of {MIDDLE} s beyond those of drop-tail",
              "similar results", span(more["RED"], " points"),
              bool(more["RED"].abs().max() < 10),
              "a queue that RED keeps shorter leaves less to wait for"),
        Claim(f"drop-from-head: valid packets of {MIDDLE} s beyond those of LPD",
              "can increase performance", span(more["LPD-head"], " points", 2),
              bool(more["LPD-head"].min() > -0.5 and more["LPD-head"].max() > 0),
              "little is left to gain: LPD's room is taken by fresh packets already"),
        Claim(f"EDF: valid packets of a flow with {URGENT} s to live beside one with {PATIENT} s, "
              "beyond those in order of arrival", "", span(order, " points"),
              bool((order > 0).all()))]
