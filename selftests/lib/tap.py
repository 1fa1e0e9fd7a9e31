# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks for the tests, and the output of the results in TAP (Test Anything Protocol)."""
import fnmatch
import os
import sys
import time
import traceback

EXIT_OK, EXIT_FAILED, EXIT_SKIPPED = 0, 1, 4


class Failed(Exception):
    """A check failed."""


class Skipped(Exception):
    """The kernel or the host does not have what the test needs."""


def equal(what, got, want):
    """Fail if `got` is different from `want`."""
    if got != want:
        raise Failed(f"{what}: got {got!r}, expected {want!r}")


def within(what, got, low, high):
    """Fail if `got` is less than `low` or greater than `high`."""
    if not low <= got <= high:
        raise Failed(f"{what}: got {got!r}, expected {low!r} to {high!r}")


def true(what, value):
    """Fail if `value` is not true."""
    if not value:
        raise Failed(f"{what}: is not true")


def skip(reason):
    """End the running test as skipped, because the kernel or the host does not have what the test
    needs."""
    raise Skipped(reason)


def note(text):
    """Print a comment for the reader. The comment does not affect the result."""
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def collect(names):
    """The test_* functions of a module, in the order of the file."""
    return [(name[5:], value) for name, value in names.items()
            if name.startswith("test_") and callable(value)]


def _one(number, name, title, function):
    start = time.monotonic()
    try:
        function()
    except Skipped as reason:
        if os.environ.get("FL_EXPECT_ALL") == "1":
            note(f"{name}: {reason}: with FL_EXPECT_ALL=1 no test may be skipped")
            print(f"not ok {number} {title}", flush=True)
            return EXIT_FAILED
        print(f"ok {number} {title} # SKIP {reason}", flush=True)
        return EXIT_SKIPPED
    except Failed as failure:
        frame = traceback.extract_tb(failure.__traceback__)
        where = [f for f in frame if not f.filename.endswith("tap.py")][-1]
        note(f"{name}: {os.path.basename(where.filename)}:{where.lineno}: {failure}")
        print(f"not ok {number} {title}", flush=True)
        return EXIT_FAILED
    except Exception:
        note(traceback.format_exc())
        print(f"not ok {number} {title}", flush=True)
        return EXIT_FAILED
    print(f"ok {number} {title} # {time.monotonic() - start:.2f} s", flush=True)
    return EXIT_OK


def run(tests, titles=None):
    """Run the tests, which are (name, function) pairs, and exit. Patterns on the command line
    select tests by name. `titles` contains texts that the output shows after the names."""
    wanted = sys.argv[1:]
    unknown = [w for w in wanted if not fnmatch.filter((name for name, _ in tests), w)]
    if unknown:
        sys.exit(f"{sys.argv[0]}: no test named {', '.join(unknown)}")
    tests = [(name, function) for name, function in tests
             if not wanted or any(fnmatch.fnmatchcase(name, w) for w in wanted)]
    print(f"TAP version 13\n1..{len(tests)}", flush=True)
    titles = {name: f"{name} {title}" for name, title in (titles or {}).items()}
    results = [_one(number, name, titles.get(name, name), function)
               for number, (name, function) in enumerate(tests, 1)]
    if EXIT_FAILED in results:
        sys.exit(EXIT_FAILED)
    sys.exit(EXIT_SKIPPED if set(results) == {EXIT_SKIPPED} else EXIT_OK)
