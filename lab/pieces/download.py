# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP download across the path: one connection that carries a given number of bytes. The sender and
the receiver are threads of this process, with sockets in the namespaces."""
import contextlib
import socket
import struct
import threading
import time

from lib.hosts import SO_MARK

PORT = 5000
MARK = 1
IP_TCP = 40                 # bytes of headers without options
PATIENCE = 900              # s without any progress
ROOM = 4 << 20              # size of the receive buffer in bytes, larger than any window
CHUNK = 1 << 18


class Download:
    """A download from the sender to the receiver, with a receive window of `window` bytes. If `window`
    or `congestion` is None, Linux's default is used. The packets have a mark, for a profile of xlo."""

    def __init__(self, path, total, window=None, congestion=None, port=PORT):
        self.path, self.total, self.window = path, total, window
        self.congestion, self.port = congestion, port
        self.read = self.done = 0       # number of bytes read; time of the last read
        self.failure = self.connection = None
        self.ended = self.given_up = False
        if window:
            path.receiver.sysctl("net.ipv4.tcp_rmem", f"4096 {ROOM} {ROOM}")
            path.receiver.sysctl("net.ipv4.tcp_moderate_rcvbuf", 0)
        self.listener = path.socket(path.receiver)
        self.listener.settimeout(PATIENCE)
        self._clamp(self.listener)
        self.listener.bind((path.address, port))
        self.listener.listen()
        self.sock = self._sender()
        self.threads = [threading.Thread(target=self._guarded, args=(end,))
                        for end in (self._sink, self._source)]

    def begin(self):
        self.start = time.monotonic_ns()
        for thread in self.threads:
            thread.start()

    def finish(self):
        """Wait for the end of the download. Return the seconds from the first SYN to the last byte."""
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure
        if self.read != self.total:
            raise RuntimeError(f"{self.read} bytes read, {self.total} sent")
        return (self.done - self.start) / 1e9

    def is_busy(self):
        return any(thread.is_alive() for thread in self.threads)

    def end(self):
        """Stop writing. All written data still arrive at the receiver."""
        self.ended = True

    def give_up(self):
        """Abort the download, even if it is not connected yet. Return the number of bytes read so
        far. The receiver's end is shut down, too, because the sender's Reset may be lost."""
        total, self.given_up = self.read, True
        for sock in filter(None, (self.sock, self.listener, self.connection)):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        return total

    def _guarded(self, end):
        try:
            end()
        except OSError as error:
            self.failure = None if self.given_up else error

    def _clamp(self, sock):
        if self.window:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, self.window)

    def _sink(self):
        """Receive the data. The window is clamped again after each read, because Linux removes the
        clamp after the first segments."""
        self.connection, _ = self.listener.accept()
        self.connection.settimeout(PATIENCE)
        buffer = bytearray(CHUNK)
        with self.connection:
            while number := self.connection.recv_into(buffer):
                self.read += number
                self.done = time.monotonic_ns()
                self._clamp(self.connection)

    def _sender(self):
        sock = self.path.socket(self.path.sender)
        sock.settimeout(PATIENCE)
        sock.setsockopt(socket.SOL_SOCKET, SO_MARK, MARK)
        if self.congestion:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.congestion.encode())
        return sock

    def _source(self):
        with self.sock as sock:
            sock.connect((self.path.address, self.port))
            self._write(sock)
            sock.recv(1)

    def _write(self, sock):
        left, data = self.total, bytes(CHUNK)
        while left and not self.ended:
            try:
                left -= sock.send(data[:left])
            except BrokenPipeError:     # aborted: discard unsent data
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raise
        self.total -= left
        sock.shutdown(socket.SHUT_WR)
