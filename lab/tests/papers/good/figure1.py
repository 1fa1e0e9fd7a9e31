# SPDX-License-Identifier: GPL-2.0-or-later
"""The arrival times of datagrams over a slow link. The sizes and the sending times are random."""
import os
import random
import socket
import struct
import time

from engine import capture
from lib import netns, sniff

TITLE = "When datagrams arrive"
HEADLINE = "one after the other"
SECONDS = 60
CELLS = [{"rate": rate, "packets": packets} for rate in ("20kbit", "100kbit")
         for packets in (20, 60)]
QUICK = CELLS[:1]
PORT = 5001


def _connect(rate):
    left, right = netns.Netns(), netns.Netns()
    netns.veth(left, "out", right, "in")
    left.ip("addr add 10.0.0.1/24 dev out",
            "neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev out nud permanent")
    right.ip("addr add 10.0.0.2/24 dev in",
             "neigh add 10.0.0.1 lladdr 02:00:00:00:00:01 dev in nud permanent")
    left.run(f"tc qdisc add dev out root tbf rate {rate} burst 2000 limit 100000")
    return left, right


def _receive(sink, count, start):
    """When the kernel received each datagram, in ns after the start."""
    rows = []
    for _ in range(count):
        data, [(_, _, when)], _, _ = sink.recvmsg(2000, 64)
        seconds, nanoseconds = struct.unpack("=qq", when)
        rows.append({"number": struct.unpack_from("!I", data)[0], "bytes": len(data),
                     "arrived_ns": seconds * 10**9 + nanoseconds - start})
    return rows


def run(cell, seed, directory):
    chance = random.Random(seed)
    left, right = _connect(cell["rate"])
    sink = right.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.setsockopt(socket.SOL_SOCKET, sniff.SO_TIMESTAMPNS, 1)
    sink.bind(("10.0.0.2", PORT))
    source = left.socket(socket.AF_INET, socket.SOCK_DGRAM)
    capture.begin(right, "in")
    start = time.time_ns()
    for number in range(cell["packets"]):
        time.sleep(chance.expovariate(10))
        data = struct.pack("!I", number) + os.urandom(chance.randrange(10, 1000))
        source.sendto(data, ("10.0.0.2", PORT))
    return _receive(sink, cell["packets"], start)
