#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tc sets and prints each option of lpd, and refuses what is wrong: the cases of config.json."""
# run.sh: once: what tc prints does not depend on the kernel
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import cases

if __name__ == "__main__":
    cases.run("config.json")
