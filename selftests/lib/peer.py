# SPDX-License-Identifier: GPL-2.0-or-later
"""The other end of a TCP connection, controlled by a script. Each call of a method is a line of the
script. A script counts the sender's data segments from 0, and all segments have the same size.
Times are in ns after the event of the previous line."""
import collections
import ctypes
import select
import socket
import struct
import time

from . import packet as pkt, port, segments, sniff, stamped, syn, tap, wait
from .segments import ACK, CWR, ECE, FIN, SYN

MS, S = 10**6, 10**9
NOP, WINDOW_SCALE, SACK_PERMITTED, SACK, TIMESTAMP = 1, 3, 4, 5, 8
SHIFT = 4                       # shift count of the window scale option
ISN = 7000                      # initial sequence number of the peer
PR_SET_TIMERSLACK = 29


class Peer:
    """The peer of a connection. The peer's namespace has no IP address, so only the script answers.
    `window` is the receive window in segments. `room` is the number of bytes in a segment that IP
    options occupy."""

    def __init__(self, ns, device, mss=1000, window=1000, room=0):
        # By default a sleep may end 50 us late. A timer slack of 1 ns prevents the delay.
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
        self.port = port.Port(ns, device, ethernet=True)
        self.sniffer = sniff.Sniffer(ns, device)
        self.queue = collections.deque()
        self.mss, self.window, self.room = mss, window, room
        self.acked = self.echo = self.said = 0
        self.now = time.monotonic_ns()

    def accept(self, rtt, sack=True, timestamps=False, ecn=False):
        """Answer the sender's handshake, after the round-trip time `rtt`."""
        request = self._next(self.now + 5 * S)
        tap.equal("flags of the SYN", request.flags, SYN | (ECE | CWR if ecn else 0))
        self.sack_permitted, self.timestamps = sack, timestamps
        self.start = request.sequence + 1
        self.acked, self.said, self.now = 0, 0, request.when
        options = syn.mss(self.mss + 12 * timestamps + self.room)
        options += struct.pack("!BBBB", NOP, WINDOW_SCALE, 3, SHIFT)
        options += bytes([NOP, NOP, SACK_PERMITTED, 2]) * sack
        if timestamps:
            self.echo = timestamp(request)
        self.now += rtt
        self._send(SYN | ACK | ECE * ecn, options + self._timestamps(), sequence=ISN)
        tap.equal("flags of the answer", self._next(self.now + S).flags, ACK)
        # the window of a SYN is not scaled
        self.ack(0)

    def close(self):
        """Close a connection without data, before the sender closes it."""
        self._send(FIN | ACK)
        tap.equal("flags of the answer to a FIN", self._next(self.now + S).flags, ACK)

    def closed(self):
        """Wait until the sender also closes the connection."""
        tap.equal("flags at the end", self._next(self.now + S).flags, FIN | ACK)
        self._send(ACK, sequence=ISN + 2, acknowledged=1)

    def answer_close(self):
        """Answer a sender that closes the connection after all data was acknowledged."""
        tap.equal("flags of the FIN", self._next(self.now + S).flags & FIN, FIN)
        self._send(FIN | ACK, acknowledged=self.acked * self.mss + 1)

    def finish(self):
        """Acknowledge all data and the FIN in the last segment, and close the connection."""
        self._send(FIN | ACK, acknowledged=self.acked * self.mss + 1)
        tap.equal("flags of the answer to a FIN", self.next(S).flags, ACK)

    def say(self, size):
        """Send `size` bytes of data."""
        self._send(ACK, payload=bytes(size), acknowledged=self.acked * self.mss)
        self.said += size

    def next(self, within):
        """The next segment of any kind, or None if no segment arrives within the time `within`."""
        segment = self._next(self.now + within)
        self.now = segment.when if segment else self.now + within
        return segment

    def forget(self):
        """Ignore all segments that have arrived."""
        self.queue.clear()
        self.sniffer.drain()

    def expect(self, *numbers, within=5 * S):
        """Check that the next segments are `numbers`, in this order."""
        end = self.now + within
        got = [self.receive(end) for _ in numbers]
        tap.equal("segments", [segment and segment.number for segment in got], list(numbers))
        self.now = got[-1].when
        return got

    def expect_short(self, size):
        """Check that a segment of `size` bytes arrives after all earlier segments were
        acknowledged. The short segment has no number. The next acknowledgment includes the bytes of
        the short segment."""
        segment = self._next(self.now + 5 * S)
        tap.equal("offset and length of the short segment",
                  (segment.sequence - self.start & 0xffffffff, segment.payload),
                  (self.acked * self.mss, size))
        self.start += size
        self.now = segment.when

    def expect_nothing(self, duration):
        """Check that no data arrives for `duration` ns."""
        self.now += duration
        segment = self.receive(self.now)
        tap.equal("segment although none is expected", segment and segment.number, None)

    def seen(self, duration):
        """The segments that arrive within `duration` ns."""
        self.now += duration
        return list(iter(lambda: self.receive(self.now), None))

    def ack(self, upto, *blocks, after=0, echo=None, flags=0):
        """Acknowledge all segments before `upto`, and the SACK blocks `blocks`. A block is (first
        segment, segment after the last). `echo` is the segment whose time stamp is echoed."""
        self.acked = upto
        self.now += after
        if echo:
            self.echo = timestamp(echo)
        self._send(ACK | flags, self._timestamps() + self._sack(blocks),
                   acknowledged=upto * self.mss, window=self.window * self.mss >> SHIFT)

    def sack(self, *blocks, after=0, **more):
        """Acknowledge the SACK blocks `blocks`. The cumulative acknowledgment does not change."""
        self.ack(self.acked, *blocks, after=after, **more)

    def too_big(self, segment, mtu):
        """Send the ICMP message with which a router reports that a segment is too large for the
        router's link (RFC 1191)."""
        message = struct.pack("!BBHHH", 3, 4, 0, 0, mtu) + segment.packet[:28]
        message = message[:2] + struct.pack("!H", pkt.checksum(message)) + message[4:]
        self.port.send(stamped.checksummed(
            struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(message), 1, 0, 64, 1, 0) +
            socket.inet_aton(pkt.SOURCE4) + socket.inet_aton(pkt.TARGET4) + message))

    def receive(self, until):
        """The next segment with data, or None if no segment arrives before the time `until`."""
        while (segment := self._next(until)) and not segment.payload:
            pass
        if segment:
            offset = (segment.sequence - self.start) & 0xffffffff
            segment.number = offset // self.mss
            tap.equal("offset in a segment, and length", (offset % self.mss, segment.payload),
                      (0, self.mss))
        return segment

    def _next(self, until):
        while not self.queue:
            left = until - time.monotonic_ns()
            if left <= 0:
                return None
            # select() may return late by a thousandth of its timeout
            select.select([self.sniffer.sock], [], [], left * 0.998 / S)
            self.queue += [segments.Segment(frame.packet, frame.when)
                           for frame in self.sniffer.drain() if segments.is_tcp(frame.packet)]
        return self.queue.popleft()

    def _send(self, flags, options=b"", payload=b"", sequence=None, acknowledged=0, window=65535):
        wait.till(self.now)
        self.port.send(syn.ipv4(flags, options, payload, window=window,
                                sequence=ISN + 1 + self.said if sequence is None else sequence,
                                acknowledged=(self.start + acknowledged) & 0xffffffff))

    def _timestamps(self):
        if not self.timestamps:
            return b""
        return struct.pack("!BBBBII", NOP, NOP, TIMESTAMP, 10, self.now // MS & 0xffffffff,
                           self.echo)

    def _sack(self, blocks):
        if not blocks:
            return b""
        edges = [(self.start + number * self.mss) & 0xffffffff
                 for block in blocks for number in block]
        return struct.pack(f"!BBBB{len(edges)}I", NOP, NOP, SACK, 2 + 4 * len(edges), *edges)


def timestamp(segment):
    """The value of a segment's time stamp."""
    return int.from_bytes(segment.option(TIMESTAMP)[:4], "big")
