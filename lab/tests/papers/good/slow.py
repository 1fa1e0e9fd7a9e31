# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells that take real time, so that a run can be interrupted."""
import hashlib

TITLE = "What takes its time"
HEADLINE = "in steps"
SECONDS = 1
CELLS = [{"step": step} for step in range(2)]
QUICK = CELLS[:1]
WORK = 3_000_000


def run(cell, seed, directory):
    digest = b""
    for _ in range(WORK):
        digest = hashlib.md5(digest).digest()
    return [{"digest": digest.hex()}]
