#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The report contains the numbers of the result files, the verdicts and the failed cells. The
report never combines results of two versions."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [HERE, os.path.join(HERE, "../../selftests")]
from lib import tap

PAPER = """
TITLE, AUTHORS = "Lifetimes & queues", "Nobody, 2003"
WAITING = {"figure3": "needs a missing module"}

def summary(rows):
    return ", ".join(f"{name}: {len(table)} rows > 2" for name, table in rows.items())
"""
SHARING = """
from somebody.figure9 import TITLE, HEADLINE, claims, draw
"""
FIGURE = """
import collections
TITLE, HEADLINE = "Valid packets < 100 %", "most are valid"
Claim = collections.namedtuple("Claim", "text paper ours verdict why")

def draw(rows, path):
    rows.to_csv(path, index=False)

def table(rows):
    return f"{len(rows)} rows < 4"

def claims(rows):
    return [Claim("valid", "about 85 %", f"{rows['valid'].mean():.0f} %", "reproduced", ""),
            Claim("stale", "none", f"{rows['stale'].sum()}", "differs", "by < 1")]
"""
ROWS = "queue,buffer,seed,valid,stale\nLPD,5,1,80,0\nLPD,5,1,90,1\nLPD,10,2,70,0\n"


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def result(seed, parameters, *rows, **more):
    return {"parameters": parameters, "seed": seed, "seconds": 1800, "rows": list(rows),
            "kernel": "7.2.12-lab", "modules": {"sch_lpd": "0123456789abcdef"}, **more}


def results(directory, **more):
    """Write the results of a paper with two figures, which show the same cells: three cells, one of them
    failed, and one cell that was not requested. Returns their directory."""
    write(f"{directory}/somebody/__init__.py", PAPER)
    write(f"{directory}/somebody/figure9.py", FIGURE)
    write(f"{directory}/somebody/figure10.py", SHARING)
    shown = [["somebody", figure, "figure9"] for figure in ("figure9", "figure10")]
    batches = [["somebody", "figure9", seed] for seed in (1, 2)]
    write(f"{directory}/out/matrix.json", {"papers": directory, "batches": batches, "shown": shown,
                                           "quick": False, "series": "7.2", "traces": "a.down 'walk 2'"})
    figure = f"{directory}/out/somebody/figure9"
    write(f"{figure}/1/batch.json", {"cells": {"a": {"state": "done"},
                                              "b": {"state": "failed", "why": "no <end>"}}})
    write(f"{figure}/1/a.json", result(1, {"queue": "LPD", "buffer": 5},
                                       {"valid": 80, "stale": 0}, {"valid": 90, "stale": 1}))
    # from an earlier run
    write(f"{figure}/3/batch.json", {"cells": {"d": {"state": "done"}}})
    write(f"{figure}/3/d.json", result(3, {"queue": "LPD", "buffer": 20}, {"valid": 1, "stale": 1}))
    write(f"{figure}/2/batch.json", {"cells": {"c": {"state": "done"}}})
    write(f"{figure}/2/c.json", result(2, {"queue": "LPD", "buffer": 10},
                                       {"valid": 70, "stale": 0}, **more))
    return f"{directory}/out"


def make(directory):
    return subprocess.run([sys.executable, os.path.join(HERE, "make"), directory],
                          capture_output=True, text=True)


def text(directory, name):
    with open(f"{directory}/report/{name}") as file:
        return file.read()


def test_pages():
    """Both pages have every number, and HTML shows words that look like tags."""
    with tempfile.TemporaryDirectory() as directory:
        out = results(directory)
        done = make(out)
        tap.equal("status", (done.returncode, done.stderr), (0, ""))
        tap.true("summary", "figure9: 1 reproduced, 1 differs, 1 cells failed" in done.stdout)
        tap.true("table", "3 rows < 4\n" in done.stdout)
        tap.true("summary of the paper", "\nfigure9: 3 rows > 2, figure10: 3 rows > 2\n" in done.stdout)
        for figure in ("figure9", "figure10"):
            tap.equal(f"rows of {figure}", text(out, f"somebody-{figure}.png"), ROWS)
        page, plain = text(out, "index.html"), text(out, "report.md")
        for words in ("80 %", "about 85 %", "1 reproduced, 1 differs", "needs a missing module",
                      "queue", "5, 10", "seeds 1 to 2", "2 cells of 1800 simulated seconds, 1.0 hours",
                      "Linux 7.2.12-lab, sch_lpd 0123456789ab",
                      "make lab PAPER=somebody FIG=9 SEEDS=1-2 KERNEL=7.2",
                      "make lab PAPER=somebody FIG=10 SEEDS=1-2 KERNEL=7.2"):
            tap.true(f"'{words}' in both", words in page and words in plain)
        tap.true("the failed cell", "seed 1, b: no <end>" in plain and "seed 1, b: no &lt;end&gt;" in page)
        tap.true("summary of the paper in both", "figure9: 3 rows > 2" in plain and
                 "figure9: 3 rows &gt; 2" in page)
        tap.true("links", "[figure9](#somebody-figure9)" in plain and '"somebody-figure9.png"' in page)
        tap.true("words that look like tags", "by &lt; 1" in page and "Lifetimes &amp; queues" in page)


def test_interrupted_run():
    """A batch that has not run is reported with the failed cells; the report has the other batches."""
    with tempfile.TemporaryDirectory() as directory:
        out = results(directory)
        os.remove(f"{out}/somebody/figure9/2/batch.json")
        done = make(out)
        tap.equal("status", (done.returncode, done.stderr), (0, ""))
        tap.equal("rows", text(out, "somebody-figure9.png"), "".join(ROWS.splitlines(True)[:3]))
        tap.true("the batch that has not run",
                 "- seed 2: the batch has not run\n" in text(out, "report.md"))


def test_one_version():
    """A report of results from two kernels, or from two builds of a module, is refused."""
    for more, what in (({"kernel": "6.12.1-lab"}, "from Linux 7.2.12-lab, others from 6.12.1-lab"),
                       ({"modules": {"sch_lpd": "ff"}}, "from sch_lpd 0123456789ab, others from ff")):
        with tempfile.TemporaryDirectory() as directory:
            done = make(results(directory, **more))
            tap.true(f"{done.stderr} names {what}", done.returncode and what in done.stderr)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
