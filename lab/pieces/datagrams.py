# SPDX-License-Identifier: GPL-2.0-or-later
"""The datagrams that a link has carried, and the number of their bytes, including fragments of
incomplete datagrams."""
import ctypes
import socket
import struct

from lib import sniff

SO_ATTACH_FILTER = 26
LOAD_HALF, LOAD, EQUAL, RETURN = 0x28, 0x30, 0x15, 0x06
UDP, FRAGMENT, HOP_BY_HOP = 17, 44, 0
ALL = 1 << 16
# This filter accepts UDP over IPv4, and UDP and fragments over IPv6, also after hop-by-hop options.
# Each line is an instruction of classic BPF: (code, jump if true, jump if false, value)
PROGRAM = [(LOAD_HALF, 0, 0, 12), (EQUAL, 0, 2, 0x0800),
           (LOAD, 0, 0, 23), (EQUAL, 7, 6, UDP),
           (EQUAL, 0, 5, 0x86dd), (LOAD, 0, 0, 20), (EQUAL, 0, 1, HOP_BY_HOP), (LOAD, 0, 0, 54),
           (EQUAL, 2, 0, UDP), (EQUAL, 1, 0, FRAGMENT), (RETURN, 0, 0, 0), (RETURN, 0, 0, ALL)]


def sniffer(ns, device, outgoing=False):
    """Create a Sniffer that captures only datagrams and fragments."""
    found = sniff.Sniffer(ns, device, outgoing)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line)
                                                for line in PROGRAM))
    found.sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack(
        "HxxxxxxQ", len(PROGRAM), ctypes.addressof(code)))
    return found


class Capture:
    """Captures the payloads of the IPv4 datagrams to a port that a device receives, or sends with
    `outgoing`."""

    IP_UDP = 28         # bytes of headers without options

    def __init__(self, ns, device, port, outgoing=False):
        self.sniffer, self.port = sniffer(ns, device, outgoing), struct.pack("!H", port)

    def datagrams(self):
        """Return (payload, CLOCK_REALTIME in ns) of the datagrams since the last call. Captured
        packets must have no options and no fragments."""
        frames = self.sniffer.drain()
        self.sniffer.lossless()
        return [(frame.packet[self.IP_UDP:], frame.when + self.sniffer.offset) for frame in frames
                if frame.packet[22:24] == self.port]


class Counter:
    """Counts the datagrams and fragments that a device receives."""

    def __init__(self, ns, device):
        self.sniffer = sniffer(ns, device)

    def bytes(self):
        """Return the number of bytes since the last call, with link-layer headers."""
        frames = self.sniffer.drain()
        self.sniffer.lossless()
        return sum(len(frame.packet) + self.sniffer.header for frame in frames)
