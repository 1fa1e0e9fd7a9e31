# SPDX-License-Identifier: GPL-2.0-or-later
"""What a paper claims, beside what came out here. Numbers of ours come from the rows of a run."""
from typing import NamedTuple


class Claim(NamedTuple):
    """In words: the claim, the paper's number, "" for what the paper does not say, and ours;
    whether it is so here, and why if it is not, or what is to be known of it."""

    text: str
    paper: str
    ours: str
    holds: bool
    why: str = ""

    @property
    def verdict(self):
        words = ("differs", "reproduced") if self.paper else ("does not hold", "holds")
        return words[self.holds]
