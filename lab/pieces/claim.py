# SPDX-License-Identifier: GPL-2.0-or-later
"""A paper's claim and our result. Our numbers come from the rows of a run."""
from typing import NamedTuple


class Claim(NamedTuple):
    """`text` is the claim. `paper` is the paper's number, "" if the claim is not the paper's. `ours` is
    our number. `holds` says whether the claim is true here; `why` is the reason if it is not, or a
    remark."""

    text: str
    paper: str
    ours: str
    holds: bool
    why: str = ""

    @property
    def verdict(self):
        words = ("differs", "reproduced") if self.paper else ("does not hold", "holds")
        return words[self.holds]
