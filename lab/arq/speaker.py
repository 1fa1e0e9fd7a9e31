# SPDX-License-Identifier: GPL-2.0-or-later
"""Media Distribution: a speaker who talks and is silent by turns, and sends packets of one size at a
constant rate while talking.

A process that sends each packet needs more processor time than all other parts of a cell. So a
thread writes all packets of a time of talking at once, and a tbf on the sender's device spaces them."""
import random
import socket
import threading
import time

from lib import port, wait
from lib.cell import S

from arq.network import BYPASS_PORT, ETHERNET, SIZE

KBIT, TALK, SILENCE = 56, 1, 1.35               # mean s
INTERVAL = SIZE * S // (KBIT * 125)             # ns
PAYLOAD = SIZE - 28                             # without the headers of IP and UDP
UDP_SEGMENT, AT_ONCE = 103, 60                  # socket option; packets of one write
CLASS = 0x10001                                 # 1:1
QDISCS = ("root handle 1: prio bands 2 priomap" + 16 * " 1",
          f"parent 1:1 tbf rate {KBIT * 1000 * (SIZE + ETHERNET) // SIZE}bit "
          f"burst {SIZE + ETHERNET + 1}b limit 10mb", "parent 1:2 pfifo limit 1000")


def talks(seed, seconds, turn=None):
    """Yield (begin, number of packets) of each time of talking, in ns from the start. With `turn` there are
    only those that begin in every other `turn` seconds, until the end of these seconds."""
    chance, at = random.Random(f"speaker {seed}"), 0
    while True:
        length = round(chance.expovariate(1 / TALK) * S)
        if at >= seconds * S:
            return
        number, into = divmod(at, (turn or seconds) * S)
        if not number % 2:
            yield at, -(-min(length, (turn or seconds) * S - into) // INTERVAL)
        at += length + round(chance.expovariate(1 / SILENCE) * S)


class Speaker(threading.Thread):
    """A speaker at the sender. Nobody reads the packets that arrive."""

    def __init__(self, net, seed, seconds, turn=None):
        super().__init__(daemon=True)
        self.talks, self.to = talks(seed, seconds, turn), (net.address, BYPASS_PORT)
        net.sender.run("tc -batch -", stdin="\n".join(f"qdisc add dev eth0 {line}" for line in QDISCS))
        self.listener = net.socket(net.receiver, socket.SOCK_DGRAM)
        self.listener.bind(self.to)
        self.sock = net.socket(net.sender, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, CLASS)
        self.sock.setsockopt(socket.SOL_SOCKET, port.SO_SNDBUFFORCE, 1 << 22)
        self.sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, PAYLOAD)
        self.start()

    def run(self):
        start = time.monotonic_ns()
        for at, number in self.talks:
            wait.till(start + at)
            while number:
                packets = min(number, AT_ONCE)
                self.sock.sendto(bytes(packets * PAYLOAD), self.to)
                number -= packets
