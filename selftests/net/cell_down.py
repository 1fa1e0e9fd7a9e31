#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that is down takes nothing and holds nothing, whoever sends, and what is lost with it is
counted. In simulated time."""
import os
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import cell, kmod, netns, tap

WARM = 8                                # of lab/bench/module
COUNT = 10


def sent_past_the_queue(**values):
    """Packets of a sender that looks neither at the device nor at its queue."""
    with cell.Pair(**values) as pair:
        # that is where the module sends
        pair.left.move(netns.First())
        kmod.insmod("bench", dev="cell0", what="device", packets=COUNT)
        tap.equal("rmmod", kmod.rmmod("bench"), 0)
        sent = COUNT + WARM
        pair.left.expect(packets_in=sent, purged=sent, held=0)
        pair.up()
        pair.left.expect(packets_in=sent, delivered=0, held=0)
        cell.port.Port(pair.left.ns, "cell0", ethernet=True).send(cell.packet(0, 100))
        pair.left.expect(packets_in=sent + 1, delivered=1)


def test_sent_to_be_delayed():
    sent_past_the_queue(rate=10**6, delay=cell.S)


def test_sent_directly():
    sent_past_the_queue()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
