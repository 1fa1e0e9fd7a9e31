# SPDX-License-Identifier: GPL-2.0-or-later
"""A download by TCP and a CBR flow of datagrams share one queue, across delay spikes. The figure
shows how the two flows affect each other, with and without lifetimes for TCP's segments. The
datagrams always have a lifetime. For comparison each flow also runs alone."""
import os
import time

from lib.cell import MS

from pieces import download, freshness, queues, segments, senders, spikes, stream, topology

TITLE = "A download by TCP and a CBR flow in one queue"
HEADLINE = "not in the paper; its figure 11 has TFRC instead of CBR, and both flows gain from LPD"
SECONDS, SEEDS = 180, 12
DELAY = 100                             # ms
SIZE, WINDOW = 1000, 50                 # the download: bytes of a packet; window in segments
DATAGRAM, LIFETIME = 500, 5             # the CBR flow: bytes of a packet; s
RATES = {30: 12, 100: 25}               # {kbit/s of the link: kbit/s of the CBR flow}
BUFFERS = (20, 100)
SENDERS = {"standard": "2003", "Linux": "Linux"}
LIFETIMES = ("rto", "repeats")
QUEUES = ("LPD", "LPD-EDF")
NONE, BOTH, TCP, CBR = "none", "both", "TCP", "CBR"
TREATMENTS = [("drop-tail", NONE)] + [(q, words) for q in QUEUES for words in (NONE, *LIFETIMES)]

CELLS = [{"kbit": k, "buffer": b, "flows": flows, "tcp": t, "queue": q, "lifetime": words}
         for k in RATES for b in BUFFERS for flows in (BOTH, TCP) for t in SENDERS
         for q, words in TREATMENTS if flows == BOTH or q == "LPD"] + \
    [{"kbit": k, "buffer": b, "flows": CBR, "queue": "LPD"} for k in RATES for b in BUFFERS]
QUICK = [cell for cell in CELLS if cell["kbit"] == 30 and cell["buffer"] == BUFFERS[0] and
         cell.get("tcp") != "Linux"]


def run(cell, seed, directory):
    path = topology.Path(SIZE, cell["kbit"], DELAY * MS)
    path.queue(cell["queue"], cell["buffer"])
    bulk = Bulk(path, cell) if cell["flows"] != CBR else None
    flow = _cbr(path, cell, directory) if cell["flows"] != TCP else None
    path.spikes(spikes.draw(seed))
    if bulk:
        bulk.flow.begin()
    if flow:
        flow.begin(SECONDS)
    time.sleep(SECONDS)
    return [{**(bulk.end() if bulk else {}), **(_judged(*flow.finish()) if flow else {})}]


class Bulk:
    """An endless download with the cell's sender and the cell's lifetimes for segments."""

    def __init__(self, path, cell):
        senders.prepare(path, cell["tcp"], SIZE)
        if cell["lifetime"] != NONE and queues.looks_at_lifetimes(cell["queue"]):
            senders.stamp(path, download.MARK, cell["lifetime"])
        self.wire = segments.Wire(path.receiver, "eth0")
        self.flow = download.Download(path, 1 << 40, WINDOW * (SIZE - download.IP_TCP))

    def end(self):
        """End the download. Returns its goodput, and the numbers of segments and of duplicates."""
        got = self.flow.give_up()
        data = [s for s in self.wire.segments() if s.bytes and not s.outgoing]
        return {"tcp_kbit": got / 125 / SECONDS, "arrived": len(data),
                "again": len(segments.again(data))}


def _cbr(path, cell, directory):
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), DATAGRAM, RATES[cell["kbit"]],
                         LIFETIME * 1000)
    flow.listen()
    return flow


def _judged(sent, arrivals):
    judged = freshness.judge(arrivals, LIFETIME * 1000 * MS)
    return {"sent": sent, "valid": judged["valid"], "stale": judged["stale"]}


# --- on the host ---

# Why a lifetime of TCP's segments helps the other flow
WHY = {"rto": "segments without a lifetime keep their places in the queue during a spike, and this queue "
              "makes datagrams stale; segments with a lifetime expire as the datagrams do, and TCP gets "
              "the capacity that the datagrams leave",
       "repeats": "segments that are sent for the first time have no lifetime, so they wait in the queue "
                  "as before"}
WHERE = ["kbit", "buffer"]
SHOWN = {"valid_pct": "CBR: valid [% of packets sent]", "tcp_kbit": "TCP: goodput [kbit/s]",
         "again_pct": "TCP: duplicates [% of arrivals]"}


def percent(rows):
    return rows.assign(valid_pct=100 * rows["valid"] / rows["sent"],
                       again_pct=100 * rows["again"] / rows["arrived"])


def draw(rows, path):
    """Draw the results of both flows for each queue and lifetime. Dotted lines show the flow that
    is alone."""
    from pieces import picture
    rows = percent(rows)
    places = [(k, b) for k in RATES for b in BUFFERS if len(_at(rows, k, b))]
    sheet, axes = picture.sheet(len(SHOWN), len(places), (3.4 * len(places) + 1, 9), sharex=True,
                                sharey=False)
    for column, (kbit, buffer) in enumerate(places):
        here = _at(rows, kbit, buffer)
        picture.title(axes[0, column], f"{kbit} kbit/s, {buffer} packets")
        for line, value in enumerate(SHOWN):
            _bars(picture, axes[line, column], here, value)
            axes[line, 0].set_ylabel(SHOWN[value])
            axes[line, column].set_ylim(bottom=0)
        axes[0, column].set_ylim(0, 100)
        axes[-1, column].set_xticks(range(len(TREATMENTS)), [
            q if words == NONE else f"{q}, {words}" for q, words in TREATMENTS], rotation=60,
            ha="right", fontsize=8)
    picture.legend(axes[0, -1], loc="upper left")
    picture.save(sheet, path, f"{TITLE}; the CBR flow's lifetime is {LIFETIME} s")


def _at(rows, kbit, buffer):
    return rows[(rows["kbit"] == kbit) & (rows["buffer"] == buffer)]


def _bars(picture, axes, here, value):
    """A bar for each treatment and sender, and a line for the flow alone."""
    from pieces import estimate
    both, alone = here[here["flows"] == BOTH], here[here["flows"] == TCP]
    if value == "valid_pct":
        axes.axhline(here.loc[here["flows"] == CBR, value].mean(), color=picture.FAINT,
                     linestyle=":")
    for number, (sender, name) in enumerate(SENDERS.items()):
        if value == "tcp_kbit":
            own = alone[(alone["tcp"] == sender) & (alone["lifetime"] == NONE)]
            axes.axhline(own[value].mean(), color=picture.COLORS[number], linestyle=":")
        table = estimate.means(both[both["tcp"] == sender], value, ["queue", "lifetime"])
        for one in table.itertuples():
            axes.bar(TREATMENTS.index((one.queue, one.lifetime)) + 0.4 * number - 0.2, one.mean, 0.38,
                     yerr=one.half, capsize=2, color=picture.COLORS[number],
                     label=f"TCP: {name}" if one.Index == 0 else None)


def claims(rows):
    rows = percent(rows)
    mean = rows[rows["flows"] == BOTH].groupby(["queue", "lifetime", "tcp", *WHERE])[
        list(SHOWN)].mean()
    alone = rows[rows["flows"] == TCP].groupby(["queue", "lifetime", "tcp", *WHERE])[
        "tcp_kbit"].mean()
    cbr = rows[rows["flows"] == CBR].groupby(WHERE)["valid_pct"].mean()
    return [claim for words in (NONE, *LIFETIMES) for claim in _against_tail(mean, words)] + \
        [claim for words in LIFETIMES for claim in _against_none(mean, words)] + \
        [_costs(mean, alone, cbr, words) for words in (NONE, *LIFETIMES)]


def _lifetime(words):
    return "no lifetime" if words == NONE else f"lifetime {words}"


def _against_tail(mean, words):
    """LPD instead of drop-tail, for both flows. In the paper the timeout is the lifetime of segments."""
    paper = "more" if words == "rto" else ""
    from pieces.claim import Claim
    from pieces.estimate import span
    more = mean.loc["LPD", words] - mean.loc["drop-tail", NONE]
    gain = 100 * (mean.loc["LPD", words]["tcp_kbit"] / mean.loc["drop-tail", NONE]["tcp_kbit"] - 1)
    return [
        Claim(f"TCP with {_lifetime(words)}: more packets of the CBR flow are valid with LPD than with "
              "drop-tail", paper, span(more["valid_pct"], " points"),
              bool(more["valid_pct"].min() > 0)),
        Claim(f"TCP with {_lifetime(words)}, in one queue with the CBR flow: TCP has more goodput with LPD "
              "than with drop-tail", paper, span(gain, " %"), bool(gain.min() > 0))]


def _against_none(mean, words):
    """The claims about a lifetime of TCP's segments, with LPD."""
    from pieces.claim import Claim
    from pieces.estimate import span
    found = []
    for queue in QUEUES:
        with_it, without = mean.loc[queue, words], mean.loc[queue, NONE]
        valid = with_it["valid_pct"] - without["valid_pct"]
        tcp = 100 * (with_it["tcp_kbit"] / without["tcp_kbit"] - 1)
        found += [
            Claim(f"{queue}: TCP's {_lifetime(words)} costs the CBR flow no valid packets", "",
                  f"{span(valid, ' points')} more valid", bool(valid.min() >= -1), WHY[words]),
            Claim(f"{queue}: TCP's {_lifetime(words)} costs TCP no goodput in one queue with the CBR flow", "",
                  f"{span(tcp, ' %')} more goodput; duplicates: {span(with_it['again_pct'], ' %')} of "
                  f"arrivals, without a lifetime {span(without['again_pct'], ' %')}",
                  bool(tcp.min() >= -1))]
    return found


def _costs(mean, alone, cbr, words):
    """The claim about the packets and the goodput that each flow loses because of the other flow,
    with LPD."""
    from pieces.claim import Claim
    from pieces.estimate import span
    both = mean.loc["LPD", words]
    lost = (cbr - both["valid_pct"].groupby(level=WHERE).mean()).dropna()
    less = 100 * (1 - both["tcp_kbit"] / alone.loc["LPD", words])
    return Claim(f"TCP with {_lifetime(words)}: with LPD as many packets of the CBR flow are valid as "
                 "without TCP", "",
                 f"{span(lost, ' points')} fewer valid; TCP has {span(less, ' %')} less than alone",
                 bool(lost.max() <= 1))
