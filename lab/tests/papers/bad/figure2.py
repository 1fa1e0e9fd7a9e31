# SPDX-License-Identifier: GPL-2.0-or-later
"""Has an impossible cell."""
TITLE = "Impossible"
SECONDS = 1
CELLS = QUICK = [{"lifetime": 5}, {"lifetime": -1}]


def check(cell):
    if cell["lifetime"] < 0:
        raise ValueError("expected a lifetime of at least 0")
