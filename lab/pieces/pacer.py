# SPDX-License-Identifier: GPL-2.0-or-later
"""`freshlink pace` on the router of a path, and `freshlink reflect` on the receiver."""
import json
import select
import subprocess

PATIENCE = 40           # s


def _start(node, words):
    with node.inside():
        return subprocess.Popen(["freshlink", *words.split()], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def reflect(path):
    """Answer the router's probes on the receiver until the cell's process ends."""
    _start(path.receiver, "reflect --allow 10.0.2.0/24")


class Pacer:
    """Paces the device "cell" until the cell's process ends."""

    def __init__(self, path):
        reflect(path)
        process = _start(path.router, f"pace cell --reflector {path.address} -j")
        while select.select([process.stdout], [], [], PATIENCE)[0] and \
                (line := process.stdout.readline()):
            if json.loads(line)["event"] == "running":
                return
        raise RuntimeError(f"freshlink pace does not run: {process.stderr.read()}")
