# SPDX-License-Identifier: GPL-2.0-or-later
"""The claims about timeouts that figures 5 and 7 have in common, and their words. This module runs on the
host."""
from rto import scenario

LABEL = "mean retransmission timeout [s]"
WHY = "the paper's simulator starts with a timeout of 6 s and counts in steps of 100 ms; Linux starts " \
    "with 1 s, as in RFC 6298, and counts in steps of 1 ms"


def claims(rows, source):
    """The claims about spurious timeouts and early messages."""
    return spurious(rows) + early(rows, source)


def spurious(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less
    sums = rows.groupby(["tcp", "seed"])[["timeouts", "spurious"]].sum()
    share = 100 * sums["spurious"] / sums["timeouts"]
    total = sums.groupby("tcp").sum()
    return [Claim("messages do not raise the share of spurious timeouts", "",
                  "; ".join(f"{tcp} {100 * own['spurious'] / own['timeouts']:.1f} % of {own['timeouts']:.0f}"
                            for tcp, own in total.iterrows()),
                  not is_less(share["default"], share["xlo_rto"]))]


def early(rows, source):
    """The claim about early DROPs (case 3 of the paper), which change no timeout."""
    from pieces.claim import Claim
    judged = scenario.of(rows, tcp="xlo_rto", bad=scenario.BADS[-1])
    ignored, moved = (int(judged[list(names)].sum().sum())
                      for names in (("in_flight",), ("at_once", "shortened")))
    return [Claim("50 % bad: most DROPs in the state \"normal\" come late enough to change the timeout", "",
                  f"{moved} of {moved + ignored}", moved > ignored, scenario.why_gain(source))]
