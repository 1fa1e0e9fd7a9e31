# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 5 and 9: Web Browsing beside Media Distribution on the two-state channel. Figure 5 has fixed
timers. Figure 9 has adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.network import TWO_STATE

TITLE = "Figures 5 and 9: Web Browsing with contention, two-state channel"
HEADLINE = "a fixed timer of 0.9 s is the worst, 40.9 % below the best, and below the raw link; " \
    "adaptive is 9.5 % above 1.1 s; plain TCP's formula is nearly always below the raw link"
SECONDS, COST = scenario.SECONDS, 1.3
CELLS = scenario.cells(scenario.LOSSES[1:], timers.SOME, timers.MOST_TWO_STATE)
QUICK = []              # figure 3 has the same code


def run(cell, seed, _directory):
    return scenario.run(cell, seed, TWO_STATE, contention=True)


# --- on the host ---

def draw(rows, path):
    from arq import results
    results.draw(rows, path, TITLE, (5, 9))


def claims(rows):
    from arq import results
    found = results.order_claim(rows, "figure 5, 9.8 %: fixed timers", timers.HIGH, timers.LOW)
    found += results.gap_claim(rows, "figure 5, 9.8 %: gap between the best and the worst fixed timer",
                               timers.HIGH, timers.LOW, 40.9)
    found += results.adaptive_claims(rows, 9, 9.5, "")
    found += results.higher(rows, "figure 9: 0.9 s below the raw link at each loss rate",
                            "always below", [(timers.RAW, timers.LOW)], losses=scenario.LOSSES[1:])
    for tcp in (timers.TCP, timers.TCP_ABSOLUTE):
        found += results.higher(rows, f"figure 9: {tcp} below the raw link", "nearly always below",
                                [(timers.RAW, tcp)], losses=scenario.LOSSES[1:])
    return found + results.loss_claim(rows)
