#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A local sender can set SOF_TXTIME_REPORT_ERRORS on its socket. After that, the socket's error
queue has a report about each expired packet of the socket, with the missed deadline. No other
packet causes a report."""
import select
import socket
import struct
import time

from lib import bench, hosts, netlink, packet as pkt, tap, tc, wait

MS = bench.MS
SO_TXTIME, SO_EE_ORIGIN_TXTIME, SO_EE_CODE_TXTIME_MISSED, ECANCELED = 61, 6, 2, 125
REPORT_ERRORS = 2
IP_OPTIONS, IPV6_HOPOPTS = 4, 54
CLOCK_TAI, ESP = 11, 50
LIFE = 500
# ms that a sent packet may need to reach the queue
SLACK = 1 if wait.virtual_time() else 250


class Host(bench.Bench):
    """A bench (lib/bench.py) with addresses and routes in its namespace. A packet occupies the
    wire, so later packets wait in the queue."""

    changes_namespace = True

    def __init__(self, **options):
        super().__init__()
        self.ns.sysctl("net.ipv6.conf.slip0.disable_ipv6", 0)
        self.ns.sysctl("net.ipv6.conf.slip0.router_solicitations", 0)
        self.ns.ip(f"addr add {pkt.SOURCE4}/24 dev slip0", f"route add {pkt.TARGET4} dev slip0",
                   f"addr add {pkt.SOURCE6}/64 dev slip0 nodad",
                   f"route add {pkt.TARGET6} dev slip0")
        self.lpd(**options)
        self.plug()

    def socket_that(self, clock=time.CLOCK_MONOTONIC, flags=REPORT_ERRORS,
                    family=socket.AF_INET, kind=socket.SOCK_DGRAM):
        sock = self.ns.socket(family, kind, ESP if kind == socket.SOCK_RAW else 0)
        sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=iI", clock, flags))
        sock.connect((pkt.TARGET4 if family == socket.AF_INET else pkt.TARGET6, 5000))
        return sock


def lifetime(sock, ms, flags=pkt.DISCARD):
    """Set the lifetime of all packets that the socket sends later."""
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.IPPROTO_IP, IP_OPTIONS, pkt.xlo4(ms, flags))
    else:
        sock.setsockopt(socket.IPPROTO_IPV6, IPV6_HOPOPTS,
                        pkt.hop_by_hop(pkt.xlo6(ms, flags), 0))


def report(sock):
    """Return the next report as ((errno, origin, code, time), packet), or None if the error queue
    is empty."""
    try:
        data, control, _, _ = sock.recvmsg(2000, 500, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    [error] = [value for _, kind, value in control if kind in (11, 25)]     # IP(V6)_RECVERR
    number, origin, _, code, _, low, high = struct.unpack_from("=IBBBBII", error)
    return (number, origin, code, high << 32 | low), data


def check(sock, body, clock, first, last):
    """Check that the next report is about the packet with the payload `body`, and that the deadline
    is between `first` and `last`."""
    got = []
    wait.until("a report", lambda: got.append(report(sock)) or got[-1])
    (number, origin, code, at), data = got[-1]
    tap.equal("kind", (number, origin, code),
              (ECANCELED, SO_EE_ORIGIN_TXTIME, SO_EE_CODE_TXTIME_MISSED))
    tap.true("the report contains the packet", data.endswith(body))
    now = time.monotonic_ns() - time.clock_gettime_ns(clock)
    tap.within("deadline, monotonic", at + now, first - SLACK * MS, last + SLACK * MS)


def test_expired_in_the_queue():
    """A packet that expires in the queue is reported. The test uses IPv4 and IPv6, and each clock
    that the socket may use."""
    for family in (socket.AF_INET, socket.AF_INET6):
        for clock in (time.CLOCK_MONOTONIC, time.CLOCK_REALTIME, CLOCK_TAI):
            with Host() as b, b.socket_that(clock, family=family) as sock:
                lifetime(sock, LIFE)
                with bench.Moment() as sent:
                    sock.send(pkt.body(1, 60))
                tap.equal("report before the deadline", report(sock), None)
                wait.till(sent.last + (LIFE + 1) * MS)
                check(sock, pkt.body(1, 60), clock, sent.first + LIFE * MS,
                      sent.last + LIFE * MS)
                tap.equal("further report", report(sock), None)


def test_stale_on_arrival():
    """A packet that is stale on arrival is reported."""
    with Host() as b, b.socket_that() as sock:
        lifetime(sock, 0)
        with bench.Moment() as sent:
            sock.send(pkt.body(1, 60))
        check(sock, pkt.body(1, 60), time.CLOCK_MONOTONIC, sent.first, sent.last)


def test_uncuttable():
    """If lpd discards a packet because the packet cannot be cut to its headers (here ESP), the
    sender gets a report. If lpd cuts the packet, the sender gets no report."""
    with Host() as b, b.socket_that() as sock, b.socket_that(kind=socket.SOCK_RAW) as esp:
        for one in (sock, esp):
            lifetime(one, LIFE, pkt.TRUNCATE)
        with bench.Moment() as sent:
            sock.send(pkt.body(1, 60))
            esp.send(pkt.body(2, 60))
        wait.until("the timer discards the packet", lambda: b.counters()["uncuttable"] == 1)
        check(esp, pkt.body(2, 60), time.CLOCK_MONOTONIC, sent.first + LIFE * MS,
              sent.last + LIFE * MS)
        tap.equal("report about the cut packet", report(sock), None)
        b.expect(packets_in=2, uncuttable=1, truncated=1, truncated_bytes=60)


def test_tcp():
    """A report about a TCP segment contains no address. The control block of a retransmitted
    segment contains data of TCP, which the report must not show as an address."""
    tc.need("lpd")
    with hosts.Hosts() as h, h.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener, \
            h.left.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        netlink.Netlink(h.left).qdisc("v0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd")
        where = hosts.address("right", socket.AF_INET), 5000
        listener.bind(where)
        listener.listen()
        # TCP writes a time into the control block, at the position at which a report has its port.
        # From 3 s after boot on, the bytes at the port are not 0.
        wait.till(3000 * MS)
        sock.connect(where)
        sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                        struct.pack("=iI", time.CLOCK_MONOTONIC, REPORT_ERRORS))
        h.right.ip(f"address del {where[0]}/24 dev v1")
        sock.send(pkt.body(1, 60))
        lifetime(sock, 0)
        wait.until("a report", lambda: select.select([sock], [], [], 0)[0])
        data, control, _, address = sock.recvmsg(2000, 500, socket.MSG_ERRQUEUE)
        tap.equal("address", address, None)
        tap.true("the report contains the segment", control and data.endswith(pkt.body(1, 60)))


def test_in_order_and_each_once():
    """If ten of twenty packets expire, the sender gets ten reports, in the order of the
    deadlines."""
    with Host() as b, b.socket_that() as sock:
        sent = []
        for number in range(20):
            lifetime(sock, 60_000 if number % 2 else LIFE)
            sock.send(pkt.body(number, 60))
            sent.append(time.monotonic_ns())
        wait.till(sent[-1] + (LIFE + 1) * MS)
        wait.until("ten packets expire", lambda: b.tree().root.qlen == 10)
        bodies = [report(sock)[1][-60:] for _ in range(10)]
        tap.equal("reported packets", [pkt.number(body) for body in bodies], list(range(0, 20, 2)))
        tap.equal("further report", report(sock), None)


def test_nobody_else_hears():
    """A sender that did not ask for reports gets no report. Packets that left, overflowed or were
    dropped by a reset are not reported."""
    with Host(limit=3) as b, b.socket_that(flags=0) as silent, b.socket_that() as sock:
        lifetime(silent, 0)
        silent.send(pkt.body(1, 60))
        lifetime(sock, 60_000)
        for number in range(4):
            sock.send(pkt.body(number, 60))
        b.expect(packets_in=5, stale_enqueue=1, overflow_limit=1)
        tap.equal("packets", b.numbers(), [0, 1, 2])
        b.plug()
        sock.send(pkt.body(9, 60))
        b.ns.link("slip0", False)
        tap.equal("reports", (report(silent), report(sock)), (None, None))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
