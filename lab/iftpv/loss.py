# SPDX-License-Identifier: GPL-2.0-or-later
"""This figure, which is not in the paper, shows today's congestion controls over today's links with
random losses. A flow is alone on the link. The buffer is one bandwidth-delay product."""
from lib.cell import MS

from iftpv.scenario import CONTROLS
from pieces import contest, topology

TITLE = "Random loss on today's links"
HEADLINE = "not in the paper"
SECONDS, SEEDS = 20, 10
SIZE = 1500
LINKS = {"5 Mbit/s, 50 ms": (5000, 50), "20 Mbit/s, 40 ms": (20_000, 40),
         "100 Mbit/s, 20 ms": (100_000, 20)}    # kbit/s; round trip in ms
LOSSES = (0, 0.1, 1, 3, 5, 10)                  # percent, of data
WIRE_RATE = 10**9 // 8                          # bytes/s
BAR = 1                                         # percent of loss for which the claims are judged

CELLS = [{"link": link, "tcp": name, "loss": loss} for link in LINKS for name in CONTROLS
         for loss in LOSSES]
QUICK = [cell for cell in CELLS if cell["link"] == "5 Mbit/s, 50 ms" and cell["loss"] == BAR and
         cell["tcp"] in ("iftpv", "reno", "veno")]


def path_of(kbit, rtt, buffer=1):
    """A path with a link. `kbit` is the rate of the link, and `rtt` the round-trip time in ms. The buffer is in bandwidth-delay
    products."""
    wires = 2 * topology.WIRE_DELAY
    path = topology.Path(SIZE, kbit, delay=(rtt * MS - wires) // 2, wire_rate=WIRE_RATE)
    path.queue("drop-tail", round(buffer * kbit * rtt / 8 // SIZE))
    path.reach(mtu=SIZE)
    return path


def run(cell, seed, _directory):
    path = path_of(*LINKS[cell["link"]])
    path.damage(seed, loss=round(cell["loss"] * 10**4))
    return contest.compete(path, [cell["tcp"]], SECONDS)


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    shown = {"share": "goodput [% of the link]", "rtt_ms": "mean smoothed round-trip time [ms]",
             "jitter_ms": "mean deviation of the round-trip time [ms]"}
    sheet, axes = picture.sheet(len(shown), len(LINKS), (14, 12), sharex=True)
    for column, (link, (kbit, _)) in enumerate(LINKS.items()):
        here = rows[rows["link"] == link].assign(share=rows["kbit"] / kbit * 100)
        for each, (value, text) in zip(axes[:, column], shown.items()):
            each.set_ylabel(text)
            for number, name in enumerate(CONTROLS):
                picture.curve(each, here[here["tcp"] == name], "loss", value, number, name)
        picture.title(axes[0, column], link)
        axes[-1, column].set_xlabel("random loss [%]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    at = rows[rows["loss"] == BAR].groupby(["link", "tcp"]).median(numeric_only=True)
    found = []
    for link, (kbit, _) in LINKS.items():
        if link not in at.index:
            continue
        goodput = at.loc[link]["kbit"]
        wanted = min(2 * goodput["reno"], 0.9 * kbit)
        found += [
            Claim(f"{link}, {BAR} % random loss: IFTPV has at least twice reno's goodput, or 90 % of the "
                  "link", "", _each(goodput, "{:.0f} kbit/s"), bool(goodput["iftpv"] >= wanted),
                  "" if goodput["iftpv"] >= wanted else "the window grows into the queue; IFTPV takes a "
                  "random loss for congestion if beta packets wait there"),
            Claim(f"{link}, {BAR} % random loss: IFTPV has at least Veno's goodput", "",
                  f"{goodput['iftpv']:.0f} and {goodput['veno']:.0f} kbit/s",
                  bool(goodput["iftpv"] >= goodput["veno"])),
            Claim(f"{link}, {BAR} % random loss: the mean deviation of IFTPV's round-trip time is at most "
                  "Veno's (round-trip time and deviation)", "", _each(_times(at.loc[link]), "{} ms"),
                  bool(at.loc[link, "iftpv"]["jitter_ms"] <= at.loc[link, "veno"]["jitter_ms"]))]
    return found


def _times(medians):
    return medians[["rtt_ms", "jitter_ms"]].round(1).astype(str).agg(" and ".join, axis=1)


def _each(values, form):
    return "; ".join(f"{name} {form.format(value)}" for name, value in values.items())
