# SPDX-License-Identifier: GPL-2.0-or-later
"""The progress of a run: cells done, running and failed, and the time left."""
import collections
import os
import statistics
import time

from engine import matrix, record

SHOWN = 3           # running cells that are shown by name


class Progress:
    """The progress of batches that run from now on. `out` is the directory of the results. `sizes`
    is {(paper, figure, seed): number of cells}."""

    def __init__(self, out, sizes):
        self.out, self.sizes = out, sizes
        self.start = time.monotonic()
        self.cells = {batch: {} for batch in sizes}     # from batch.json
        self.written = {}                               # its modification time

    def look(self):
        """Read the batch.json files that have changed."""
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
        """(batch, name, cell) of each cell that has a record."""
        return [(batch, name, cell) for batch, cells in self.cells.items()
                for name, cell in cells.items()]

    def counts(self):
        """The number of cells in each state."""
        return collections.Counter(cell["state"] for _, _, cell in self.all())

    def running(self):
        """The names of the running cells."""
        return [f"{paper} {figure} seed {seed}: {name}"
                for (paper, figure, seed), name, cell in self.all()
                if cell["state"] == record.RUNNING]

    def left(self, elapsed):
        """The estimated seconds left; None until a cell is done. A cell is assumed to take the mean
        time of its figure's finished cells, or of all finished cells."""
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
        # the elapsed time includes boots and reflects how many batches run at a time
        return elapsed * max(whole - done, 0) / done if done else None

    def line(self):
        """The progress in words."""
        counts, names = self.counts(), self.running()
        shown = "; ".join(names[:SHOWN]) + ("; ..." if len(names) > SHOWN else "")
        left = self.left(time.monotonic() - self.start)
        return (f"{counts[record.DONE]} of {sum(self.sizes.values())} cells done, "
                f"{counts[record.RUNNING]} running{f' ({shown})' if shown else ''}, "
                f"{counts[record.FAILED]} failed, "
                f"{'time left unknown' if left is None else f'about {duration(left)} left'}")


def duration(seconds):
    """A duration in words, rounded as an estimate."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
