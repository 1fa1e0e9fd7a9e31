# SPDX-License-Identifier: GPL-2.0-or-later
"""`freshlink pace` on the router of a path, and `freshlink reflect` on the receiver."""
import json
import select
import subprocess

PATIENCE = 40           # s


class Pacer:
    """Paces the device "cell" until the cell's process ends."""

    def __init__(self, path):
        self._start(path.receiver, "reflect --allow 10.0.2.0/24")
        process = self._start(path.router, f"pace cell --reflector {path.address} -j")
        while select.select([process.stdout], [], [], PATIENCE)[0] and \
                (line := process.stdout.readline()):
            if json.loads(line)["event"] == "running":
                return
        raise RuntimeError(f"freshlink pace does not run: {process.stderr.read()}")

    @staticmethod
    def _start(node, words):
        with node.inside():
            return subprocess.Popen(["freshlink", *words.split()], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
