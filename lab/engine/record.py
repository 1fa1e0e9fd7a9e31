# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of a batch: one result file for each cell, which has the same bytes in every run, and
batch.json with the state of each cell."""
import hashlib
import json
import os
import socket

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"


def write(path, value):
    """Write a file atomically, so that a reader never reads an incomplete file."""
    with open(path + ".new", "w") as file:
        json.dump(value, file, indent=1, sort_keys=True, allow_nan=False)
        file.write("\n")
    os.replace(path + ".new", path)


def read(path):
    """The value in a file; None if there is no file."""
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def digests(folder, modules):
    """SHA-256 of each kernel module's file."""
    found = {}
    for name in modules:
        with open(os.path.join(folder, f"{name}.ko"), "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class Record:
    """batch.json while the batch runs: the worker and, for each cell, its state, its seconds of
    real time and of processor time, and the reason for a failure."""

    def __init__(self, path, names):
        self.path = path
        self.cells = {name: {"state": WAITING} for name in names}
        self.seconds = None
        # Slurm may run several workers on one machine
        self.worker = os.environ.get("SLURMD_NODENAME") or socket.gethostname()

    def set(self, name, state, **more):
        self.cells[name] = {"state": state, **more}
        self.save()

    def save(self):
        write(self.path, {"cells": self.cells, "seconds": self.seconds, "worker": self.worker})

    def waiting(self):
        return [name for name, cell in self.cells.items() if cell["state"] == WAITING]
