#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit tests of the parts of sch_lpd that only compute pass inside the kernel."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import kmod, kunit, tap


def test_every_case():
    kmod.insmod("sch_lpd")
    for name, passed in kunit.results("sch_lpd_test"):
        tap.note(f"{'ok' if passed else 'not ok'} {name}")
        tap.true(name, passed)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
