#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Documentation/dccp-conformance.rst has a test or a reason for each rule, and the tests exist."""
# run.sh: once: needs no kernel module
import csv
import glob
import os
import re
import textwrap

from dccp.program import TREE
from lib import tap

REASONS = ("not applicable", "not tested", "not done")
LEVELS = ("MUST", "MUST NOT", "REQUIRED", "SHALL", "SHOULD", "SHOULD NOT", "RECOMMENDED",
          "NOT RECOMMENDED")


def text(*path):
    with open(os.path.join(TREE, *path)) as file:
        return file.read()


def tables():
    """The rows of each RFC's table."""
    parts = re.findall(r"^RFC (\d+): .*\n=+\n\n\.\. csv-table::\n((?:   :.*\n)+)\n((?:   .*\n)+)",
                       text("Documentation", "dccp-conformance.rst"), re.M)
    return {int(number): [[" ".join(cell.split()) for cell in row] for row in
                          csv.reader(textwrap.dedent(body).splitlines(keepends=True))]
            for number, _, body in parts}


def names():
    """Each test as the page names it. A unit test is an entry of a table of struct unit."""
    found = set()
    for path in glob.glob(os.path.join(TREE, "selftests", "dccp", "*_test.c")):
        program = os.path.basename(path)[:-2]
        found |= {f"{program}: {name}" for name in
                  re.findall(r'^\t+\{ "([^"]+)",\s+[a-z]\w+ \},?$', text(path), re.M)}
    return found


def test_rows():
    """Each row has a section, a level, a rule, and tests that exist or a reason."""
    known = names()
    tap.true("tests are found", len(known) > 200)
    for rfc, rows in tables().items():
        for row in rows:
            what = f"RFC {rfc}: {row}"
            tap.equal(f"{what}: cells", len(row), 4)
            section, level, rule, tests = row
            tap.true(f"{what}: section", re.fullmatch(r"(\d+|[AC])(\.\d+)*", section))
            tap.true(f"{what}: level", level in LEVELS)
            tap.true(f"{what}: rule", rule.endswith("."))
            kind, _, why = tests.partition(": ")
            if kind in REASONS:
                tap.true(f"{what}: reason", why)
                continue
            for test in tests.split("; "):
                tap.true(f"{what}: no test has the name", test in known)


def test_counts():
    """A table has at least as many rows as its RFC has sentences with rules."""
    page = text("Documentation", "dccp-conformance.rst")
    counts = {int(rfc): int(count) for rfc, count in re.findall(r"^RFC (\d+) +(\d+)$", page, re.M)}
    found = tables()
    tap.equal("RFCs", sorted(counts), [4340, 4341, 4342, 5348, 6773])
    tap.equal("tables", sorted(found), sorted(counts))
    for rfc, count in counts.items():
        tap.true(f"RFC {rfc}: {len(found[rfc])} rows for {count} sentences",
                 len(found[rfc]) >= count)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
