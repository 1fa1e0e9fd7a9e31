# SPDX-License-Identifier: GPL-2.0-or-later
"""A router with a modem, which is a cellink device with a large buffer below lpd, and a STAMP
reflector at the far end of the link.

    left lpd - cell0 ==== 2 Mbit/s, 20 ms, 1 MB ===> cell1 right (reflector)
                     <=========== 20 ms ============"""
import contextlib
import json
import select
import socket
import struct
import subprocess
import threading
import time

from cli import tools
from lib import cell, kmod, netns, tap, wait

MS, S = cell.MS, cell.S
LEFT, RIGHT = "10.1.0.1", "10.1.0.2"
STAMP_PORT = 862
NTP_EPOCH = 2208988800
LINK = {"rate": 250000, "delay": 20 * MS, "ring_packets": 65536, "ring_bytes": 10**6}


def ntp(ns):
    """A time in NTP's format, converted from ns since 1970."""
    return struct.pack("!II", ns // S + NTP_EPOCH & 0xffffffff, (ns % S << 32) // S)


class Reflector:
    """A STAMP Session-Reflector in a thread. The function `spoil` gets each answer, and returns a
    list of datagrams, or of pairs of a datagram and a socket. These datagrams are sent instead of
    the answer."""

    def __init__(self, ns, address=RIGHT, spoil=lambda answer: [answer]):
        self.sock = ns.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind((address, STAMP_PORT))
        self.spoil, self.asked, self.asker, self.ends = spoil, 0, None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.ends:
            if not select.select([self.sock], [], [], 0.5)[0]:
                continue
            data, self.asker = self.sock.recvfrom(2048)
            self.asked += 1
            now = ntp(time.time_ns())
            answer = data[:4] + now + data[12:14] + bytes(2) + now + data[:14] + bytes(2) + \
                bytes([64, 0, 0, 0])
            for one in self.spoil(answer):
                out, sock = one if isinstance(one, tuple) else (one, self.sock)
                with contextlib.suppress(OSError):
                    sock.sendto(out, self.asker)

    def close(self):
        self.ends = True
        self.thread.join()
        self.sock.close()


@contextlib.contextmanager
def large_send_buffers():
    """The send buffers of new sockets in all namespaces have space for all packets in the modem.
    Therefore packets in the modem do not block the source."""
    first = netns.First()
    with first.inside(), open("/proc/sys/net/core/wmem_default") as file:
        before = file.read()
    first.sysctl("net.core.wmem_default", 8 * 10**6)
    try:
        yield
    finally:
        first.sysctl("net.core.wmem_default", before)
        first.close()


class Modem(cell.Pair):
    """The router, its modem and the reflector. Values in `there` change the link."""

    def __init__(self, back=None, reflect=True, **there):
        kmod.insmod("sch_lpd")
        super().__init__(back or {"delay": 20 * MS, "ring_packets": 1000}, **{**LINK, **there})
        self.running = []
        self.address()
        self.queue()
        self.reflector = Reflector(self.right.ns) if reflect else None

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.wait()
        if self.reflector:
            self.reflector.close()
        super().__exit__()

    def address(self):
        for end, own, other, mac in ((self.left, LEFT, RIGHT, "02:00:00:00:00:02"),
                                     (self.right, RIGHT, LEFT, "02:00:00:00:00:01")):
            end.ns.ip(f"address add {own}/24 dev {end.name}",
                      f"neighbour replace {other} lladdr {mac} dev {end.name}", "link set lo up")

    def queue(self):
        """Make lpd the root qdisc."""
        with self.left.ns.inside():
            done = tools.tc("qdisc replace dev cell0 root lpd limit 1000")
        tap.equal(f"lpd ({done.stderr.strip()})", done.returncode, 0)

    def start(self, words, ns=None):
        """Start freshlink, by default on the router."""
        with (ns or self.left.ns).inside():
            process = subprocess.Popen([tools.FRESHLINK, *words.split()], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def pace(self, words="", reflector=RIGHT):
        """Start freshlink pace, and wait until a reflector has answered."""
        pace = self.start(f"pace cell0 --reflector {reflector} -j {words}")
        self.event(pace, "running")
        return pace

    def event(self, pace, name):
        """Wait for an event of freshlink pace, and return the event."""
        # iteration over the file would read ahead
        while select.select([pace.stdout], [], [], wait.patient(40))[0] and \
                (line := pace.stdout.readline()):
            if (event := json.loads(line))["event"] == name:
                return event
        raise tap.Failed(f"no event {name}: {pace.stderr.read().strip()}")

    def stop(self, pace):
        """End freshlink pace. Returns its last events."""
        pace.terminate()
        out, err = pace.communicate(timeout=wait.patient(20))
        tap.equal(f"exit status ({err.strip()})", pace.returncode, 0)
        return [json.loads(line) for line in out.splitlines()]

    def show(self):
        """The gate as `freshlink pace --show` prints it, or the error."""
        done = self.left.ns.run(f"{tools.FRESHLINK} pace cell0 --show -j", check=False)
        return json.loads(done.stdout) if not done.returncode else done.stderr

    def stream(self, rate, seconds, lifetime="300ms", log=None):
        """Send packets of 1000 bytes over the link. Returns the sink's summary."""
        with large_send_buffers():
            return self._stream(rate, seconds, lifetime, log)

    def _stream(self, rate, seconds, lifetime, log):
        sink = self.start(f"traffic sink -j --idle 8s {f'--log {log}' if log else ''}",
                          self.right.ns)
        tap.equal("the sink", sink.stderr.readline(), "receiving on port 5001\n")
        source = self.start(f"traffic source {RIGHT} --rate {rate} --size 1000 "
                            f"--duration {seconds}s --lifetime {lifetime} -j")
        sent = json.loads(source.communicate()[0])["sent"]
        return {"sent": sent, **json.loads(sink.communicate()[0])}
