# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of TFRC across the path: DCCP with CCID 3 by `freshlink traffic`. The module reads the logs of both
ends and the feedback packets, and computes from the feedback the rate that RFC 5348 allows."""
import csv
import math
import os
from typing import NamedTuple

from lib import dccp, sniff
from lib.cell import S

from pieces import datagrams, stream, traffic

# bytes of an IPv4 packet without the payload: IP with the option, UDP, DCCP with an option of its own
HEADERS = 28 + 8 + 16 + 8
FOREVER = 2**32 - 1         # the value of Loss Event Rate before the first loss


class Sent(NamedTuple):
    """A packet that the source has sent. `when` is CLOCK_REALTIME in ns."""

    number: int
    seq: int
    when: int
    fate: str


class Report(NamedTuple):
    """A feedback packet that reached the sender at `when`. `rtt` is the sample of the round-trip time. Both
    are in ns. `rate` is the receive rate in bytes/s, and `losses` is the loss event rate, from 0 to 1."""

    when: int
    rtt: int
    rate: int
    losses: float


class Flow:
    """IP packets of `size` bytes with a lifetime in s, and a treatment of stale packets. Without a rate the
    source makes a packet whenever the rate control lets one pass."""

    def __init__(self, path, directory, size, lifetime, kbit=None, words="--stale discard"):
        self.path, self.size = path, size
        self.logs = [os.path.join(directory, name) for name in ("sent.csv", "received.csv")]
        self.words = f"--ccid 3 --via option --size {size - HEADERS} --lifetime {lifetime}s {words}"
        if kbit:
            self.words += f" --rate {round(kbit * 1000 * (size - HEADERS) / size)}bit"
        self.sniffer = datagrams.sniffer(path.sender, "eth0")
        self.source = self.sink = None

    def listen(self):
        """Start the sink."""
        self.sink = traffic.await_ready(traffic.start(
            self.path.receiver, f"dccp-sink --connections 1 --log {self.logs[1]}"), "listening")

    def begin(self, seconds):
        """Start the source."""
        self.source = traffic.start(self.path.sender, f"dccp-source {self.path.address} --duration "
                                    f"{seconds}s {self.words} --log {self.logs[0]}")

    def finish(self):
        """Wait for the end of the flow. Return the summary of the source, the packets that were sent, and
        the arrivals of whole packets."""
        summary, sink = traffic.end(self.source), traffic.end(self.sink)
        sent, arrivals = self._sent(), self._arrivals()
        if len(sent) != summary["sent"] or len(arrivals) != sink["received"]:
            raise RuntimeError(f"{len(sent)} and {len(arrivals)} packets; the ends report {summary} {sink}")
        return summary, sent, arrivals

    def _sent(self):
        with open(self.logs[0], newline="") as file:
            return sorted(Sent(int(row["packet"]), int(row["seq"]),
                               int(row["sent_ns"]) + sniff.clock_offset(), row["fate"])
                          for row in csv.DictReader(file))

    def _arrivals(self):
        with open(self.logs[1], newline="") as file:
            return [stream.Arrival(*(int(row[name]) for name in ("sequence", "sent_ns", "received_ns")))
                    for row in csv.DictReader(file)]

    def reports(self, sent):
        """Return the feedback packets since the last call."""
        times = {one.seq: one.when for one in sent}
        frames = self.sniffer.drain()
        self.sniffer.lossless()
        return [report for frame in frames
                for report in read(dccp.of_udp(frame.packet), frame.when + self.sniffer.offset, times)]


def read(packet, when, times):
    """Return a list with the Report in a packet of DCCP, or an empty list. `times` has the time of each
    packet with data, by its sequence number."""
    packet = dccp.decode(packet)
    values = {option.type: dccp.read_number(option.value) for option in packet.options
              if option.type in (dccp.RECEIVE_RATE, dccp.LOSS_EVENT_RATE, dccp.ELAPSED_TIME)}
    if dccp.RECEIVE_RATE not in values or packet.ack not in times:
        return []
    interval = values[dccp.LOSS_EVENT_RATE]
    elapsed = values.get(dccp.ELAPSED_TIME, 0) * 10_000
    return [Report(when, when - times[packet.ack] - elapsed, values[dccp.RECEIVE_RATE],
                   0 if interval == FOREVER else 1 / interval)]


def equation(size, rtt, losses):
    """TCP's throughput in bytes/s (RFC 5348 section 3.1), with the round-trip time in s."""
    root = math.sqrt(2 * losses / 3) + \
        12 * math.sqrt(3 * losses / 8) * losses * (1 + 32 * losses**2)
    return size / (rtt * root)


def allowed(reports, since, size, rate):
    """Return (when, rate) after each report from `since` on: the rate in bytes/s that RFC 5348 allows to
    packets with `size` bytes of payload (sections 4.3 and 4.5), if the receive rate does not limit it. Before
    the first of these reports it is `rate`."""
    rtt = root = 0
    doubled, found = -math.inf, []
    for report in reports:
        sample = report.rtt / S
        rtt = 0.9 * rtt + 0.1 * sample if rtt else sample
        root = 0.9 * root + 0.1 * math.sqrt(sample) if root else math.sqrt(sample)
        if report.when < since:
            continue
        if report.losses:
            rate = equation(size, rtt, report.losses)
        elif report.when - doubled >= rtt * S:
            rate, doubled = max(2 * rate, initial_window(size) / rtt), report.when
        found.append((report.when, rate * root / math.sqrt(sample)))
    return found


def initial_window(size):
    """In bytes (RFC 5348 section 4.2)."""
    return min(4 * size, max(2 * size, 4380))
