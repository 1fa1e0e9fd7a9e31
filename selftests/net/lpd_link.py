#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet is stale if its remaining lifetime is shorter than the time that the link needs to
deliver it: `rate` and `delay` are subtracted, to the nanosecond. `stale` overrides the packet's
flags, and `lifetime` gives a lifetime to packets without an option."""
from lib import bench, packet as pkt, tap, wait

MS = bench.MS


def packet(number, ms, size=60, flags=pkt.DISCARD):
    """size counts the whole packet, headers and option included."""
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, size - 36))


def arrives(b, *packets):
    """Send to an idle device: a packet that passes leaves at once."""
    b.mark()
    b.send(*packets)
    return b.numbers()


def boundary(options, ms, fresh, stale):
    """With these options and lifetimes of `ms`, a packet of `fresh` bytes needs exactly the
    remaining time on arrival, and one of `stale` bytes a little more."""
    with bench.Bench() as b:
        b.lpd(**options)
        tap.equal("just above", arrives(b, packet(1, ms, stale)), [])
        b.expect(packets_in=1, stale_enqueue=1)
        # Only where no time passes between arrival and departure is "exactly" fresh.
        if wait.virtual_time():
            tap.equal("exactly", arrives(b, packet(0, ms, fresh)), [0])
            b.expect(packets_in=1, packets_out=1, rewritten=1)


def test_rate_boundary():
    """500 bytes at 1000 byte/s take 500 ms: 500 bytes with 500 ms pass, 501 do not."""
    boundary({"rate": 1000}, 500, 500, 501)


def test_delay_boundary():
    """A delay one ns above the lifetime makes a packet stale, an equal one does not."""
    with bench.Bench() as b:
        b.lpd(delay=250 * MS + 1)
        tap.equal("one ns above", arrives(b, packet(1, 250)), [])
        b.change(delay=250 * MS)
        if wait.virtual_time():
            tap.equal("equal", arrives(b, packet(2, 250)), [2])
        tap.equal("one ms more", arrives(b, packet(3, 255)), [3])


def test_rate_and_delay_add_up():
    """400 bytes at 1000 byte/s and 100 ms: 500 ms are needed."""
    boundary({"rate": 1000, "delay": 100 * MS}, 500, 400, 401)


def test_rate_above_32_bits():
    """10 Gbyte/s: transmission time rounds to nothing, no overflow makes packets stale."""
    with bench.Bench() as b:
        b.lpd(rate=10**10)
        tap.equal("packets", arrives(b, packet(1, 5, 1400)), [1])


def threshold(b, delay, offset, number):
    """A packet with 80 ms waits until `offset` ns before the end of its lifetime less the delay.
    Returns the expected result (None: too close to tell here) and the actual one."""
    b.change(delay=delay)
    b.plug()
    sent = b.send(packet(number, 80))
    wait.till(sent.first + 80 * MS - delay - offset)
    _, moment, left = b.release(0.1)
    b.slip.read(0)
    if moment.first > sent.last + 80 * MS - delay:
        return False, left
    # The driver asks for the packet at once, but where time does not stand still "at once"
    # may be too late.
    return (True if wait.virtual_time() and offset > 0 else None), left


def test_waiting_counts():
    """The remaining lifetime is measured when the packet leaves, not when it arrived."""
    seen = []
    with bench.Bench() as b:
        b.lpd()
        for number, delay in enumerate((0, 20 * MS, 50 * MS)):
            for offset in (25 * MS, 8 * MS, 3 * MS, MS, -MS // 10, -1 * MS, -10 * MS):
                due, left = threshold(b, delay, offset, number)
                if due is not None:
                    tap.equal(f"delay {delay} offset {offset}: sent", left, due)
                seen.append(left)
    tap.true("both sides of the threshold were met", True in seen and False in seen)


def overridden(override, **wanted):
    """Stale packets of every treatment under an override: those that leave, and the counters."""
    flags = (pkt.FORWARD, pkt.DISCARD, pkt.TRUNCATE, pkt.RESERVED)
    with bench.Bench() as b:
        b.lpd(stale=override, keep=8)       # the number
        b.plug()
        sent = b.send(*[packet(number, 40, 60, f) for number, f in enumerate(flags)],
                      packet(9, 20_000))
        wait.till(sent.last + 41 * MS)
        got = b.numbers()
        b.expect(packets_in=5, packets_out=len(got), rewritten=len(got), reserved=1, **wanted)
        return got


def test_stale_honor():
    tap.equal("packets", overridden(bench.HONOR, stale=1, truncated=1, truncated_bytes=16,
                                    stale_forwarded=2), [0, 2, 3, 9])


def test_stale_forward():
    tap.equal("packets", overridden(bench.FORWARD, stale_forwarded=4), [0, 1, 2, 3, 9])


def test_stale_discard():
    tap.equal("packets", overridden(bench.DISCARD, stale=4), [9])


def test_stale_truncate():
    tap.equal("packets", overridden(bench.TRUNCATE, truncated=4, truncated_bytes=4 * 16),
              [0, 1, 2, 3, 9])


def test_default_lifetime():
    """Packets without an option live as long as `lifetime` says, and are then discarded. They are
    never rewritten."""
    with bench.Bench() as b:
        b.lpd(lifetime=40 * MS)
        bare = pkt.ipv4(payload=pkt.body(1, 50))
        tap.equal("fresh", arrives(b, bare, pkt.ipv6(None, pkt.body(2, 50))), [1, 2])
        b.expect(packets_in=2, packets_out=2, default_lifetime=2)
        b.plug()
        sent = b.send(bare, pkt.ipv6(None, pkt.body(2, 50)), packet(3, 20_000))
        wait.till(sent.last + 41 * MS)
        tap.equal("stale", b.numbers(), [3])
        b.expect(packets_in=3, packets_out=1, default_lifetime=2, stale=2, rewritten=1)


def test_default_lifetime_forwarded():
    """stale forward holds for packets with a default lifetime too."""
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
