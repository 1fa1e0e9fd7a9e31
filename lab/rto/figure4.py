# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 4: the throughput of short flows, by the share of the time in which the channel is bad."""
from rto import scenario

TITLE = "Throughput of short flows"
HEADLINE = "about double with messages at 50 % bad"
CELLS_OF = "figure8"


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, TITLE, "kbit", "throughput [kbit/s]")


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less
    worst = scenario.BADS[-1]
    return [Claim("50 % bad: throughput with messages instead of without", "about double",
                  scenario.instead(one, other, " kbit/s"), bool(one.mean() > 1.7 * other.mean()),
                  scenario.why_gain("3GPP"))
            for one, other in scenario.pairs(rows, "kbit", worst)] + [
        Claim(f"50 % bad: messages give more throughput than {tcp}", "",
              scenario.instead(one, other, " kbit/s"), is_less(other, one), scenario.WHY_OTHERS[tcp])
        for tcp in scenario.OTHERS for one, other in scenario.pairs(rows, "kbit", worst, tcp)]
