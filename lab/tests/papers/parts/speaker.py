# SPDX-License-Identifier: GPL-2.0-or-later
"""The packets of arq/speaker.py leave at a constant rate while the speaker talks, and all of them leave."""
import time

from lib import sniff, tap
from lib.cell import MS, S
from arq import network, speaker

TITLE = "A speaker's packets"
HEADLINE = "250 bytes every 35.7 ms"
SECONDS, SEEDS = 60, 1
CELLS = [{"turn": turn} for turn in (SECONDS, 10)]
QUICK = CELLS
SLACK = MS / 4          # the tbf sends the second packet of a talk up to 0.14 ms early


def run(cell, seed, _directory):
    net = network.Network(None)
    sniffer = sniff.Sniffer(net.router, "wire")
    speaker.Speaker(net, seed, SECONDS, cell["turn"])
    time.sleep(SECONDS + 1)
    packets = [frame for frame in sniffer.drain() if frame.packet[0] == 0x45]
    talks = list(speaker.talks(seed, SECONDS, cell["turn"]))
    due = []
    for at, number in talks:
        begin = max(at, due[-1] + speaker.INTERVAL if due else 0)
        due += [begin + i * speaker.INTERVAL for i in range(number)]
    late = [frame.when - moment for frame, moment in zip(packets, due)]
    tap.equal("packets", len(packets), len(due))
    tap.equal("sizes", {len(frame.packet) for frame in packets}, {network.SIZE})
    tap.within("from the time of a packet to the router, ns", max(late) - min(late), 0, SLACK)
    return [{"packets": len(packets), "seconds": sum(number for _, number in talks) * speaker.INTERVAL / S}]
