# SPDX-License-Identifier: GPL-2.0-or-later
"""This figure shows whether IFTPV is friendly to the Internet's TCP. IFTPV shares a link with a
flow of reno or of cubic for two minutes. The links have no random losses. The figure also has other
congestion controls, for comparison.

The link also carries a few small datagrams at random times. Without these datagrams all packets
would arrive at a fixed phase of the link's transmissions. Then this phase, and not congestion,
would decide which flow finds the buffer full (Floyd and Jacobson, On Traffic Phase Effects in
Packet-Switched Gateways, 1992). A paced flow would then get three times the throughput of a flow
that sends when acknowledgements arrive."""
from iftpv.loss import LINKS, path_of
from iftpv.scenario import CONTROLS
from pieces import contest, poisson

TITLE = "Two flows, no random loss"
HEADLINE = "a fair share (scenario 4)"
SECONDS, SEEDS = 120, 10
OTHERS = ("reno", "cubic")
BAR = 0.9                   # Jain's index
SMALL, PART = 200, 0.02     # bytes of a datagram; share of the link's rate
SLOW, FAST = list(LINKS)[:2]

CELLS = [{"link": SLOW, "beside": other, "tcp": name} for other in OTHERS for name in CONTROLS] + \
    [{"link": FAST, "beside": other, "tcp": "iftpv"} for other in OTHERS]
QUICK = CELLS[:1]


def background(path, kbit, seed):
    """Datagrams that vary the phase at which the packets of flows arrive."""
    return poisson.Poisson(path, SMALL, PART * kbit, seed)


def run(cell, seed, _directory):
    path = path_of(*LINKS[cell["link"]])
    with background(path, LINKS[cell["link"]][0], seed):
        return contest.compete(path, [cell["tcp"], cell["beside"]], SECONDS)


# --- on the host ---

def index(rows):
    """Jain's index, by link, other flow, congestion control and seed."""
    return rows.groupby(["link", "beside", "tcp", "seed"])["kbit"].apply(
        lambda pair: contest.jain(list(pair)))


def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, len(OTHERS), (12, 4.5), sharey=True)
    found = index(rows).loc[SLOW]
    for each, other in zip(axes[0], OTHERS):
        picture.title(each, f"shared with {other}, {SLOW}")
        if other in found.index.get_level_values("beside"):
            names = [name for name in CONTROLS if name in found[other].index]
            each.boxplot([found[other][name] for name in names])
            each.set_xticks(range(1, len(names) + 1), names)
        each.axhline(BAR, color=picture.FAINT, linestyle=":")
    axes[0, 0].set_ylabel("Jain's index")
    axes[0, 0].set_ylim(0.4, 1.02)
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    median = index(rows).groupby(["link", "beside", "tcp"]).median()
    return [Claim(f"Jain's index of IFTPV and {other} on {link} is at least {BAR}", "a fair share",
                  f"{value:.3f}" + _others(median, link, other), bool(value >= BAR))
            for (link, other, name), value in median.items() if name == "iftpv"]


def _others(median, link, other):
    found = [f"{name} {value:.3f}" for (at, by, name), value in median.items()
             if (at, by) == (link, other) and name != "iftpv"]
    return f" ({', '.join(found)})" if found else ""
