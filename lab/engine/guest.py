#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest.py JOB: the engine's part inside the lab machine. Runs the cells of a batch one after the
other, each in its own process. The program prints a line of JSON when a cell begins, and another
line when the cell ends. JOB is the JSON of engine/batch.py. A cell's files are copied to $FL_OUT if
captures were requested or the cell failed."""
import contextlib
import importlib
import json
import os
import shutil
import signal
import sys
import traceback

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:1] = [LAB, os.path.join(LAB, "../selftests")]
from engine import capture

DIRECTORY = "/run/cell"


class Reporter:
    """Sends lines of text to the host. A cell's own output goes to standard error instead."""

    def __init__(self):
        self.file = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def __call__(self, **event):
        print(json.dumps(event, allow_nan=False), file=self.file, flush=True)


def loaded_modules():
    """The names of the project's modules that are loaded."""
    with open("/proc/modules") as file:
        names = {line.split()[0] for line in file}
    ours = (entry.removesuffix(".ko") for entry in os.listdir(os.environ["FL_MODULES"]))
    return sorted(names.intersection(ours))


def run_cell(figure, name, job, report):
    """Report the rows, or the error; returns the exit status."""
    try:
        rows = figure.run(job["cells"][name], job["seed"], DIRECTORY)
        capture.end()
        report(end=name, rows=rows, modules=loaded_modules())
        return 0
    except BaseException:
        report(end=name, error=traceback.format_exc())
        return 1
    finally:
        sys.stdout.flush()


def in_process(function, *arguments):
    """Run a function in a process of its own; returns its exit status. When the process has ended, its
    children are killed."""
    pid = os.fork()
    if not pid:
        os.setsid()
        # skips the parent's "finally" blocks
        os._exit(function(*arguments))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    return status


def run_in_process(figure, name, job, report):
    """Run a cell in its own process and directory, and report the cell's start and end."""
    os.mkdir(DIRECTORY)
    report(begin=name)
    status = in_process(run_cell, figure, name, job, report)
    if status not in (0, 1):
        report(end=name, error=f"the cell's process ended with status {status}")
    if status or job["pcap"]:
        shutil.copytree(DIRECTORY, os.path.join(os.environ["FL_OUT"], name))
    shutil.rmtree(DIRECTORY)


def main():
    job = json.loads(sys.argv[1])
    sys.path.insert(0, job["papers"])
    if job["pcap"]:
        os.environ["FL_PCAP"] = DIRECTORY
    report = Reporter()
    figure = importlib.import_module(f"{job['paper']}.{job['figure']}")
    report(kernel=os.uname().release)
    for name in job["cells"]:
        run_in_process(figure, name, job, report)


if __name__ == "__main__":
    main()
