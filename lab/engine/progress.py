# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a run has got: cells done, running and failed, and the time that is left."""
import collections
import os
import statistics
import time

from engine import matrix, record

SHOWN = 3           # cells that run, by name


class Progress:
    """Of the batches that run from now on: {(paper, figure, seed): number of cells}, with their
    results below a directory."""

    def __init__(self, out, sizes):
        self.out, self.sizes = out, sizes
        self.start = time.monotonic()
        self.cells = {batch: {} for batch in sizes}     # as batch.json has them
        self.written = {}                               # when that was

    def look(self):
        """Read what has changed."""
        for batch in self.sizes:
            path = os.path.join(self.out, matrix.output(*batch))
            try:
                written = os.stat(path).st_mtime_ns
            except FileNotFoundError:
                continue
            if self.written.get(batch) != written:
                self.written[batch] = written
                self.cells[batch] = (record.read(path) or {"cells": {}})["cells"]

    def all(self):
        """(batch, name, cell) of each that is known of."""
        return [(batch, name, cell) for batch, cells in self.cells.items()
                for name, cell in cells.items()]

    def counts(self):
        """Cells by state."""
        return collections.Counter(cell["state"] for _, _, cell in self.all())

    def running(self):
        """What they are called."""
        return [f"{paper} {figure} seed {seed}: {name}"
                for (paper, figure, seed), name, cell in self.all()
                if cell["state"] == record.RUNNING]

    def left(self, elapsed):
        """Seconds that it will take yet, if the cells to come take what those of their figure
        took, or all; None as long as none is done."""
        took = collections.defaultdict(list)
        for batch, _, cell in self.all():
            if cell["state"] == record.DONE:
                took[batch[:2]].append(cell["seconds"])
        if not took:
            return None
        means = {figure: statistics.fmean(seconds) for figure, seconds in took.items()}
        overall = statistics.fmean(second for seconds in took.values() for second in seconds)
        done = sum(map(sum, took.values()))
        whole = sum(size * means.get(batch[:2], overall) for batch, size in self.sizes.items())
        # boots, and how many run at a time, are in what has elapsed
        return elapsed * max(whole - done, 0) / done if done else None

    def line(self):
        """All of it in words."""
        counts, names = self.counts(), self.running()
        shown = "; ".join(names[:SHOWN]) + ("; ..." if len(names) > SHOWN else "")
        left = self.left(time.monotonic() - self.start)
        return (f"{counts[record.DONE]} of {sum(self.sizes.values())} cells done, "
                f"{counts[record.RUNNING]} running{f' ({shown})' if shown else ''}, "
                f"{counts[record.FAILED]} failed, "
                f"{'time left unknown' if left is None else f'about {duration(left)} left'}")


def duration(seconds):
    """In words, as exactly as an estimate is."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
