# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 2 and 6: Web Browsing alone on a link with uniform losses. Figure 2 has fixed timers. Figure 6
has adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.network import UNIFORM

TITLE = "Figures 2 and 6: Web Browsing without contention, uniform losses"
HEADLINE = "a fixed timer of 0.9 s is the best, 13.4 % above 1.3 s; adaptive is 17 % above 1.1 s; " \
    "plain TCP's formula is below all fixed timers"
SECONDS, COST = scenario.SECONDS, 1
CELLS = scenario.cells(scenario.LOSSES, timers.SOME, timers.MOST)
QUICK = []              # figure 3 has the same code


def run(cell, seed, _directory):
    return scenario.run(cell, seed, UNIFORM, contention=False)


# --- on the host ---

def draw(rows, path):
    from arq import results
    results.draw(rows, path, TITLE, (2, 6))


def claims(rows):
    from arq import results
    found = results.order_claim(rows, "figure 2, 9.8 %: fixed timers", timers.LOW, timers.HIGH)
    found += results.gap_claim(rows, "figure 2, 9.8 %: gap between the best and the worst fixed timer",
                               timers.LOW, timers.HIGH, 13.4, WHY_GAP)
    found += results.higher(rows, "figure 2: 0.9 s above 1.1 s and 1.3 s at lower loss rates", "best",
                            results.above(timers.LOW, (timers.MIDDLE, timers.HIGH)),
                            losses=scenario.LOSSES[1:-1])
    found += results.adaptive_claims(rows, 6, 17, WHY_GAP)
    for tcp, why in ((timers.TCP, WHY_STORM), (timers.TCP_ABSOLUTE, WHY_ABSOLUTE)):
        found += results.higher(rows, f"figure 6, 9.8 %: {tcp} below all fixed timers", "worst",
                                results.below(tcp, timers.FIXED), why)
    return found + results.loss_claim(rows)


WHY_GAP = "the paper does not print its window, the length of its header, when a frame is rejected " \
    "again, and other details of its protocol"
WHY_STORM = "a frame that is repeated too early gives a sample from its last copy to the " \
    "acknowledgment of an earlier copy. So the timeout becomes shorter than a round trip, and copies " \
    "take most of the airtime"
WHY_ABSOLUTE = "the absolute value keeps the timeout above most round trips, and the spare capacity " \
    "of the link carries the early copies"
