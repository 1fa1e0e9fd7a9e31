# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads a KUnit test module, reads its results from debugfs and unloads it."""
import glob
import os
import re

from . import kmod, tap

RESULTS = "/sys/kernel/debug/kunit"
CASE = re.compile(r"^\s*(not ok|ok) \d+ (\S+)( # SKIP.*)?$")


def _suites():
    return set(glob.glob(f"{RESULTS}/*/results"))


def results(module):
    """Return (name, passed, messages) for every test case in the module, a *_test.ko."""
    if not os.path.isdir(RESULTS):
        tap.skip("the kernel has no KUnit")
    kmod.rmmod(module)
    before = _suites()
    kmod.insmod(module)
    found = []
    for path in sorted(_suites() - before):
        with open(path) as file:
            found += _cases(os.path.basename(os.path.dirname(path)), file)
    kmod.rmmod(module)
    tap.true(f"{module} has results in {RESULTS}", found)
    return found


def _cases(suite, lines):
    """Yields the test cases of a suite. In the file, a case is indented below the line of its
    suite, and its messages are in front of it."""
    messages = []
    for line in lines:
        match = CASE.match(line)
        if match and line.startswith(" ") and not match.group(3):
            yield f"{suite}: {match.group(2)}", match.group(1) == "ok", messages
        messages = [] if match else messages + [line.strip()]


def all_pass(module):
    """Check that every test case of the module passes. Prints each case with its result, and what a
    case says that fails, such as its seed."""
    for name, passed, messages in results(module):
        tap.note(f"{'ok' if passed else 'not ok'} {name}")
        if not passed:
            tap.note("\n".join(messages))
        tap.true(name, passed)
