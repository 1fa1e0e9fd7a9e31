# SPDX-License-Identifier: GPL-2.0-or-later
"""The throughput of one TCP connection between two namespaces of the virtual machine. TCP sends
super-packets (GSO). The kinds of path are measured alternately, so that a change of the host's load
affects all kinds."""
import json
import os
import socket
import threading
import time

ROUNDS, SECONDS, CHUNK = 5, 2, 1 << 18
PORT = 5001


def _send(sock, until):
    data = bytes(CHUNK)
    while time.monotonic() < until:
        sock.sendall(data)
    sock.close()


def rate(sender, receiver, address, mark=0):
    """The throughput of one connection to the receiver's address, in bit/s."""
    with receiver.socket(socket.AF_INET, socket.SOCK_STREAM) as listener, \
            sender.socket(socket.AF_INET, socket.SOCK_STREAM) as source:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, PORT))
        listener.listen()
        source.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, mark)
        source.connect((address, PORT))
        sink, _ = listener.accept()
        start = time.monotonic()
        thread = threading.Thread(target=_send, args=(source, start + SECONDS))
        thread.start()
        count, buffer = 0, bytearray(CHUNK)
        while got := sink.recv_into(buffer):
            count += got
        thread.join()
        sink.close()
        return count * 8 / (time.monotonic() - start)


def take_turns(name, measure, paths):
    """Call measure() for each path in each round, and write the results to NAME.json in $FL_OUT."""
    rates = {path: [] for path in paths}
    for _ in range(ROUNDS):
        for path in paths:
            rates[path].append(measure(path))
            print(f"{path}: {rates[path][-1] / 1e6:.0f} Mbit/s", flush=True)
    with open(os.path.join(os.environ["FL_OUT"], f"{name}.json"), "w") as file:
        json.dump({"kernel": os.uname().release, "rounds": ROUNDS, "rates": rates}, file)
