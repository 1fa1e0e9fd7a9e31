# SPDX-License-Identifier: GPL-2.0-or-later
"""The queue "links" sends the packets of each flow at the rate of a link, whatever other flows do. All flows
share one buffer, which drops the newest packet when it is full."""
import socket
import time

from iftpv import transports
from lib import sniff, tap
from lib.cell import MS, S
from pieces.topology import WIRE_DELAY, WIRE_RATE

TITLE = "A link for each flow, behind one buffer"
HEADLINE = "each flow at the rate of a link"
SECONDS, SEEDS = 2, 1
BUFFER, PORT, TIMER = 20, 7000, 20_000          # packets; first port; ns, twice the slack of fq's timer
CELLS = [{"flows": 1, "each": 15}, {"flows": 3, "each": 15}]
QUICK = CELLS


def run(cell, seed, directory):
    path = transports.place(transports.OWN, BUFFER)
    end = sniff.Sniffer(path.receiver, "eth0")
    sock = path.socket(path.sender, socket.SOCK_DGRAM)
    total = cell["flows"] * cell["each"]
    for number in range(total):
        sock.sendto(bytes(transports.scenario.SIZE - 28), (path.address, PORT + number % cell["flows"]))
    time.sleep((total * path.size * S // WIRE_RATE + WIRE_DELAY + MS) / S)
    waiting = path.waiting()
    time.sleep(SECONDS)
    flows = {}
    for frame in end.drain():
        flows.setdefault(frame.packet[22:24], []).append(frame.when)
    tap.equal("flows", len(flows), cell["flows"])
    for times in flows.values():
        for one, other in zip(times, times[1:]):
            tap.within("ns off the time of a packet", abs(other - one - path.service), 0, TIMER)
    came = sum(map(len, flows.values()))
    if total > BUFFER:
        tap.within("packets that waited when the last one came", waiting, BUFFER - cell["flows"], BUFFER)
        tap.true(f"{came} of {total} came", came < total)
    else:
        tap.equal("all came", came, total)
    return [{"came": came}]
