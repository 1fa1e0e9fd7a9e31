#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit tests of the parts of xlo_rto that only compute pass inside the kernel."""
# run.sh: needs: KUnit
from lib import kunit, tap


def test_every_case():
    """All cases of each part are there, and each passes."""
    kunit.all_pass("xrto_machine_test")
    kunit.all_pass("xrto_message_test")
    kunit.all_pass("xrto_notice_test")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
