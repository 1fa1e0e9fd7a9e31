#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py DIRECTORY: prints the demo's tables and draws its picture, from the logs that the guest left in
DIRECTORY."""
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)    # Ctrl-C, also while matplotlib loads

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:1] = [LAB, os.path.join(LAB, "../selftests")]
from demo import picture, record, result, table
from pieces import paths


def _print_kind(run, kind):
    lines, sentence = table.OF_KIND[kind]
    results = run.of_kind(kind)
    print(f"\n{run.setting(kind)}\n")
    print("\n".join(lines(results)))
    print(f"\n{sentence(results)}")


def _print_paths(run):
    """Print which packets took the fast path of lpd. Returns whether enough packets took it."""
    results = [one for one in run.results if one.is_lpd]
    counters = paths.add(one.counters for one in results)
    print("\nPackets with an option by their path through lpd\n")
    print("\n".join(table.of_paths(results)))
    print(f"\nThe fast path took {paths.describe(counters)}.")
    return paths.part(counters) >= paths.LEAST


def write(directory):
    """Print tables and sentences, draw the picture. Raises Inconsistent if the numbers do not add up.
    Returns whether enough packets took the fast path of lpd."""
    run = record.Run(directory)
    run.check()
    for kind in run.kinds:
        _print_kind(run, kind)
    fast = _print_paths(run)
    path = os.path.join(directory, "freshlink-demo.png")
    shown = picture.part(run)
    picture.draw(shown, path, table.headline(shown.of_kind("UDP")))
    print(f"\nPicture: {path}")
    return fast


def main():
    if len(sys.argv) != 2:
        sys.exit("report.py: expected one argument, the directory with run.json")
    try:
        fast = write(sys.argv[1])
    except result.Inconsistent as error:
        sys.exit(f"freshlink: demo: the numbers do not add up: {error}")
    if not fast:
        sys.exit(f"freshlink: demo: less than {paths.LEAST} of the packets took the fast path of lpd")


if __name__ == "__main__":
    main()
