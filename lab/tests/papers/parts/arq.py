# SPDX-License-Identifier: GPL-2.0-or-later
"""A base station delivers datagrams across a link that loses frames. If the link loses one frame in
five, the base station delivers all datagrams once and in order. If the link loses all frames, the
base station sends a message to the sender each time it gives up. The base station sends at most six
attempts for each of three packets before it gives up. Each message quotes a packet of the
sender."""
import os
import socket
import time

from lib import icmp, sniff, tap
from pieces import arq, basestation, stream, topology

TITLE = "A link layer that repeats lost frames"
HEADLINE = "all packets in order, or messages about the loss"
SECONDS, SEEDS = 60, 1
SIZE, KBIT, LINK_KBIT, DELAY_MS = 500, 20, 64, 50
CELLS = [{"loss": 200_000}, {"loss": 10**6}]
QUICK = CELLS


def run(cell, seed, directory):
    path = topology.Path(SIZE, LINK_KBIT, delay=DELAY_MS * topology.MS)
    path.damage(seed, **cell)
    station = basestation.BaseStation(path, basestation.adaptive)
    station.begin()
    sniffer = sniff.Sniffer(path.sender, "eth0")
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), SIZE, KBIT)
    flow.listen()
    flow.begin(SECONDS)
    sent, arrivals = flow.finish()
    time.sleep(1)
    station.check()
    codes = [message(frame.packet) for frame in sniffer.drain() if frame.packet[9] == socket.IPPROTO_ICMP]
    tap.equal("messages", {code: codes.count(code) for code in station.reported}, station.reported)
    (lost_all if cell["loss"] == 10**6 else repeated)(path, station, sent, arrivals)
    return [{"sent": sent, "arrived": len(arrivals)}]


def message(packet):
    """Check that an ICMP message quotes a packet of the sender. Return the message's code."""
    tap.equal("type", packet[20], icmp.TYPE4)
    tap.equal("quoted source", packet[28 + 12:28 + 16], packet[16:20])
    return packet[21]


def repeated(path, station, sent, arrivals):
    tap.equal("arrivals", [a.sequence for a in arrivals], list(range(sent)))
    tap.equal("given up", station.reported[icmp.DROP], 0)
    tap.true("some were lost", path.cell.counters()["lost"] > sent / 10)


def lost_all(path, station, sent, arrivals):
    tap.equal("arrivals", arrivals, [])
    drops, lost = station.reported[icmp.DROP], path.cell.counters()["lost"]
    tap.within("times that the link gave up", drops, 1, sent)
    tap.within("attempts", lost, drops * arq.ATTEMPTS, drops * arq.ATTEMPTS * arq.WINDOW)
