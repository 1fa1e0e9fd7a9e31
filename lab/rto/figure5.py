# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5: the mean retransmission timeout of short flows, by the share of the time in which the
channel is bad."""
from rto import scenario, timeouts

TITLE = "Mean retransmission timeout of short flows"
HEADLINE = "9.9 s instead of 15 s at 11 % bad; rises gradually"
CELLS_OF = "figure8"


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, TITLE, "rto", timeouts.LABEL)


def claims(rows):
    from pieces.claim import Claim
    found = [Claim("11 % bad: mean timeout with messages instead of without", "9.9 s instead of 15 s",
                   scenario.instead(one, other, " s", 2), bool(one.mean() < 0.8 * other.mean()),
                   f"{timeouts.WHY}; also, bad times of 1 s are over before the timeout has doubled several "
                   "times") for one, other in scenario.pairs(rows, "rto", 1)]
    means = rows[rows["tcp"].isin(("default", "xlo_rto"))].groupby(["tcp", "bad"])["rto"].mean()
    found.append(Claim("the mean timeout, by the share of bad time", "rises gradually",
                       "; ".join(f"{tcp} " + ", ".join(f"{rto:.1f}" for rto in means[tcp])
                                 for tcp in means.index.levels[0]) + " s",
                       all(means[tcp].is_monotonic_increasing for tcp in means.index.levels[0])))
    return found + timeouts.claims(rows, "3GPP")
