# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 1: how long sessions of the 3GPP model take without messages, by the share of the time in
which the channel is bad. The paper states its problem with this figure, and has no number for it."""
from rto import scenario

TITLE = "The problem: session completion time without messages"
HEADLINE = "sessions take longer, the longer the channel is bad"
CELLS_OF = "figure8"


# --- on the host ---

def draw(rows, path):
    from pieces import picture
    sheet, axes = picture.sheet(1, 1, (6, 4.5))
    scenario.curves(axes[0, 0], scenario.of(rows, tcp="default"), "seconds", "session completion time [s]")
    axes[0, 0].set_ylim(0)
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    means = scenario.of(rows, tcp="default").groupby("bad")["seconds"].mean()
    return [Claim("the session completion time, by the share of bad time", "rises",
                  scenario.by_share({bad: f"{seconds:.1f} s" for bad, seconds in means.items()}),
                  means.is_monotonic_increasing)]
