# SPDX-License-Identifier: GPL-2.0-or-later
"""What a batch leaves behind: a small file for each cell's result, which is the same to the byte
however often it runs, and batch.json, which says how it went."""
import hashlib
import json
import os
import socket

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"


def write(path, value):
    """All of it or nothing."""
    with open(path + ".new", "w") as file:
        json.dump(value, file, indent=1, sort_keys=True, allow_nan=False)
        file.write("\n")
    os.replace(path + ".new", path)


def read(path):
    """None where there is nothing."""
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def digests(folder, modules):
    """SHA-256 of the files of kernel modules."""
    found = {}
    for name in modules:
        with open(os.path.join(folder, f"{name}.ko"), "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class Record:
    """batch.json while the batch runs: on which worker it does, for each cell its state, the
    seconds it took and, once it has failed, why."""

    def __init__(self, path, names):
        self.path = path
        self.cells = {name: {"state": WAITING} for name in names}
        self.seconds = None
        # Slurm may have several on one machine
        self.worker = os.environ.get("SLURMD_NODENAME") or socket.gethostname()

    def set(self, name, state, **more):
        self.cells[name] = {"state": state, **more}
        self.save()

    def save(self):
        write(self.path, {"cells": self.cells, "seconds": self.seconds, "worker": self.worker})

    def waiting(self):
        return [name for name, cell in self.cells.items() if cell["state"] == WAITING]
