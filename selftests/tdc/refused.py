#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tc refuses values outside of their ranges, words that it does not know and options without a
value, and a refused command changes nothing: the cases of refused.json."""
# run.sh: once: what tc refuses does not depend on the kernel
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import cases

if __name__ == "__main__":
    cases.run("refused.json")
