# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 3 and 7: Web Browsing beside Media Distribution on a link with uniform losses. Figure 3 has fixed
timers. Figure 7 has adaptive timers, three fixed timers and the raw link."""
from arq import scenario, timers
from arq.figure2 import WHY_STORM
from arq.network import UNIFORM
from arq.web import Web

HEADLINE = "a fixed timer of 0.9 s is the worst, 21.7 % below 1.3 s; adaptive is 12.1 % above 1.1 s; " \
    "plain TCP's formula beats only 0.9 s"
SECONDS, COST = scenario.SECONDS, 0.9
WEB = Web((3, 7), UNIFORM, True, timers.HIGH, timers.LOW, 21.7, 12.1)
TITLE = WEB.title
CELLS = WEB.cells()
QUICK = [{"timer": timer, "loss": scenario.WORST} for timer in (timers.LOW, timers.HIGH)]
run, draw = WEB.run, WEB.draw


def claims(rows):
    from arq import results
    return WEB.claims(rows) + WEB.extremes(rows) + WEB.low_below_raw(rows, "can be below", any) + \
        WEB.tcp(rows, "above 0.9 s and below 1.1 s and 1.3 s", "beats only the worst", lambda timer: [
            (timer, timers.LOW), *results.below(timer, (timers.MIDDLE, timers.HIGH))], (WHY_STORM, ""))
