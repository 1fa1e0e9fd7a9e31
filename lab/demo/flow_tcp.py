# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP download, modelled on figure 5 of Gurtov and Ludwig (2003). Through LPD the lifetime of
each segment is the current retransmission timeout of its socket.

TCP is configured as in the paper: reno with SACK, segments of 1000 bytes, a receive window of 50
segments, a timeout of at least 1 s (RFC 2988), and none of Linux's later remedies against spurious
timeouts.
"""
import threading

from lib import mib, segments, sniff

from demo import network, result_tcp
from pieces import download, senders

WINDOW = 50                 # segments
ENDLESS = 1 << 40           # bytes; the download ends after a time
# few bytes are queued in the socket, so the download ends soon after the last write
SYSCTLS = senders.RENO | {"tcp_notsent_lowat": 35000}
ROUTE = {"rto_min": 1000}   # ms
# The kernel reports each duplicate segment with a DSACK (RFC 2883).
DUPLICATES = ("TcpExt.TCPDSACKOldSent", "TcpExt.TCPDSACKOfoSent")


class TcpCopy(network.Copy):
    """A copy of the network for a download."""

    kind = "TCP"
    size, link_kbit, limit = 1000, 100, 2 * WINDOW
    setting = f"TCP in {size}-byte packets with a window of {WINDOW} over a {link_kbit} kbit/s " \
              f"link, queues of {limit} packets, lifetime = retransmission timeout; reno, " \
              "without timestamps, F-RTO and loss probes"

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        for name, value in SYSCTLS.items():
            self.network.sender.sysctl(f"net.ipv4.{name}", value)
        self.network.reach(mtu=self.size, **ROUTE)
        if queue == "LPD":
            senders.stamp(self.network, download.MARK)
        self.sniffer = sniff.Sniffer(self.network.receiver, "eth0")
        self.segments, self.first = [], None
        self.download = None

    def listen(self):
        self.download = download.Download(self.network, ENDLESS,
                                          WINDOW * (self.size - download.IP_TCP))

    def begin(self, seconds):
        self.download.begin()
        timer = threading.Timer(seconds, self.download.end)
        timer.daemon = True
        timer.start()

    def is_sending(self):
        return self.download.is_busy()

    def sent(self):
        """The packets that the sender has sent to the router."""
        return self.network.sender.interface("eth0")["tx_packets"]

    def _segment(self, frame):
        """Sequence numbers count from the number of the first segment, the SYN."""
        seen = segments.Segment(frame.packet)
        if self.first is None:
            self.first = seen.sequence
        return result_tcp.Segment(frame.when + self.sniffer.offset,
                                  (seen.sequence - self.first) % 2**32, seen.payload, seen.flags)

    def _gather(self):
        self.segments.extend(self._segment(frame) for frame in self.sniffer.drain()
                             if segments.is_tcp(frame.packet))
        self.sniffer.lossless()
        return self.segments

    def arrivals(self):
        """The arrivals so far, as seen at the receiver's device."""
        return result_tcp.Arrivals(self._gather())

    def notes(self):
        at_receiver = mib.read(self.network.receiver)
        return super().notes() | {
            "source": {"bytes": self.download.total}, "sink": {"bytes": self.download.read},
            "duplicates": sum(at_receiver[name] for name in DUPLICATES),
            "timeouts": mib.read(self.network.sender)["TcpExt.TCPTimeouts"]}

    def result(self):
        return result_tcp.TcpResult(self.notes(), self.arrivals())

    def finish(self):
        """Write the log after the last packet."""
        self.download.finish()
        result_tcp.write_log(self.path("csv"), self._gather())

    def stop(self):
        super().stop()
        if self.download and self.download.is_busy():
            self.download.give_up()
