#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the guides take for the commands of a page, and for what these should print."""
# run.sh: once: it only computes
from lib import page, tap

TEXT = """Title
=====

A file::

    a line

      another line

Commands::

    router# tc qdisc \\
        show
    qdisc lpd 64.4k
    camera$ true

End
---

Not a block.
"""


def test_blocks_and_commands():
    """Blocks lose their indentation, and a command has its host, its line and its output."""
    file, typed = page.blocks(TEXT)
    tap.equal("file", file, "a line\n\n  another line\n")
    tap.equal("commands", page.commands(typed), [
        ("router", "tc qdisc show", ["qdisc lpd 64.4k"]), ("camera", "true", [])])
    try:
        page.commands("no prompt\n")
    except tap.Failed:
        return
    raise tap.Failed("a line before the first prompt is taken")


def test_lines():
    """A tenth of a number and blanks may differ, and nothing else."""
    for shown, printed, same in (
            ("a 100 b", "a   109 b", True), ("a 100 b", "a 111 b", False),
            ("1.97M 5", "1.90M 5", True), ("1.97M", "1.97k", False), ("0", "1", False),
            ("10.1.0.1:80", "10.1.0.2:80", False), ("10.1.0.1:80", "10.1.0.1:81", False),
            ("a", "b", False), ("a", "a b", False), ("v1", "v2", False)):
        tap.equal(f"{shown} and {printed}", page.alike(shown, printed), same)


def test_left_out():
    """A line "..." stands for any lines. Without it, no line is missing, and none is new."""
    for shown, printed, same in (
            ("a b", "a b", True), ("a ... b", "a x y b", True), ("a ... b", "a b", True),
            ("... b", "x b c", False), ("a ...", "a x y", True), ("a b", "a", False),
            ("a", "a b", False), ("a ... b", "a x", False)):
        tap.equal(f"{shown} and {printed}", page.agrees(shown.split(), printed.split()), same)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
