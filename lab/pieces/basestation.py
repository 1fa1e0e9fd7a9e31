# SPDX-License-Identifier: GPL-2.0-or-later
"""The base station of Prabhakar, Kuri et al. on the path's router, and its mobile. A thread plays both,
because there is no module for such a link yet. The base station gets the packets for the receiver from a
tun device, and sends them as frames across the cellular link, whose channel may damage each frame. The
mobile acknowledges each frame by a frame, which the channel may damage as well. It delivers the packets
in order through another tun device. Neither end looks at the channel's state: a damaged frame does not
arrive. Packets in the other direction, TCP's acknowledgments, have no ARQ.

    sender --- wire --- router [tun] (base station) === cellular link === (mobile) [tun] receiver

The base station sends each report of arq.py to the packet's sender, in an ICMP message."""
import os
import select
import socket
import struct
import threading
import time

from lib import cell, icmp, tun

from pieces import arq, route

ETHERTYPE = 0x88b5              # IEEE 802's for local experiments
NUMBER = struct.Struct("!I")
# within this time an acknowledgment is sent, also if another frame is being sent
SLACK = 20 * cell.MS
DEVICE = "arq"
HOST_UNREACHABLE = 1            # code (RFC 792)
MTU, LONGEST = 1500, 1 << 16
SYN, FLAGS = 2, 13              # of TCP's header


def adaptive(code, packet, source):
    """The paper's messages, for the module xlo_rto."""
    return icmp.message(code, packet, source=source)


def unreachable(code, packet, source):
    """For DROP, "host unreachable", which a router sends if its link is down, for TCP-LCD (RFC 6069).
    None for other reports, and for a SYN, because TCP would give up the connection."""
    if code != icmp.DROP or packet[(packet[0] & 15) * 4 + FLAGS] & SYN:
        return None
    return icmp.ipv4(source, packet[12:16],
                     icmp.icmp(icmp.UNREACHABLE4, HOST_UNREACHABLE, packet[:icmp.QUOTE]))


def unreachable_and_up(code, packet, source):
    """unreachable() for DROP, and a LINK-UP message for the module xlo_rto."""
    return (adaptive if code == icmp.LINK_UP else unreachable)(code, packet, source)


class BaseStation:
    """Works from begin() until the process ends. `message` makes the ICMP message for a report; with
    None the link is silent. `then` is the behaviour after the last attempt (arq.py)."""

    def __init__(self, path, message=None, then=arq.FLUSH):
        self.path, self.message = path, message
        self.sender = arq.Sender(2 * path.delay + SLACK, then)
        self.receiver = arq.Receiver()
        self.free = 0           # when the link will have sent the last frame
        self.reported = {icmp.DROP: 0, icmp.DEFER: 0, icmp.LINK_UP: 0}
        self.failure = None
        self.near, self.far = (self._port(end) for end in (path.cell, path.mobile))
        self.inward, self.outward = (tun.Tun(node, DEVICE) for node in (path.router, path.receiver))
        route.Route(path.router).through(DEVICE, path.address)
        self.icmp = path.router.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.handlers = {self.inward.wire: self._packet, self.near: self._acknowledgment,
                         self.far: self._frame}

    @staticmethod
    def _port(end):
        """A socket for an end's frames, without their Ethernet headers. Frames are longer than packets,
        so the device gets a larger MTU."""
        end.up(mtu=MTU + arq.HEADER.size)
        port = end.ns.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETHERTYPE))
        port.bind((end.name, ETHERTYPE))
        return port

    def begin(self):
        threading.Thread(target=self._guarded, daemon=True).start()

    def check(self):
        """Raise the exception that has ended the base station, if any."""
        if self.failure:
            raise self.failure

    def _guarded(self):
        try:
            while True:
                self._serve()
                for source in select.select(list(self.handlers), [], [], self._patience())[0]:
                    self.handlers[source]()
        except BaseException as error:
            self.failure = error

    def _patience(self):
        """Seconds until the next frame is due; None if none is."""
        moment = self.sender.moment()
        if moment is None:
            return None
        return max(0, max(moment, self.free) - time.monotonic_ns()) / cell.S

    def _serve(self):
        """Send the frame that is due, if the link is free; then send the messages."""
        now = time.monotonic_ns()
        frame = self.sender.choose(now) if now >= self.free else None
        if frame:
            data = self.sender.encode(frame)
            self.near.sendto(data, (*self.near.getsockname()[:2], 0, 0, cell.ADDRESSES[1]))
            self.free = now + (len(data) + cell.HEADER) * cell.S // self.path.rate
            self.sender.sent(frame, self.free)
        self._report()

    def _report(self):
        for code, packet in self.sender.reports:
            self.reported[code] += 1
            message = self.message(code, packet, self.path.gateway) if self.message else None
            if message:
                self.icmp.sendto(message, (socket.inet_ntoa(packet[12:16]), 0))
        self.sender.reports.clear()

    def _packet(self):
        self.sender.take(os.read(self.inward.wire, LONGEST))

    def _acknowledgment(self):
        self.sender.acknowledge(*NUMBER.unpack(self.near.recv(LONGEST)))

    def _frame(self):
        number, packets = self.receiver.take(self.far.recv(LONGEST))
        self.far.sendto(NUMBER.pack(number),
                        (*self.far.getsockname()[:2], 0, 0, cell.ADDRESSES[0]))
        for packet in packets:
            self.outward.send(packet)
