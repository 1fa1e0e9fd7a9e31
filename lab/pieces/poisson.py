# SPDX-License-Identifier: GPL-2.0-or-later
"""Cross traffic: datagrams of one size with exponential intervals between them. The sender and the
receiver are threads of this process, as for a download."""
import random
import socket
import threading
import time

IP_UDP = 28                 # bytes of headers
PORT = 6000
ROOM = 4 << 20


class Poisson:
    """Sends IP packets at a mean rate in kbit/s while a `with` block runs."""

    def __init__(self, path, size, kbit, seed):
        self.path, self.size = path, size
        self.gap = size / 125 / kbit
        self.chance = random.Random(f"poisson {seed}")
        self.received, self.ended = 0, False
        self.sink = path.socket(path.receiver, socket.SOCK_DGRAM)
        self.sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
        self.sink.bind((path.address, PORT))
        self.source = path.socket(path.sender, socket.SOCK_DGRAM)
        self.threads = [threading.Thread(target=end, daemon=True)
                        for end in (self._receive, self._send)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True

    def _receive(self):
        while not self.ended:
            self.received += len(self.sink.recv(self.size)) + IP_UDP

    def _send(self):
        data = bytes(self.size - IP_UDP)
        due = time.monotonic()
        while not self.ended:
            due += self.chance.expovariate(1 / self.gap)
            time.sleep(max(0, due - time.monotonic()))
            self.source.sendto(data, (self.path.address, PORT))
