# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules from which experiments are built; each has one subject. Code that runs in the machine
needs only the standard library and the tests' library (selftests/lib). Only code that judges and draws
on the host imports numpy, pandas and matplotlib, because these take long to load."""
import os
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(TREE, "selftests"))
