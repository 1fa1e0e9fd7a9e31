#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program without privilege reads messages about its UDP packets from the error queue of its
socket. A program that sends DCCP packets through a raw socket reads them in the same way. The error
that comes with a message is soft: at most the next call fails, and the socket still works."""
# run.sh: all on vm-6.12: everything
import errno
import itertools
import socket

from lib import hosts, icmp, netlink, notice, packet as pkt, tap, wait, xlo
from lib.icmp import BOTH, DEFER, DISCARDED, DROP, EXTENSION, LINK_UP, NATIVE
from lib.program import ALL, PAYLOAD, RAW, SEQUENCE, UDP, Program, check
from lib.sender import Sender

CODES = DROP, DEFER, LINK_UP


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

    def program(self, way):
        """A program on the left host."""
        return Program(self.left, way, hosts.address("right", way.family))

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


def test_udp():
    """A program without privilege reads each message about its UDP packets, with a connected and
    an unconnected socket, by IPv4 and IPv6. The setting `encoding` and a key do not matter."""
    for way in UDP:
        for encoding, key in (NATIVE, b""), (EXTENSION, bytes(16)):
            with Link() as link, link.program(way) as program:
                link.link.set(encoding=encoding - 1, key=key)
                for code in CODES:
                    link.lose(program, code)
                    check(way, program.told(), code)
                link.expect(asked=len(CODES), sent=len(CODES))


def test_raw():
    """A raw socket reads messages about its DCCP packets. The quote reaches beyond the 48-bit
    sequence number."""
    for way in RAW:
        with Link() as link, link.program(way) as program:
            for code in CODES:
                link.lose(program, code)
                told = program.told()
                check(way, told, code)
                tap.equal("sequence number", int.from_bytes(told[1][10:16], "big"), SEQUENCE)


def test_discarded():
    """The setting `encoding` decides how "packet discarded" is sent. Only the extension encoding
    reaches the error queue."""
    for way in UDP + RAW:
        with Link() as link, link.program(way) as program:
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
        with Link() as link, link.program(way) as program:
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
        with Link() as link, link.program(way) as program:
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
        with Link() as link, link.program(way) as program:
            link.lose(program, DROP, 9)
            link.expect(asked=9, sent=9)
            tap.equal("errors of later calls", {program.send() for _ in range(20)}, {0})
            tap.equal("pending error",
                      program.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), 0)


def test_without_option():
    """No message is sent about packets of a program that does not use the option."""
    for way in UDP + RAW:
        with Link(mark=1, mask=0xff) as link, link.program(way) as program:
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
        with Link() as link, link.program(way) as program:
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
