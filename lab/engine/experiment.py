# SPDX-License-Identifier: GPL-2.0-or-later
"""How the engine finds experiments. A paper is a package. FIGURES of the package names the modules
that run by default. ON_REQUEST names modules that run only if FIG names them. A module has CELLS, a
list of parameter sets, and run(), which runs one cell. A module may have FILES, the files that it
reads, SEEDS, the default number of seeds, and COST, the mean processor time of a cell in s. Instead of
all this, a module may have CELLS_OF, the name of the module whose results it shows."""
import importlib
import os
import re
import sys

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# where experiments import from
SHARED = (LAB, os.path.join(os.path.dirname(LAB), "selftests"))
LONGEST = 200       # most characters of a cell's name, which is part of file names
PLAIN = (str, int, float)
EXPECTED = {"TITLE": str, "SECONDS": (int, float), "CELLS": list, "QUICK": list}
SHARING = {"TITLE": str, "CELLS_OF": str}


class BadInput(Exception):
    """The request cannot be run; the text says why."""


def name(cell):
    """A cell's name, which also names its files."""
    return re.sub(r"[^\w.,=+-]", "_", ",".join(f"{key}={value}" for key, value in cell.items()))


def papers(folder):
    """The packages in a folder that have figures."""
    found = []
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry, "__init__.py")
        if os.path.exists(path) and hasattr(_import(folder, entry), "FIGURES"):
            found.append(entry)
    return found


def figures(folder, paper):
    """The figures that a paper runs by default, in the paper's order."""
    known = papers(folder)
    if paper not in known:
        raise BadInput(f"PAPER='{paper}': expected {_or(known)}")
    return list(_import(folder, paper).FIGURES)


def known_figures(folder, paper):
    """All figures of a paper, also figures that run only on request."""
    return figures(folder, paper) + list(getattr(_import(folder, paper), "ON_REQUEST", ()))


def load(folder, paper, figure):
    """Import and check the module of a figure; raises BadInput."""
    known = known_figures(folder, paper)
    waiting = getattr(_import(folder, paper), "WAITING", {})
    if figure in waiting:
        raise BadInput(f"FIG='{short(figure)}': cannot run yet: {waiting[figure]}")
    if figure not in known:
        raise BadInput(f"FIG='{short(figure)}': expected {_or(map(short, known))} of {paper}")
    module = _import(folder, f"{paper}.{figure}")
    _check(module)
    return module


def source(folder, paper, figure):
    """The name of the figure whose cells a figure shows."""
    return getattr(load(folder, paper, figure), "CELLS_OF", figure)


def short(figure):
    """The name of a figure for the user: the module figure9 is figure 9."""
    return re.sub(r"^figure(?=\d)", "", figure)


def long(word):
    """The name of a figure's module: the module of figure 9 is figure9."""
    return f"figure{word}" if word[:1].isdigit() else word


def _or(words):
    return ", ".join(words) or "nothing: there is none"


def _import(folder, dotted):
    """Import a module. A figure may refuse its input, such as a user's trace, while it loads."""
    for path in (*SHARED, folder):
        if path not in sys.path:
            sys.path.insert(0, path)
    try:
        return importlib.import_module(dotted)
    except (ValueError, OSError) as error:
        raise BadInput(f"{dotted}: {error}") from error


def _check(module):
    shares = hasattr(module, "CELLS_OF")
    for key, kind in (SHARING if shares else EXPECTED).items():
        if not isinstance(getattr(module, key, None), kind):
            raise BadInput(f"{module.__name__}: {key} is missing or of another type")
    if not shares:
        _check_cells(module)


def _check_cells(module):
    for cell in module.CELLS:
        _check_cell(module, cell)
    names = [name(cell) for cell in module.CELLS]
    if len(set(names)) < len(names):
        raise BadInput(f"{module.__name__}: two cells of one name in CELLS")
    for cell in module.QUICK:
        if cell not in module.CELLS:
            raise BadInput(f"{module.__name__}: {name(cell)} is in QUICK and not in CELLS")


def _check_cell(module, cell):
    """Check a cell. A module's own check() raises ValueError for an impossible cell."""
    where = f"{module.__name__}: {name(cell)}"
    if not cell or not all(isinstance(value, PLAIN) for value in cell.values()):
        raise BadInput(f"{where}: expected words and numbers")
    if len(name(cell)) > LONGEST:
        raise BadInput(f"{where}: a name of more than {LONGEST} characters")
    try:
        getattr(module, "check", lambda _: None)(cell)
    except ValueError as error:
        raise BadInput(f"{where}: {error}") from error
