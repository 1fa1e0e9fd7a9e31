#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program without privilege reads messages about its UDP packets from the error queue of its
socket. A program that sends DCCP packets through a raw socket reads them in the same way. The error
that comes with a message is soft: at most the next call fails, and the socket still works."""
# run.sh: all on vm: everything
import contextlib
import errno
import itertools
import os
import select
import socket
import struct
import typing

from lib import child, hosts, icmp, netlink, notice, packet as pkt, tap, uapi, wait, xlo
from lib.icmp import BOTH, DEFER, DISCARDED, DROP, EXTENSION, LINK_UP, NATIVE
from lib.sender import FAMILIES, PORT, Sender

DCCP = 33
PKTINFO4, RECVERR4, RFC4884_4 = 8, 11, 26       # IP_PKTINFO, IP_RECVERR, IP_RECVERR_RFC4884
PKTINFO6, RECVERR6, RFC4884_6 = 49, 25, 31      # and those of IPv6
ORIGIN = {socket.AF_INET: 2, socket.AF_INET6: 3}        # SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6
UNREACHABLE = {socket.AF_INET: icmp.UNREACHABLE4, socket.AF_INET6: icmp.UNREACHABLE6}
# what the kernel takes from bytes 4 to 7 of the message: only of IPv6, where they have the length
INFO = {socket.AF_INET: 0, socket.AF_INET6: uapi.XRTO_QUOTE_MIN // 8 << 24}
CODES = DROP, DEFER, LINK_UP
PAYLOAD = bytes(range(200))
# each packet gets the option, whatever its mark
ALL = {"mark": 0, "mask": 1 << 31, "lifetime": 20_000}
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
    """A program on the left host. A raw socket is opened with a privilege, which its further use
    does not need."""

    def __init__(self, sender, way):
        raw = way.kind == socket.SOCK_RAW
        self.way, self.to = way, (hosts.address("right", way.family), 0 if raw else PORT)
        with sender.left.inside(), contextlib.nullcontext() if raw else nobody():
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


class Link(Sender):
    """The left host sends packets with the option. The right host reports what its link did to
    them."""

    def __init__(self, **profile):
        super().__init__(**ALL | profile)
        for ns in self.left, self.right:
            hosts.quiet(ns)
        # the right host has no port that answers
        self.right.run("nft -f -", stdin="table inet silent { chain in { type filter hook input "
                       "priority 0; meta l4proto { udp, dccp } drop; }; }")
        self.link = xlo.Client(self.right, "xlo_rto")
        self.notices = xlo.Account(self.link, "notices")

    def lose(self, program, code, count=1):
        """Let the program send packets, and report each of them."""
        for _ in range(count):
            tap.equal("error of the call", program.send(), 0)
            [packet] = self.arrived()
            tap.true("the packet has the option", pkt.lifetime(packet) is not None)
            self.link.do("notify", code=code, packet=packet)

    def expect(self, **wanted):
        notice.expect(self.notices, **wanted)

    def refuse(self, packet, code):
        """Check that no message about the packet is sent."""
        try:
            self.link.do("notify", code=code, packet=packet)
        except netlink.Refused as error:
            tap.equal(f"refusal: {error}", error.code, errno.EINVAL)
        else:
            raise tap.Failed("the request was accepted")


def check(way, told, code):
    """Check each field of an entry of the error queue, and the message that it contains."""
    (number, origin, kind, reported, _, info, place, flags, _), data = told
    tap.equal("error", (number, origin, kind, reported, info),
              (errno.ENETUNREACH, ORIGIN[way.family], UNREACHABLE[way.family], 0, INFO[way.family]))
    quoted = uapi.XRTO_QUOTE_MIN - way.headers
    tap.equal("place and validity of the extension", (place, flags), (quoted, 0))
    tap.equal("the quote", data[:quoted].hex(), way.payload[:quoted].hex())
    tap.equal("the extension", data[quoted:].hex(), icmp.extension(icmp.ours(code)).hex())


def test_udp():
    """A program without privilege reads each message about its UDP packets, with a connected and
    an unconnected socket, by IPv4 and IPv6. The setting `encoding` and a key do not matter."""
    for way in UDP:
        for encoding, key in (NATIVE, b""), (EXTENSION, bytes(16)):
            with Link() as link, Program(link, way) as program:
                link.link.set(encoding=encoding - 1, key=key)
                for code in CODES:
                    link.lose(program, code)
                    check(way, program.told(), code)
                link.expect(asked=len(CODES), sent=len(CODES))


def test_raw():
    """A raw socket reads messages about its DCCP packets. The quote reaches beyond the 48-bit
    sequence number."""
    for way in RAW:
        with Link() as link, Program(link, way) as program:
            for code in CODES:
                link.lose(program, code)
                told = program.told()
                check(way, told, code)
                tap.equal("sequence number", int.from_bytes(told[1][10:16], "big"), SEQUENCE)


def test_discarded():
    """The setting `encoding` decides how "packet discarded" is sent. Only the extension encoding
    reaches the error queue."""
    for way in UDP + RAW:
        with Link() as link, Program(link, way) as program:
            link.lose(program, DISCARDED)
            link.expect(asked=1, sent=1)
            link.link.set(encoding=EXTENSION - 1)
            link.lose(program, DISCARDED)
            check(way, program.told(), DISCARDED)
            tap.equal("further entry", program.error(), None)


def test_with_xlo_rto():
    """If the program's host has xlo_rto, the messages still reach the program, whatever the host
    accepts. The host counts them only if it accepts the extension encoding."""
    for accept, way in itertools.product((0, NATIVE, EXTENSION, BOTH), (UDP[0], UDP[3], *RAW)):
        with Link() as link, Program(link, way) as program:
            host = xlo.Client(link.left, "xlo_rto")
            host.set(accept=accept, key=bytes(16), one_hop=1)
            account = xlo.Account(host)
            for code in CODES:
                link.lose(program, code)
                check(way, program.told(), code)
            seen = len(CODES) if accept & EXTENSION else 0
            account.expect(**{"received": seen, "not_tcp": seen} if seen else {})


def test_soft_error():
    """A message makes the next call of a UDP socket fail, and no call of a raw socket. All later
    packets leave, even if nobody reads the error queue, which keeps its entry."""
    for code, way in itertools.product(CODES, UDP + RAW):
        with Link() as link, Program(link, way) as program:
            link.lose(program, code)
            wait.until("the message has arrived", program.has_error)
            failed = [program.send() for _ in range(6)]
            first = errno.ENETUNREACH if way in UDP else 0
            tap.equal("errors of calls", failed, [first] + [0] * 5)
            tap.equal("packets", len(link.arrived(failed.count(0))), failed.count(0))
            check(way, program.told(), code)


def test_without_errors():
    """A program that does not ask for errors does not notice messages."""
    for way in (way._replace(errors=False) for way in UDP + RAW):
        with Link() as link, Program(link, way) as program:
            link.lose(program, DROP, 9)
            link.expect(asked=9, sent=9)
            tap.equal("errors of later calls", {program.send() for _ in range(20)}, {0})
            tap.equal("pending error",
                      program.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), 0)


def test_without_option():
    """No message is sent about packets of a program that does not use the option."""
    for way in UDP + RAW:
        with Link(mark=1, mask=0xff) as link, Program(link, way) as program:
            tap.equal("error of the call", program.send(), 0)
            [packet] = link.arrived()
            for code in CODES:
                link.refuse(packet, code)
            link.expect(asked=3, no_option=3)
            tap.equal("errors of later calls", {program.send() for _ in range(5)}, {0})
            tap.equal("entry", program.error(), None)


def test_fragments():
    """A program reads a message about the first fragment of its UDP packet. No message is sent
    about the other fragments."""
    for way in UDP:
        with Link() as link, Program(link, way) as program:
            tap.equal("error of the call", program.send(PAYLOAD * 20), 0)
            first, *later = link.arrived(3)
            for packet in later:
                link.refuse(packet, DROP)
            link.link.do("notify", code=DROP, packet=first)
            (number, *_), data = program.told()
            tap.equal("error", number, errno.ENETUNREACH)
            tap.equal("the extension", data[-8:].hex(), icmp.extension(icmp.ours(DROP)).hex())
            link.expect(asked=3, sent=1, fragment=2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
