# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures packets on a device, with the kernel's time stamps. A capture shows which packets left a
queue, and when."""
import functools
import socket
import struct
import time

from . import tap, wait

ETH_P_ALL = 3
SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33
SOL_PACKET, PACKET_STATISTICS, PACKET_IGNORE_OUTGOING = 263, 6, 23
PACKET_OUTGOING = 4


@functools.cache
def clock_offset():
    """CLOCK_REALTIME minus CLOCK_MONOTONIC in ns, the same value for every sniffer of a test. The
    function reads both clocks a hundred times, because a busy host may pause between two readings.
    The result is from the two readings with the shortest time between them."""
    def bracket():
        before = time.monotonic_ns()
        real = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.monotonic_ns()
        return after - before, real - (before + after) // 2
    return min(bracket() for _ in range(100))[1]


class Frame:
    """A captured frame. `packet` begins with the network header. `when` is the time in monotonic
    ns."""

    def __init__(self, packet, when):
        self.packet, self.when = packet, when


class Sniffer:
    """Captures every frame that a device receives after the sniffer was created. With `outgoing`,
    captures the frames that the device sends."""

    def __init__(self, ns, device, outgoing=False, header=14):
        self.sock = ns.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        if not outgoing:
            self.sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.sock.bind((device, ETH_P_ALL))
        self.sock.setblocking(False)
        self.outgoing, self.header = outgoing, header
        self.offset = clock_offset()

    def drain(self):
        """The frames that were captured since the last call."""
        frames = []
        while True:
            try:
                data, ancillary, _, address = self.sock.recvmsg(65536, 64)
            except BlockingIOError:
                return frames
            if (address[2] == PACKET_OUTGOING) == self.outgoing:
                frames.append(Frame(data[self.header:], self._when(ancillary)))

    def until(self, what, enough):
        """Wait until enough(frames) is true for the frames since the last call, and return the
        frames. (Another program may count a frame before the sniffer receives it.)"""
        frames = []

        def seen():
            frames.extend(self.drain())
            return enough(frames)
        wait.until(what, seen)
        return frames

    def _when(self, ancillary):
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = struct.unpack("=qq", data)
                return seconds * 10**9 + nanoseconds - self.offset
        raise tap.Failed("a frame has no time stamp")

    def lossless(self):
        """Fail if the capture itself has lost frames."""
        _, lost = struct.unpack("=II", self.sock.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        tap.equal("frames that the sniffer lost", lost, 0)
