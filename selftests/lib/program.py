# SPDX-License-Identifier: GPL-2.0-or-later
"""A program without privilege that sends UDP or DCCP packets, and reads messages about them from the
error queue of its socket."""
import contextlib
import errno
import os
import select
import socket
import struct
import typing

from . import child, icmp, tap, uapi, wait
from .sender import FAMILIES, PORT

DCCP = 33
RECVERR4, RFC4884_4 = 11, 26            # IP_RECVERR, IP_RECVERR_RFC4884
RECVERR6, RFC4884_6 = 25, 31            # and those of IPv6
ORIGIN = {socket.AF_INET: 2, socket.AF_INET6: 3}        # SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6
UNREACHABLE = {socket.AF_INET: icmp.UNREACHABLE4, socket.AF_INET6: icmp.UNREACHABLE6}
# what the kernel takes from bytes 4 to 7 of the message: only of IPv6, where they have the length
INFO = {socket.AF_INET: 0, socket.AF_INET6: uapi.XRTO_QUOTE_MIN // 8 << 24}
# a profile of xlo that gives each packet the option, whatever its mark
ALL = {"profile_name": "all", "mark": 0, "mask": 1 << 31, "lifetime": 20_000}
PAYLOAD = bytes(range(200))
SEQUENCE = 0x123456789abc
# a DCCP-Data packet with a 48-bit sequence number (RFC 4340 section 5.1)
DCCP_PACKET = struct.pack("!HHBBHBBHI", 1000, 2000, 4, 0, 0, 2 << 1 | 1, 0, SEQUENCE >> 32,
                          SEQUENCE & 0xffffffff) + PAYLOAD


class Way(typing.NamedTuple):
    """How a program sends."""
    family: int
    kind: int = socket.SOCK_DGRAM
    connected: bool = False
    errors: bool = True

    @property
    def name(self):
        return ("dccp" if self.kind == socket.SOCK_RAW else "udp") + \
            ("4" if self.family == socket.AF_INET else "6") + "-connected" * self.connected

    @property
    def payload(self):
        return DCCP_PACKET if self.kind == socket.SOCK_RAW else PAYLOAD

    @property
    def headers(self):
        """The bytes of a quote before `payload`, with the option."""
        ip = 28 if self.family == socket.AF_INET else 56
        return ip + 8 * (self.kind == socket.SOCK_DGRAM)


UDP = [Way(family, connected=connected) for family in FAMILIES for connected in (False, True)]
RAW = [Way(family, socket.SOCK_RAW) for family in FAMILIES]


@contextlib.contextmanager
def nobody():
    """The block runs without any privilege."""
    os.seteuid(child.NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


class Program:
    """A program in a namespace, which sends to the address `to`. A raw socket is opened with a
    privilege, which its further use does not need."""

    def __init__(self, ns, way, to):
        raw = way.kind == socket.SOCK_RAW
        self.way, self.to = way, (to, 0 if raw else PORT)
        with ns.inside(), contextlib.nullcontext() if raw else nobody():
            self.sock = socket.socket(way.family, way.kind, DCCP if raw else 0)
        with nobody():
            self._prepare()

    def _prepare(self):
        self.sock.setblocking(False)
        level, names = (socket.IPPROTO_IP, (RECVERR4, RFC4884_4)) if \
            self.way.family == socket.AF_INET else (socket.IPPROTO_IPV6, (RECVERR6, RFC4884_6))
        for name in names if self.way.errors else ():
            self.sock.setsockopt(level, name, 1)
        if self.way.connected:
            self.sock.connect(self.to)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, payload=None):
        """Send a packet. Returns the error of the call, or 0."""
        payload = self.way.payload if payload is None else payload
        try:
            with nobody():
                if self.way.connected:
                    self.sock.send(payload)
                else:
                    self.sock.sendto(payload, self.to)
        except OSError as error:
            return error.errno
        return 0

    def has_error(self):
        """Whether there is an error, which this call leaves for the next one."""
        poll = select.poll()
        poll.register(self.sock, 0)
        return poll.poll(0)

    def error(self):
        """The next entry of the error queue, as (error, data), or None."""
        with nobody(), contextlib.suppress(BlockingIOError):
            data, control, _, _ = self.sock.recvmsg(2000, 500, socket.MSG_ERRQUEUE)
            [error] = [value for _, kind, value in control if kind in (RECVERR4, RECVERR6)]
            return struct.unpack_from("=IBBBBIHBB", error), data
        return None

    def told(self):
        """Wait for an entry of the error queue."""
        return wait.until("an entry of the error queue", self.error)


def check(way, told, code):
    """Check each field of an entry of the error queue, and the message that it contains."""
    (number, origin, kind, reported, _, info, place, flags, _), data = told
    tap.equal("error", (number, origin, kind, reported, info),
              (errno.ENETUNREACH, ORIGIN[way.family], UNREACHABLE[way.family], 0, INFO[way.family]))
    quoted = uapi.XRTO_QUOTE_MIN - way.headers
    tap.equal("place and validity of the extension", (place, flags), (quoted, 0))
    tap.equal("the quote", data[:quoted].hex(), way.payload[:quoted].hex())
    tap.equal("the extension", data[quoted:].hex(), icmp.extension(icmp.ours(code)).hex())
