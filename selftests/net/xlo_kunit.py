#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit tests of the parts of xlo that only compute pass inside the kernel."""
# run.sh: needs: KUnit
from lib import kmod, kunit, tap


def test_every_case():
    """All of the suite's cases are there, and each passes."""
    kmod.insmod("xlo")
    kunit.all_pass("xlo_test")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
