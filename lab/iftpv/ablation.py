# SPDX-License-Identifier: GPL-2.0-or-later
"""The effect of each part of loss_tolerance. The figure has flows with all parts, with all parts
except one, with one part alone, and without any part. A flow is alone on a link with random losses,
or it shares a link without random losses with a flow of reno."""
from iftpv import friendly
from iftpv.loss import LINKS, path_of
from iftpv.tolerance import ALL
from pieces import contest

TITLE = "The parts of loss_tolerance"
HEADLINE = "not in the paper"
SECONDS, SEEDS = 30, 5
PARTS = ("floor", "beta", "growth", "start", "gaps", "count", "strict")     # by their bits
NAMES = {0: "none"} | {1 << bit: name for bit, name in enumerate(PARTS)} | \
    {ALL - (1 << bit): f"all but {name}" for bit, name in enumerate(PARTS)} | {ALL: "all"}
LOSSES = (1, 10)                                # percent
SHORT, HALF = 0.25, 0.5                         # buffers shared with reno, in bandwidth-delay products
SLOW = list(LINKS)[0]

CELLS = [{"link": link, "loss": loss, "buffer": 1, "parts": parts} for link in LINKS
         for loss in LOSSES for parts in NAMES] + \
    [{"link": SLOW, "loss": 0, "buffer": buffer, "parts": parts} for buffer in (SHORT, HALF)
     for parts in NAMES]
QUICK = [cell for cell in CELLS if cell["link"] == SLOW and cell["loss"] == 1]


def run(cell, seed, _directory):
    kbit = LINKS[cell["link"]][0]
    path = path_of(*LINKS[cell["link"]], cell["buffer"])
    parts = {"loss_tolerance": cell["parts"]}
    if cell["loss"]:
        path.damage(seed, loss=round(cell["loss"] * 10**4))
        [row] = contest.compete(path, ["iftpv"], SECONDS, **parts)
        return [{"value": row["kbit"] / kbit * 100, "rtt_ms": row["rtt_ms"]}]
    with friendly.background(path, kbit, seed):
        rows = contest.compete(path, ["iftpv", "reno"], SECONDS, **parts)
    return [{"value": contest.jain([row["kbit"] for row in rows]), "rtt_ms": rows[0]["rtt_ms"]}]


# --- on the host ---

def places(rows):
    """The rows of each panel, by its title."""
    found = rows[["link", "loss", "buffer"]].drop_duplicates().itertuples(index=False)
    return {f"{link}, {loss} % loss" if loss else f"{link}, shared with reno, buffer {buffer:g}":
            rows[(rows["link"] == link) & (rows["loss"] == loss) & (rows["buffer"] == buffer)]
            for link, loss, buffer in found}


def draw(rows, path):
    from pieces import estimate, picture
    panels = places(rows)
    sheet, axes = picture.sheet(1, len(panels), (3.2 * len(panels), 6), sharey=True)
    for each, (title, here) in zip(axes[0], panels.items()):
        table = estimate.means(here, "value", ["parts"]).set_index("parts")
        shown = [parts for parts in NAMES if parts in table.index]
        each.barh(range(len(shown)), table["mean"][shown], xerr=table["half"][shown], capsize=2,
                  color=picture.COLORS[0])
        each.set_yticks(range(len(shown)), [NAMES[parts] for parts in shown])
        each.set_xlabel("goodput [% of the link]" if here["loss"].iloc[0] else "Jain's index")
        picture.title(each, title)
    picture.save(sheet, path, TITLE)


def claims(rows):
    """All parts together reach at least 98 % of any combination that lacks one part, so no part
    harms the other parts."""
    from pieces.claim import Claim
    found = []
    for title, here in places(rows).items():
        median = here.groupby("parts")["value"].median()
        medians = "; ".join(f"{NAMES[parts]} {median[parts]:.{3 if median[parts] < 2 else 1}f}"
                            for parts in NAMES if parts in median)
        rest = median[[parts for parts in median.index if parts.bit_count() != 1]]
        found.append(Claim(f"{title}: all parts reach at least 98 % of the result without any one part",
                           "", medians, bool(median[ALL] >= 0.98 * rest.max())))
    return found
