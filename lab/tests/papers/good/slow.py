# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells that take real time, so that a run can be interrupted."""
import hashlib
import os

TITLE = "Slow cells"
HEADLINE = "in steps"
SECONDS = 1
CELLS = [{"step": step} for step in range(2)]
QUICK = CELLS[:1]
FILES = [os.path.join(os.path.dirname(__file__), "work.txt")]


def run(cell, seed, directory):
    digest = b""
    with open(FILES[0]) as file:
        rounds = int(file.read().split()[-1])
    for _ in range(rounds):
        digest = hashlib.md5(digest).digest()
    return [{"digest": digest.hex()}]
