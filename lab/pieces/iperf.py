# SPDX-License-Identifier: GPL-2.0-or-later
"""Bulk TCP across the path, sent by iperf3, the usual tool for measurements. iperf3 sends from its
own process, with any congestion control."""
import json
import os
import signal
import subprocess

from lib import wait

from pieces import TREE, sockets
from pieces.download import PATIENCE

PATIENT = os.path.join(TREE, "build/lab-tools/patient.so")


class Iperf:
    """A transfer by iperf3 from the sender to the receiver, until finish() stops it. `words` are
    additional options of the client (iperf3(1))."""

    def __init__(self, path, port=5201, words=""):
        self.path, self.port, self.words = path, port, words
        self.server = self.client = None

    def _start(self, node, words):
        with node.inside():
            return subprocess.Popen(f"iperf3 {words} --port {self.port} --json".split(), text=True,
                                    env=dict(os.environ, LD_PRELOAD=PATIENT),
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def begin(self):
        """Start the server, and then the client."""
        self.server = self._start(self.path.receiver, "--server --one-off")
        wait.until("iperf3 listens", lambda: sockets.listens(self.path.receiver, self.port))
        self.client = self._start(self.path.sender, f"--client {self.path.address} "
                                  f"--time {PATIENCE} {self.words}")

    def finish(self):
        """Stop iperf3. Return the number of bytes received, and the number of retransmitted
        segments."""
        self.client.send_signal(signal.SIGINT)
        sent, received = (self._output(process) for process in (self.client, self.server))
        return {"received": received["end"]["sum_received"]["bytes"],
                "retransmits": sent["end"]["sum_sent"]["retransmits"]}

    @staticmethod
    def _output(process):
        text, errors = process.communicate(timeout=PATIENCE)
        output = json.loads(text)
        if "end" not in output or not output["end"]:
            raise RuntimeError(f"{process.args}: {output.get('error')} {errors}")
        return output
