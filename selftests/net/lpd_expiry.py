#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet whose lifetime is over never leaves lpd, and a fresh packet always leaves. The flags of
a packet may ask for another treatment, which lpd applies when the packet is stale."""
# run.sh: smoke on arm64 s390x: everything
import time

from lib import bench, packet as pkt, tap, wait

LONG, SHORT = 20_000, 60
NUMBER = 8          # bytes of payload that contain the packet's number


def relative4(number, ms, flags=pkt.DISCARD):
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, 100))


def absolute4(number, ms, flags=pkt.DISCARD):
    return pkt.ipv4(pkt.xlo4(pkt.absolute(ms, time.time()), flags), pkt.body(number, 100))


def relative6(number, ms, flags=pkt.DISCARD):
    return pkt.ipv6(pkt.xlo6(ms, flags), pkt.body(number, 100))


def absolute6(number, ms, flags=pkt.DISCARD):
    return pkt.ipv6(pkt.xlo6(pkt.absolute(ms, time.time()), flags), pkt.body(number, 100))


KINDS = (relative4, absolute4, relative6, absolute6)


def relative(kind):
    return kind in (relative4, relative6)


def fresh_passes(kind):
    """Fresh packets leave in the order of arrival. Only the relative lifetime of a
    fresh packet changes, and no other bit."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        packets = [kind(number, LONG) for number in range(3)]
        b.send(*packets)
        got = b.open()
        tap.equal("packets", [pkt.with_lifetime(p, pkt.lifetime(packets[0])) for p in got],
                  [pkt.with_lifetime(p, pkt.lifetime(packets[0])) for p in packets])
        b.expect(packets_in=3, packets_out=3, rewritten=3 if relative(kind) else 0)
        if not relative(kind):
            tap.equal("absolute lifetimes", got, packets)


def stale_never_leaves(kind):
    """Packets that expire in the queue are discarded, and the fresh packets between them leave."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        sent = b.send(*[kind(number, LONG if number % 2 else SHORT) for number in range(6)])
        wait.till(sent.last + (SHORT + 1) * bench.MS)
        tap.equal("packets", b.numbers(), [1, 3, 5])
        b.expect(packets_in=6, packets_out=3, stale=3, rewritten=3 if relative(kind) else 0)


def stale_on_arrival(kind):
    """A packet that is stale on arrival is not queued, and the counter stale_enqueue counts it."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        late = 0 if relative(kind) else -10
        b.send(kind(0, late))
        tap.equal("queued", b.tree().root.qlen, 0)
        b.expect(packets_in=1, stale_enqueue=1)
        b.send(kind(1, LONG))
        tap.equal("packets", b.numbers(), [1])


def treated(kind, flags, wanted):
    """Check that stale packets with the given flags leave. One packet becomes stale in the queue,
    and a second packet is stale on arrival."""
    with bench.Bench() as b:
        b.lpd(keep=NUMBER)
        b.plug()
        sent = b.send(kind(0, SHORT, flags), kind(1, 0 if relative(kind) else -10, flags))
        wait.till(sent.last + (SHORT + 1) * bench.MS)
        got = b.open()
        tap.equal("packets", [pkt.number(p) for p in got], [0, 1])
        if relative(kind):
            tap.equal("lifetimes", [pkt.lifetime(p) for p in got], [0, 0])
        b.expect(packets_in=2, packets_out=2, rewritten=2 * relative(kind), **wanted)


def forward_sends_stale(kind):
    """A stale packet that asks for forwarding is sent."""
    treated(kind, pkt.FORWARD, {"stale_forwarded": 2})


def truncate_sends_headers(kind):
    """A stale packet that asks for truncation is cut to its headers and sent."""
    treated(kind, pkt.TRUNCATE, {"truncated": 2, "truncated_bytes": 2 * (100 - NUMBER)})


def reserved_is_forward_and_counted(kind):
    """A stale packet with the reserved treatment is sent and counted."""
    treated(kind, pkt.RESERVED, {"stale_forwarded": 2, "reserved": 2})


def fresh_whatever_the_treatment(kind):
    """A fresh packet is sent with any flags, because the flags apply to stale packets only."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[kind(flags, LONG, flags | 0x13)
                 for flags in (pkt.FORWARD, pkt.DISCARD, pkt.TRUNCATE, pkt.RESERVED)])
        got = b.open()
        tap.equal("packets", [pkt.number(p) for p in got], [0, 4, 8, 12])
        tap.equal("flags", [p[pkt.option_offset(p) + 3] for p in got],
                  [0x13, 0x17, 0x1b, 0x1f])
        b.expect(packets_in=4, packets_out=4, reserved=1, rewritten=4 if relative(kind) else 0)


def say_none(flags=pkt.DISCARD):
    """Packets with each type of option, but without a lifetime."""
    return [pkt.ipv4(pkt.xlo4(pkt.NONE, flags), pkt.body(0, 100)),
            pkt.ipv6(pkt.xlo6(pkt.NONE, flags, kind=pkt.RELATIVE6), pkt.body(1, 100)),
            pkt.ipv6(pkt.xlo6(pkt.NONE, flags, kind=pkt.ABSOLUTE6), pkt.body(2, 100))]


def test_no_lifetime_in_the_option():
    """A packet whose option states no lifetime (the value 65535) never expires and leaves
    unchanged. The test uses a queue without a default lifetime, and a queue with `lifetime` and
    `exempt`."""
    for options in ({}, {"lifetime": SHORT * bench.MS, "exempt": 1}):
        with bench.Bench() as b:
            b.lpd(**options)
            b.plug()
            sent = b.send(*say_none())
            wait.till(sent.last + (SHORT + 1) * bench.MS)
            tap.equal("packets", b.open(), say_none())
            b.expect(packets_in=3, packets_out=3, no_lifetime=3)


def test_queues_lifetime_for_what_says_none():
    """If the option states no lifetime, the queue's default lifetime applies from the packet's
    arrival. A packet that leaves within the default lifetime is unchanged. Later the packet is
    stale, and lpd treats it as its flags say."""
    for flags, reserved in ((pkt.DISCARD, 0), (pkt.DISCARD | 0x13, 0), (pkt.RESERVED, 3)):
        with bench.Bench() as b:
            b.lpd(lifetime=LONG * bench.MS)
            b.plug()
            b.send(*say_none(flags))
            tap.equal("fresh", b.open(), say_none(flags))
            b.expect(packets_in=3, packets_out=3, default_lifetime=3, reserved=reserved)
    for flags, left, counters in ((pkt.DISCARD, 0, {"stale": 3}),
                                  (pkt.FORWARD, 3, {"stale_forwarded": 3}),
                                  (pkt.TRUNCATE, 3, {"truncated": 3, "truncated_bytes": 300})):
        with bench.Bench() as b:
            b.lpd(lifetime=SHORT * bench.MS)
            b.plug()
            sent = b.send(*say_none(flags))
            wait.till(sent.last + (SHORT + 1) * bench.MS)
            tap.equal(f"stale with flags {flags}", len(b.open()), left)
            b.expect(packets_in=3, packets_out=left, default_lifetime=3, **counters)


def test_not_ip_is_left_alone():
    """Packets of ARP or an unknown protocol have no lifetime, not even the default lifetime."""
    with bench.Bench() as b:
        b.lpd(lifetime=SHORT * bench.MS, stale=bench.DISCARD)
        b.plug()
        packets = [pkt.arp(), b"\xf0" + pkt.body(1, 60)]
        sent = b.send(*packets)
        wait.till(sent.last + (SHORT + 1) * bench.MS)
        tap.equal("packets", b.open(), packets)
        b.expect(packets_in=2, packets_out=2, no_lifetime=2)


def test_absolute_deadlines_across_midnight():
    """An absolute deadline is a time of day, and lpd chooses the nearest time with this time of
    day. A deadline in 11 hours is fresh and a deadline 11 hours ago is stale, even if midnight is
    between the present time and the deadline."""
    hour = 3_600_000
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        for number, hours in enumerate((11, -11, 1, -1)):
            b.send(absolute4(number, hours * hour))
        tap.equal("packets", b.numbers(), [0, 2])
        b.expect(packets_in=4, packets_out=2, stale_enqueue=2)


if __name__ == "__main__":
    RULES = (fresh_passes, stale_never_leaves, stale_on_arrival, forward_sends_stale,
             truncate_sends_headers, reserved_is_forward_and_counted,
             fresh_whatever_the_treatment)
    tap.run([(f"{rule.__name__}_{kind.__name__}", lambda rule=rule, kind=kind: rule(kind))
             for rule in RULES for kind in KINDS] + tap.collect(globals()))
