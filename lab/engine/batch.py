#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""batch.py MATRIX PAPER FIGURE SEED: runs all cells of a figure with one seed, one after the other
in one boot of the lab machine. MATRIX is the file that engine/experiments writes for all batches. The
results go to PAPER/FIGURE/SEED in the directory of MATRIX.

A cell fails if it raises an exception, crashes the machine or exceeds its time limit. The other
cells do not fail: they run in a new machine. The log of the failed machine is kept. The exit status
is 0 even if cells fail; batch.json has the state of each cell.
"""
import json
import os
import shutil
import signal
import sys
import time

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = LAB
from engine import experiment, machine, matrix, record

ALL = 10**6         # s for all cells; each cell also has its own limit


class Batch:
    """The cells of a figure with one seed, and the directory of their results."""

    def __init__(self, wanted, paper, figure, seed):
        self.matrix, self.paper, self.figure, self.seed = wanted, paper, figure, seed
        self.module = experiment.load(wanted["papers"], paper, figure)
        self.cells = {experiment.name(cell): cell
                      for cell in matrix.cells(wanted, paper, figure)}
        self.directory = os.path.join(wanted["out"], paper, figure, str(seed))
        self.kernel = None
        self.current = None     # the last cell that this machine has begun
        self.machine = None
        self.began = None       # its begin: seconds of real time, and of processor time
        self.record = record.Record(self.path("batch.json"), self.cells)

    def path(self, name):
        return os.path.join(self.directory, name)

    def run(self):
        start = time.monotonic()
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        self.record.save()
        while self.record.waiting():
            self.boot(self.record.waiting())
        self.record.seconds = round(time.monotonic() - start, 3)
        self.record.save()

    def command(self, names):
        """The lab/uml command for these cells."""
        job = {"papers": self.matrix["papers"], "paper": self.paper, "figure": self.figure,
               "seed": self.seed, "pcap": self.matrix["pcap"],
               "cells": {name: self.cells[name] for name in names}}
        return [os.path.join(LAB, "uml"), "--kernel", self.matrix["series"],
                "--built", self.matrix["built"], "--seed", str(self.seed), "--limit", str(ALL),
                "--out", self.directory, "--",
                "/usr/bin/python3", os.path.join(LAB, "engine/guest.py"), json.dumps(job)]

    def boot(self, names):
        """Run these cells in one machine, until all are done or the machine fails."""
        log, limit = self.path("machine.log"), self.matrix["limit"]
        self.current, problem = None, ""
        with machine.Machine(self.command(names), log, limit) as guest:
            self.machine = guest
            try:
                for line in guest.lines():
                    self.take(json.loads(line))
                if guest.status():
                    problem = f"the machine ended with status {guest.status()}"
            except machine.Silent:
                problem = f"no end within {limit} s"
        if problem:
            self.blame(problem, names, log)
        os.remove(log)

    def take(self, event):
        """Handle a report from the guest."""
        if "kernel" in event:
            self.kernel = event["kernel"]
        elif "begin" in event:
            self.current, self.began = event["begin"], self.now()
            self.record.set(self.current, record.RUNNING)
        elif "error" in event:
            self.fail(event["end"], event["error"].strip().splitlines()[-1], event["error"])
        else:
            self.done(event["end"], event["rows"], event["modules"])

    def now(self):
        """The present time, and the processor time that the machine has used, in s."""
        return time.monotonic(), self.machine.processor()

    def took(self):
        """The seconds since the begin of the cell, for the record."""
        passed = [round(now - began, 3) for now, began in zip(self.now(), self.began)]
        return dict(zip(("seconds", "processor"), passed))

    def done(self, name, rows, modules):
        folder = self.matrix["built"].split(":")[1]
        record.write(self.path(f"{name}.json"), {
            "paper": self.paper, "figure": self.figure, "parameters": self.cells[name],
            "seed": self.seed, "seconds": self.module.SECONDS, "rows": rows,
            "kernel": self.kernel, "modules": record.digests(folder, modules),
            "command": matrix.command(self.matrix, self.module, self.seed, self.seed)})
        self.record.set(name, record.DONE, **self.took())

    def fail(self, name, why, log, **more):
        with open(self.path(f"{name}.log"), "w") as file:
            file.write(log)
        self.record.set(name, record.FAILED, why=why, **more)

    def blame(self, problem, names, log):
        """Mark the cell that began last as failed, also if the machine failed between two cells. If
        no cell has begun, all cells fail."""
        with open(log, errors="replace") as file:
            text = file.read()
        for name in [self.current] if self.current else names:
            if os.path.exists(self.path(f"{name}.json")):
                os.remove(self.path(f"{name}.json"))
            self.fail(name, problem, f"{problem}\n{text}")


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda caught, _: sys.exit(128 + caught))
    path, paper, figure, seed = sys.argv[1:]
    wanted = record.read(path)
    wanted["out"] = os.path.dirname(os.path.abspath(path))
    Batch(wanted, paper, figure, int(seed)).run()


if __name__ == "__main__":
    main()
