#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit tests of the parts of sch_lpd that only compute pass inside the kernel."""
# run.sh: needs: KUnit
from lib import kmod, kunit, tap


def test_every_case():
    """All cases of each part are there, and each passes."""
    kmod.insmod("sch_lpd")
    kunit.all_pass("sch_lpd_test")
    kunit.all_pass("lpd_cut_test")
    kunit.all_pass("lpd_strip_test")
    kunit.all_pass("lpd_packet_test")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
