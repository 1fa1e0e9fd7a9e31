#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest.py RATE DELAY_MS SECONDS: the dumbbell in the lab machine, with one download by TCP that
lasts SECONDS of simulated time:

    sender --100 Mbit/s, 1 ms-- router ==RATE, DELAY== router --100 Mbit/s, 1 ms-- receiver

Prints the number of bytes that have arrived, as JSON. The download is fast because writes are
large, and because the receiver wakes up once for many segments.
"""
import json
import os
import signal
import socket
import sys

from lib import kmod, netns

QUEUE = 50              # packets at the bottleneck, as in dumbbell.cc
ACCESS = "rate 100mbit delay 1ms ring_packets 1000"
PORT = 5001
WRITE = 1 << 18
AT_ONCE = 1 << 16       # bytes that must have arrived before the receiver wakes up
LEFT, RIGHT = "02:00:00:00:00:01", "02:00:00:00:00:02"


class Node(netns.Netns):
    """A node. The object collects lines for one call of ip, because one process for each line would
    take longer."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def end(self, name, number, own, other, mac):
        """Configure one end of a link."""
        self.lines += [f"addr add 10.0.{number}.{own}/24 dev {name}", f"link set {name} up",
                       f"neigh add 10.0.{number}.{other} lladdr {mac} dev {name} nud permanent"]


def link(left, right, number, options):
    """A cellink between two nodes."""
    names = f"right{number}", f"left{number}"
    # packets of one segment each, as in ns-3
    left.lines.append(f"link add {names[0]} address {LEFT} gso_max_segs 1 type cellink {options} "
                      f"peer name {names[1]} address {RIGHT} netns {right.path} {options}")
    left.end(names[0], number, 1, 2, RIGHT)
    right.end(names[1], number, 2, 1, LEFT)


def connect(rate, delay):
    """Build the dumbbell. Returns the sender and the receiver."""
    nodes = sender, near, far, receiver = [Node() for _ in range(4)]
    link(sender, near, 1, ACCESS)
    link(near, far, 2, f"rate {rate} delay {delay}ms")
    link(far, receiver, 3, ACCESS)
    for node, route in zip(nodes, ("default via 10.0.1.2", "10.0.3.0/24 via 10.0.2.2",
                                   "10.0.1.0/24 via 10.0.2.1", "default via 10.0.3.1")):
        node.ip(*node.lines, f"route add {route}")
        node.sysctl("net.ipv4.ip_forward", 1)
    near.run(f"tc qdisc replace dev right2 root pfifo limit {QUEUE}")
    return sender, receiver


def send(node, address):
    with node.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        sock.connect(address)
        data = bytes(WRITE)
        while True:
            sock.sendall(data)


def receive(listener, seconds):
    """The number of bytes that arrive within some seconds."""
    class Over(Exception):
        pass

    def stop(*_):
        raise Over
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    total, buffer = 0, bytearray(WRITE)
    try:
        sock, _ = listener.accept()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, AT_ONCE)
        while True:
            total += sock.recv_into(buffer)
    except Over:
        return total


def main():
    rate, delay, seconds = sys.argv[1:]
    kmod.insmod("cellink")
    sender, receiver = connect(rate, delay)
    with receiver.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("10.0.3.2", PORT))
        listener.listen()
        pid = os.fork()
        if not pid:
            send(sender, ("10.0.3.2", PORT))
        total = receive(listener, float(seconds))
    os.kill(pid, signal.SIGKILL)
    print(json.dumps({"bytes": total, "kernel": os.uname().release}))


if __name__ == "__main__":
    main()
