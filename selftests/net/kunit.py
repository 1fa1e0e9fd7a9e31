#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""All KUnit tests of our modules pass inside the kernel. KUnit tests cover the parts of a module
that only compute. The test loads each test module that was built (*_test.ko), and every case of the
test module passes."""
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
    for prefix in ("xlo_", "xrto_", "lpd_", "cell", "arql_", "iftpv_"):
        tap.true(f"a test module {prefix}*", any(name.startswith(prefix) for name in MODULES))


if __name__ == "__main__":
    tap.run(tap.collect(globals()) +
            [(name, lambda name=name: kunit.all_pass(name)) for name in MODULES])
