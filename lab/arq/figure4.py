# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 4 and 8: Web Browsing alone on the two-state channel. Figure 4 has fixed timers. Figure 8 has
adaptive timers, three fixed timers and the raw link."""
from arq import scenario
from arq.network import TWO_STATE
from arq.web import Web

HEADLINE = "fixed timers hardly differ (1.4 %); adaptive is 2.6 % above 1.1 s; plain TCP's formula " \
    "is nearly always below the raw link"
SECONDS, COST = scenario.SECONDS, 1.05
WEB = Web((4, 8), TWO_STATE, False, spread=1.4, gain=2.6)
TITLE = WEB.title
CELLS, QUICK = WEB.cells(), []          # figure 3 has the same code
run, draw = WEB.run, WEB.draw


def claims(rows):
    return WEB.claims(rows) + WEB.tcp_below_raw(rows)
