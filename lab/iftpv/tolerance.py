# SPDX-License-Identifier: GPL-2.0-or-later
"""The effect of the parameter loss_tolerance for a flow that is alone on a link with losses. The
figure compares the paper's rule, all parts of loss_tolerance, and BBR, which ignores losses. Losses
are random, or occur in bursts (two states). Some links follow the trace of a cellular link.
`freshlink trace make` makes two traces. TRACES adds a user's files or folders in mahimahi's
format."""
import os

from lib.cell import MS

from iftpv.loss import LINKS, SIZE, WIRE_RATE, path_of
from lpd.traces import MADE, link_of
from pieces import contest, topology, trace

TITLE = "Random loss, with and without loss_tolerance"
HEADLINE = "not in the paper"
SECONDS, SEEDS = 120, 10
ALL = 127                                       # all parts of loss_tolerance
VARIANTS = {"paper's rule": ("iftpv", 0), "tolerance": ("iftpv", ALL), "bbr": ("bbr", 0)}
BARS = {1: 90, 10: 70}                          # {percent of loss: least goodput in percent of the link}
# bad times lose a fifth of the packets, which is a loss of 1 percent on average
BURSTS = {"good": 950 * MS, "bad": 50 * MS, "bad_loss": 200_000, "sojourn": 0}
TRACE_DELAY, TRACE_LIMIT = 20 * MS, 300         # ns; packets
TRACE_LOSS = 1                                  # percent
FILES = trace.of_user(os.environ.get("TRACES", ""))
TRACES = FILES + list(MADE)

CELLS = [{"link": link, "loss": str(loss), "variant": name} for link in LINKS
         for loss in (*BARS, "bursts") for name in VARIANTS] + \
    [{"link": name, "loss": str(loss), "variant": variant} for name in TRACES
     for loss in (0, TRACE_LOSS) for variant in VARIANTS]
QUICK = [cell for cell in CELLS if cell["link"] == list(LINKS)[0] and cell["loss"] == "1"]


def run(cell, seed, directory):
    if cell["link"] in LINKS:
        kbit = LINKS[cell["link"]][0]
        path = path_of(*LINKS[cell["link"]])
    else:
        path, kbit = follow(cell["link"], seed, directory)
    if cell["loss"] == "bursts":
        path.damage(seed, **BURSTS)
    elif cell["loss"] != "0":
        path.damage(seed, loss=round(float(cell["loss"]) * 10**4))
    control, parts = VARIANTS[cell["variant"]]
    [row] = contest.compete(path, [control], SECONDS, loss_tolerance=parts)
    return [dict(row, share=row["kbit"] / kbit * 100)]


def follow(name, seed, directory):
    """A path over a link that follows a trace, and the trace's mean rate in kbit/s."""
    file, start, kbit = link_of(name, seed, directory)
    path = topology.Path(SIZE, delay=TRACE_DELAY, wire_rate=WIRE_RATE)
    path.queue("drop-tail", TRACE_LIMIT)
    path.follow(file, start)
    path.reach(mtu=SIZE)
    return path, kbit


# --- on the host ---

def name_of(link):
    """The name of a link, or the name of a trace without its directory. (Names of links also have a
    slash, in "Mbit/s".)"""
    return link if link in LINKS else os.path.basename(link)


def draw(rows, path):
    from pieces import estimate, picture
    places = [link for link in [*LINKS, *TRACES] if link in set(rows["link"])]
    sheet, axes = picture.sheet(2, len(places), (4 * len(places), 8))
    for column, place in enumerate(places):
        here = rows[rows["link"] == place]
        losses = sorted(set(here["loss"]), key=lambda loss: (len(loss), loss))
        picture.title(axes[0, column], name_of(place))
        for number, name in enumerate(VARIANTS):
            for line, value in enumerate(("share", "rtt_ms")):
                table = estimate.means(here[here["variant"] == name], value, ["loss"])
                at = [losses.index(loss) + 0.25 * number for loss in table["loss"]]
                axes[line, column].bar(at, table["mean"], 0.25, yerr=table["half"], capsize=2,
                                       color=picture.COLORS[number], label=name)
        for line in (0, 1):
            axes[line, column].set_xticks([n + 0.25 for n in range(len(losses))],
                                          [loss if loss == "bursts" else f"{loss} %" for loss in losses])
        axes[0, column].set_ylim(0, 110)
    axes[0, 0].set_ylabel("goodput [% of the link]")
    axes[1, 0].set_ylabel("mean smoothed round-trip time [ms]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    median = rows.groupby(["link", "loss", "variant"])[["share", "rtt_ms"]].median()
    found = []
    for (link, loss), each in median.groupby(["link", "loss"]):
        each = each.droplevel(["link", "loss"])
        medians = "; ".join(f"{name} {each['share'][name]:.1f} % at {each['rtt_ms'][name]:.1f} ms"
                            for name in VARIANTS)
        least = BARS.get(int(loss)) if link in LINKS and loss != "bursts" else None
        own = each["share"]["tolerance"]
        if least:
            found.append(Claim(f"{link}, {loss} % random loss: at least {least} % of the link with "
                               "loss_tolerance", "", medians, bool(own >= least)))
        else:
            found.append(Claim(f"{name_of(link)}, loss {loss}: at least as much goodput with "
                               "loss_tolerance as with the paper's rule", "", medians,
                               bool(own >= each["share"]["paper's rule"])))
    return found
