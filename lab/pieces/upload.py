# SPDX-License-Identifier: GPL-2.0-or-later
"""A bulk transfer by TCP across the path, by socat."""
import subprocess

from lib import wait
from lib.hosts import SO_MARK

from pieces import sockets

PORT, BLOCK, MARK = 7000, 65536, 3
SOL_SOCKET = 1


class Upload:
    """An endless transfer from the sender to the receiver, or from the receiver to the sender with
    `back`, with Linux's default congestion control. The packets have a mark, for a profile of xlo."""

    def __init__(self, path, back=False):
        self.source, self.sink, self.address = \
            (path.receiver, path.sender, path.sender_address) if back else \
            (path.sender, path.receiver, path.address)
        self.running = [self._socat(self.sink, f"-u TCP-LISTEN:{PORT} OPEN:/dev/null")]
        wait.until("socat listens", lambda: sockets.listens(self.sink, PORT))

    @staticmethod
    def _socat(node, words):
        with node.inside():
            return subprocess.Popen(f"socat {words}".split())

    def begin(self):
        self.running.append(self._socat(self.source, f"-u -b {BLOCK} OPEN:/dev/zero "
                                        f"TCP:{self.address}:{PORT},"
                                        f"setsockopt-int={SOL_SOCKET}:{SO_MARK}:{MARK}"))

    def received(self):
        """Return the number of bytes that the sink has received. In this namespace the sink must have
        the only connection that receives data."""
        return sum(info.bytes_received for info in sockets.Sockets(self.sink).established())

    def end(self):
        for process in self.running:
            process.kill()
            process.wait()
