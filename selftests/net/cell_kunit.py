#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit tests of the parts of cellink that only compute pass inside the kernel."""
# run.sh: needs: KUnit
from lib import kmod, kunit, tap


def test_every_case():
    """All cases are there, and each passes."""
    kmod.insmod("cellink")
    kunit.all_pass("cellink_test")
    kunit.all_pass("cell_errors_test")
    kunit.all_pass("cell_outage_test")
    kunit.all_pass("cell_opportunity_test")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
