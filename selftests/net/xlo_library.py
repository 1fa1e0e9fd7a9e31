#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""libfreshlink sends exactly the lifetimes that a program passes, both as deadlines and as options.
libfreshlink reports to a receiver exactly the lifetimes that arrived. Wrong calls fail with the
documented errno. The library's example programs work."""
# run.sh: once: the library is the same on every kernel
import ctypes
import errno
import os
import re
import socket
import struct
import subprocess
import time

from lib import child, hosts, library, packet as pkt, tap, wait
from lib.library import Lifetime, sockaddr
from lib.sender import FAMILIES, PORT, Sender

MS, NS = 10**6, 10**9
SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TXTIME, SO_TIMESTAMPING = 29, 35, 61, 37
RX_SOFTWARE = 8 | 16
IPV6_V6ONLY = socket.IPV6_V6ONLY
DEADLINE_ROOM, OPTION_ROOM = 24, 32
V4, V6 = FAMILIES


def to(family, name="right"):
    return sockaddr(hosts.address(name, family), PORT)


def mapped(name="right"):
    """A host's IPv4 address as an IPv4-mapped IPv6 address."""
    return sockaddr("::ffff:" + hosts.address(name, V4), PORT)


def header(packet):
    """The options of a packet: the IPv4 options or the hop-by-hop header, or None."""
    if packet[0] >> 4 == 4:
        return packet[20:(packet[0] & 15) * 4] or None
    return packet[40:48 + packet[41] * 8] if packet[6] == 0 else None


def on_the_wire(family, lifetime, flags=pkt.DISCARD, reorder=0, following=17):
    """The expected header() of a packet with this option."""
    if family == V4:
        return pkt.xlo4(lifetime, flags, reorder)
    kind = pkt.ABSOLUTE6 if lifetime >= pkt.NONE else pkt.RELATIVE6
    return bytes([following, 1, 1, 0]) + pkt.xlo6(lifetime, flags, reorder, kind) + b"\1\2\0\0"


def refused(what, wanted, function, *arguments):
    """Fail unless the call fails with this errno."""
    try:
        function(*arguments)
    except OSError as error:
        tap.equal(what, errno.errorcode[error.errno], errno.errorcode[wanted])
        return
    raise tap.Failed(f"{what}: the call was accepted")


class Sent:
    """The packet that a call has sent, and the time that the call took (0 in simulated time)."""

    def __init__(self, sender, call):
        start = time.monotonic_ns()
        call()
        self.took = time.monotonic_ns() - start
        [self.packet] = sender.arrived()

    def check(self, what, family, lifetime_ns, **more):
        """Check that the option states the remaining lifetime rounded to the nearest ms."""
        least, most = (max(0, ns + MS // 2) // MS
                       for ns in (lifetime_ns - self.took, lifetime_ns))
        left = pkt.lifetime(self.packet)
        tap.within(what, left, least, most)
        tap.equal(f"header: {what}", header(self.packet).hex(),
                  on_the_wire(family, left, **more).hex())


def test_send():
    """freshlink_send() sends a deadline on each clock, over IPv4, IPv6, and IPv4 through an IPv6
    socket."""
    lib = library.Library()
    with Sender() as s:
        s.xlo.set(txtime=1)
        ways = [(V4, V4, to(V4)), (V6, V6, to(V6)), (V6, V4, mapped())]
        for clock in (time.CLOCK_MONOTONIC, time.CLOCK_REALTIME, time.CLOCK_TAI):
            for domain, family, address in ways:
                with s.left.socket(domain, socket.SOCK_DGRAM) as sock:
                    lib.enable_deadlines(sock.fileno(), clock)
                    sent = Sent(s, lambda sock=sock, address=address:
                                lib.send(sock.fileno(), b"hello", address, 5 * NS))
                sent.check(f"clock {clock}", family, 5 * NS)
                tap.equal("payload", sent.packet[-5:], b"hello")
        s.account.expect(stamped_output=9, deadlines=9)


def test_send_limits():
    """On a connected socket, freshlink_send() rounds a lifetime to the nearest ms. A lifetime that
    is rounded to 0 means expired. Lifetimes above 65534 ms become 65534 ms."""
    lib = library.Library()
    with Sender() as s, s.right.socket(V6, socket.SOCK_DGRAM) as sink:
        # without a receiver, an ICMP error would make the next call fail
        sink.bind(("", PORT))
        s.xlo.set(txtime=1)
        for family in FAMILIES:
            with s.left.socket(family, socket.SOCK_DGRAM) as sock:
                sock.connect((hosts.address("right", family), PORT))
                lib.enable_deadlines(sock.fileno(), time.CLOCK_MONOTONIC)
                for ns in (0, 499_999, 500_000, 1_499_999, 65534 * MS):
                    Sent(s, lambda ns=ns: lib.send(sock.fileno(), b"x", None, ns)
                         ).check(f"{ns} ns", family, ns)
                s.account.expect(stamped_output=5, deadlines=5)
                for ns in (66 * NS, 2**63 - 1 - time.monotonic_ns() - NS):
                    sent = Sent(s, lambda ns=ns: lib.send(sock.fileno(), b"x", None, ns))
                    tap.equal(f"{ns} ns", pkt.lifetime(sent.packet), 65534)
                s.account.expect(stamped_output=2, deadlines=2, clamped=2)


def test_send_without_the_module():
    """If xlo does not accept deadlines, the packet leaves without an option."""
    lib = library.Library()
    with Sender() as s:
        for family in FAMILIES:
            with s.left.socket(family, socket.SOCK_DGRAM) as sock:
                lib.enable_deadlines(sock.fileno(), time.CLOCK_MONOTONIC)
                sent = Sent(s, lambda sock=sock, family=family:
                            lib.send(sock.fileno(), b"hello", to(family), 5 * NS))
            tap.equal("options", header(sent.packet), None)
        s.account.expect()


def test_set_deadline():
    """freshlink_set_deadline() works together with another control message. A deadline in the past
    is sent as lifetime 0."""
    lib = library.Library()
    with Sender() as s:
        s.xlo.set(txtime=1)
        for family, level, kind in ((V4, socket.IPPROTO_IP, socket.IP_TOS),
                                    (V6, socket.IPPROTO_IPV6, socket.IPV6_TCLASS)):
            with s.left.socket(family, socket.SOCK_DGRAM) as sock:
                lib.enable_deadlines(sock.fileno(), time.CLOCK_MONOTONIC)
                for deadline in (time.monotonic_ns() + 3 * NS, 1):
                    message = library.outgoing(b"x", 24 + DEADLINE_ROOM)
                    other = struct.pack("=QiiI", 20, level, kind, 0x28)
                    ctypes.memmove(message.control, other, len(other))
                    message.controllen = 24
                    lib.set_deadline(message, deadline)
                    left = deadline - time.monotonic_ns()
                    sent = Sent(s, lambda m=message: lib.sendmsg(sock.fileno(), m, to(family)))
                    sent.check(f"deadline {deadline}", family, left)
                    word, = struct.unpack_from("!H", sent.packet)
                    tap.equal("class", word >> (0 if family == V4 else 4) & 0xff, 0x28)
        s.account.expect(stamped_output=4, deadlines=4)


def test_option_that_is_there():
    """If a message has both an option and a deadline, the packet carries only the message's own
    option."""
    lib = library.Library()
    with Sender() as s:
        s.xlo.set(txtime=1)
        for family in FAMILIES:
            with s.left.socket(family, socket.SOCK_DGRAM) as sock:
                lib.enable_deadlines(sock.fileno(), time.CLOCK_MONOTONIC)
                message = library.outgoing(b"x", OPTION_ROOM + DEADLINE_ROOM)
                lib.set_option(message, family, Lifetime(library.RELATIVE, library.TRUNCATE, 77))
                lib.set_deadline(message, time.monotonic_ns() + NS)
                lib.sendmsg(sock.fileno(), message, to(family))
            [packet] = s.arrived()
            tap.equal("header", header(packet).hex(),
                      on_the_wire(family, 77, pkt.TRUNCATE).hex())
        s.account.expect(present=2)


LIFETIMES = [
    (Lifetime(library.RELATIVE, library.DISCARD, 5000, 0, 3), 5000, pkt.DISCARD, 3),
    (Lifetime(library.RELATIVE, library.TRUNCATE, 65534, 0, 255, 0x13), 65534,
     pkt.TRUNCATE | 0x13, 255),
    (Lifetime(library.RELATIVE), 0, pkt.FORWARD, 0),
    (Lifetime(library.UNLIMITED, library.DISCARD, 0, 0, 0, 0x10), pkt.NONE,
     pkt.DISCARD | 0x10, 0),
]


def test_socket_lifetime():
    """After a call of freshlink_socket_lifetime(), every packet of the socket carries the option
    until the program removes the option. An IPv6 socket sends the option in IPv4 and IPv6
    packets."""
    lib = library.Library()
    with Sender() as s:
        for domain, family, address in ((V4, V4, to(V4)), (V6, V6, to(V6)), (V6, V4, mapped())):
            with s.left.socket(domain, socket.SOCK_DGRAM) as sock:
                def sent():
                    lib.sendmsg(sock.fileno(), library.outgoing(b"x", 0), address)
                    return header(s.arrived()[0])
                for lifetime, ms, flags, reorder in LIFETIMES:
                    lib.socket_lifetime(sock.fileno(), lifetime)
                    for _ in range(2):
                        tap.equal("header", sent().hex(),
                                  on_the_wire(family, ms, flags, reorder).hex())
                lib.socket_lifetime(sock.fileno(), None)
                tap.equal("options after the removal", sent(), None)


def test_socket_lifetime_of_others():
    """freshlink_socket_lifetime() also works on TCP sockets and on raw IPv6 sockets. A TCP socket's
    SYN already carries the option. A raw IPv6 socket cannot send IPv4 packets."""
    lib = library.Library()
    lifetime = LIFETIMES[0][0]
    with Sender() as s:
        for family in FAMILIES:
            with s.left.socket(family, socket.SOCK_STREAM) as sock:
                sock.setblocking(False)
                lib.socket_lifetime(sock.fileno(), lifetime)
                sock.connect_ex((hosts.address("right", family), PORT))
                tap.equal("SYN", header(s.arrived()[0]).hex(),
                          on_the_wire(family, 5000, reorder=3, following=6).hex())
        with s.left.socket(V6, socket.SOCK_RAW, 253) as sock:
            lib.socket_lifetime(sock.fileno(), lifetime)
            lib.receive_lifetimes(sock.fileno())
            sock.sendto(b"x", (hosts.address("right", V6), 0))
            tap.equal("raw", header(s.arrived()[0]).hex(),
                      on_the_wire(V6, 5000, reorder=3, following=253).hex())


def test_set_option():
    """With freshlink_set_option() each message carries its own relative or absolute lifetime."""
    lib = library.Library()
    # 2026-01-01 00:00 and 1234567 ms
    at_ns = (1767225600 * 1000 + 1_234_567) * MS + 999_999
    absolute = Lifetime(library.ABSOLUTE, library.DISCARD, 43_200_000, at_ns, 3)
    cases = LIFETIMES + [(absolute, 65535 + 44_434_567, pkt.DISCARD, 3)]
    with Sender() as s:
        for family in FAMILIES:
            with s.left.socket(family, socket.SOCK_DGRAM) as sock:
                for lifetime, ms, flags, reorder in cases:
                    message = library.outgoing(b"x", OPTION_ROOM)
                    lib.set_option(message, family, lifetime)
                    lib.sendmsg(sock.fileno(), message, to(family))
                    tap.equal("header", header(s.arrived()[0]).hex(),
                              on_the_wire(family, ms, flags, reorder).hex())


class Receiver(hosts.Hosts):
    """A socket on the right host that reports lifetimes. The left host sends packets that the test
    builds byte by byte."""

    def __init__(self, domain, mtu=None):
        super().__init__(mtu)
        self.lib = library.Library()
        self.sock = self.right.socket(domain, socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        if domain == V6:
            self.sock.setsockopt(socket.IPPROTO_IPV6, IPV6_V6ONLY, 0)
        self.sock.bind(("", PORT))
        self.lib.receive_lifetimes(self.sock.fileno())
        self.wire = self.left.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.wire.bind(("v0", 0))

    def stamp(self, kind, value, family):
        """Request time stamps of this kind, and wait until messages carry them. The kernel adds
        some kinds of time stamps only after a delay."""
        def stamped():
            self.inject(family, None if family == V6 else b"")
            wait.until("a packet arrives", self.waiting)
            return self.sock.recvmsg(100, 200)[1]
        self.sock.setsockopt(socket.SOL_SOCKET, kind, value)
        wait.until("packets are stamped", stamped)

    def inject(self, family, options):
        """Send a packet with these options. For IPv6, `options` is the content of a hop-by-hop
        header, or None for a packet without this header."""
        build = pkt.ipv4 if family == V4 else pkt.ipv6
        self.wire.send(pkt.ethernet(build(
            options, b"hello", source=hosts.address("left", family),
            target=hosts.address("right", family), port=PORT)))

    def take(self, room=library.RECEIVE_ROOM):
        wait.until("a packet arrives", self.waiting)
        return self.lib.receive(self.sock.fileno(), room)

    def waiting(self):
        try:
            return self.sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return None


# domain of the socket, family of the packet
WAYS = [(V4, V4), (V6, V6), (V6, V4)]


def option(family, *arguments):
    return (pkt.xlo4 if family == V4 else pkt.xlo6)(*arguments)


def test_receive():
    """freshlink_get_lifetime() reports every field of a relative lifetime, at any position of the
    option. The tests use sockets for IPv4, for IPv6 and for both families."""
    cases = [((5000, pkt.DISCARD, 3), (library.RELATIVE, 5000, library.DISCARD, 3, 0)),
             ((0, pkt.FORWARD, 0), (library.RELATIVE, 0, library.FORWARD, 0, 0)),
             ((65534, pkt.TRUNCATE | 0xf3, 255),
              (library.RELATIVE, 65534, library.TRUNCATE, 255, 0x13)),
             ((1, pkt.RESERVED, 1), (library.RELATIVE, 1, library.RESERVED, 1, 0)),
             ((pkt.NONE, 0x10, 3), (library.UNLIMITED, 0, library.FORWARD, 3, 0x10))]
    for domain, family in WAYS:
        with Receiver(domain) as r:
            for told, wanted in cases:
                # the option alone, or after padding of one byte
                for before in (b"", b"\1" if family == V4 else b"\0"):
                    r.inject(family, before + option(family, *told))
                    found, lifetime, message = r.take()
                    tap.equal("found", found, library.FOUND)
                    tap.equal("fields", lifetime.fields(), wanted)
                    tap.equal("payload", message.buffers[0].raw[:5], b"hello")


def test_receive_nothing():
    """The library reports no lifetime for a packet without the option, even if an earlier packet
    had a lifetime."""
    for domain, family in WAYS:
        with Receiver(domain) as r:
            # a router alert (RFC 2113, RFC 2711)
            alert = b"\x94\4\0\0" if family == V4 else b"\5\2\0\0"
            for options, wanted in ((b"" if family == V4 else None, library.NONE),
                                    (option(family, 9), library.FOUND),
                                    (alert, library.NONE)):
                before = time.time_ns()
                r.inject(family, options)
                found, lifetime, _ = r.take()
                tap.equal("found", found, wanted)
                tap.within("at_ns", lifetime.at_ns, before, time.time_ns())


def test_receive_malformed():
    """The library distinguishes a malformed option from no option."""
    rules = {
        V4: [b"\x9e\7\3\4\0\0\0", b"\x9e\x09\3\4\0\0\0\5\0", pkt.xlo4(5) * 2,
             pkt.xlo4(86_465_535), pkt.xlo4(2**32 - 1)],
        V6: [b"\x3e\5\3\4\0\0\0", b"\x3e\7\3\4\0\0\0\5\0", pkt.xlo6(5) * 2,
             pkt.xlo6(86_465_535), pkt.xlo6(5, kind=pkt.ABSOLUTE6),
             pkt.xlo6(70_000, kind=pkt.RELATIVE6), pkt.xlo6(5) + pkt.xlo6(70_000)],
    }
    for domain, family in WAYS:
        with Receiver(domain) as r:
            for options in rules[family]:
                r.inject(family, options)
                tap.equal(options.hex(), r.take()[0], library.MALFORMED)


def remaining(field, at_ns):
    """The number of ms from `at_ns` to the deadline in an absolute lifetime field. The deadline is
    a time of day and means the occurrence nearest to `at_ns`."""
    ms = (field - pkt.NONE - at_ns // MS) % pkt.DAY_MS
    return ms if ms <= pkt.DAY_MS // 2 else ms - pkt.DAY_MS


def test_receive_absolute():
    """The library counts the time until a deadline from the reading of the message. If the message
    has a receive time stamp, the library counts from the packet's arrival."""
    stamps = {None: 0, SO_TIMESTAMP: 1, SO_TIMESTAMPNS: 1, SO_TIMESTAMPING: RX_SOFTWARE}
    for domain, family in WAYS:
        for name, value in stamps.items():
            with Receiver(domain) as r:
                if name:
                    r.stamp(name, value, family)
                for ms in (10_000, -10_000, 43_000_000):
                    check_absolute(r, family, ms, stamped=name is not None)


def check_absolute(r, family, ms, stamped):
    """Send a packet whose deadline is in `ms` milliseconds, and read it 50 ms after its arrival."""
    start = time.time_ns()
    field = pkt.absolute(ms, start / NS)
    r.inject(family, option(family, field))
    wait.until("the packet arrives", r.waiting)
    arrived = time.time_ns()
    time.sleep(0.05)
    found, lifetime, _ = r.take()
    tap.equal("found", (found, lifetime.kind), (library.FOUND, library.ABSOLUTE))
    # time stamps are whole microseconds
    least, most = (start - 999, arrived) if stamped else (arrived + 50 * MS, time.time_ns())
    tap.within("at_ns", lifetime.at_ns, least, most)
    tap.equal("remaining", lifetime.remaining_ms, remaining(field, lifetime.at_ns))


def test_receive_time_stamp_is_the_kernels():
    """at_ns is exactly the time stamp that the message carries."""
    with Receiver(V6) as r:
        r.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        for family in FAMILIES:
            r.inject(family, option(family, 5))
            _, lifetime, message = r.take()
            seconds, fraction = struct.unpack_from("=qq", message.buffers[1].raw, 16)
            tap.equal("at_ns", lifetime.at_ns, seconds * NS + fraction)


def test_receive_in_small_buffers():
    """A receive call fails with ENOBUFS if the buffer is too small, even by one byte. A buffer of
    exactly the needed size is enough, with and without a time stamp."""
    for domain, family in WAYS:
        for stamp in (0, 32):
            need = stamp + 16 + (8 if family == V4 else 16)
            with Receiver(domain) as r:
                r.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, int(stamp > 0))
                for room in range(need + 2):
                    r.inject(family, option(family, 1234))
                    if room < need:
                        refused(f"buffer of {room} bytes, {need} needed",
                                errno.ENOBUFS, r.take, room)
                        continue
                    found, lifetime, message = r.take(room)
                    tap.equal("found", (found, lifetime.remaining_ms), (library.FOUND, 1234))
                    tap.equal("MSG_CTRUNC", message.flags & library.MSG_CTRUNC, 0)


def test_receive_the_longest_header():
    """A buffer of FRESHLINK_RECEIVE_ROOM bytes is large enough for the longest header and the
    longest time stamp."""
    for family in FAMILIES:
        with Receiver(V6, mtu=4000) as r:
            r.right.sysctl("net.ipv6.max_hbh_opts_number", 64)
            r.stamp(SO_TIMESTAMPING, RX_SOFTWARE, family)
            before = b"\1" * 32 if family == V4 else \
                (b"\x1f\xf0" + bytes(0xf0)) * 8 + b"\x1f\x64" + bytes(0x64)
            r.inject(family, before + option(family, 4321))
            found, lifetime, message = r.take()
            length = 40 if family == V4 else 2048
            tap.equal("used bytes of the buffer", message.controllen, 16 + 48 + 16 + length)
            tap.equal("found", (found, lifetime.remaining_ms), (library.FOUND, 4321))


def test_refused_sockets():
    """Calls with an unsuitable socket fail with the errno in the manual page."""
    lib = library.Library()
    relative = Lifetime(library.RELATIVE)
    clock = time.CLOCK_MONOTONIC
    for what, call, arguments in (("enable", lib.enable_deadlines, (clock,)),
                                  ("send", lib.send, (b"x", None, 0)),
                                  ("socket", lib.socket_lifetime, (relative,)),
                                  ("receive", lib.receive_lifetimes, ())):
        refused(what, errno.EBADF, call, -1, *arguments)
        with open("/dev/null", "rb") as file:
            refused(what, errno.ENOTSOCK, call, file.fileno(), *arguments)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        refused("AF_UNIX", errno.EAFNOSUPPORT, lib.socket_lifetime, sock.fileno(), relative)
        refused("AF_UNIX", errno.EAFNOSUPPORT, lib.receive_lifetimes, sock.fileno())
    for family in FAMILIES:
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            refused("TCP", errno.EOPNOTSUPP, lib.enable_deadlines, sock.fileno(), clock)
            refused("TCP", errno.EOPNOTSUPP, lib.receive_lifetimes, sock.fileno())


def test_refused_values():
    """The library refuses clocks, lifetimes and fields that are out of range. The library refuses
    deadlines on a socket where they are not enabled."""
    lib = library.Library()
    for family in FAMILIES:
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            fd = sock.fileno()
            refused("deadlines not enabled", errno.EOPNOTSUPP, lib.send, fd, b"x", None, 0)
            sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=iI", 1, 0))
            refused("departure time enabled", errno.EOPNOTSUPP, lib.send, fd, b"x", None, 0)
            for clock in (time.CLOCK_BOOTTIME, time.CLOCK_PROCESS_CPUTIME_ID, -1):
                refused(f"clock {clock}", errno.EINVAL, lib.enable_deadlines, fd, clock)
            lib.enable_deadlines(fd, time.CLOCK_MONOTONIC)
            for ns in (-1, -2**63, 2**63 - 1):
                refused(f"{ns} ns", errno.EINVAL, lib.send, fd, b"x", None, ns)
            for lifetime in (Lifetime(library.RELATIVE, 0, 65535), Lifetime(library.ABSOLUTE),
                             Lifetime(3), Lifetime(0, library.RESERVED),
                             Lifetime(0, 0, 0, 0, 0, 4)):
                refused(str(lifetime.fields()), errno.EINVAL, lib.socket_lifetime, fd, lifetime)


def tried(call, *arguments):
    """The result of a call: "done" or the name of its errno."""
    try:
        call(*arguments)
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]


def test_without_privilege():
    """A program needs no capability to send deadlines and to receive lifetimes. A program that sets
    the option directly or uses the clock TAI fails with EPERM if it has no capability."""
    lib = library.Library()

    def as_nobody():
        results = []
        child.become_nobody()
        for family in FAMILIES:
            sock = socket.socket(family, socket.SOCK_DGRAM)
            results += [tried(lib.socket_lifetime, sock.fileno(), Lifetime()),
                        tried(lib.enable_deadlines, sock.fileno(), time.CLOCK_TAI),
                        tried(lib.enable_deadlines, sock.fileno(), time.CLOCK_MONOTONIC),
                        tried(lib.receive_lifetimes, sock.fileno())]
            sock.connect((hosts.address("right", family), PORT))
            results.append(tried(lib.send, sock.fileno(), b"x", None, 5 * 10**9))
        return " ".join(results)

    with Sender() as s:
        s.xlo.set(txtime=1)
        # load the library before the fork, because the user `nobody` may have no access to the
        # library's folder
        with s.left.inside():
            tap.equal("results", child.answer(as_nobody),
                      " ".join(["EPERM EPERM done done done"] * 2))
        tap.equal("families", [packet[0] >> 4 for packet in s.arrived()
                               if pkt.lifetime(packet) is not None], [4, 6])


class Example:
    """The example program in C or Python, which receives on the right host."""

    def __init__(self, s, program):
        if not os.path.exists(program):
            tap.skip(f"there is no {program}")
        with s.right.inside():
            self.process = subprocess.Popen([program, "receive", str(PORT)], text=True,
                                            stdout=subprocess.PIPE)
        wait.until("the example receives", lambda: self.bound(s.right))

    @staticmethod
    def bound(ns):
        with ns.inside(), open("/proc/thread-self/net/udp6") as file:
            return f":{PORT:04X} " in file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def line(self):
        return self.process.stdout.readline().rstrip("\n")


def test_examples():
    """The example in C and the example in Python send to each other, over IPv4 and IPv6."""
    programs = library.EXAMPLE, library.EXAMPLE_PY
    with Sender() as s:
        s.xlo.set(txtime=1)
        for receiver in programs:
            with Example(s, receiver) as example:
                for sender in programs:
                    for family in FAMILIES:
                        host = hosts.address("right", family)
                        start = time.monotonic_ns()
                        s.left.run([sender, "send", host, str(PORT), "20000"])
                        took = (time.monotonic_ns() - start) // MS + 1
                        line = example.line()
                        left = re.fullmatch(r"5 bytes, (\d+) ms left", line)
                        tap.true(line, left)
                        # the lifetime counts down until the packet is stamped
                        least = 20000 if wait.virtual_time() else 20000 - took
                        tap.within("ms left", int(left[1]), least, 20000)
        s.account.expect(stamped_output=8, deadlines=8)


def test_examples_on_other_packets():
    """The examples also report packets with no lifetime, an unlimited lifetime, or a malformed
    option."""
    cases = [(None, "no lifetime", "no lifetime"), (9, "9 ms left", "9 ms left"),
             (pkt.NONE, "unlimited", "no lifetime"),
             (86_465_535, "a malformed option", "no lifetime")]
    for index, program in enumerate((library.EXAMPLE, library.EXAMPLE_PY)):
        with Receiver(V4) as r:
            r.sock.close()
            with Example(r, program) as example:
                for family in FAMILIES:
                    for value, *lines in cases:
                        r.inject(family, option(family, value) if value else
                                 b"" if family == V4 else None)
                        tap.equal(f"{program}, {value}", example.line(),
                                  f"5 bytes, {lines[index]}")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
