# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces for the link, in mahimahi's format: a user's files, or files of `freshlink trace make`."""
import json
import os
import subprocess

from pieces import TREE

LATEST = 4294967295         # ms


def check(path):
    """Check that a file is a trace. If a line is wrong, raise ValueError with the line's number."""
    before = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            word = line.strip()
            if not word.isdigit() or int(word) > LATEST:
                raise ValueError(f"{path}:{number}: {word.decode(errors='replace')!r}: expected a "
                                 f"time in whole ms, from 0 to {LATEST}")
            if int(word) < before:
                raise ValueError(f"{path}:{number}: {int(word)}: expected no less than the "
                                 f"{before} of the line before")
            before = int(word)
    if not before:
        raise ValueError(f"{path}: expected at least one line, and a last line above 0")


def of_user(words):
    """Check a user's traces and return their paths. `words` are files and folders, relative to the
    project's folder."""
    found = []
    for path in (os.path.join(TREE, word) for word in words.split()):
        if os.path.isdir(path):
            found += sorted(os.path.join(path, name) for name in os.listdir(path)
                            if name.endswith((".down", ".up", ".trace")))
        else:
            found.append(path)
    for path in found:
        check(path)
    return found


def make(words, seed, path):
    """Write a generated trace to a file."""
    subprocess.run(f"freshlink trace make {words} --seed {seed} --output {path}".split(),
                   check=True)


def show(path):
    """Return the output of `freshlink trace show`, with times in ns and rates in bytes/s."""
    done = subprocess.run(["freshlink", "trace", "show", path, "-j"], check=True, text=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def read(path):
    """Return the times of a trace's opportunities in ms."""
    with open(path) as file:
        return [int(line) for line in file]


def window(times, start, length):
    """Return the opportunities of a trace from the time `start` on, for some time, relative to `start`.
    The trace repeats at its last time. All times are in ms."""
    period = times[-1]
    first = start // period
    rounds = range(first, (start + length) // period + 1)
    return [at for number in rounds for at in (time + number * period - start for time in times)
            if 0 <= at < length]


def gaps(opportunities, least):
    """Return (begin, end) of the times of at least `least` ms without an opportunity, in a window.
    A gap that lasts until the end of the window is left out."""
    edges = [0, *opportunities]
    return [(begin, end) for begin, end in zip(edges, edges[1:]) if end - begin >= least]
