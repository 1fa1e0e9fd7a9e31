#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If `txtime` is on, a datagram's SO_TXTIME deadline becomes its lifetime, and no qdisc treats the
deadline as a departure time. The time stamp stays unchanged if `txtime` is off, and on sockets of
other types."""
# run.sh: all on vm-6.12: everything
# run.sh: smoke on arm64 s390x: deadline_is_the_lifetime rounding
import socket
import struct
import time

from lib import hosts, packet as pkt, tap, tc, wait
from lib.sender import FAMILIES, PORT, Sender, is_chatter

SO_TXTIME, DEADLINE_MODE = 61, 1
MS = 10**6
LONG = 20_000                   # ms
CLOCKS = {"monotonic": time.CLOCK_MONOTONIC, "tai": time.CLOCK_TAI,
          "realtime": time.CLOCK_REALTIME}
# The longest time between the reading of the clock and the hook, ms.
LATE = 0 if wait.virtual_time() else 5000


def send(s, family, ms, clock=time.CLOCK_MONOTONIC, flags=DEADLINE_MODE, mark=0):
    """Send a datagram with a deadline that is `ms` milliseconds from now. Returns the packets that
    arrived."""
    return send_at(s, family, lambda: time.clock_gettime_ns(clock) + int(ms * MS), clock, flags,
                   mark)


def send_at(s, family, when, clock, flags=DEADLINE_MODE, mark=0):
    """Send a datagram with the time stamp when(), in ns. Returns the packets that arrived."""
    with s.socket(family, mark) as sock:
        sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=iI", clock, flags))
        sock.sendmsg([b"x"], [(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=q", when()))], 0,
                     (hosts.address("right", family), PORT))
    return s.arrived()


def test_deadline_is_the_lifetime():
    """A deadline on any clock becomes the remaining lifetime in ms, in IPv4 and IPv6. The option
    requests that queues discard the packet when it is stale."""
    with Sender() as s:
        s.xlo.set(txtime=1)
        for family in FAMILIES:
            for name, clock in CLOCKS.items():
                [packet] = send(s, family, LONG, clock)
                tap.within(f"lifetime by {name}", pkt.lifetime(packet), LONG - LATE, LONG)
                at = pkt.option_offset(packet)
                tap.equal("reorder and flags", packet[at + 2:at + 4], bytes([0, pkt.DISCARD]))
        s.account.expect(stamped_output=6, deadlines=6)


def test_rounding():
    """The remaining time is rounded to the nearest ms. A deadline in the past becomes 0, which
    means expired."""
    cases = ((10.4, 10), (10.6, 11), (0.4, 0), (-5, 0))
    with Sender() as s:
        s.xlo.set(txtime=1)
        for ms, wanted in cases:
            [packet] = send(s, socket.AF_INET, ms)
            tap.within(f"lifetime for {ms} ms", pkt.lifetime(packet), max(0, wanted - LATE), wanted)


def test_any_deadline():
    """A deadline may have any value. Any deadline in the past becomes lifetime 0. A deadline far in
    the future becomes the longest lifetime."""
    with Sender() as s:
        s.xlo.set(txtime=1)
        for family in FAMILIES:
            for name, clock in CLOCKS.items():
                for when, wanted in ((-2**63, 0), (-2**63 + 1, 0), (-2**62, 0), (-1, 0), (1, 0),
                                     (2**63 - 1, 65534)):
                    [packet] = send_at(s, family, lambda: when, clock)
                    tap.equal(f"lifetime for {when} by {name}", pkt.lifetime(packet), wanted)
        s.account.expect(stamped_output=36, deadlines=36, clamped=6)


def test_profile_gives_the_rest():
    """The deadline takes precedence over the profile's lifetime. The profile determines reorder,
    flags and clock."""
    with Sender(lifetime=300, reorder=7, stale=0, slow=True, clock=1) as s:
        s.xlo.set(txtime=1)
        for family in FAMILIES:
            before = pkt.absolute(LONG, time.time())
            [packet] = send(s, family, LONG, mark=1)
            at = pkt.option_offset(packet)
            tap.equal("reorder and flags", packet[at + 2:at + 4], bytes([7, 0x10]))
            tap.within("deadline", (pkt.lifetime(packet) - before) % pkt.DAY_MS, 0, LATE + 1)


def test_only_deadlines():
    """A packet is not stamped if its time stamp is a departure time, or if it has no time stamp."""
    with Sender() as s:
        s.xlo.set(txtime=1)
        [packet] = send(s, socket.AF_INET, 1, flags=0)
        tap.equal("lifetime with a departure time", pkt.lifetime(packet), None)
        with s.socket(socket.AF_INET, 0) as sock:
            sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                            struct.pack("=iI", time.CLOCK_MONOTONIC, DEADLINE_MODE))
            sock.sendto(b"x", (hosts.address("right", socket.AF_INET), PORT))
        tap.equal("lifetime without a time stamp", pkt.lifetime(s.arrived()[0]), None)
        s.account.expect()


def first(s):
    """The first frame that is not background traffic of the hosts."""
    frames = s.sniffer.until("a frame arrives",
                             lambda seen: [f for f in seen if not is_chatter(f.packet)])
    return next(f for f in frames if not is_chatter(f.packet))


def sent_through(s, qdisc, ms):
    """Send a packet with a deadline in `ms` through a qdisc. Returns the ms that the packet took,
    and its lifetime."""
    tc.need(qdisc.split()[0])
    s.left.run(f"tc qdisc replace dev v0 root {qdisc}")
    start = time.monotonic_ns()
    with s.socket(socket.AF_INET, 0) as sock:
        sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                        struct.pack("=iI", time.CLOCK_MONOTONIC, DEADLINE_MODE))
        sock.sendmsg([b"x"], [(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=Q", start + ms * MS))],
                     0, (hosts.address("right", socket.AF_INET), PORT))
    frame = first(s)
    return (frame.when - start) / MS, pkt.lifetime(frame.packet)


def test_fq_sends_at_once():
    """If txtime is on, fq sends a packet with a deadline immediately, because xlo clears the time
    stamp. If txtime is off, fq keeps the packet until the time stamp."""
    with Sender() as s:
        took, lifetime = sent_through(s, "fq", 500)
        tap.within("off: ms in fq", took, 499, 500 + 2 * LATE + 2)
        tap.equal("off: lifetime", lifetime, None)
        s.xlo.set(txtime=1)
        took, lifetime = sent_through(s, "fq", 8000)
        tap.within("on: ms in fq", took, 0, LATE + 1)
        tap.within("on: lifetime", lifetime, 8000 - LATE, 8000)


def test_etf_is_left_alone():
    """If txtime is off, a packet with a deadline leaves etf before its deadline, as without xlo."""
    with Sender() as s:
        tc.need("etf")
        s.left.run("tc qdisc replace dev v0 root etf clockid CLOCK_TAI delta 1000000 deadline_mode")
        with s.socket(socket.AF_INET, 0) as sock:
            sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                            struct.pack("=iI", time.CLOCK_TAI, DEADLINE_MODE))
            when = time.clock_gettime_ns(time.CLOCK_TAI) + LONG * MS
            deadline = time.monotonic_ns() + LONG * MS
            sock.sendmsg([b"x"], [(socket.SOL_SOCKET, SO_TXTIME, struct.pack("=Q", when))], 0,
                         (hosts.address("right", socket.AF_INET), PORT))
        frame = first(s)
        tap.true("the packet leaves before its deadline", frame.when < deadline)
        tap.equal("lifetime", pkt.lifetime(frame.packet), None)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
