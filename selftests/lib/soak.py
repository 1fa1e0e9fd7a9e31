# SPDX-License-Identifier: GPL-2.0-or-later
"""Selects how much work a test does. In normal checks a test does less work than in `make soak`
(the suite soak of run.sh)."""
import os


def amount(short, long):
    """Return `long` in a soak test, else `short`."""
    return long if os.environ.get("FL_SOAK") == "1" else short
