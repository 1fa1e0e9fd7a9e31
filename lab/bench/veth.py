#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""veth.py: the bench's part inside the virtual machine: what TCP gets through

    sender === router === receiver

in super-packets (GSO), the queue at the router's way out, with and without an option in every
packet. The kinds of path take turns, so that a change of the machine's own load is everybody's.
Leaves veth.json in $FL_OUT."""
import json
import os
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../selftests"))
from lib import kmod, netns, tc

ROUNDS, SECONDS, CHUNK = 5, 2, 1 << 18
PORT = 5001
# name: the queue, the mark of the packets
PATHS = {"pfifo, without options": ("pfifo", 0),
         "lpd, without options": ("lpd limit 10000", 0),
         "lpd, with options": ("lpd limit 10000", 1)}


def connect():
    """Three namespaces in a row."""
    sender, router, receiver = (netns.Netns() for _ in range(3))
    netns.veth(sender, "out", router, "in")
    netns.veth(router, "out", receiver, "in")
    sender.ip("addr add 10.0.1.1/24 dev out", "route add default via 10.0.1.2")
    router.ip("addr add 10.0.1.2/24 dev in", "addr add 10.0.2.1/24 dev out")
    receiver.ip("addr add 10.0.2.2/24 dev in", "route add default via 10.0.2.1")
    router.sysctl("net.ipv4.ip_forward", 1)
    sender.run("freshlink profile add bench --mark 1 --lifetime 10s")
    return sender, router, receiver


def send(sock, until):
    data = bytes(CHUNK)
    while time.monotonic() < until:
        sock.sendall(data)
    sock.close()


def rate(sender, receiver, mark):
    """bit/s that arrive in one connection."""
    with receiver.socket(socket.AF_INET, socket.SOCK_STREAM) as listener, \
            sender.socket(socket.AF_INET, socket.SOCK_STREAM) as source:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("10.0.2.2", PORT))
        listener.listen()
        source.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, mark)
        source.connect(("10.0.2.2", PORT))
        sink, _ = listener.accept()
        start = time.monotonic()
        thread = threading.Thread(target=send, args=(source, start + SECONDS))
        thread.start()
        count, buffer = 0, bytearray(CHUNK)
        while got := sink.recv_into(buffer):
            count += got
        thread.join()
        sink.close()
        return count * 8 / (time.monotonic() - start)


def main():
    for name in ("sch_lpd", "xlo"):
        kmod.insmod(name)
    sender, router, receiver = connect()
    rates = {name: [] for name in PATHS}
    for _ in range(ROUNDS):
        for name, (queue, mark) in PATHS.items():
            router.run(f"tc qdisc replace dev out root {queue}")
            rates[name].append(rate(sender, receiver, mark))
            print(f"{name}: {rates[name][-1] / 1e6:.0f} Mbit/s", flush=True)
            if mark and not tc.show(router, "out")[0]["rewritten"]:
                sys.exit("veth.py: no option was in the packets")
    with open(os.path.join(os.environ["FL_OUT"], "veth.json"), "w") as file:
        json.dump({"kernel": os.uname().release, "rounds": ROUNDS, "rates": rates}, file)


if __name__ == "__main__":
    main()
