# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's own DCCP: its sockets, and programs that send and receive over them in a namespace beside
`freshlink traffic dccp-source` and `dccp-sink`.

    left cell0 ==== cellink, which loses, reorders and doubles ==== cell1 right
    freshlink                                                        Linux's DCCP"""
import array
import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import struct
import subprocess
import termios
import time

from cli import tools
from . import cell, hosts, kmod, setup, soak, tap, wait

SOCK_DCCP, IPPROTO_DCCP, SOL_DCCP = 6, 33, 269
SERVICE, SERVER_TIMEWAIT, SEND_CSCOV, RECV_CSCOV = 2, 6, 10, 11
CCID, TX_CCID, RX_CCID, TXQLEN = 13, 14, 15, 17
CODE = int.from_bytes(b"flnk", "big")           # the service code of freshlink's commands
PORT = 5001
HEADER = struct.Struct("!4sIIIQ")               # as in userspace/cli/traffic.h
NO_LIFETIME = 0xffffffff
PATIENCE = soak.amount(400, 20_000)             # seconds
# Packets that the kernel's DCCP sends in answer to packets that belong to a program have no socket,
# and therefore no owner.
SILENT = ("table inet silent { chain out { type filter hook output priority 0; "
          "meta skuid >= 0 accept; meta l4proto dccp dccp type reset drop; }; }")
OVERTAKEN = re.compile(r"dccp_check_seqno: Step 6 failed for DATA packet, "
                       r"\(LSWL\((\d+)\) <= P\.seqno\((\d+)\)")


def load():
    """Load Linux's DCCP, and what logs its own start."""
    for name in ("dccp_ipv4", "dccp_ipv6", "sch_netem"):
        kmod.modprobe(name)


def kernel_log():
    """The lines of the kernel log, except those of the kernel 6.1 about links that become ready."""
    fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    lines = []
    with contextlib.suppress(BlockingIOError):
        while True:
            lines.append(os.read(fd, 8192).decode(errors="replace").split(";", 1)[1].strip())
    os.close(fd)
    return [line for line in lines if "ADDRCONF" not in line]


def is_overtaken(line):
    """Whether a line is about a packet that more than a quarter of Linux's window of 100 packets has
    overtaken, so that Linux refuses it (RFC 4340 section 7.5.1). disturb() makes such packets: while
    the device is busy, netem sends those that it does not delay first."""
    found = OVERTAKEN.match(line)
    return found is not None and int(found[2]) < int(found[1])


@contextlib.contextmanager
def empty_log():
    """The kernel logs nothing within the block, except about packets that came too late."""
    before = len(kernel_log())
    yield
    tap.equal("the kernel log", [line for line in kernel_log()[before:] if not is_overtaken(line)], [])


class Cell(cell.Pair):
    """The two hosts. The round-trip time is 20 ms. With `silent`, the kernel of the left host
    answers no DCCP packet that belongs to no socket of its own."""

    RATE, DELAY, RING = 1_250_000, 10 * cell.MS, 10

    def __init__(self, silent=True):
        load()
        there = {"rate": self.RATE, "delay": self.DELAY, "ring_packets": self.RING}
        super().__init__(there | {"seed": 2}, **there, seed=1)
        self.programs = []
        for end, near, far in ((self.left, "left", "right"), (self.right, "right", "left")):
            self._address(end, hosts.ADDRESSES[near], hosts.ADDRESSES[far], far)
        if silent:
            self.left.ns.run("nft -f -", stdin=SILENT)

    def _packets(self):
        return self.left.counters()["packets_in"] + self.right.counters()["packets_in"]

    def quiet(self):
        """Wait until nothing was sent for half a second."""
        before = -1
        while before != (before := self._packets()):
            time.sleep(0.5)

    def disturb(self, packets=60, loss=50_000):
        """After so many packets, both directions begin to lose `loss` of 1000000 packets, to delay
        one of 50 by 3 ms more, and to double one of 100. (Linux logs that it does not know the
        round-trip time if one of the first packets is lost.)"""
        wait.until("the connection is open", lambda: self._packets() >= packets, step=0.02)
        for end in (self.left, self.right):
            end.change(loss=loss)
            end.ns.run(f"tc qdisc replace dev {end.name} root netem limit 30 delay 3ms "
                       "reorder 98% duplicate 1%")

    @staticmethod
    def _address(end, own, others, far):
        end.ns.sysctl(f"net.ipv6.conf.{end.name}.disable_ipv6", 0)
        end.ns.sysctl(f"net.ipv6.conf.{end.name}.router_solicitations", 0)
        for address, prefix, other in zip(own, (24, 64), others):
            setup.add_address(end.netlink, end.name, address, prefix)
            setup.set_neighbour(end.netlink, end.name, other,
                                cell.ADDRESSES[far == "right"].hex(":"))
        hosts.await_address(end.ns, own[1])

    def __exit__(self, *_):
        for program in self.programs:
            program.kill()
        super().__exit__()

    def run(self, ns, function, *arguments):
        """Start a program in a namespace."""
        self.programs.append(Program(ns, function, *arguments))
        return self.programs[-1]

    def freshlink(self, words, ns=None):
        """Start `freshlink traffic` in a namespace, by default the left one."""
        self.programs.append(Freshlink(ns or self.left.ns, words))
        return self.programs[-1]


class Program:
    """A function that runs in a process of its own, in a namespace. result() is what it returns."""

    def __init__(self, ns, function, *arguments):
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(writer)
            return
        os.close(self.reader)
        signal.alarm(PATIENCE)
        try:
            with ns.inside():
                answer = {"done": function(*arguments)}
        except BaseException as error:
            answer = {"error": repr(error)}
        with os.fdopen(writer, "w") as out:
            json.dump(answer, out)
        os._exit(0)

    def result(self):
        with os.fdopen(self.reader) as file:
            text = file.read()
        os.waitpid(self.pid, 0)
        self.pid = None
        answer = json.loads(text or '{"error": "killed"}')
        tap.equal("error of Linux's program", answer.get("error"), None)
        return answer["done"]

    def kill(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = None


class Freshlink:
    """A command of freshlink. With `silent`, it is told that the kernel's own DCCP answers
    nothing."""

    def __init__(self, ns, words, silent=True):
        with ns.inside():
            self.process = subprocess.Popen(
                [tools.FRESHLINK, "traffic", *words.split(), "--carrier", "ip",
                 *["--kernel-silent"] * silent, "-j"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def listens(self):
        """Wait until a sink listens."""
        tap.equal("the sink", self.process.stderr.readline(), f"listening on port {PORT}\n")
        return self

    def result(self, status=0):
        """Wait for the end. Returns the summary."""
        out, err = self.process.communicate(timeout=PATIENCE)
        tap.equal(f"exit status ({err.strip()})", self.process.returncode, status)
        return json.loads(out)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def new_socket(family, **settings):
    """A socket with these settings: names of this module in lower case, a CCID also as a list."""
    sock = socket.socket(family, SOCK_DCCP, IPPROTO_DCCP)
    sock.setsockopt(SOL_DCCP, SERVICE, struct.pack("!I", CODE))
    for name, value in settings.items():
        number = globals()[name.upper()]
        if number in (CCID, TX_CCID, RX_CCID):
            sock.setsockopt(SOL_DCCP, number, bytes([value]))
        else:
            sock.setsockopt(SOL_DCCP, number, value)
    return sock


def listening(ns, family, **settings):
    """A listening socket in a namespace."""
    with ns.inside():
        sock = new_socket(family, **settings)
        sock.bind(("::" if family == socket.AF_INET6 else "0.0.0.0", PORT))
        sock.listen(5)
    return sock


def accepted(listener):
    sock, _ = listener.accept()
    listener.close()
    return sock


def connected(family, host, **settings):
    sock = new_socket(family, **settings)
    sock.connect((host, PORT))
    return sock


def ccids(sock):
    """The CCIDs of a connection: sending and receiving."""
    return [sock.getsockopt(SOL_DCCP, number) for number in (TX_CCID, RX_CCID)]


def send_all(sock, count, size, first=0):
    """Send numbered packets as fast as the congestion control allows, and wait until all have left
    the socket's queue. Returns the time that this took in seconds."""
    sock.setsockopt(SOL_DCCP, TXQLEN, 0)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 20_000)
    start = time.monotonic()
    for number in range(first, first + count):
        sock.send(HEADER.pack(b"FLTR", NO_LIFETIME, size, number, time.time_ns())
                  .ljust(size, b"\0"))
    queue = array.array("i", [1])
    while queue[0]:
        fcntl.ioctl(sock, termios.TIOCOUTQ, queue)
        time.sleep(0.01)
    return time.monotonic() - start


def receive_all(sock, stop=None):
    """Receive until the peer closes, or `stop` packets have arrived. Returns the numbers of the
    packets and the time from the first to the last one in seconds."""
    numbers, start, last = [], 0, 0
    while len(numbers) != stop:
        packet = sock.recv(65536)
        if not packet:
            break
        last = time.monotonic()
        start = start or last
        magic, _, size, number, _ = HEADER.unpack_from(packet)
        if magic != b"FLTR" or size != len(packet):
            raise tap.Failed(f"a wrong packet: {packet!r}")
        numbers.append(number)
    return {"numbers": numbers, "seconds": last - start}


def read_log(path):
    """Yield the lines of a log of freshlink, as dictionaries. The machine's memory does not hold a
    million of them."""
    with open(path) as file:
        names = file.readline().strip().split(",")
        for line in file:
            yield dict(zip(names, (int(w) if re.fullmatch(r"\d+", w) else w
                                   for w in line.strip().split(","))))
