# SPDX-License-Identifier: GPL-2.0-or-later
"""Bit errors hit as many packets of a flow as configured, within four standard deviations. The sender hears of
those that the link delivers damaged, but those whose headers were hit."""
import math

from iftpv import alone, causes
from iftpv.loss import LINKS
from lib import tap

TITLE = "Packets that bit errors hit"
HEADLINE = "as many as configured; most of them are told"
SECONDS, SEEDS = causes.SECONDS, 1
HIT = 10                                # percent
HEADERS = causes.BITS / 8 - alone.PAYLOAD        # bytes: the most that are sensitive besides data
CELLS = [{"link": list(LINKS)[0], "kind": kind, "hit": HIT}
         for kind in ("IFTPV, delivered", "IFTPV, told", "IFTPV, guessed")]
QUICK = CELLS


def deviations(share, count):
    """The least and the greatest number of so many that a share of them leaves likely."""
    return (share * count + sign * 4 * math.sqrt(share * (1 - share) * count) for sign in (-1, 1))


def run(cell, seed, directory):
    [row] = causes.run(cell, seed, directory)
    tap.within("hits", row["hits"], *deviations(HIT / 100, row["sent"]))
    if cell["kind"].endswith("guessed"):
        tap.equal("told", row["told"], 0)
    else:
        tap.within("told", row["hits"] - row["told"], *deviations(HEADERS * 8 / causes.BITS, row["hits"]))
    return [row]
