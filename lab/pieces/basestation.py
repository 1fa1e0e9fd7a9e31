# SPDX-License-Identifier: GPL-2.0-or-later
"""The base station of Prabhakar, Kuri et al. on the path's router, and its mobile. A thread simulates
the base station and the mobile, because no kernel module simulates such a link yet. The base station
reads the packets for the receiver from a tun device, and sends them as frames across the cellular link.
The channel of the link may damage each frame. The mobile acknowledges each frame with a frame,
which the channel may also damage. The mobile delivers the packets in order through another tun
device. The base station and the mobile do not know the channel's state, but a damaged frame does
not arrive. Packets in the opposite direction, TCP's acknowledgments, have no ARQ.

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

ETHERTYPE = 0x88b5              # the EtherType of IEEE 802 for local experiments
NUMBER = struct.Struct("!I")
# an acknowledgment is sent within this time, even if another frame is sent first
SLACK = 20 * cell.MS
DEVICE = "arq"
HOST_UNREACHABLE = 1            # code (RFC 792)
MTU, LONGEST = 1500, 1 << 16
SYN, FLAGS = 2, 13              # of TCP's header


def adaptive(code, packet, source):
    """Return the paper's message for a report, for the module xlo_rto."""
    return icmp.message(code, packet, source=source)


def unreachable(code, packet, source):
    """Return "host unreachable" for a DROP, for TCP-LCD (RFC 6069). A router sends this message if its
    link is down. Return None for other reports. Also return None for a SYN, because TCP would give
    up the connection."""
    if code != icmp.DROP or packet[(packet[0] & 15) * 4 + FLAGS] & SYN:
        return None
    return icmp.ipv4(source, packet[12:16],
                     icmp.icmp(icmp.UNREACHABLE4, HOST_UNREACHABLE, packet[:icmp.QUOTE]))


def unreachable_and_up(code, packet, source):
    """Return "host unreachable" for a DROP, and a LINK-UP message for the module xlo_rto."""
    return (adaptive if code == icmp.LINK_UP else unreachable)(code, packet, source)


class BaseStation:
    """The thread of the base station, which runs from begin() until the process ends. `message` makes
    the ICMP message for a report. If `message` is None, the base station sends no messages. `then` is
    the behaviour after the last attempt (arq.py)."""

    def __init__(self, path, message=None, then=arq.FLUSH):
        self.path, self.message = path, message
        self.sender = arq.Sender(2 * path.delay + SLACK, then)
        self.receiver = arq.Receiver()
        self.free = 0           # time at which the link has sent the last frame
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
        """Return a socket for the frames of one end of the link, without their Ethernet headers. Frames
        are longer than packets, so the device needs a larger MTU."""
        end.up(mtu=MTU + arq.HEADER.size)
        port = end.ns.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETHERTYPE))
        port.bind((end.name, ETHERTYPE))
        return port

    def begin(self):
        threading.Thread(target=self._guarded, daemon=True).start()

    def check(self):
        """If an exception has ended the base station, raise this exception."""
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
        """Return the seconds until the next frame is due, or None if no frame is due."""
        moment = self.sender.moment()
        if moment is None:
            return None
        return max(0, max(moment, self.free) - time.monotonic_ns()) / cell.S

    def _serve(self):
        """If the link is free, send the frame that is due. Send the messages afterwards."""
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
