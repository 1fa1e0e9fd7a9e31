# SPDX-License-Identifier: GPL-2.0-or-later
"""What the report says of one figure."""
import collections
import json
import os

import pandas

from engine.matrix import command


def _load(path):
    with open(path) as file:
        return json.load(file)


def read(directory, seeds):
    """The results of a figure's cells, seed by seed, and in words those that failed."""
    results, failed = [], []
    for seed in seeds:
        batch = os.path.join(directory, str(seed))
        for name, cell in _load(os.path.join(batch, "batch.json"))["cells"].items():
            if cell["state"] == "done":
                results.append(_load(os.path.join(batch, f"{name}.json")))
            else:
                failed.append(f"seed {seed}, {name}: {cell.get('why', cell['state'])}")
    return results, failed


def table(results):
    """A row for each row of each cell, with the cell's parameters and its seed."""
    return pandas.DataFrame([{**result["parameters"], "seed": result["seed"], **row}
                             for result in results for row in result["rows"]])


def grid(results):
    """The values of each parameter."""
    values = collections.defaultdict(dict)
    for result in results:
        for name, value in result["parameters"].items():
            values[name][value] = None
    return {name: ", ".join(map(str, sorted(found))) for name, found in values.items()}


def versions(results):
    """The kernel, and of each module that a cell had loaded the beginning of its digest."""
    found = {}
    for result in results:
        digests = {name: digest[:12] for name, digest in result["modules"].items()}
        for name, version in {"Linux": result["kernel"], **digests}.items():
            if found.setdefault(name, version) != version:
                raise SystemExit(f"report: there are results with {name} {found[name]} and with "
                                 f"{version}: remove those that are not wanted")
    return found


class Section:
    """A figure, its picture drawn."""

    def __init__(self, figure, seeds, matrix, results, report):
        self.paper, self.name = figure.__name__.split(".")
        self.title, self.headline = figure.TITLE, figure.HEADLINE
        self.command = command(matrix, figure, seeds[0], seeds[-1])
        results, self.failed = read(os.path.join(results, self.paper, self.name), seeds)
        if not results:
            raise SystemExit(f"report: no cell of {self.paper} {self.name} has a result")
        self.seeds = seeds
        self.cells = len(results)
        self.seconds = results[0]["seconds"]
        self.grid, self.versions = grid(results), versions(results)
        rows = table(results)
        self.picture = f"{self.paper}-{self.name}.png"
        figure.draw(rows, os.path.join(report, self.picture))
        self.claims = figure.claims(rows)

    @property
    def hours(self):
        """Simulated, of all cells."""
        return f"{self.cells * self.seconds / 3600:.1f}"

    @property
    def summary(self):
        counts = collections.Counter(claim.verdict for claim in self.claims)
        said = [f"{count} {verdict}" for verdict, count in counts.items()]
        said += [f"{len(self.failed)} cells failed"] * bool(self.failed)
        return ", ".join(said)
