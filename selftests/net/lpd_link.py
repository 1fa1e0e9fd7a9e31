#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet is stale if its remaining lifetime is shorter than the time that the link needs to
deliver it. The queue computes the needed time from `rate`, `delay` and the packet's length, exact
to the nanosecond. The option `stale` overrides the packet's flags. The option `lifetime` gives a
lifetime to packets without the IP option."""
from lib import bench, packet as pkt, tap, wait

MS = bench.MS


def packet(number, ms, size=60, flags=pkt.DISCARD):
    """A packet of `size` bytes, which include the headers and the option."""
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, size - 36))


def arrives(b, *packets):
    """Send packets on an idle device, where each fresh packet leaves immediately. Returns the
    numbers of the packets that leave."""
    b.mark()
    b.send(*packets)
    return b.numbers()


def boundary(options, ms, fresh, stale):
    """Check that with the lifetime `ms` a packet of `fresh` bytes passes and a packet of `stale`
    bytes is stale."""
    with bench.Bench() as b:
        b.lpd(**options)
        tap.equal("packets just too long", arrives(b, packet(1, ms, stale)), [])
        b.expect(packets_in=1, stale_enqueue=1)
        # The check is exact only in simulated time, where no time passes between arrival and
        # departure.
        if wait.virtual_time():
            tap.equal("packets just short enough", arrives(b, packet(0, ms, fresh)), [0])
            b.expect(packets_in=1, packets_out=1, rewritten=1)


def test_rate_boundary():
    """The rate is 1000 byte/s, and the lifetime is 500 ms. A packet of 500 bytes passes, and a
    packet of 501 bytes is stale."""
    boundary({"rate": 1000}, 500, 500, 501)


def test_delay_boundary():
    """A packet is stale if `delay` is one ns longer than the packet's lifetime. If `delay` and the
    lifetime are equal, the packet passes."""
    with bench.Bench() as b:
        b.lpd(delay=250 * MS + 1)
        tap.equal("packets with a delay one ns too long", arrives(b, packet(1, 250)), [])
        b.change(delay=250 * MS)
        if wait.virtual_time():
            tap.equal("packets with an equal delay", arrives(b, packet(2, 250)), [2])
        tap.equal("packets with a longer lifetime", arrives(b, packet(3, 255)), [3])


def test_rate_and_delay_add_up():
    """The transmission time and the delay add up. With 1000 byte/s and a delay of 100 ms, a packet
    of 400 bytes needs 500 ms."""
    boundary({"rate": 1000, "delay": 100 * MS}, 500, 400, 401)


def test_rate_above_32_bits():
    """A rate of 10 Gbyte/s does not fit into 32 bits, but no packet becomes stale because of an
    integer overflow. The transmission time rounds to 0."""
    with bench.Bench() as b:
        b.lpd(rate=10**10)
        tap.equal("packets", arrives(b, packet(1, 5, 1400)), [1])


def threshold(b, delay, offset, number):
    """Let a packet with a lifetime of 80 ms wait until `offset` ns before it becomes stale. Returns
    whether the packet should leave (None if the time is too short to predict the result), and
    whether the packet has left."""
    b.change(delay=delay)
    b.plug()
    sent = b.send(packet(number, 80))
    wait.till(sent.first + 80 * MS - delay - offset)
    _, moment, left = b.release(0.1)
    b.slip.read(0)
    if moment.first > sent.last + 80 * MS - delay:
        return False, left
    # When the wire is free, the driver immediately dequeues the packet. In real time the dequeue
    # may be too late.
    return (True if wait.virtual_time() and offset > 0 else None), left


def test_waiting_counts():
    """The remaining lifetime is measured when the packet leaves, not when it arrives."""
    seen = []
    with bench.Bench() as b:
        b.lpd()
        for number, delay in enumerate((0, 20 * MS, 50 * MS)):
            for offset in (25 * MS, 8 * MS, 3 * MS, MS, -MS // 10, -1 * MS, -10 * MS):
                due, left = threshold(b, delay, offset, number)
                if due is not None:
                    tap.equal(f"delay {delay} offset {offset}: sent", left, due)
                seen.append(left)
    tap.true("some packets are fresh and some stale", True in seen and False in seen)


def overridden(override, **wanted):
    """Send stale packets with every treatment, while the option `stale` has the value `override`.
    Checks the counters, and returns the numbers of the packets that leave."""
    flags = (pkt.FORWARD, pkt.DISCARD, pkt.TRUNCATE, pkt.RESERVED)
    with bench.Bench() as b:
        b.lpd(stale=override, keep=8)       # keeps the packet's number
        b.plug()
        sent = b.send(*[packet(number, 40, 60, f) for number, f in enumerate(flags)],
                      packet(9, 20_000))
        wait.till(sent.last + 41 * MS)
        got = b.numbers()
        b.expect(packets_in=5, packets_out=len(got), rewritten=len(got), reserved=1, **wanted)
        return got


def test_stale_honor():
    """With `stale honor` each stale packet is treated as its flags say."""
    tap.equal("packets", overridden(bench.HONOR, stale=1, truncated=1, truncated_bytes=16,
                                    stale_forwarded=2), [0, 2, 3, 9])


def test_stale_forward():
    """With `stale forward` each stale packet is sent."""
    tap.equal("packets", overridden(bench.FORWARD, stale_forwarded=4), [0, 1, 2, 3, 9])


def test_stale_discard():
    """With `stale discard` each stale packet is discarded."""
    tap.equal("packets", overridden(bench.DISCARD, stale=4), [9])


def test_stale_truncate():
    """With `stale truncate` each stale packet is cut and sent."""
    tap.equal("packets", overridden(bench.TRUNCATE, truncated=4, truncated_bytes=4 * 16),
              [0, 1, 2, 3, 9])


def test_default_lifetime():
    """A packet without an option is discarded after the default lifetime, which is the option
    `lifetime`. If the packet leaves earlier, its bytes do not change."""
    with bench.Bench() as b:
        b.lpd(lifetime=40 * MS)
        bare = pkt.ipv4(payload=pkt.body(1, 50))
        tap.equal("fresh packets", arrives(b, bare, pkt.ipv6(None, pkt.body(2, 50))), [1, 2])
        b.expect(packets_in=2, packets_out=2, default_lifetime=2)
        b.plug()
        sent = b.send(bare, pkt.ipv6(None, pkt.body(2, 50)), packet(3, 20_000))
        wait.till(sent.last + 41 * MS)
        tap.equal("packets after the lifetime", b.numbers(), [3])
        b.expect(packets_in=3, packets_out=1, default_lifetime=2, stale=2, rewritten=1)


def test_default_lifetime_forwarded():
    """`stale forward` also applies to a packet with a default lifetime."""
    with bench.Bench() as b:
        b.lpd(lifetime=30 * MS, stale=bench.FORWARD)
        b.plug()
        bare = pkt.ipv4(payload=pkt.body(1, 50))
        sent = b.send(bare)
        wait.till(sent.last + 31 * MS)
        tap.equal("packets", b.open(), [bare])
        b.expect(packets_in=1, packets_out=1, default_lifetime=1, stale_forwarded=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
