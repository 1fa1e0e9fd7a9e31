# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 2 and 6: Web Browsing alone on a link with uniform losses. Figure 2 has fixed timers. Figure 6
has adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.network import UNIFORM
from arq.web import Web

HEADLINE = "a fixed timer of 0.9 s is the best, 13.4 % above 1.3 s; adaptive is 17 % above 1.1 s; " \
    "plain TCP's formula is below all fixed timers"
SECONDS, COST = scenario.SECONDS, 1.05
WEB = Web((2, 6), UNIFORM, False, timers.LOW, timers.HIGH, 13.4, 17)
TITLE = WEB.title
CELLS, QUICK = WEB.cells(), []          # figure 3 has the same code
run, draw = WEB.run, WEB.draw


def claims(rows):
    from arq import results
    return WEB.claims(rows) + WEB.extremes(rows) + \
        WEB.tcp(rows, "below all fixed timers", "worst",
                lambda timer: results.below(timer, timers.FIXED), (WHY_STORM, WHY_ABSOLUTE))


WHY_STORM = "a frame that is repeated too early gives a sample from its last copy to the " \
    "acknowledgment of an earlier copy. So the timeout becomes shorter than a round trip, and copies " \
    "take most of the airtime"
WHY_ABSOLUTE = "the absolute value keeps the timeout above most round trips, and the spare capacity " \
    "of the link carries the early copies"
