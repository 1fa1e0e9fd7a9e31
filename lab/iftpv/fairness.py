# SPDX-License-Identifier: GPL-2.0-or-later
"""This figure shows whether loss_tolerance takes throughput from other flows if only congestion
causes losses. The flow shares the bottleneck with a flow of reno or of cubic, or with three flows
of its own kind. The results are shown by the size of the buffer. The figure also has the paper's
rule and BBR, for comparison. The link also carries small datagrams at random times (friendly.py
says why)."""
from iftpv import friendly
from iftpv.loss import LINKS, path_of
from iftpv.tolerance import VARIANTS
from pieces import contest

TITLE = "Shares without random loss, with and without loss_tolerance"
HEADLINE = "not in the paper"
SECONDS, SEEDS = 120, 10
BUFFERS = (0.25, 0.5, 1, 3)         # in bandwidth-delay products
SHORT = BUFFERS[0]                  # a buffer that never holds beta packets of a flow
BESIDE = ("reno", "cubic", "itself")
FLOWS = 4                           # number of flows if all are of one kind
BAR = 0.95                          # Jain's index
SLOW, FAST = list(LINKS)[:2]

CELLS = [{"link": link, "beside": other, "buffer": buffer, "variant": name} for link in (SLOW, FAST)
         for other in BESIDE for buffer in BUFFERS for name in VARIANTS]
QUICK = [cell for cell in CELLS if cell["link"] == SLOW and cell["buffer"] == SHORT and
         cell["variant"] != "bbr"]


def run(cell, seed, _directory):
    path = path_of(*LINKS[cell["link"]], cell["buffer"])
    control, parts = VARIANTS[cell["variant"]]
    names = [control] * FLOWS if cell["beside"] == "itself" else [control, cell["beside"]]
    lengths = []
    with friendly.background(path, LINKS[cell["link"]][0], seed):
        rows = contest.compete(path, names, SECONDS, also=lambda: lengths.append(path.waiting()),
                               loss_tolerance=parts)
    kbit = [row["kbit"] for row in rows]
    return [{"jain": contest.jain(kbit), "own": kbit[0], "kbit": sum(kbit),
             "queue": contest.mean(lengths)}]


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(2, len(BESIDE), (14, 9), sharex=True)
    for line, link in enumerate((SLOW, FAST)):
        for each, other in zip(axes[line], BESIDE):
            here = rows[(rows["link"] == link) & (rows["beside"] == other)]
            picture.title(each, f"{link}, shared with {other}")
            for number, name in enumerate(VARIANTS):
                picture.curve(each, here[here["variant"] == name], "buffer", "jain", number, name)
            each.axhline(BAR, color=picture.FAINT, linestyle=":")
            each.set_ylim(0.4, 1.02)
            each.set_xscale("log")
            each.set_xticks(BUFFERS, [f"{buffer:g}" for buffer in BUFFERS])
        axes[line, 0].set_ylabel("Jain's index")
    for each in axes[-1]:
        each.set_xlabel("buffer [bandwidth-delay products]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less
    found = []
    for (link, other, buffer), here in rows.groupby(["link", "beside", "buffer"]):
        jain, queue = (here.pivot(index="seed", columns="variant", values=value)
                       for value in ("jain", "queue"))
        own, papers = queue["tolerance"], queue["paper's rule"]
        least = jain["paper's rule"].median() if buffer == SHORT and other != "itself" else BAR
        holds = bool(jain["tolerance"].median() >= least)
        by_chance = not holds and buffer == SHORT and not is_less(jain["tolerance"], jain["paper's rule"])
        where = f"{link}, buffer {buffer:g}, shared with {other}"
        found.append(Claim(f"{where}: Jain's index with loss_tolerance is at least {least:.3f}",
                           "", _each(jain, 3), holds, "the difference is within the confidence "
                           "interval over the seeds" if by_chance else ""))
        found.append(Claim(f"{where}: the mean queue is not significantly longer than with the paper's "
                           "rule", "", _each(queue, 1) + " packets",
                           bool(own.median() <= papers.median()) or not is_less(papers, own)))
    return found


def _each(table, digits):
    """Medians over the seeds, by variant."""
    return "; ".join(f"{name} {table[name].median():.{digits}f}" for name in VARIANTS if name in table)
