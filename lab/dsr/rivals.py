# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that carry messages from the sender to the receiver. Each class has LARGEST, the largest
payload in bytes; write(), which sends a payload; and read(), which blocks until a payload has arrived.
Programs get the payloads in datagrams on a local port, and give them to another."""
import collections
import contextlib
import os
import select
import socket
import struct
import subprocess
import threading
import time

from lib import kmod, sniff
from lib.cell import MS

from pieces import TREE, traffic
from pieces.video import SEEDED

QUIC = os.path.join(TREE, "build/lab-tools/quic_datagrams")
PORT, NEAR, FAR = 5004, 5006, 5008      # on the wire, and before and behind a program
ROOM = 1 << 24                          # bytes of the local sockets
UNIT = 1400                             # the largest datagram that each rival carries
FRAME = 1 << 15                         # the largest local datagram of the others


class Programs:
    """Two processes, with local datagrams before and behind them. start(setting) starts the processes."""

    LARGEST = UNIT

    def __init__(self, path, setting):
        self.path = path
        for node in (path.sender, path.receiver):
            node.link("lo", True)
        self.near, self.far = (node.socket(socket.AF_INET, socket.SOCK_DGRAM)
                               for node in (path.sender, path.receiver))
        self.far.setsockopt(socket.SOL_SOCKET, sniff.SO_RCVBUFFORCE, ROOM)
        self.far.bind(("127.0.0.1", FAR))
        self.near.connect(("127.0.0.1", NEAR))
        self.running = self.start(setting)

    @staticmethod
    def run(node, command):
        """Start a program in a namespace."""
        with node.inside():
            return subprocess.Popen(command.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    env=dict(os.environ, LD_PRELOAD=SEEDED))

    def write(self, payload):
        # a program that has given up receives nothing
        with contextlib.suppress(ConnectionRefusedError):
            self.near.send(payload)

    def read(self):
        return self.far.recv(1 << 16)

    def end(self):
        """End the programs, whose timers may never rest."""
        for process in self.running:
            process.kill()
            process.wait()


class Srt(Programs):
    """SRT in live mode. The setting is the latency in ms."""

    def start(self, setting):
        options = f"latency={setting}&mode="
        return [self.run(self.path.receiver, f"srt-live-transmit -q srt://:{PORT}?{options}listener "
                         f"udp://127.0.0.1:{FAR}"),
                self.run(self.path.sender, f"srt-live-transmit -q udp://:{NEAR} "
                         f"srt://{self.path.address}:{PORT}?{options}caller")]


class Rist(Programs):
    """RIST, main profile. The setting is the length of the buffers in ms."""

    def start(self, setting):
        common = f"-p 1 -b {setting} -S 0 -v -1"
        return [self.run(self.path.receiver, f"ristreceiver -i rist://@0.0.0.0:{PORT} "
                         f"-o udp://127.0.0.1:{FAR} {common}"),
                self.run(self.path.sender, f"ristsender -i udp://@127.0.0.1:{NEAR} "
                         f"-o rist://{self.path.address}:{PORT} {common}")]


class Quic(Programs):
    """DATAGRAM frames of QUIC, which are not repeated. The setting is the time in ms that a payload may wait
    for the congestion control."""

    CONTROL = "cubic"

    def start(self, setting):
        return [self.run(self.path.receiver, f"{QUIC} receive {PORT} {FAR}"),
                self.run(self.path.sender, f"{QUIC} send {self.path.address} {PORT} {NEAR} {setting} "
                         f"{self.CONTROL}")]


class QuicBbr(Quic):
    """The same with another congestion control of the library."""

    CONTROL = "bbr"


class Freshlink(Programs):
    """freshlink send and recv. The setting has options of the sender."""

    LARGEST = FRAME

    def start(self, setting):
        kmod.insmod("xlo")
        sink = traffic.await_ready(traffic.freshlink(
            self.path.receiver, f"recv --fixed --output udp:127.0.0.1:{FAR}"), "listening")
        return [traffic.freshlink(self.path.sender, f"send {self.path.address} --input udp:{NEAR} "
                                  f"{setting}"), sink]


class Connection:
    """A connection of the kernel, with a writer that waits while the kernel takes no more, and drops what
    has waited for the time `setting` in ms."""

    LARGEST = FRAME

    def __init__(self, path, setting):
        self.setting = setting
        listener = self.socket(path.receiver)
        listener.bind((path.address, PORT))
        listener.listen()
        self.source = self.socket(path.sender)
        self.prepare()
        self.source.connect((path.address, PORT))
        self.sink, _ = listener.accept()
        self.waiting, self.more = collections.deque(), threading.Semaphore(0)
        threading.Thread(target=self._run, daemon=True).start()

    def write(self, payload):
        self.waiting.append((time.monotonic_ns(), payload))
        self.more.release()

    def _run(self):
        while self.more.acquire():
            self.ready()
            since, payload = self.waiting.popleft()
            if time.monotonic_ns() - since <= self.setting * MS:
                self.put(payload)

    def ready(self):
        """Wait until the kernel takes more."""

    def end(self):
        """The cell's process ends both."""


class Tcp(Connection):
    """TCP without Nagle's algorithm. The kernel holds little that it has not sent (TCP_NOTSENT_LOWAT)."""

    NOTSENT = 1000

    @staticmethod
    def socket(node):
        return node.socket(socket.AF_INET, socket.SOCK_STREAM)

    def prepare(self):
        self.source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, self.NOTSENT)

    def ready(self):
        select.select([], [self.source], [])

    def put(self, payload):
        self.source.sendall(struct.pack("!I", len(payload)) + payload)

    def read(self):
        length, = struct.unpack("!I", self._exactly(4))
        return self._exactly(length)

    def _exactly(self, length):
        return self.sink.recv(length, socket.MSG_WAITALL)


class Sctp(Connection):
    """PR-SCTP: messages out of order, each with the setting as lifetime in ms (RFC 3758)."""

    NODELAY, DEFAULT_SNDINFO, DEFAULT_PRINFO = 3, 34, 114
    UNORDERED, TTL = 1, 0x10

    def socket(self, node):
        kmod.modprobe("sctp")
        return node.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_SCTP)

    def prepare(self):
        for option, value in (
                (self.NODELAY, struct.pack("i", 1)),
                (self.DEFAULT_SNDINFO, struct.pack("HHIIi", 0, self.UNORDERED, 0, 0, 0)),
                (self.DEFAULT_PRINFO, struct.pack("iIHxx", 0, self.setting, self.TTL))):
            self.source.setsockopt(socket.IPPROTO_SCTP, option, value)

    def put(self, payload):
        self.source.send(payload)

    def read(self):
        return self.sink.recv(1 << 16)
