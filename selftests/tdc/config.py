#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tc sets and prints each option of lpd. The cases are in config.json."""
# run.sh: once: what tc prints does not depend on the kernel
from tdc import cases

if __name__ == "__main__":
    cases.run("config.json")
