# SPDX-License-Identifier: GPL-2.0-or-later
"""A bulk transfer by TCP from the sender to the receiver, by socat."""
import subprocess

from lib import wait

from pieces import sockets

PORT, BLOCK = 7000, 65536


class Upload:
    """An endless transfer with Linux's default congestion control."""

    def __init__(self, path):
        self.path = path
        self.running = [self._socat(path.receiver, f"-u TCP-LISTEN:{PORT} OPEN:/dev/null")]
        wait.until("socat listens", lambda: sockets.listens(path.receiver, PORT))

    @staticmethod
    def _socat(node, words):
        with node.inside():
            return subprocess.Popen(f"socat {words}".split())

    def begin(self):
        self.running.append(self._socat(self.path.sender, f"-u -b {BLOCK} OPEN:/dev/zero "
                                        f"TCP:{self.path.address}:{PORT}"))

    def received(self):
        """Return the number of bytes that the receiver has received."""
        return sum(info.bytes_received
                   for info in sockets.Sockets(self.path.receiver).established())

    def end(self):
        for process in self.running:
            process.kill()
            process.wait()
