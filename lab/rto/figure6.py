# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 6: the throughput of a bulk flow, by the share of the time in which the channel is bad."""
from rto import scenario

TITLE = "Throughput of a bulk flow"
HEADLINE = "significant benefits with messages at 33 % bad"
SECONDS, COST = 290, 0.4
CELLS = [{"tcp": tcp, "bad": bad} for tcp in scenario.VARIANTS for bad in scenario.BADS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("default", "xlo_rto") and cell["bad"] in (4, 8)]


def run(cell, seed, directory):
    return scenario.run({"source": "bulk", **cell}, seed, directory)


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, TITLE, "kbit", "throughput [kbit/s]")


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less
    return [Claim("33 % bad: throughput with messages instead of without", "significant benefits",
                  scenario.instead(one, other, " kbit/s"), is_less(other, one), scenario.why_gain("bulk"))
            for one, other in scenario.pairs(rows, "kbit", 4)]
