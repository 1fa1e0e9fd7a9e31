# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of datagrams across the path, sent by `freshlink traffic`, and its log."""
import csv
from typing import NamedTuple

from lib.cell import S

from pieces import traffic

# the sink ends after this number of seconds without a packet; no queue delays a packet for so long
IDLE = 120


class Arrival(NamedTuple):
    """A packet that arrived, with times in ns of CLOCK_REALTIME."""

    sequence: int
    sent: int
    received: int


def read_log(path, headers=False):
    """Return the arrivals of whole packets, in order. With `headers`, return the arrivals of packets
    that were cut to headers. Duplicates are left out."""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["headers"] == str(int(headers)):
                arrival = Arrival(int(row["sequence"]), int(row["sent_ns"]),
                                  int(row["received_ns"]))
                found.setdefault(arrival.sequence, arrival)
    return sorted(found.values(), key=lambda a: a.received)


class Stream:
    """Packets of one size at a constant rate, optionally with a lifetime. The lifetime is written as a
    time of day, so it includes the time on the wire before the router. A derived class may choose the
    other form, the remaining time."""

    clock = "utc"

    def __init__(self, path, log, size, kbit, lifetime_ms=None, port=5001, words=""):
        self.path, self.log, self.port = path, log, port
        self.words = f"--port {port} --size {size} --rate {round(kbit * 125) * 8}bit {words}"
        if lifetime_ms is not None:
            self.words += f" --lifetime {lifetime_ms}ms --clock {self.clock} --stale discard"
        self.interval = size * S // round(kbit * 125)      # ns
        self.sink = self.source = None

    def listen(self):
        """Start the sink."""
        self.sink = traffic.listen(self.path.receiver,
                                   f"sink --port {self.port} --log {self.log} --idle {IDLE}s")

    def begin(self, seconds):
        """Start the source."""
        self.source = traffic.start(self.path.sender, f"source {self.path.address} --duration "
                                    f"{seconds}s {self.words}")

    def finish(self):
        """Wait for the end of the flow. Return the number of packets that were sent, and the
        arrivals."""
        sent = traffic.end(self.source)["sent"]
        summary = traffic.end(self.sink)
        arrivals = read_log(self.log)
        if summary["received"] - summary["duplicates"] - summary["headers"] != len(arrivals) or \
                summary["socket_drops"]:
            raise RuntimeError(f"{self.log}: {len(arrivals)} packets; the sink reports {summary}")
        return sent, arrivals
