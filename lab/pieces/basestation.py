# SPDX-License-Identifier: GPL-2.0-or-later
"""The base station of Prabhakar, Kuri et al. on the path's router, and its mobile: a link layer of our own
until a module is one. What the router has for the receiver it gets from a tun device, and sends it as
frames across the cellular link, whose channel decides about each; the other end acknowledges them by
frames, which the channel may damage as well, and hands packets on through another tun device, in order.
Neither looks at the channel's state: what is damaged does not come. Packets in the other direction, TCP's
acknowledgments, have no ARQ.

    sender --- wire --- router [tun] (base station) === cellular link === (mobile) [tun] receiver

What arq.py has to tell goes to the packet's sender in an ICMP message."""
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
SLACK = 20 * cell.MS            # in which an acknowledgment is sent, behind what is being sent
DEVICE = "arq"
HOST_UNREACHABLE = 1            # code (RFC 792)
MTU, LONGEST = 1500, 1 << 16
SYN, FLAGS = 2, 13              # of TCP's header


def adaptive(code, packet, source):
    """The paper's messages, for the module xlo_rto."""
    return icmp.message(code, packet, source=source)


def unreachable(code, packet, source):
    """What a router says of a link that is down, for TCP-LCD (RFC 6069), where the paper's base station
    says DROP; None for the rest. Of a SYN it says nothing: TCP would give up the connection."""
    if code != icmp.DROP or packet[(packet[0] & 15) * 4 + FLAGS] & SYN:
        return None
    return icmp.ipv4(source, packet[12:16],
                     icmp.icmp(icmp.UNREACHABLE4, HOST_UNREACHABLE, packet[:icmp.QUOTE]))


def unreachable_and_up(code, packet, source):
    """The same, and LINK-UP for the module xlo_rto."""
    return (adaptive if code == icmp.LINK_UP else unreachable)(code, packet, source)


class BaseStation:
    """At work from begin() on, as long as the process lives. says makes messages, None for a link that
    keeps silent; then is what follows the last attempt (arq.py)."""

    def __init__(self, path, says=None, then=arq.FLUSH):
        self.path, self.says = path, says
        self.sender = arq.Sender(2 * path.delay + SLACK, then)
        self.receiver = arq.Receiver()
        self.free = 0           # when the link has sent what it was given
        self.told = {icmp.DROP: 0, icmp.DEFER: 0, icmp.LINK_UP: 0}
        self.failure = None
        self.near, self.far = (self._port(end) for end in (path.cell, path.mobile))
        self.inward, self.outward = (tun.Tun(node, DEVICE) for node in (path.router, path.receiver))
        route.Route(path.router).through(DEVICE, path.address)
        self.speaker = path.router.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.ears = {self.inward.wire: self._packet, self.near: self._acknowledgment,
                     self.far: self._frame}

    @staticmethod
    def _port(end):
        """Sends and receives an end's frames, without their Ethernet headers; they are longer than what
        the device is made for."""
        end.up(mtu=MTU + arq.HEADER.size)
        port = end.ns.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETHERTYPE))
        port.bind((end.name, ETHERTYPE))
        return port

    def begin(self):
        threading.Thread(target=self._guarded, daemon=True).start()

    def check(self):
        """Raise what has ended it."""
        if self.failure:
            raise self.failure

    def _guarded(self):
        try:
            while True:
                self._serve()
                for ear in select.select(list(self.ears), [], [], self._patience())[0]:
                    self.ears[ear]()
        except BaseException as error:
            self.failure = error

    def _patience(self):
        """Seconds until there is something to be done without being asked; None for no end."""
        moment = self.sender.moment()
        if moment is None:
            return None
        return max(0, max(moment, self.free) - time.monotonic_ns()) / cell.S

    def _serve(self):
        """What is to be sent now, once the link is free."""
        now = time.monotonic_ns()
        frame = self.sender.choose(now) if now >= self.free else None
        if frame:
            data = self.sender.encode(frame)
            self.near.sendto(data, (*self.near.getsockname()[:2], 0, 0, cell.ADDRESSES[1]))
            self.free = now + (len(data) + cell.HEADER) * cell.S // self.path.rate
            self.sender.sent(frame, self.free)
        self._tell()

    def _tell(self):
        for code, packet in self.sender.told:
            self.told[code] += 1
            message = self.says(code, packet, self.path.gateway) if self.says else None
            if message:
                self.speaker.sendto(message, (socket.inet_ntoa(packet[12:16]), 0))
        self.sender.told.clear()

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
