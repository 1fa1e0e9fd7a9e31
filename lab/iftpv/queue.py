# SPDX-License-Identifier: GPL-2.0-or-later
"""This figure shows whether windows are as large as reno's if only congestion causes losses. The
figure shows the queue of four flows before a link without random losses, by the size of the
buffer."""
from lib.cell import MS

from iftpv import friendly
from iftpv.scenario import CONTROLS
from pieces import contest, topology

TITLE = "The queue of four flows"
HEADLINE = "not in the paper"
SECONDS, SEEDS = 60, 10
SIZE, KBIT, DELAY = 1500, 5000, 15 * MS
FLOWS, BUFFERS = 4, (20, 40, 80)                # packets: 1, 2 and 4 bandwidth-delay products
WITHIN = 10                                     # percent
CELLS = [{"buffer": b, "tcp": name} for b in BUFFERS for name in CONTROLS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("iftpv", "reno") and cell["buffer"] == 40]


def run(cell, seed, _directory):
    path = topology.Path(SIZE, KBIT, delay=DELAY)
    path.queue("drop-tail", cell["buffer"])
    path.reach(mtu=SIZE)
    lengths = []
    with friendly.background(path, KBIT, seed):
        rows = contest.compete(path, [cell["tcp"]] * FLOWS, SECONDS,
                               also=lambda: lengths.append(path.waiting()))
    return [{"queue": sum(lengths) / len(lengths), "kbit": sum(row["kbit"] for row in rows),
             "jain": contest.jain([row["kbit"] for row in rows])}]


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, 2, (12, 4.5), sharex=True)
    for number, name in enumerate(CONTROLS):
        for each, value in zip(axes[0], ("queue", "kbit")):
            picture.curve(each, rows[rows["tcp"] == name], "buffer", value, number, name)
    for each, text in zip(axes[0], ("mean queue [packets]", "goodput of all [kbit/s]")):
        picture.buffers(each, BUFFERS)
        each.set_ylabel(text)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    median = rows.groupby(["tcp", "buffer"])["queue"].median()
    return [Claim(f"the mean queue of four IFTPV flows is within {WITHIN} % of the queue of four reno "
                  f"flows, buffer of {buffer} packets", "",
                  f"{mean:.1f} and {median['reno'][buffer]:.1f} packets",
                  bool(abs(mean / median["reno"][buffer] - 1) * 100 <= WITHIN))
            for buffer, mean in median["iftpv"].items()]
