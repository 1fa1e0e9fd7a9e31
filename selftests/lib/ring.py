# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet socket that shares its send memory with the kernel (PACKET_TX_RING). The module also
makes packets of one length in many forms. A test can overwrite a packet in the shared memory with
another form."""
import contextlib
import mmap
import socket
import struct
import threading
import time

from . import packet as pkt, port, wait

PACKET_TX_RING, PACKET_VERSION, TPACKET_V2 = 13, 10, 1
AVAILABLE, SEND_REQUEST = 0, 1
FRAME, HEADER = 2048, 32                # bytes; a header begins with the status
SIZE = 1000                             # bytes of a packet
ROUTING, FRAGMENT, DESTINATION, TCP, UDP = 43, 44, 60, 6, 17


class Ring:
    """A ring with `frames` frames on a device. Packets stay in the ring's memory until the kernel
    frees them."""

    def __init__(self, ns, device, protocol, frames=32, ethernet=False):
        self.sock = ns.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.setsockopt(socket.SOL_SOCKET, port.SO_SNDBUFFORCE, 1 << 28)
        self.sock.setsockopt(port.SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        self.sock.setsockopt(port.SOL_PACKET, PACKET_TX_RING,
                             struct.pack("=4I", FRAME * frames, 1, FRAME, frames))
        self.memory = mmap.mmap(self.sock.fileno(), FRAME * frames)
        self.sock.bind((device, protocol))
        self.frames, self.ethernet, self.written = frames, ethernet, 0

    def write(self, number, packet):
        """Write a packet into a frame, even if the kernel owns the frame."""
        start = FRAME * number + HEADER
        frame = pkt.ethernet(packet) if self.ethernet else packet
        self.memory[start:start + len(frame)] = frame

    def write_byte(self, offset, value):
        """Write a byte at an offset of the packet into every frame."""
        offset += HEADER + (len(pkt.ETHERNET) + 2 if self.ethernet else 0)
        for start in range(0, FRAME * self.frames, FRAME):
            self.memory[start + offset] = value

    def send(self, packets):
        """Send packets, at most as many as the ring has frames. The function waits until each frame
        is free."""
        for number, packet in enumerate(packets):
            wait.until(f"frame {number} is free", lambda: self._status(number) == AVAILABLE)
            self.write(number, packet)
            length = len(packet) + (len(pkt.ETHERNET) + 2 if self.ethernet else 0)
            struct.pack_into("=II", self.memory, FRAME * number, SEND_REQUEST, length)
        self.sock.send(b"", socket.MSG_DONTWAIT)

    def _status(self, number):
        return struct.unpack_from("=I", self.memory, FRAME * number)[0]

    @contextlib.contextmanager
    def rewriting(self, random, forms):
        """Within the block, a thread overwrites random frames with random forms. (A process is not
        possible, because User-Mode Linux counts a ring's pages wrongly after a fork.)"""
        stop = threading.Event()

        def rewrite():
            while not stop.is_set():
                for form in random.choices(forms, k=self.frames):
                    self.write(random.randrange(self.frames), form)
                self.written += self.frames
                # Simulated time stands still for all threads while a thread computes.
                time.sleep(0.0001 if wait.virtual_time() else 0)
        thread = threading.Thread(target=rewrite)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def close(self):
        self.memory.close()
        self.sock.close()


def forms(random, version, count=200):
    """Packets of one length. Each packet has valid headers of various types and lengths."""
    return [(_form4 if version == 4 else _form6)(random) for _ in range(count)]


def _transport(random, kind):
    """A UDP header, or a TCP header with options. The TCP segment may be a SYN."""
    if kind == UDP:
        return struct.pack("!HHHH", 4000, 5000, 8, 0)
    words, flags = random.randint(5, 15), random.choice([0x10, 0x10, 0x02])
    mss = struct.pack("!BBH", 2, 4, 1400) if words > 5 else b""
    return struct.pack("!HHIIBBHHH", 4000, 5000, 1, 1, words << 4, flags, 1000, 0, 0) + \
        mss + b"\1" * (4 * (words - 5) - len(mss))


def _form4(random):
    option = pkt.xlo4(random.choice([1, 2, 300]), random.choice([pkt.TRUNCATE, pkt.DISCARD]))
    options = b"\1" * (4 * random.randint(0, 7)) + random.choice([option, option, b""])
    kind = random.choice([TCP, UDP])
    words = 5 + len(options) // 4
    head = struct.pack("!BBHHHBBH", 0x40 | words, 0, SIZE, 1, random.choice([0, 0, 0x2000]), 64,
                       kind, 0) + socket.inet_aton(pkt.SOURCE4) + socket.inet_aton(pkt.TARGET4)
    head += options
    head = head[:10] + struct.pack("!H", pkt.checksum(head)) + head[12:]
    return (head + _transport(random, kind)).ljust(SIZE, b"x")


def _form6(random):
    last = random.choice([TCP, UDP])
    kinds = random.choices([ROUTING, DESTINATION, FRAGMENT], k=random.randint(0, 3))
    following = [*kinds, last]
    option = pkt.xlo6(random.choice([1, 2, 300]), random.choice([pkt.TRUNCATE, pkt.DISCARD]))
    headers = pkt.hop_by_hop(random.choice([option, option, b""]), following[0])
    for kind, after in zip(kinds, following[1:]):
        length = 0 if kind == FRAGMENT else random.choice([0, 1, 2, 5, 20])
        headers += struct.pack("!BB", after, length) + bytes(6) + bytes(8 * length)
    head = struct.pack("!IHBB", 6 << 28, SIZE - 40, 0, 64) + \
        socket.inet_pton(socket.AF_INET6, pkt.SOURCE6) + \
        socket.inet_pton(socket.AF_INET6, pkt.TARGET6)
    return (head + headers + _transport(random, last)).ljust(SIZE, b"x")
