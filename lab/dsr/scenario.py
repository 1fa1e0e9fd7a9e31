# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's network (figure 2): one source, a router in the middle that loses packets, one sink.

    source --- wire --- router === link === sink

Seven streams from the source to the sink have messages of 500 bytes, 10 ms apart. The paper prints no
rate, delay, loss rate, buffer or congestion control. Here the wire has 10 Mbit/s and 10 ms, and the link
10 ms. The router loses packets of both directions at random, and drops what its queue of 50 packets
cannot hold."""
import csv
import os
from collections import defaultdict

from lib.cell import MS, S

from pieces import topology, traffic

STREAMS, SIZE, INTERVAL = 7, 500, 10 * MS
# bytes of an IP packet with such a message: IP, UDP, DCCP with an acknowledgment, the message's header
PACKET = SIZE + 20 + 8 + 24 + 20
OFFERED = STREAMS * PACKET * 8 * S // INTERVAL // 1000      # kbit/s
DELAY, QUEUE = 10 * MS, 50
WIRE_RATE = 10**7 // 8


class Streams:
    """Streams of `freshlink send`, and what became of their messages."""

    def __init__(self, seed, kbit, loss, directory):
        self.path = topology.Path(PACKET, kbit, delay=DELAY, wire_rate=WIRE_RATE, wire_delay=DELAY)
        self.path.queue("drop-tail", QUEUE)
        self.path.damage(seed, back=True, loss=round(loss * 10**4))
        self.logs = [os.path.join(directory, name) for name in ("sent.csv", "received.csv")]

    def run(self, count, sender, receiver=""):
        """Send `count` messages in each stream. Returns both summaries."""
        sink = traffic.await_ready(traffic.freshlink(
            self.path.receiver, f"recv --streams {STREAMS} --log {self.logs[1]} {receiver}"), "listening")
        source = traffic.freshlink(self.path.sender, f"send {self.path.address} --via off "
                                   f"--streams {STREAMS} --size {SIZE} --interval {INTERVAL}ns "
                                   f"--count {count} --log {self.logs[0]} {sender}")
        return traffic.end(source), traffic.end(sink)

    def sent(self):
        """For each acknowledged message, its latency and the part of it after the last sending, in ms."""
        with open(self.logs[0], newline="") as file:
            for row in csv.DictReader(file):
                if row["end"] == "acknowledged":
                    ended = int(row["ended_ns"])
                    yield (ended - int(row["submitted_ns"])) / MS, (ended - int(row["sent_ns"])) / MS

    def dispersions(self):
        """The times from a message to the next of its stream, at the sink, in ms."""
        times = defaultdict(list)
        with open(self.logs[1], newline="") as file:
            for row in csv.DictReader(file):
                times[row["stream"]].append(int(row["given_ns"]))
        for stream in times.values():
            yield from ((after - before) / MS for before, after in zip(stream, stream[1:]))
