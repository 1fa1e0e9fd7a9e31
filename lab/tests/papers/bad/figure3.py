# SPDX-License-Identifier: GPL-2.0-or-later
"""Has the same cell twice."""
TITLE = "Twice"
SECONDS = 1
CELLS = QUICK = [{"lifetime": 5}, {"lifetime": 5}]
