# SPDX-License-Identifier: GPL-2.0-or-later
"""What an experiment is written from: one noun a file. What runs in the machine needs the
standard library and the tests' own (selftests/lib) alone; numpy and its like take long to load,
and only those import them that judge and draw afterwards."""
import os
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(TREE, "selftests"))
