# SPDX-License-Identifier: GPL-2.0-or-later
"""The bars of the figures: what a kind of cells must reach, often compared with another kind on the same
link. A kind is (modem, queue, flows)."""
from typing import NamedTuple


class Bar(NamedTuple):
    """A bar for a column of the table of cells. `pairs` are (kind, other kind): the ratio of the two counts.
    Without another kind (None) the value itself counts. A value must be at least `least` or at most
    `most`. With `each_seed`, each seed must reach the bar, otherwise the mean over the seeds. With
    `need`, only seeds count in which the video and the control packets need at most this share of the
    link."""

    text: str
    column: str
    pairs: list
    least: float = None
    most: float = None
    each_seed: bool = False
    need: float = None

    def reached(self, values):
        """Whether all values, a pandas.Series, reach the bar."""
        return bool((values >= self.least).all() if self.most is None else (values <= self.most).all())
