# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 4 and 8: Web Browsing alone on the two-state channel. Figure 4 has fixed timers. Figure 8 has
adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.network import TWO_STATE

TITLE = "Figures 4 and 8: Web Browsing without contention, two-state channel"
HEADLINE = "fixed timers hardly differ (1.4 %); adaptive is 2.6 % above 1.1 s; plain TCP's formula " \
    "is nearly always below the raw link"
SECONDS, COST = scenario.SECONDS, 1.2
CELLS = scenario.cells(scenario.LOSSES[1:], timers.SOME, timers.MOST_TWO_STATE)
QUICK = []


def run(cell, seed, _directory):
    return scenario.run(cell, seed, TWO_STATE, contention=False)


# --- on the host ---

def draw(rows, path):
    from arq import results
    results.draw(rows, path, TITLE, (4, 8))


def claims(rows):
    from arq import results
    found = results.spread_claim(
        rows, "figure 4, 9.8 %: gap between the best and the worst fixed timer", 1.4)
    found += results.adaptive_claims(rows, 8, 2.6, "")
    for tcp in (timers.TCP, timers.TCP_ABSOLUTE):
        found += results.higher(rows, f"figure 8: {tcp} below the raw link", "nearly always below",
                                [(timers.RAW, tcp)], losses=scenario.LOSSES[1:])
    return found + results.loss_claim(rows)
