#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit tests of the parts of tcp_iftpv that only compute pass inside the kernel."""
# run.sh: needs: KUnit
from lib import kunit, tap


def test_every_case():
    """All cases of each part are there, and each passes."""
    kunit.all_pass("iftpv_rtt_test")
    kunit.all_pass("iftpv_loss_test")
    kunit.all_pass("iftpv_window_test")
    kunit.all_pass("iftpv_tolerance_test")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
