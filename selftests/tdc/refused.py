#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tc refuses values outside of their ranges, words that it does not know and options without a
value, and a refused command changes nothing: the cases of refused.json."""
# run.sh: once: what tc refuses does not depend on the kernel
from tdc import cases

if __name__ == "__main__":
    cases.run("refused.json")
