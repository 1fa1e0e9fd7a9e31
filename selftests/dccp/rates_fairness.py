#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""IFTP and IFTPV share a link of 5 Mbit/s and 50 ms fairly with a download by TCP reno or cubic, where
no packet is lost at random: Jain's index of their rates is at least 0.9. The window has no limit.

The link also carries a few small datagrams at random times. Without them, packets that are sent at
even gaps and packets that answer acknowledgments would arrive at a fixed phase of the link's
transmissions. Then this phase would decide which flow finds the queue full (Floyd and Jacobson, On
Traffic Phase Effects in Packet-Switched Gateways, 1992)."""
# run.sh: needs: simulated time
# run.sh: all: nothing (minutes of processor time)
# run.sh: soak on lab, 1200 s: everything
import random
import socket
import time

from dccp import fairness, way
from lib import cell, child, netlink, soak, tap

SEEDS = soak.amount(1, 3)
KBIT, RTT = 5000, 50 * cell.MS
SIZE = 1000                     # payload of all packets
QUEUE = 29                      # packets that are on the way in a round trip
SMALL, PART = 200, 0.02         # bytes of a datagram; share of the link's rate
DISCARD = 9                     # port


class Noise(child.Beside):
    """Datagrams at random times during the block."""

    def __init__(self, w, seed):
        super().__init__(self._send)
        self.chance, self.gap = random.Random(seed), SMALL / 125 / (PART * KBIT)
        self.sock = w.source.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # nobody reads there, and no error comes back
        self.hole = w.sink.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.hole.bind((way.SINK[0], DISCARD))

    def _send(self):
        time.sleep(self.chance.expovariate(1 / self.gap))
        self.sock.sendto(bytes(SMALL - 28), (way.SINK[0], DISCARD))
        return 1


def shares(ccid, other, seed):
    """The rates of TCP and DCCP, bit/s."""
    delay = {"delay": RTT // 2}
    with way.Way(back=delay, rate=KBIT * 125, **delay) as w:
        w.queue("pfifo", netlink.u32(QUEUE))
        w.listen()
        with Noise(w, seed):
            source, rates = fairness.measured(w, seed, lambda: w.send(
                f"--ccid {ccid} --size {SIZE} --window 500 --duration {fairness.DURATION}"), other, SIZE)
        sent = way.result(source)
    tap.true("the queue drops packets", sent["verdicts"]["halve"] > 10)
    return rates


def check(ccid):
    for other in "reno", "cubic":
        for seed in range(SEEDS):
            rates = shares(ccid, other, seed)
            index = fairness.jain(rates)
            tap.note(f"seed {seed}: {other} {rates[0] / 1e6:.2f}, {ccid} {rates[1] / 1e6:.2f} Mbit/s, "
                     f"Jain's index {index:.3f}")
            tap.within("Jain's index", index, 0.9, 1)


def test_iftp():
    """IFTP shares the link with reno and with cubic."""
    check("iftp")


def test_iftpv():
    """IFTPV shares the link with reno and with cubic."""
    check("iftpv")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
