# SPDX-License-Identifier: GPL-2.0-or-later
"""A link damages packets with a configured probability. The number of lost packets agrees with the
probability within four standard deviations. The log of a flow lacks exactly the lost packets."""
import math
import os

from lib import tap
from pieces import stream, topology

TITLE = "Packets that a link damages"
HEADLINE = "as many as configured"
SECONDS, SEEDS = 200, 1
SIZE, KBIT = 500, 50
BITS = 8 * (SIZE + topology.HEADER)
CELLS = [{"loss": 100_000}, {"ber": 10**7}, {"loss": 0}]    # a tenth; 10^-5; none
QUICK = CELLS


def chance(cell):
    """The probability that a packet does not arrive."""
    if "loss" in cell:
        return cell["loss"] / 1e6
    return 1 - (1 - cell["ber"] / 1e12) ** BITS


def run(cell, seed, directory):
    path = topology.Path(SIZE, 2 * KBIT)
    path.queue("drop-tail")
    path.damage(seed, **cell)
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), SIZE, KBIT)
    flow.listen()
    flow.begin(SECONDS)
    sent, arrivals = flow.finish()
    counted = path.cell.counters()
    tap.equal("missing", sent - len(arrivals), counted["lost"] + counted["corrupted"])
    share = chance(cell)
    tap.within("missing", sent - len(arrivals), *(
        sent * share + sign * 4 * math.sqrt(sent * share * (1 - share)) for sign in (-1, 1)))
    return [{"sent": sent, "arrived": len(arrivals)}]
