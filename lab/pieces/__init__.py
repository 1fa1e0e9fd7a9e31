# SPDX-License-Identifier: GPL-2.0-or-later
"""The modules that experiments use, each with one subject. Code that runs in the lab machine needs
only the standard library and the tests' library (selftests/lib). Only code that analyses results and
draws on the host imports numpy, pandas and matplotlib, because these libraries take long to load."""
import os
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(TREE, "selftests"))
