# SPDX-License-Identifier: GPL-2.0-or-later
"""How much a test does: a part in the checks, everything in `make soak` (run.sh's suite soak)."""
import os


def amount(short, long):
    """`short` of something in the checks, `long` in a soak."""
    return long if os.environ.get("FL_SOAK") == "1" else short
