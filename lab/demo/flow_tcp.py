# SPDX-License-Identifier: GPL-2.0-or-later
"""A download by TCP, after figure 5 of Gurtov and Ludwig (2003): through LPD each segment's
lifetime is the retransmission timeout that its socket has at the moment.

The TCP is theirs: reno with SACK, segments of 1000 bytes, a receive window of 50 of them, a
timeout of at least 1 s (RFC 2988), and none of what Linux has learnt since against timeouts
that are spurious.
"""
import os
import subprocess

from lib import hosts, mib, segments, sniff

from demo import result_tcp, topology

WINDOW = 50                 # segments
IP_TCP = 40                 # bytes of headers without options
MARK = 1
ENDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "download.py")
SENDER_SYSCTLS = {"tcp_congestion_control": "reno", "tcp_timestamps": 0, "tcp_frto": 0,
                  "tcp_early_retrans": 0}
# room beyond the window, which is to be the sink's
MOBILE_SYSCTLS = {"tcp_rmem": "4096 1000000 1000000", "tcp_moderate_rcvbuf": 0}
# Each time the kernel is offered what it has, it answers with a DSACK (RFC 2883).
DUPLICATES = ("TcpExt.TCPDSACKOldSent", "TcpExt.TCPDSACKOfoSent")


class TcpCopy(topology.Copy):
    """A copy of the network for a download."""

    kind = "TCP"
    size, link_kbit, limit = 1000, 100, 2 * WINDOW
    route = f"mtu {size} rto_min 1s"
    setting = f"TCP in {size}-byte packets with a window of {WINDOW} over a {link_kbit} kbit/s " \
              f"link, queues of {limit} packets, lifetime = retransmission timeout; reno, " \
              "without timestamps, F-RTO and loss probes"

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        for node, values in ((self.sender, SENDER_SYSCTLS), (self.mobile, MOBILE_SYSCTLS)):
            for name, value in values.items():
                node.sysctl(f"net.ipv4.{name}", value)
        # a packet is to be a segment, for whoever counts
        hosts.offload(self.sender, "eth0", tso=False)
        if queue == "LPD":
            self.sender.run(f"freshlink profile add download --mark {MARK} --lifetime rto")
        self.sniffer = sniff.Sniffer(self.mobile, "eth0")
        self.segments, self.first = [], None

    def sink_command(self):
        return f"{ENDS} sink {WINDOW * (self.size - IP_TCP)}"

    def start_ends(self):
        super().start_ends()
        self.source = self._start(self.sender, "source", f"{ENDS} source {topology.MOBILE} {MARK}",
                                  stdin=subprocess.PIPE, text=True)

    def wait_for_ends(self):
        super().wait_for_ends()
        self._wait_for(self.source, "source", "err", "ready")

    def begin(self, seconds):
        print(seconds, file=self.source.stdin, flush=True)

    def sent(self):
        """Packets of the sender on the wire to the router."""
        return self.sender.interface("eth0")["tx_packets"]

    def _segment(self, frame):
        """Its sequence number counts from that of the first, which is the SYN."""
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
        """Those so far, as the mobile's device has seen them."""
        return result_tcp.Arrivals(self._gather())

    def notes(self):
        at_mobile = mib.read(self.mobile)
        return super().notes() | {
            "source": self.told("source"), "sink": self.told("sink"),
            "duplicates": sum(at_mobile[name] for name in DUPLICATES),
            "timeouts": mib.read(self.sender)["TcpExt.TCPTimeouts"]}

    def result(self):
        return result_tcp.TcpResult(self.notes(), self.arrivals())

    def finish(self):
        super().finish()
        result_tcp.write_log(self.path("csv"), self._gather())
