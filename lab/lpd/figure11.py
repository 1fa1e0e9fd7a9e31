# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 11: a flow of TFRC and a download by TCP share one queue, across delay spikes. With LPD a packet of
TFRC has the lifetime of its data, and a segment of TCP has the current retransmission timeout. LPD discards
what is stale. Not in the paper is LPD that cuts stale packets of TFRC to their headers, and LPD that drops from
the head of a full buffer, which the paper only recommends.

Both flows have always something to send. The paper states neither the link's rate nor the size of the
download; its time is here the time until the first bytes of an endless download have arrived. A queue that
ignores lifetimes delivers the same packets for all lifetimes, so one run is judged by each lifetime.

Lifetimes are relative. The router knows the delay of the wire before it, which is constant (section II.A)."""
import time

from lib.cell import MS, S

from pieces import (download, freshness, queues, segments, senders, spikes, stream, tfrc,
                    topology)

TITLE = "TFRC and a download by TCP in one queue"
HEADLINE = "with LPD more valid packets of TFRC, the more the larger the buffer, and few stale bytes; TCP is " \
    "faster, the more the shorter TFRC's lifetime; needless retransmissions are few, with drop-tail they " \
    "grow with the buffer"
SECONDS, SEEDS, COST = 360, 10, 0.7
KBIT, DELAY = 30, 100                           # kbit/s; ms
SIZE, WINDOW = 1000, 50                         # bytes of a packet of either flow; segments
TOTAL = 100_000                                 # bytes of the download whose time is measured
LIFETIMES = (3, 5, 8, 10)                       # s
BUFFERS = (5, 10, 20, 50, 100, 200)             # packets
TAIL, DISCARD, CUT, HEAD = "drop-tail", "LPD", "LPD-cut", "LPD-head"
TRACED, SHOWN = {"lifetime": 5, "buffer": 50}, 150      # the cells of figure 12; s that it shows
MIDDLE = 5                                      # s: the lifetime for LPD that drops from the head
CELLS = [{"queue": q, "buffer": b, "lifetime": s} for q in (DISCARD, CUT, HEAD) for b in BUFFERS
         for s in LIFETIMES if q != HEAD or s == MIDDLE] + [{"queue": TAIL, "buffer": b} for b in BUFFERS]
QUICK = [cell for cell in CELLS if cell.get("lifetime", MIDDLE) == MIDDLE and cell["buffer"] in (10, 50)]


def run(cell, seed, directory):
    path = topology.Path(SIZE, KBIT, DELAY * MS)
    # a lifetime in whole ms does not include the time before the router
    path.queue(cell["queue"], cell["buffer"], before=path.to_router // MS + 2)
    senders.prepare(path, "standard", SIZE)
    if queues.looks_at_lifetimes(cell["queue"]):
        senders.stamp(path, download.MARK, "rto")
    own = [cell["lifetime"]] if "lifetime" in cell else LIFETIMES
    treatment = "truncate" if cell["queue"] == CUT else "discard"
    flow = tfrc.Flow(path, directory, SIZE, own[0], words=f"--stale {treatment}")
    flow.listen()
    wire = segments.Wire(path.receiver, "eth0")
    bulk = download.Download(path, 1 << 40, WINDOW * (SIZE - download.IP_TCP))
    drawn = spikes.draw(seed)
    met = path.spikes(drawn)
    start, end = (met[0].start - drawn[0].start + at * S for at in (0, SECONDS))
    bulk.begin()
    flow.begin(SECONDS)
    time.sleep(SECONDS)
    bulk.give_up()
    data = [s for s in wire.segments() if s.bytes and not s.outgoing and s.when < end]
    _, sent, packets = flow.finish()
    packets = [p for p in packets if p.received < end]
    held = freshness.held_by_link(in_order(packets, data), met, path.delay)
    common = {"what": "sum", "sent": len(sent), **tcp(data, start)}
    return [{**common, "lifetime": s, **judged(packets, s, held)} for s in own] + \
        [row for s in own if {"lifetime": s, "buffer": cell["buffer"]} == TRACED
         for row in trace(data, packets, start, s)]


def in_order(packets, data):
    """The arrivals of both flows. A segment counts as sent when it arrives, because it is never stale."""
    return sorted([*packets, *(stream.Arrival(-1, s.when, s.when) for s in data)],
                  key=lambda arrival: arrival.received)


def tcp(data, start):
    """The numbers of the download: the time in s until TOTAL bytes have arrived, at most SECONDS."""
    return {"tcp_arrived": len(data), "again": len(segments.again(data)),
            "seconds": min(SECONDS, (complete(data, TOTAL) - start) / S)}


def complete(data, total):
    """The time when the first `total` bytes have all arrived, or infinity. The SYN has the number 0."""
    seen = bytearray(total)
    for s in data:
        first, last = s.sequence - 1, min(total, s.sequence - 1 + s.bytes)
        seen[first:last] = b"\1" * (last - first)
        if seen.count(1) == total:
            return s.when
    return float("inf")


def judged(packets, lifetime, held):
    """The numbers of TFRC."""
    stale = {p for p in packets if p.received - p.sent > lifetime * S}
    return {"arrived": len(packets), "valid": len(packets) - len(stale), "stale": len(stale),
            "held": len(stale & held)}


def trace(data, packets, start, lifetime):
    """The arrivals of both flows; times are relative to the start."""
    repeated = set(segments.again(data))
    rows = [("again" if s in repeated else "segment", s.when, s.sequence / 1000) for s in data] + \
        [("valid" if p.received - p.sent <= lifetime * S else "stale", p.received, p.sequence) for p in packets]
    return [{"what": what, "lifetime": lifetime, "at": (when - start) / S, "sequence": sequence}
            for what, when, sequence in rows if when < start + SHOWN * S]


# --- on the host ---

NAMES = {TAIL: "drop-tail", DISCARD: "LPD", CUT: "LPD that cuts", HEAD: "LPD that drops from the head"}
PLACE = ["lifetime", "buffer"]
PANELS = {"valid": "TFRC: valid packets", "stale_pct": "TFRC: stale [% of bytes that arrive]",
          "seconds": "TCP: download time [s]", "again": "TCP: duplicate segments",
          "even": "lower throughput [% of the higher]", "fair": "lower goodput [% of the higher]"}


def cells(rows):
    """The rows of the cells' results. The throughput counts all packets of data that arrive; the goodput counts
    valid packets of TFRC and new segments of TCP. All packets have the same size."""
    rows = rows[rows["what"] == "sum"]
    return rows.assign(stale_pct=100 * rows["stale"] / rows["arrived"],
                       even=closeness(rows["arrived"], rows["tcp_arrived"]),
                       fair=closeness(rows["valid"], rows["tcp_arrived"] - rows["again"]))


def closeness(one, other):
    """The lower of two columns in percent of the higher."""
    return 100 * one.where(one < other, other) / one.where(one > other, other)


def draw(rows, path):
    """Draw the results of both flows by buffer, for each lifetime and queue."""
    from pieces import picture
    rows = cells(rows)
    lifetimes = [s for s in LIFETIMES if len(rows[(rows["lifetime"] == s) & (rows["queue"] != TAIL)])]
    sheet, axes = picture.sheet(len(PANELS), len(lifetimes), (3.6 * len(lifetimes) + 1, 16), sharex=True,
                                sharey="row")
    for column, lifetime in enumerate(lifetimes):
        picture.title(axes[0, column], f"TFRC's lifetime {lifetime} s")
        for line, (value, label) in enumerate(PANELS.items()):
            for number, (queue, name) in enumerate(NAMES.items()):
                here = rows[(rows["lifetime"] == lifetime) & (rows["queue"] == queue)]
                picture.curve(axes[line, column], here, "buffer", value, number, name)
            axes[line, 0].set_ylabel(label)
            axes[line, column].set_ylim(bottom=0)
        picture.buffers(axes[-1, column], BUFFERS)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    rows = cells(rows)
    return [claim for queue in (DISCARD, CUT, HEAD) for claim in _of_queue(rows, queue)] + \
        [_of_tail(rows[rows["queue"] == TAIL])]


def differences(rows, queue, value):
    """By how much a value is greater than with drop-tail in the run of the same seed: its mean and half of the
    confidence interval, by PLACE."""
    from pieces import estimate
    joined = rows[rows["queue"] == queue].merge(rows[rows["queue"] == TAIL], on=[*PLACE, "seed"],
                                                suffixes=("", "_tail"))
    return estimate.means(joined.assign(more=joined[value] - joined[f"{value}_tail"]), "more",
                          PLACE).set_index(PLACE)


def in_each(more, unit, digits=1):
    """Describe a gain over all cells. Return the text, whether the gain is never below 0, and the cells in
    which it is."""
    from pieces.estimate import span
    wrong = more[more["mean"] < 0]
    sure = (wrong["mean"] + wrong["half"] < 0).sum()
    where = ", ".join(f"{one.mean:+.{digits}f} ± {one.half:.{digits}f} at {one.Index[0]} s and {one.Index[1]} "
                      "packets" for one in wrong.itertuples())
    text = f"{span(more['mean'], unit, digits)}; in {len(more) - len(wrong)} of {len(more)} cells"
    return text, not len(wrong), \
        f"not in these cells, in {sure} of them certainly: {where}. " if len(wrong) else ""


def _of_queue(rows, queue):
    """The claims about LPD, compared with drop-tail in the same cells."""
    valid = differences(rows, queue, "valid")
    less = {value: differences(rows, queue, value).assign(mean=lambda found: -found["mean"])
            for value in ("seconds", "again")}
    lpd = rows[rows["queue"] == queue].groupby(PLACE).mean(numeric_only=True)
    found = [
        _each(queue, "more valid packets of TFRC than with drop-tail", "more", valid, "", WHY_VALID),
        _stale(lpd, queue),
        _each(queue, "TCP's download takes less time than with drop-tail", "less", less["seconds"], " s",
              WHY_TIME[queue]),
        _each(queue, "fewer needless retransmissions than with drop-tail", "fewer", less["again"], ""),
        _few(lpd, queue),
        _each(queue, "throughputs are closer than with drop-tail", "closer", differences(rows, queue, "even"),
              " points", WHY_EVEN),
        _each(queue, "goodputs are closer than with drop-tail", "", differences(rows, queue, "fair"),
              " points", WHY_FAIR[queue])]
    return found if queue == HEAD else found + [
        _grows(queue, "the gain of valid packets grows with the buffer", valid, "buffer", BUFFERS),
        _grows(queue, "the time that TCP gains grows for shorter lifetimes of TFRC", less["seconds"],
               "lifetime", LIFETIMES[::-1])]


def _each(queue, text, paper, more, unit, why=""):
    """The claim that a gain is not below 0 in any cell."""
    from pieces.claim import Claim
    ours, holds, wrong = in_each(more, unit)
    return Claim(f"{NAMES[queue]}: {text}", paper if queue == DISCARD else "", ours, holds,
                 wrong and wrong + why)


def _grows(queue, text, more, by, order):
    """The claim that a gain, as a mean over the other parameter, grows along a list of values."""
    from pieces.claim import Claim
    mean = more["mean"].groupby(level=by).mean()
    found = [(value, mean[value]) for value in order if value in mean.index]
    return Claim(f"{NAMES[queue]}: {text}", "grows" if queue == DISCARD else "",
                 ", ".join(f"{value}: {gain:.0f}" for value, gain in found),
                 all(a <= b for (_, a), (_, b) in zip(found, found[1:])))


def _stale(lpd, queue):
    from pieces.claim import Claim
    from pieces.estimate import span
    held = lpd["held"].sum() / lpd["stale"].sum()
    return Claim(f"{NAMES[queue]}: less than 1 % of the bytes of TFRC that arrive are stale",
                 "small" if queue == DISCARD else "", span(lpd["stale_pct"], " %", 2),
                 bool(lpd["stale_pct"].max() < 1),
                 f"{100 * held:.0f} % of them were held by the link when a spike began, one packet of either "
                 "flow in each spike, which no queue can call back")


def _few(lpd, queue):
    from pieces.claim import Claim
    from pieces.estimate import span
    share = 100 * lpd["again"] / lpd["tcp_arrived"]
    return Claim(f"{NAMES[queue]}: duplicate segments, in percent of TCP's arrivals, are under 3 %",
                 "low and stable" if queue == DISCARD else "", span(share, " %"), bool(share.max() < 3))


def _of_tail(tail):
    from pieces.claim import Claim
    sums = tail.groupby("buffer")[["again", "tcp_arrived"]].sum()
    share = 100 * sums["again"] / sums["tcp_arrived"]
    return Claim("drop-tail: duplicate segments, in percent of TCP's arrivals, grow with the buffer",
                 "grow quickly", ", ".join(f"{buffer}: {value:.1f}" for buffer, value in share.items()),
                 bool(share.is_monotonic_increasing),
                 "in a long queue of TFRC's packets TCP's timer is longer than a spike, so fewer timeouts are "
                 "spurious")


SMALL = "A buffer of 5 packets is full of TFRC's packets, which come evenly, and TCP's pairs of segments " \
    "meet a full buffer. "
AGAIN = "LPD discards TCP's segments of a spike, and TCP begins again with one segment; drop-tail delivers them"
NO_SIGN = "Packets that were cut report no congestion, so TFRC slows down less than with losses"
WHY_VALID = "So small a buffer delays packets by less than their lifetime, so only spikes make them stale, " \
    "and the flows share the link in another way. LPD that drops from the head leaves TCP more of it"
WHY_EVEN = "The throughput counts stale packets, of which drop-tail delivers many. TFRC takes discarded " \
    "packets for congestion"
WHY_TIME = {DISCARD: f"{SMALL}In larger ones {AGAIN}", CUT: f"{SMALL}{NO_SIGN}", HEAD: AGAIN}
WHY_FAIR = {DISCARD: "With drop-tail both goodputs are low where the buffer is large", CUT: NO_SIGN, HEAD: ""}
