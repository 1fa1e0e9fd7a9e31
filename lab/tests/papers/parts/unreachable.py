# SPDX-License-Identifier: GPL-2.0-or-later
"""If the link of a base station loses nearly all packets, the sender of a download gets the message "host
unreachable" each time the base station gives up, about the same segment as the module's DROP. The captures
at the sender show the segments that its timer repeats."""
import collections
import socket
import time

from lib import icmp, kmod, sniff, tap
from pieces import contest, download, segments, topology
from rto import station, unreachable

TITLE = "A base station that gives up"
HEADLINE = "a message each time"
SECONDS, SEEDS = 200, 1
SIZE, KBIT, DELAY = 500, 64, 50 * topology.MS
CELLS = [{"attempts": 2}, {"attempts": 6}]
QUICK = CELLS


def run(cell, seed, directory):
    path = topology.Path(SIZE, KBIT, delay=DELAY, headers=station.HEADERS)
    path.reach(mtu=SIZE)
    kmod.insmod("xlo_rto")
    base = station.Station(path, SIZE, station.patience(SIZE, KBIT, DELAY),
                           f"attempts {cell['attempts']} flush yes notify yes")
    translator = unreachable.Translator(path)
    sniffer, wire = sniff.Sniffer(path.sender, "eth0"), segments.Wire(path.sender, "eth0")
    flow = download.Download(path, contest.ENDLESS)
    flow.begin()
    time.sleep(10)
    tap.equal("messages without losses", messages(sniffer), {})
    path.damage(seed, ber=10**9)        # 10^-3: a packet of full size is lost with 99 %
    time.sleep(SECONDS)
    flow.give_up()
    translator.check()
    drops = base.counters()["drops"]
    tap.true("the link gives up several times", drops > 3)
    seen = messages(sniffer)
    tap.equal("messages", {kind: len(quotes) for kind, quotes in seen.items()},
              {(icmp.TYPE4, icmp.DROP): drops,
               (icmp.UNREACHABLE4, unreachable.HOST_UNREACHABLE): drops})
    tap.equal("quotes", *seen.values())
    tap.true("the capture shows timeouts", segments.summary(wire.segments(), [])["timeouts"] > 3)
    return [{"drops": drops}]


def messages(sniffer):
    """{(type, code): [quoted packet]} of the ICMP messages that have arrived."""
    found = collections.defaultdict(list)
    for packet in (frame.packet for frame in sniffer.drain()):
        if packet[9] == socket.IPPROTO_ICMP:
            found[tuple(packet[20:22])].append(packet[28:28 + icmp.QUOTE])
    return found
