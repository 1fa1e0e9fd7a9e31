# SPDX-License-Identifier: GPL-2.0-or-later
"""The batches of a run, and the files on which each batch depends. engine/experiments writes the
matrix to matrix.json. The matrix has these members: papers (the directory), series and built (the
kernel), limit (s for a cell), pcap, quick, traces (the user's TRACES), shown (paper and figure of each
figure, and the figure whose cells it shows), batches (paper, figure and seed of each batch) and sources (the
files of each figure)."""
import glob
import os
import re
import shlex
import subprocess
import sys

from engine import experiment

TREE = os.path.dirname(experiment.LAB)
SEEDS = 30          # default for a figure
OF_TESTS = re.compile(r"/(provoke|bench|\w+_test)\.ko$")
# the machine's files, besides kernel and modules
GUEST = ("engine/guest.py", "engine/capture.py", "uml", "machine.sh", "getrandom.c", "guest/job",
         "guest/uml-init")
LISTING = """
import importlib, sys
figure, *ours = sys.argv[1:]
print(*getattr(importlib.import_module(figure), "FILES", ()), sep="\\n")
for module in list(sys.modules.values()):
    path = getattr(module, "__file__", None) or ""
    if path.startswith(tuple(ours)):
        print(path)
"""


def seeds(text):
    """A list of seeds: SEEDS=30 is 1 to 30, SEEDS=7-9 is 7 to 9."""
    first, dash, last = text.partition("-")
    if not dash:
        first, last = "1", text
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last) < 2**32):
        raise experiment.BadInput(f"SEEDS='{text}': expected a number of seeds, or two like 7-9")
    return list(range(int(first), int(last) + 1))


def figures(text):
    """The names of the figures in FIG=9, FIG="4 9" or FIG=4,9."""
    return [experiment.long(word) for word in text.replace(",", " ").split()]


def shown(folder, paper, figures):
    """(paper, figure, figure whose cells it shows) of each figure: of one paper or all, of some figures or
    all."""
    return [(each, figure, experiment.source(folder, each, figure))
            for each in ([paper] if paper else experiment.papers(folder))
            for figure in (figures or experiment.figures(folder, each))]


def batches(folder, shown, wanted, quick=False):
    """(paper, figure, seed) of each batch of the figures in `shown`, with the wanted seeds, or each figure's
    own number of seeds if wanted is None. Figures that show the same cells have one batch. The batches are
    sorted by seed, so that every figure has its first results early. The quick form leaves out figures
    without QUICK cells."""
    found = []
    for each, figure in dict.fromkeys((paper, source) for paper, _, source in shown):
        module = experiment.load(folder, each, figure)
        if quick and not module.QUICK:
            continue
        own = wanted or range(1, getattr(module, "SEEDS", SEEDS) + 1)
        found += [(each, figure, seed) for seed in own]
    return sorted(found, key=lambda batch: batch[2])


def output(paper, figure, seed):
    return f"{paper}/{figure}/{seed}/batch.json"


def cells(matrix, paper, figure):
    module = experiment.load(matrix["papers"], paper, figure)
    return module.QUICK if matrix["quick"] else module.CELLS


def cost(matrix, sizes):
    """The processor time in s of batches, or None if a figure has no COST. `sizes` has the number of cells
    of each batch."""
    costs = {batch: getattr(experiment.load(matrix["papers"], *batch[:2]), "COST", None)
             for batch in sizes}
    if None in costs.values():
        return None
    return sum(number * costs[batch] for batch, number in sizes.items())


def command(matrix, module, first, last):
    """The command line that makes a figure's results for these seeds again."""
    paper, figure = module.__name__.split(".")
    words = [f"make {'lab-quick' if matrix['quick'] else 'lab'}", f"PAPER={paper}",
             f"FIG={experiment.short(figure)}", f"SEEDS={first}-{last}",
             f"KERNEL={matrix['series']}"]
    if matrix["traces"] and hasattr(module, "FILES"):
        words.append(f"TRACES={shlex.quote(matrix['traces'])}")
    return " ".join(words)


def inputs(matrix, paper, figure):
    """The files that a batch's results depend on: the modules that its figure imports, the FILES
    that it names, and the machine's files."""
    kernel, modules = matrix["built"].split(":")
    found = set(matrix["sources"][f"{paper}.{figure}"])
    for pattern in (f"{TREE}/build/tools/freshlink", f"{TREE}/build/tools/*/*.so",
                    f"{kernel}/linux", f"{modules}/*.ko"):
        found.update(glob.glob(pattern))
    found.update(os.path.join(TREE, "lab", name) for name in GUEST)
    return sorted(path for path in found if not OF_TESTS.search(path))


def sources(folder, paper, figure):
    """The project's files that a figure's module imports when it loads, and its FILES. A new
    interpreter lists these files, because this interpreter has already imported other figures.
    Modules that only draw are imported later, and results do not depend on them."""
    path = os.pathsep.join((*experiment.SHARED, folder))
    listed = subprocess.run([sys.executable, "-c", LISTING, f"{paper}.{figure}", TREE, folder],
                            text=True, env=dict(os.environ, PYTHONPATH=path),
                            stdout=subprocess.PIPE, check=True)
    return [file for file in listed.stdout.splitlines() if file]
