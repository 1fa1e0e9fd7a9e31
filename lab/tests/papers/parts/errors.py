# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow with a sensitive part crosses a link with errors of bits. The numbers of packets that are whole, and
whose sensitive part is whole, agree with the lengths of packets within four standard deviations."""
import math

from iftpv import alone
from lib import tap
from lib.cell import HEADER

TITLE = "Packets with errors of bits"
HEADLINE = "as many as their lengths say"
SECONDS, SEEDS = 10, 1
BER = 2e-5
CELLS = [{"sensitive": 40}, {"sensitive": 512}, {"sensitive": alone.SIZE}, {"sensitive": 0}]    # 0: none
QUICK = CELLS


def run(cell, seed, directory):
    row = alone.run("iftpv", cell["sensitive"] or None, BER, seed, directory)
    packet = (alone.PAYLOAD + alone.COUNTED) / 125 / SECONDS
    came, whole, usable = (round(row[name] / packet) for name in ("came", "whole", "usable"))
    tap.true(f"{came} packets", came > 200)
    headers = HEADER + row["headers"]
    part = min(cell["sensitive"] - alone.COUNTED, alone.PAYLOAD) if cell["sensitive"] else alone.PAYLOAD
    for what, found, length in (("whole", whole, headers + alone.PAYLOAD), ("usable", usable, headers + part)):
        share = (1 - BER) ** (8 * length)
        tap.within(what, found, *(came * share + sign * 4 * math.sqrt(came * share * (1 - share))
                                  for sign in (-1, 1)))
    return [row]
