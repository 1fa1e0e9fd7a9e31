# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 3 and 7: Web Browsing beside Media Distribution on a link with uniform losses. Figure 3 has fixed
timers. Figure 7 has adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.figure2 import WHY_GAP, WHY_STORM
from arq.network import UNIFORM

TITLE = "Figures 3 and 7: Web Browsing with contention, uniform losses"
HEADLINE = "a fixed timer of 0.9 s is the worst, 21.7 % below 1.3 s; adaptive is 12.1 % above 1.1 s; " \
    "plain TCP's formula beats only 0.9 s"
SECONDS, COST = scenario.SECONDS, 1.15
CELLS = scenario.cells(scenario.LOSSES, timers.SOME, timers.MOST)
QUICK = [{"timer": timer, "loss": scenario.WORST} for timer in (timers.LOW, timers.HIGH)]


def run(cell, seed, _directory):
    return scenario.run(cell, seed, UNIFORM, contention=True)


# --- on the host ---

def draw(rows, path):
    from arq import results
    results.draw(rows, path, TITLE, (3, 7))


def claims(rows):
    from arq import results
    found = results.order_claim(rows, "figure 3, 9.8 %: fixed timers", timers.HIGH, timers.LOW)
    found += results.gap_claim(rows, "figure 3, 9.8 %: gap between the best and the worst fixed timer",
                               timers.HIGH, timers.LOW, 21.7, WHY_GAP)
    found += results.higher(rows, "figure 3: 0.9 s below 1.1 s and 1.3 s at lower loss rates", "worst",
                            results.below(timers.LOW, (timers.MIDDLE, timers.HIGH)),
                            losses=scenario.LOSSES[1:-1])
    found += results.adaptive_claims(rows, 7, 12.1, WHY_GAP)
    found += results.higher(rows, "figure 7: 0.9 s below the raw link", "can be below",
                            [(timers.RAW, timers.LOW)], losses=scenario.LOSSES[1:], enough=any)
    for tcp, why in ((timers.TCP, WHY_STORM), (timers.TCP_ABSOLUTE, "")):
        found += results.higher(
            rows, f"figure 7, 9.8 %: {tcp} above 0.9 s and below 1.1 s and 1.3 s",
            "beats only the worst", [(tcp, timers.LOW), *results.below(tcp, (timers.MIDDLE, timers.HIGH))],
            why)
    return found + results.loss_claim(rows)
