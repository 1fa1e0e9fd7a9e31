#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine computes of names, seeds and progress is right; lab/selftest engine tells what it
does with machines."""
import json
import os
import sys
import tempfile
import types

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:1] = [LAB, os.path.join(LAB, "../selftests")]
from engine import experiment, matrix, progress, record
from lib import tap


def refused(what, function, *arguments):
    try:
        function(*arguments)
    except experiment.BadInput as error:
        return str(error)
    raise tap.Failed(f"{what}: was not refused")


def figure(**values):
    """A module as one of a paper's."""
    module = types.ModuleType("paper.figure")
    module.__dict__.update({"TITLE": "", "SECONDS": 1, "CELLS": [{"a": 1}], "QUICK": []} | values)
    return module


def test_names():
    """A cell is called by its parameters in their order, and no character of it is a path's."""
    tap.equal("name", experiment.name({"queue": "age limit", "buffer": 50, "rate": 1.5}),
              "queue=age_limit,buffer=50,rate=1.5")
    tap.equal("of a path", experiment.name({"trace": "../a/b.down"}), "trace=.._a_b.down")
    for name, short in (("figure9", "9"), ("figure10", "10"), ("traces", "traces")):
        tap.equal(name, experiment.short(name), short)
        tap.equal(short, experiment.long(short), name)


def test_figures():
    """What cannot be run is refused, with the module and the cell in the message."""
    experiment._check(figure())
    for what, values, text in (
            ("no cells", {"CELLS": None}, "paper.figure: CELLS is missing"),
            ("no title", {"TITLE": 1}, "paper.figure: TITLE is missing"),
            ("a list in a cell", {"CELLS": [{"a": [1]}]}, "a=_1_: expected words and numbers"),
            ("an empty cell", {"CELLS": [{}]}, "expected words and numbers"),
            ("names that files would share", {"CELLS": [{"a": "b c"}, {"a": "b/c"}]}, "one name"),
            ("a name too long", {"CELLS": [{"a": "b" * 200}]}, "more than 200 characters"),
            ("a quick cell of its own", {"QUICK": [{"a": 2}]}, "a=2 is in QUICK and not in CELLS")):
        tap.true(f"{what}: {text}", text in refused(what, experiment._check, figure(**values)))


def test_seeds():
    """A number of seeds, or a range of them."""
    tap.equal("a number", matrix.seeds("3"), [1, 2, 3])
    tap.equal("a range", matrix.seeds("7-9"), [7, 8, 9])
    tap.equal("the last", matrix.seeds(f"{2**32 - 1}-{2**32 - 1}"), [2**32 - 1])
    for text in ("0", "", "-3", "3-", "9-7", "1.5", "x", f"1-{2**32}"):
        refused(f"SEEDS={text}", matrix.seeds, text)


def test_figure_lists():
    """Figures by commas, blanks or both."""
    for text, names in (("", []), ("9", ["figure9"]), ("4,9", ["figure4", "figure9"]),
                        ("4 9, traces", ["figure4", "figure9", "traces"])):
        tap.equal(f"FIG={text!r}", matrix.figures(text), names)


def test_batches():
    """A figure runs with the seeds that are wanted, or with as many as it says, or 30; the first
    seed of each comes first."""
    papers = os.path.join(LAB, "tests/papers")
    tap.equal("as wanted", matrix.batches(papers, "parts", [], [2, 5]),
              [("parts", figure, seed) for seed in (2, 5) for figure in ("arq", "damage", "iperf")])
    tap.equal("as it says", matrix.batches(papers, "parts", [], None),
              [("parts", "arq", 1), ("parts", "damage", 1), ("parts", "iperf", 1)])
    tap.equal("30", [seed for _, _, seed in matrix.batches(papers, "good", ["figure1"], None)],
              list(range(1, 31)))


def test_on_request():
    """A figure that takes long runs if it is named, and is no part of its paper's run."""
    tap.equal("named", matrix.batches(LAB, "iftpv", ["ablation"], [1]), [("iftpv", "ablation", 1)])
    tap.true("not in the paper's", ("iftpv", "ablation", 1) not in
             matrix.batches(LAB, "iftpv", [], [1]))


def test_command():
    """The traces belong to the command of a figure that reads files, and to no other."""
    told = {"quick": False, "series": "7.2", "traces": "a.down walks"}
    common = "FIG=figure SEEDS=2-9 KERNEL=7.2"
    for what, values, more, text in (
            ("reads none", {}, {}, f"make lab PAPER=paper {common}"),
            ("quick", {}, {"quick": True}, f"make lab-quick PAPER=paper {common}"),
            ("reads some", {"FILES": []}, {}, f"make lab PAPER=paper {common} TRACES='a.down walks'"),
            ("has none to read", {"FILES": []}, {"traces": ""}, f"make lab PAPER=paper {common}")):
        tap.equal(what, matrix.command(told | more, figure(**values), 2, 9), text)


def _shown(directory, batches):
    """Progress of batches, {(figure, seed): (cells, {cell: (state, seconds)})}."""
    sizes = {("paper", figure, seed): size for (figure, seed), (size, _) in batches.items()}
    for batch, (_, cells) in zip(sizes, batches.values()):
        path = os.path.join(directory, matrix.output(*batch))
        os.makedirs(os.path.dirname(path))
        told = {name: {"state": state, "seconds": seconds}
                for name, (state, seconds) in cells.items()}
        record.write(path, {"seconds": None, "cells": told})
    shown = progress.Progress(directory, sizes)
    shown.look()
    return shown


def test_progress():
    """Cells are counted by state. What is left takes as long for each cell as those of its figure
    took, as many at a time as ran so far."""
    with tempfile.TemporaryDirectory() as directory:
        shown = _shown(directory, {
            ("slow", 1): (2, {"a": ("done", 10.0), "b": ("running", None)}),
            ("fast", 1): (4, {"a": ("done", 1.0), "b": ("done", 3.0), "c": ("failed", None),
                              "d": ("waiting", None)})})
        tap.equal("counts", dict(shown.counts()),
                  {"done": 3, "running": 1, "failed": 1, "waiting": 1})
        tap.equal("running", shown.running(), ["paper slow seed 1: b"])
        # 2 * 10 + 4 * 2 s, of which 14 are done: as long again with any number of processors
        tap.equal("left", shown.left(7.0), 7.0)
        tap.true("in words", shown.line().startswith(
            "3 of 6 cells done, 1 running (paper slow seed 1: b), 1 failed, about"))


def test_progress_at_first():
    """Nothing is known of the time that is left before a cell is done."""
    with tempfile.TemporaryDirectory() as directory:
        shown = _shown(directory, {("slow", 1): (2, {"a": ("running", None)})})
        tap.equal("left", shown.left(7.0), None)
        tap.true("in words", shown.line().endswith("0 failed, time left unknown"))


def test_duration():
    for seconds, text in ((0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"),
                          (9000, "2.5 h")):
        tap.equal(str(seconds), progress.duration(seconds), text)


def test_files():
    """A result is written with its keys in order, and what is no number in JSON is refused."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "result")
        record.write(path, {"b": 1, "a": {"d": 0.1, "c": [2]}})
        with open(path) as file:
            tap.equal("bytes", json.dumps(json.loads(text := file.read()), indent=1) + "\n", text)
        tap.true("in order", text.index('"a"') < text.index('"b"'))
        try:
            record.write(path, {"b": float("nan")})
        except ValueError:
            tap.equal("what was there stays", record.read(path)["b"], 1)
            return
        raise tap.Failed("NaN was written")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
