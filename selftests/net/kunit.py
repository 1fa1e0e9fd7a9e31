#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of our modules that only compute pass their KUnit tests inside the kernel. Each test
module (*_test.ko) that was built is loaded, and every case of it passes."""
# run.sh: needs: KUnit
import glob
import os

from lib import kunit, tap

MODULES = sorted(os.path.basename(path).removesuffix(".ko")
                 for path in glob.glob(os.path.join(os.environ.get("FL_MODULES", ""), "*_test.ko")))


def test_there_are_modules():
    """Each of our modules has at least one test module."""
    if "FL_MODULES" not in os.environ:
        tap.skip("FL_MODULES does not say where the test modules are")
    for prefix in ("xlo_", "xrto_", "lpd_", "cell", "iftpv_"):
        tap.true(f"a test module {prefix}*", any(name.startswith(prefix) for name in MODULES))


if __name__ == "__main__":
    tap.run(tap.collect(globals()) +
            [(name, lambda name=name: kunit.all_pass(name)) for name in MODULES])
