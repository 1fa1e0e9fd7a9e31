# SPDX-License-Identifier: GPL-2.0-or-later
"""The report's section about one figure."""
import collections
import os

import pandas

from engine import record
from engine.matrix import command


def read(directory, seeds):
    """The results of a figure's cells, by seed, and a line for each cell that failed."""
    results, failed = [], []
    for seed in seeds:
        batch = os.path.join(directory, str(seed))
        states = record.read(os.path.join(batch, "batch.json"))
        if not states:
            failed.append(f"seed {seed}: the batch has not run")
            continue
        for name, cell in states["cells"].items():
            if cell["state"] == record.DONE:
                results.append(record.read(os.path.join(batch, f"{name}.json")))
            else:
                failed.append(f"seed {seed}, {name}: {cell.get('why', cell['state'])}")
    return results, failed


def table(results):
    """A table of all cells' rows, each with the cell's parameters and seed."""
    return pandas.DataFrame([{**result["parameters"], "seed": result["seed"], **row}
                             for result in results for row in result["rows"]])


def grid(results):
    """{parameter: its values, as text}."""
    values = collections.defaultdict(dict)
    for result in results:
        for name, value in result["parameters"].items():
            values[name][value] = None
    return {name: ", ".join(map(str, sorted(found))) for name, found in values.items()}


def versions(results):
    """The kernel's version and the beginning of each loaded module's digest."""
    found = {}
    for result in results:
        digests = {name: digest[:12] for name, digest in result["modules"].items()}
        for name, version in {"Linux": result["kernel"], **digests}.items():
            if found.setdefault(name, version) != version:
                raise SystemExit(f"report: some results are from {name} {found[name]}, others from "
                                 f"{version}: remove one kind")
    return found


class Section:
    """A figure's section. `source` is the name of the figure whose cells it shows. The constructor draws the
    picture."""

    def __init__(self, figure, source, seeds, matrix, results, report):
        self.paper, self.name = figure.__name__.split(".")
        self.title, self.headline = figure.TITLE, figure.HEADLINE
        self.command = command(matrix, figure, seeds[0], seeds[-1])
        results, self.failed = read(os.path.join(results, self.paper, source), seeds)
        if not results:
            raise SystemExit(f"report: no cell of {self.paper} {self.name} has a result")
        self.seeds = seeds
        self.cells = len(results)
        self.seconds = results[0]["seconds"]
        self.grid, self.versions = grid(results), versions(results)
        self.rows = rows = table(results)
        self.picture = f"{self.paper}-{self.name}.png"
        figure.draw(rows, os.path.join(report, self.picture))
        self.claims = figure.claims(rows)
        self.table = figure.table(rows) if hasattr(figure, "table") else ""

    @property
    def hours(self):
        """Simulated hours of all cells."""
        return f"{self.cells * self.seconds / 3600:.1f}"

    @property
    def summary(self):
        counts = collections.Counter(claim.verdict for claim in self.claims)
        texts = [f"{count} {verdict}" for verdict, count in counts.items()]
        texts += [f"{len(self.failed)} cells failed"] * bool(self.failed)
        return ", ".join(texts)
