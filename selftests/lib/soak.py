# SPDX-License-Identifier: GPL-2.0-or-later
"""How much a test does: only a part in the checks, all of it in `make soak` (run.sh's suite
soak)."""
import os


def amount(short, long):
    """`short` in the checks, `long` in a soak."""
    return long if os.environ.get("FL_SOAK") == "1" else short
