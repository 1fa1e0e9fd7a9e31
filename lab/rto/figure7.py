# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 7: the mean retransmission timeout of a bulk flow, by the share of the time in which the
channel is bad."""
from rto import scenario, timeouts

TITLE = "Mean retransmission timeout of a bulk flow"
HEADLINE = "a lower timeout with messages only above 33 % bad"
CELLS_OF = "figure6"


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, TITLE, "rto", timeouts.LABEL)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less
    lower = {bad: (is_less(one, other), scenario.instead(one, other, " s"))
             for bad in scenario.BADS[1:] for one, other in scenario.pairs(rows, "rto", bad)}
    return [Claim("mean timeout with messages instead of without", "lower only above 33 % bad",
                  scenario.by_share({bad: text for bad, (_, text) in lower.items()}),
                  [bad for bad, (less, _) in lower.items() if less] == [scenario.BADS[-1]], timeouts.WHY)] + \
        timeouts.claims(rows, "bulk")
