# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 5 and 9: Web Browsing beside Media Distribution on the two-state channel. Figure 5 has fixed
timers. Figure 9 has adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.network import TWO_STATE
from arq.web import Web

HEADLINE = "a fixed timer of 0.9 s is the worst, 40.9 % below the best, and below the raw link; " \
    "adaptive is 9.5 % above 1.1 s; plain TCP's formula is nearly always below the raw link"
SECONDS, COST = scenario.SECONDS, 0.9
WEB = Web((5, 9), TWO_STATE, True, timers.HIGH, timers.LOW, 40.9, 9.5)
TITLE = WEB.title
CELLS, QUICK = WEB.cells(), []          # figure 3 has the same code
run, draw = WEB.run, WEB.draw


def claims(rows):
    return WEB.claims(rows) + WEB.low_below_raw(rows, "always below", all) + WEB.tcp_below_raw(rows)
