#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lpd sends, discards, cuts and counts packets as its options say. The cases are in
traffic.json."""
# run.sh: all on lab-debug: nothing
# run.sh: smoke: a05f a060 a06b a0b0
from tdc import cases

if __name__ == "__main__":
    cases.run("traffic.json")
