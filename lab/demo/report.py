#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py DIRECTORY: the demo's table and picture from the logs that the guest left there."""
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)    # Ctrl-C, also while matplotlib loads

import picture
import result
import table


def write(directory):
    """Print table and sentences, draw the picture; a run that does not add up is refused."""
    run = result.Run(directory)
    run.check()
    print(f"\n{run.notes['setting']}\n")
    print("\n".join(table.lines(run.results)))
    print(f"\n{table.sentence(run.results)}")
    path = os.path.join(directory, "freshlink-demo.png")
    picture.draw(run, path, table.headline(run.results))
    print(f"\nPicture: {path}")


def main():
    if len(sys.argv) != 2:
        sys.exit("report.py: expected one argument, the directory with run.json")
    try:
        write(sys.argv[1])
    except result.Inconsistent as error:
        sys.exit(f"freshlink: demo: the numbers do not add up: {error}")


if __name__ == "__main__":
    main()
