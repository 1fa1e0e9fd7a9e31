#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that is down sends and keeps no packet, even if the sender bypasses the device's queue.
All packets that are lost because the device is down are counted."""
# run.sh: needs: simulated time
import socket

from lib import cell, cpu, kmod, netns, tap

WARM = 8                                # packets that lab/bench/module sends first
COUNT = 10


def sent_past_the_queue(**values):
    """While the device is down, send packets from a kernel module that checks neither the device
    nor its queue."""
    with cell.Pair(**values) as pair:
        # the module sends in the first namespace
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
    """The device has a rate and a delay. A packet that reaches the device while it is down is
    counted as purged."""
    sent_past_the_queue(rate=10**6, delay=cell.S)


def test_sent_directly():
    """The device has no rate and no delay. A packet that reaches the device while it is down is
    counted as purged."""
    sent_past_the_queue()


def test_arrived():
    """Some packets have arrived at a device, but the host has not received them when the device
    goes down. This device counts these packets."""
    count = 200
    with cell.Pair() as pair:
        # sysfs shows the devices of the first namespace
        pair.right.move(netns.First())
        pair.up()
        with open("/sys/class/net/cell1/threaded", "w") as threaded:
            threaded.write("1")
        sniffer = pair.sniffer()
        with cpu.alone():
            pair.flood([cell.packet(number, 100) for number in range(count)])
            pair.right.up(False)
        # this read clears the socket's error, which reports that the device is down
        sniffer.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        received = len(cell.ours(sniffer.drain()))
        tap.within("received", received, 0, count - 1)
        told = pair.right.ns.interface("cell1")
        tap.equal("packets arrived and dropped", (told["rx_packets"], told["rx_dropped"]),
                  (count, count - received))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
