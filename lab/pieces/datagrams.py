# SPDX-License-Identifier: GPL-2.0-or-later
"""The number of bytes in datagrams that a link has carried, including fragments of incomplete
datagrams."""
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


class Counter:
    """Counts the datagrams and fragments that a device receives."""

    def __init__(self, ns, device):
        self.sniffer = sniff.Sniffer(ns, device)
        code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line)
                                                    for line in PROGRAM))
        self.sniffer.sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack(
            "HxxxxxxQ", len(PROGRAM), ctypes.addressof(code)))

    def bytes(self):
        """Return the number of bytes since the last call, with link-layer headers."""
        frames = self.sniffer.drain()
        self.sniffer.lossless()
        return sum(len(frame.packet) + self.sniffer.header for frame in frames)
