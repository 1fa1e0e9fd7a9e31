# SPDX-License-Identifier: GPL-2.0-or-later
"""A paper's claim and our result. Our numbers are computed from the rows of a run."""
from typing import NamedTuple


class Claim(NamedTuple):
    """A claim about a figure. `text` is the claim. `paper` is the paper's number, or "" if the claim is
    ours. `ours` is our number. `holds` says whether our result confirms the claim. `why` is a remark,
    or the reason why the claim does not hold."""

    text: str
    paper: str
    ours: str
    holds: bool
    why: str = ""

    @property
    def verdict(self):
        words = ("differs", "reproduced") if self.paper else ("does not hold", "holds")
        return words[self.holds]
