#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""When a packet with a relative lifetime leaves, its option has the remaining lifetime, to the
nearest millisecond. The IPv4 header checksum is right. No other bit of the packet changes. A packet
with an absolute deadline does not change."""
# run.sh: smoke: value_and_every_other_bit floor_is_zero
import time

from lib import bench, packet as pkt, tap, wait

MS = bench.MS


def nearest_ms(ns):
    return (max(ns, 0) + MS // 2) // MS


def random_packet(number, lifetime, random):
    """An IPv4 or IPv6 packet with the option at a random position. Other fields of the header are
    also random."""
    flags, reorder = random.randrange(256) & ~0xc | pkt.DISCARD, random.randrange(256)
    body = pkt.body(number, 8) + random.randbytes(random.randrange(300))
    if random.randrange(2):
        option = pkt.xlo4(lifetime, flags, reorder)
        return pkt.ipv4(b"\x01" * random.randrange(8) + option, body, random.randrange(256),
                        f"10.{random.randrange(256)}.{random.randrange(256)}.1")
    option = pkt.xlo6(lifetime, flags, reorder)
    return pkt.ipv6(bytes(random.randrange(8)) + option + bytes([5, 2, 0, 0]), body)


def check_value(what, lifetime, sent, left, value):
    """Check the lifetime `value` of a packet. The packet was enqueued in the period `sent` and
    dequeued in the period `left`."""
    tap.within(what, value, nearest_ms(lifetime * MS - (left.last - sent.first)),
               nearest_ms(lifetime * MS - (left.first - sent.last)))


def one_by_one(b, packets, random):
    """Let the packets leave one at a time, after random times. Yields (packet, sent, left, frame)
    for each packet."""
    b.plug()
    sent = [b.send(packet) for packet in packets]
    _, left, _ = b.release(5)
    for packet, moment in zip(packets, sent):
        wait.till(left.last + random.randrange(30 * MS))
        frame, next_left, _ = b.release(0 if packet is packets[-1] else 5)
        yield packet, moment, left, frame
        left = next_left


def test_value_and_every_other_bit():
    """A packet leaves with its remaining lifetime, and every other bit is unchanged."""
    random = bench.seed()
    with bench.Bench() as b:
        b.lpd()
        packets = [random_packet(n, random.randrange(20_000, 65_535), random) for n in range(100)]
        for packet, sent, left, got in one_by_one(b, packets, random):
            name = f"packet {pkt.number(packet)}"
            check_value(name, pkt.lifetime(packet), sent, left, pkt.lifetime(got))
            tap.equal(name, got.hex(), pkt.with_lifetime(packet, pkt.lifetime(got)).hex())
        b.expect(packets_in=100, packets_out=100, rewritten=100)


def test_link_delay_is_not_taken_off():
    """The options `rate` and `delay` decide whether a packet is stale. The option has the remaining
    lifetime at the time when the packet leaves the queue. The transmission time and the delay are
    not subtracted."""
    random = bench.seed()
    with bench.Bench() as b:
        b.lpd(rate=10_000, delay=500 * MS)
        packets = [random_packet(n, 9_000, random) for n in range(5)]
        for packet, sent, left, got in one_by_one(b, packets, random):
            check_value("lifetime", 9_000, sent, left, pkt.lifetime(got))


def test_floor_is_zero():
    """If a stale packet is forwarded, it leaves with the lifetime 0."""
    with bench.Bench() as b:
        b.lpd(stale=bench.FORWARD)
        b.plug()
        packets = [pkt.ipv4(pkt.xlo4(5), pkt.body(0, 10)), pkt.ipv6(pkt.xlo6(5), pkt.body(1, 10)),
                   pkt.ipv4(pkt.xlo4(0), pkt.body(2, 10)), pkt.ipv6(pkt.xlo6(0), pkt.body(3, 10))]
        sent = b.send(*packets)
        wait.till(sent.last + 20 * MS)
        tap.equal("packets", b.open(), [pkt.with_lifetime(p, 0) for p in packets])
        b.expect(packets_in=4, packets_out=4, rewritten=4, stale_forwarded=4)


def test_largest_relative_lifetime():
    """A lifetime of 65534 ms is the largest relative lifetime. The rewritten lifetime is never
    65535, which means no lifetime."""
    with bench.Bench() as b:
        b.lpd()
        b.send(pkt.ipv4(pkt.xlo4(65_534), pkt.body(0, 10)))
        tap.within("lifetime", pkt.lifetime(b.open()[0]), 65_000, 65_534)


def test_absolute_is_not_rewritten():
    """A packet with an absolute lifetime leaves unchanged."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        field = pkt.absolute(30_000, time.time())
        packets = [pkt.ipv4(pkt.xlo4(field), pkt.body(0, 10)),
                   pkt.ipv6(pkt.xlo6(field), pkt.body(1, 10))]
        sent = b.send(*packets)
        wait.till(sent.last + 20 * MS)
        tap.equal("packets", b.open(), packets)
        b.expect(packets_in=2, packets_out=2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
