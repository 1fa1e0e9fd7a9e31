#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A DCCP connection and a download by TCP reno share a link of 10 Mbit/s and 40 ms fairly: Jain's
index of their rates is at least 0.9, with both rate controls."""
# run.sh: needs: simulated time
# run.sh: all: nothing (minutes of processor time)
# run.sh: soak: everything
import json
import os
import signal
import socket
import time

from dccp import way
from lib import cell, netlink, tap

SEEDS = 3
START, SECONDS = 15, 45           # s until rates are measured, and for how long
DURATION = f"{START + SECONDS + 1}s"
PORT = 5002
SIZE = 1000     # payload of all packets
COUNTERS = """table ip shares {
    counter by_tcp {}
    counter by_dccp {}
    chain in {
        type filter hook input priority 0
        ip protocol tcp counter name by_tcp
        udp dport != 9 counter name by_dccp
    }
}"""


def send(address, control, size):
    """Send by TCP, until the process is killed."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, size)
        sock.connect(address)
        while True:
            sock.sendall(bytes(1 << 16))


class Download:
    """A download by TCP during the block, in segments of `size` bytes."""

    def __init__(self, w, control="reno", size=SIZE):
        self.way, self.how = w, (control, size)
        w.start(w.sink, f"traffic tcp-sink --port {PORT}").stderr.readline()

    def __enter__(self):
        with self.way.source.inside():
            self.pid = os.fork()
            if not self.pid:
                send((way.SINK[0], PORT), *self.how)
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def received(ns):
    """The bytes that have arrived by TCP and by DCCP in UDP. What goes to the discard port is neither."""
    counters = json.loads(ns.run("nft -j list counters").stdout)["nftables"]
    return {c["counter"]["name"]: c["counter"]["bytes"] for c in counters if "counter" in c}


def measured(w, seed, begin, control="reno", size=SIZE):
    """Begin a download, and at a phase that the seed decides the flow of DCCP, whose process begin()
    returns. Returns that process, and the rates of TCP and DCCP after START, bit/s."""
    w.sink.run("nft -f -", stdin=COUNTERS)
    with Download(w, control, size):
        time.sleep(0.037 * seed)
        source = begin()
        time.sleep(START)
        before = received(w.sink)
        time.sleep(SECONDS)
        after = received(w.sink)
    return source, [8 * (after[name] - before[name]) / SECONDS for name in ("by_tcp", "by_dccp")]


def shares(ccid, seed):
    """The rates of TCP and DCCP, bit/s."""
    # a round trip of 40 ms, and a queue of one and a half times what is on the way
    delay = {"delay": 20 * cell.MS}
    with way.Way(back=delay, rate=10**7 // 8, **delay) as w:
        w.queue("pfifo", netlink.u32(50))
        w.listen()
        return measured(w, seed, lambda: w.send(f"--ccid {ccid} --size {SIZE} --duration {DURATION}"))[1]


def jain(rates):
    return sum(rates) ** 2 / (len(rates) * sum(rate ** 2 for rate in rates))


def check(ccid):
    for seed in range(SEEDS):
        rates = shares(ccid, seed)
        tap.note(f"seed {seed}: TCP {rates[0] / 1e6:.2f}, CCID {ccid} {rates[1] / 1e6:.2f} Mbit/s, "
                 f"Jain's index {jain(rates):.3f}")
        tap.within("Jain's index", jain(rates), 0.9, 1)


def test_ccid2():
    """CCID 2 shares the link with TCP reno."""
    check(2)


def test_ccid3():
    """CCID 3 shares the link with TCP reno."""
    check(3)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
