#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine computes names, seeds and progress correctly. The command "lab/selftest engine" tests
the engine with machines."""
import contextlib
import json
import os
import sys
import tempfile
import types

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:1] = [LAB, os.path.join(LAB, "../selftests")]
from engine import experiment, machine, matrix, progress, record
from lib import tap

PARTS = ("carriers", "causes", "damage", "decoder", "errors", "given_up", "iperf", "links", "outage",
         "speaker", "unreachable")


def refused(what, function, *arguments):
    """The error message of a function that refuses its arguments."""
    try:
        function(*arguments)
    except experiment.BadInput as error:
        return str(error)
    raise tap.Failed(f"{what}: was not refused")


def figure(**values):
    """The module of a figure, with these values in addition to the necessary values."""
    module = types.ModuleType("paper.figure")
    module.__dict__.update({"TITLE": "", "SECONDS": 1, "CELLS": [{"a": 1}], "QUICK": []} | values)
    return module


def test_names():
    """A cell's name has its parameters in their order, without blanks and slashes. The user's name
    of a figure is the name of its module without "figure" before a number."""
    tap.equal("name", experiment.name({"queue": "age limit", "buffer": 50, "rate": 1.5}),
              "queue=age_limit,buffer=50,rate=1.5")
    tap.equal("name of a path", experiment.name({"trace": "../a/b.down"}), "trace=.._a_b.down")
    for name, short in (("figure9", "9"), ("figure10", "10"), ("traces", "traces")):
        tap.equal(name, experiment.short(name), short)
        tap.equal(short, experiment.long(short), name)


def test_figures():
    """A figure that cannot run is refused, and the message names the module and the cell."""
    experiment._check(figure())
    experiment._check(figure(CELLS_OF="figure2", CELLS=None))
    for what, values, text in (
            ("another figure's cells, without a name", {"CELLS_OF": 2}, "paper.figure: CELLS_OF is missing"),
            ("no cells", {"CELLS": None}, "paper.figure: CELLS is missing"),
            ("no title", {"TITLE": 1}, "paper.figure: TITLE is missing"),
            ("a list in a cell", {"CELLS": [{"a": [1]}]}, "a=_1_: expected words and numbers"),
            ("an empty cell", {"CELLS": [{}]}, "expected words and numbers"),
            ("two cells with one file name", {"CELLS": [{"a": "b c"}, {"a": "b/c"}]}, "one name"),
            ("a name too long", {"CELLS": [{"a": "b" * 200}]}, "more than 200 characters"),
            ("a cell only in QUICK", {"QUICK": [{"a": 2}]}, "a=2 is in QUICK and not in CELLS")):
        tap.true(f"{what}: {text}", text in refused(what, experiment._check, figure(**values)))


def test_seeds():
    """SEEDS is a number of seeds, or a range of seeds."""
    tap.equal("a number", matrix.seeds("3"), [1, 2, 3])
    tap.equal("a range", matrix.seeds("7-9"), [7, 8, 9])
    tap.equal("the last", matrix.seeds(f"{2**32 - 1}-{2**32 - 1}"), [2**32 - 1])
    for text in ("0", "", "-3", "3-", "9-7", "1.5", "x", f"1-{2**32}"):
        refused(f"SEEDS={text}", matrix.seeds, text)


def test_figure_lists():
    """FIG separates figures by commas, blanks or both."""
    for text, names in (("", []), ("9", ["figure9"]), ("4,9", ["figure4", "figure9"]),
                        ("4 9, traces", ["figure4", "figure9", "traces"])):
        tap.equal(f"FIG={text!r}", matrix.figures(text), names)


def batches(folder, paper, figures, seeds, quick=False):
    return matrix.batches(folder, matrix.shown(folder, paper, figures), seeds, quick)


def test_batches():
    """A figure runs with the requested seeds, or with its own number of seeds, or with 30. All
    figures run with their first seed before any figure runs with its second."""
    papers = os.path.join(LAB, "tests/papers")
    tap.equal("requested seeds", batches(papers, "parts", [], [2, 5]),
              [("parts", figure, seed) for seed in (2, 5) for figure in PARTS])
    tap.equal("the figure's number of seeds", batches(papers, "parts", [], None),
              [("parts", figure, 1) for figure in PARTS])
    tap.equal("30 seeds", [seed for _, _, seed in batches(papers, "good", ["figure1"], None)],
              list(range(1, 31)))


def test_shared_cells():
    """Figures that show the same cells run them once. If only one of these figures is requested, its cells
    run, too."""
    shown = matrix.shown(LAB, "rto", ["figure6", "figure7"])
    tap.equal("shown", shown, [("rto", "figure6", "figure6"), ("rto", "figure7", "figure6")])
    tap.equal("both", matrix.batches(LAB, shown, [1, 2]), [("rto", "figure6", 1), ("rto", "figure6", 2)])
    tap.equal("the other", batches(LAB, "rto", ["figure7"], [1]), [("rto", "figure6", 1)])


def test_quick():
    """The quick form leaves out a figure without QUICK cells."""
    for quick, expected in ((False, [("streams", "adverse", 1)]), (True, [])):
        tap.equal(f"quick: {quick}", batches(LAB, "streams", ["adverse"], [1], quick), expected)


def test_on_request():
    """A figure of ON_REQUEST runs only if FIG names the figure. A run of the whole paper leaves the
    figure out."""
    tap.equal("named", batches(LAB, "iftpv", ["ablation"], [1]), [("iftpv", "ablation", 1)])
    tap.true("a run of the paper leaves it out", ("iftpv", "ablation", 1) not in
             batches(LAB, "iftpv", [], [1]))


def test_waiting():
    """A figure that cannot run yet is refused with the reason."""
    papers = os.path.join(LAB, "tests/papers")
    tap.equal("reason", refused("it", experiment.load, papers, "good", "figure3"),
              "FIG='3': cannot run yet: needs a file")


def test_command():
    """Only the command of a figure that reads files contains the traces."""
    wanted = {"quick": False, "series": "7.2", "traces": "a.down walks"}
    common = "FIG=figure SEEDS=2-9 KERNEL=7.2"
    for what, values, more, text in (
            ("a figure without files", {}, {}, f"make lab PAPER=paper {common}"),
            ("the quick form", {}, {"quick": True}, f"make lab-quick PAPER=paper {common}"),
            ("a figure with files", {"FILES": []}, {},
             f"make lab PAPER=paper {common} TRACES='a.down walks'"),
            ("no traces", {"FILES": []}, {"traces": ""}, f"make lab PAPER=paper {common}")):
        tap.equal(what, matrix.command(wanted | more, figure(**values), 2, 9), text)


def _shown(directory, batches):
    """The Progress of batches, which are {(figure, seed): (cells, {cell: (state, seconds)})}."""
    sizes = {("paper", figure, seed): size for (figure, seed), (size, _) in batches.items()}
    for batch, (_, cells) in zip(sizes, batches.values()):
        path = os.path.join(directory, matrix.output(*batch))
        os.makedirs(os.path.dirname(path))
        states = {name: {"state": state, "seconds": seconds}
                  for name, (state, seconds) in cells.items()}
        record.write(path, {"seconds": None, "cells": states})
    shown = progress.Progress(directory, sizes)
    shown.look()
    return shown


def test_progress():
    """Cells are counted by state. The time left is estimated: each cell takes the mean time of its
    figure's finished cells, and as many cells run at a time as before."""
    with tempfile.TemporaryDirectory() as directory:
        shown = _shown(directory, {
            ("slow", 1): (2, {"a": ("done", 10.0), "b": ("running", None)}),
            ("fast", 1): (4, {"a": ("done", 1.0), "b": ("done", 3.0), "c": ("failed", None),
                              "d": ("waiting", None)})})
        tap.equal("counts", dict(shown.counts()),
                  {"done": 3, "running": 1, "failed": 1, "waiting": 1})
        tap.equal("running", shown.running(), ["paper slow seed 1: b"])
        # the cells take 2 * 10 + 4 * 2 s; half of this is done, so the time left equals the elapsed
        # time
        tap.equal("time left", shown.left(7.0), 7.0)
        tap.true("line", shown.line().startswith(
            "3 of 6 cells done, 1 running (paper slow seed 1: b), 1 failed, about"))


def test_progress_at_first():
    """The time left is unknown until a cell is done."""
    with tempfile.TemporaryDirectory() as directory:
        shown = _shown(directory, {("slow", 1): (2, {"a": ("running", None)})})
        tap.equal("time left", shown.left(7.0), None)
        tap.true("line", shown.line().endswith("0 failed, time left unknown"))


def test_duration():
    for seconds, text in ((0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"),
                          (9000, "2.5 h")):
        tap.equal(str(seconds), progress.duration(seconds), text)


BUSY = "import time\nwhile time.process_time() < 0.3: pass"
PARENT = f"import subprocess, sys, time\n" \
    f"subprocess.run([sys.executable, '-c', {BUSY!r}])\nprint(flush=True)\ntime.sleep(60)"


def test_processor():
    """The processor time of a machine includes the time of processes that have ended. The kernel
    cuts a process's user time and its system time to whole ticks."""
    with machine.Machine([sys.executable, "-c", PARENT], os.devnull, 60) as one:
        with contextlib.closing(one.lines()) as lines:
            next(lines)
        tap.within("processor time", one.processor(), 0.3 - 2 / machine.TICKS, 3)


def test_cost():
    """The processor time of a run is the sum over its cells, and unknown if a figure does not say its
    cost."""
    sizes = {("streams", "places", 1): 10, ("streams", "upload", 1): 2}
    costs = [experiment.load(LAB, *batch[:2]).COST for batch in sizes]
    tap.equal("known", matrix.cost({"papers": LAB}, sizes), 10 * costs[0] + 2 * costs[1])
    tap.equal("unknown", matrix.cost({"papers": LAB}, sizes | {("lpd", "figure9", 1): 1}), None)


def test_files():
    """A result is written with sorted keys. NaN is refused, because JSON has no such number."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "result")
        record.write(path, {"b": 1, "a": {"d": 0.1, "c": [2]}})
        with open(path) as file:
            tap.equal("bytes", json.dumps(json.loads(text := file.read()), indent=1) + "\n", text)
        tap.true("keys are sorted", text.index('"a"') < text.index('"b"'))
        try:
            record.write(path, {"b": float("nan")})
        except ValueError:
            tap.equal("the old file stays", record.read(path)["b"], 1)
            return
        raise tap.Failed("NaN was written")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
