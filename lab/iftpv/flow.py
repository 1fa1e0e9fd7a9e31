# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of DCCP, without retransmission: `freshlink traffic` with one of its congestion controls. The source
knows the path's MTU, because path MTU discovery would take random losses for a smaller one. Flows of one path
have different numbers."""
import csv
import json
import os
from typing import NamedTuple

from lib import sniff

from pieces import traffic

MTU, UDP_PORT = 1500, 6511


class Sent(NamedTuple):
    """A packet that the source has sent, and its fate as far as the source was told."""

    number: int
    seq: int
    fate: str


class Flow:
    """A flow whose packets have `payload` bytes of data. `source` and `sink` are options of both ends. After
    finish(), `packets` are those that were sent, `whole` has the times of those that came whole, `end` says why
    the source ended early, or is "", and `summary` and `got` are what both ends print."""

    def __init__(self, path, directory, payload, source, sink="", number=0):
        self.path, self.number = path, number
        self.logs = [os.path.join(directory, f"{name}{number}.csv") for name in ("sent", "received")]
        self.words = f"--udp-port {UDP_PORT + number} --size {payload} --mtu {MTU} {source}"
        self.sink = traffic.await_ready(traffic.start(
            path.receiver, f"dccp-sink --connections 1 --udp-port {UDP_PORT + number} --log {self.logs[1]} "
            f"{sink}"), "listening")
        self.source = None

    def begin(self, seconds):
        """Start the source."""
        self.source = traffic.start(self.path.sender, f"dccp-source {self.path.address} --duration {seconds}s "
                                    f"--log {self.logs[0]} {self.words}")

    def finish(self):
        """Wait for both ends."""
        output, errors = self.source.communicate()
        if not output:
            raise RuntimeError(f"{' '.join(self.source.args)}: status {self.source.returncode}: {errors}")
        self.summary = json.loads(output)
        self.end = errors.strip() or (self.summary["end"] if self.source.returncode else "")
        self.got = traffic.end(self.sink)
        self.packets, self.whole = sent(self.logs[0]), received(self.logs[1])


def sent(file):
    """The packets in a source's log, in order."""
    with open(file, newline="") as lines:
        return sorted(Sent(int(row["packet"]), int(row["seq"]), row["fate"]) for row in csv.DictReader(lines))


def received(file):
    """(sent, received) of the whole packets in a sink's log in ns of CLOCK_MONOTONIC, by number."""
    offset = sniff.clock_offset()
    with open(file, newline="") as lines:
        return {int(row["sequence"]): (int(row["sent_ns"]) - offset, int(row["received_ns"]) - offset)
                for row in csv.DictReader(lines)}


def jitter(packets):
    """The mean of the interarrival jitter (RFC 3550 section 6.4.1) in ms, or None if there is none."""
    transits = [b - a for a, b in packets]
    value, found = 0, []
    for one, other in zip(transits, transits[1:]):
        value += (abs(other - one) - value) / 16
        found.append(value)
    return sum(found) / len(found) / 1e6 if found else None
