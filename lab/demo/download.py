#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The ends of the demo's download:

download.py sink WINDOW             takes one connection, reads it to its end; WINDOW is the most
                                    that it has the other end send unasked
download.py source ADDRESS MARK     writes to the sink as fast as it goes, for the seconds that
                                    a line of its standard input says, and waits until the sink
                                    has everything

Either says at its end how many bytes there were, as JSON.
"""
import json
import socket
import sys
import time

PORT = 5000
DATA = bytes(1 << 20)   # more than a write takes, so that segments are full
AHEAD = 10000           # bytes written at most that were not sent yet
PATIENCE = 60           # s without any progress


def _read(connection, window):
    """Linux forgets the window it was told when it has seen the first segments' sizes."""
    total = 0
    while data := connection.recv(1 << 16):
        total += len(data)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, window)
    return total


def sink(window):
    window = int(window)
    with socket.create_server(("", PORT)) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, window)
        print("receiving", file=sys.stderr, flush=True)
        connection, _ = listener.accept()
        with connection:
            return _read(connection, window)


def _connect(address, mark):
    sock = socket.socket()
    sock.settimeout(PATIENCE)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, mark)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, AHEAD)
    sock.connect((address, PORT))
    return sock


def source(address, mark):
    print("ready", file=sys.stderr, flush=True)
    end, total = int(sys.stdin.readline()) + time.monotonic(), 0
    with _connect(address, int(mark)) as sock:
        while time.monotonic() < end:
            total += sock.send(DATA)
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)
    return total


if __name__ == "__main__":
    role = {"sink": sink, "source": source}[sys.argv[1]]
    print(json.dumps({"bytes": role(*sys.argv[2:])}))
