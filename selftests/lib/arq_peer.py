# SPDX-License-Identifier: GPL-2.0-or-later
"""The other end of an arqlink device, controlled by a script. Each call of a method is a line of
the script. Times are in ns after the event of the previous line.

    arq0 ==== low0 ---veth--- far0 Peer"""
import collections
import ctypes
import os
import select
import socket
import struct
import time

from . import arq_device, arq_frame, kmod, netns, packet as pkt, sniff, tap, wait
from .arq_frame import ACK, ASK, DATA, FIRST, HELLO, LAST, NACK, S

PR_SET_TIMERSLACK = 29
SESSION = 0x22222222                    # of the peer
ETHERTYPE = struct.pack("!H", arq_frame.ETHERTYPE)
PRECISION = 2000                        # ns


class Peer:
    """The peer of a device. `theirs` is the session of the device. `acked` and `oldest` are what
    the peer's frames say. `count` is the number of DATA frames that the peer has sent."""

    def __init__(self, ns, device, address=arq_device.LOWER[1]):
        # By default a sleep may end 50 us late. A timer slack of 1 ns prevents the delay.
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
        self.sock = ns.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.bind((device, 0))
        self.sniffer = sniff.Sniffer(ns, device, header=0)
        self.queue = collections.deque()
        self.address, self.session = address, SESSION
        self.theirs = self.acked = self.oldest = self.count = 0
        self.now = time.monotonic_ns()

    # what the device sends

    def next(self, within=5 * S):
        """The next frame, or None if no frame arrives within the time `within`."""
        frame = self._next(self.now + within)
        self.now = frame.when if frame else self.now + within
        return frame

    def expect(self, kind, within=5 * S, **fields):
        """Check that the next frame has the given type and fields."""
        frame = self.next(within)
        tap.true(f"a frame arrives: {arq_frame.NAMES[kind]} {fields}", frame)
        tap.equal(f"type and fields of {frame}",
                  (arq_frame.NAMES[frame.kind], {name: getattr(frame, name) for name in fields}),
                  (arq_frame.NAMES[kind], fields))
        return frame

    def data(self, *numbers, within=5 * S):
        """Check that the next frames are DATA frames with the given numbers."""
        return [self.expect(DATA, within, number=number & 0xffff) for number in numbers]

    def nothing(self, duration):
        """Check that no frame arrives for `duration` ns."""
        end = self.now + duration
        frame = self._next(end)
        tap.equal("frame although none is expected", frame and str(frame), None)
        self.now = end

    def heard(self, duration):
        """The frames that arrive within `duration` ns."""
        self.now += duration
        return list(iter(lambda: self._next(self.now), None))

    def forget(self):
        """Ignore all frames that have arrived."""
        self.sniffer.drain()
        self.queue.clear()
        self.now = time.monotonic_ns()

    def _next(self, until):
        while not self.queue:
            left = until - time.monotonic_ns()
            # select() may return late by a thousandth of its timeout
            if left > 0:
                select.select([self.sniffer.sock], [], [], left * 0.998 / S)
            self.queue += [arq_frame.Heard(frame.packet, frame.when)
                           for frame in self.sniffer.drain() if frame.packet[12:14] == ETHERTYPE]
            if left <= 0 and not self.queue:
                return None
        return self.queue.popleft()

    # what the peer sends

    def frame(self, kind, payload=b"", **fields):
        """A frame with the fields of the connection. `fields` replaces some of them."""
        return arq_frame.Frame(kind, payload, **{
            "session": self.theirs, "source": self.session, "ack": self.acked & 0xffff,
            "oldest": self.oldest & 0xffff} | fields)

    def send(self, kind, payload=b"", after=0, padding=b"", sender=None, **fields):
        """Send a frame `after` ns later. `padding` follows the payload."""
        self.put(self.frame(kind, payload, **fields).encode() + padding, after, sender)

    def put(self, data, after=0, sender=None):
        """Send the bytes behind the Ethernet header."""
        self.now += after
        wait.till(self.now)
        self.sock.send(arq_frame.ethernet(arq_device.LOWER[0], sender or self.address, data))
        self.now = time.monotonic_ns()

    def hello(self, ask=False, window=4096, largest=9014, after=0, **fields):
        self.send(HELLO, arq_frame.offer(window, largest), after, flags=ASK * ask,
                  **{"ack": 0, "oldest": 0} | fields)

    def connect(self, **offer):
        """Answer the first HELLO of a device. Returns this HELLO."""
        hello = self.expect(HELLO, flags=ASK, session=0)
        self.theirs = hello.source
        self.acked = self.oldest = self.count = 0
        self.hello(**offer)
        return hello

    def ack(self, upto, after=0):
        """Acknowledge all DATA frames before `upto`."""
        self.acked = upto
        self.send(ACK, after=after)

    def nack(self, *missing, after=0):
        """Report missing frames, as pairs of the first number and the number of frames."""
        self.send(NACK, arq_frame.ranges(*missing), after)

    def piece(self, payload, flags=FIRST | LAST, number=None, **more):
        """Send a DATA frame, by default with the next number."""
        if number is None:
            number = self.count
            self.count += 1
        self.send(DATA, payload, number=number & 0xffff, flags=flags, **more)

    def packets(self, *numbers, size=60):
        """Send packets, each in the DATA frame with its number."""
        for number in numbers:
            self.piece(whole(number, size), number=number)


class Scripted:
    """The device arq0, whose peer is controlled by the test. The settings `values` differ from the
    defaults."""

    def __init__(self, connect=True, offer=None, **values):
        if os.geteuid():
            tap.skip("making network namespaces needs root")
        kmod.insmod("arqlink")
        self.ns, self.far = netns.Netns(), netns.Netns()
        netns.veth(self.ns, "low0", self.far, "far0", mtu=arq_device.MTU)
        self.device = arq_device.Device(self.ns, "arq0")
        self.device.above("low0", address=arq_device.UPPER[0], **values)
        self.device.queue()
        self.peer = Peer(self.far, "far0")
        self.port = self.device.port()
        self.up()
        self.delivered = self.device.sniffer()
        if connect:
            self.connect(**offer or {})

    def connect(self, **offer):
        """Open a connection."""
        self.peer.connect(**offer)
        self.device.connected()
        self.peer.now = time.monotonic_ns()

    def up(self):
        """Set the device up."""
        self.peer.now = time.monotonic_ns()
        self.device.up()

    def send(self, number, size=100, after=0, **ip):
        """Send a packet with `size` bytes behind its Ethernet header."""
        self.put(packet(number, size, **ip), after)

    def put(self, data, after=0):
        """Send a packet that begins with its network header."""
        self.peer.now += after
        wait.till(self.peer.now)
        tap.true("sent", self.port.send(data))
        self.peer.now = time.monotonic_ns()

    def arrived(self):
        """The numbers of the packets that the device has delivered since the last call."""
        return [pkt.number(frame.packet) for frame in self.delivered.drain()]

    def delivers(self, *numbers):
        """Check that the device delivers the packets with these numbers. In real time, the device
        and the capture need a moment."""
        got = []

        def enough():
            got.extend(self.arrived())
            return wait.virtual_time() or len(got) >= len(numbers)
        wait.until(f"packets {numbers} are delivered", enough)
        tap.equal("delivered packets", tuple(got), numbers)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.device.netlink.link("arq0"):
            self.device.netlink.delete("arq0")
        self.ns.close()
        self.far.close()


def near(what, got, want):
    """Check times in ns. Reading the clock takes some time in simulated time too, so the time
    between two events may be wrong by PRECISION."""
    tap.equal(f"number of times: {what}", len(got), len(want))
    for steps, (one, other) in enumerate(zip(got, want), 1):
        tap.within(f"{what}: {got}, expected {want}", one, other - steps * PRECISION,
                   other + steps * PRECISION)


def since_the_first(frames):
    """The times of frames after the first of them."""
    return [frame.when - frames[0].when for frame in frames]


def packet(number, size, options=b"", tos=0):
    """A packet of `size` bytes behind its Ethernet header."""
    options += bytes(-len(options) % 4)
    return pkt.ipv4(options, pkt.body(number, size - 28 - len(options)), tos)


def whole(number, size=60, **ip):
    """The packet with its Ethernet header."""
    return pkt.ethernet(packet(number, size, **ip))
