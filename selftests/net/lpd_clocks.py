#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""To measure lifetimes, lpd uses only the monotonic clock. The time stamp of a packet (skb->tstamp)
has no effect. A step of the wall clock affects only packets with an absolute deadline that arrive
after the step."""
# run.sh: all on vm-6.12: everything
import time

from lib import bench, clock, packet as pkt, tap

MS = bench.MS
SHORT, LONG = 3000, 40_000      # ms
HOUR = 3600 * 10**9


def relative(number, ms, flags=pkt.DISCARD):
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, 60))


def absolute(number, ms):
    return pkt.ipv4(pkt.xlo4(pkt.absolute(ms, time.time())), pkt.body(number, 60))


def some_of_each_kind():
    """Packets 0 and 1 have a long lifetime, and packets 2 to 4 expire in the queue. Packet 2 has no
    option and expires by the queue's default lifetime."""
    return [relative(0, LONG), absolute(1, LONG), pkt.ipv4(payload=pkt.body(2, 60)),
            relative(3, SHORT), absolute(4, SHORT)]


def fare_as_ever(b, packets, sent):
    """Check that the fresh packets leave and that the other packets expire. A relative lifetime
    must be reduced by the waiting time."""
    b.expect_queued(2, sent.last + SHORT * MS)
    got = b.open()
    waited = (time.monotonic_ns() - sent.first) // MS
    tap.equal("packets", [pkt.number(p) for p in got], [0, 1])
    tap.within("lifetime", pkt.lifetime(got[0]), LONG - waited - 1, LONG - SHORT)
    tap.equal("packet with an absolute deadline", got[1].hex(), packets[1].hex())
    b.expect(packets_in=5, packets_out=2, rewritten=1, default_lifetime=1, stale=3)


def stamped(when):
    """Send packets of each kind, all with the time stamp `when`. Check that the time stamp has no
    effect."""
    with bench.Bench() as b:
        b.lpd(lifetime=SHORT * MS)
        b.plug()
        packets = some_of_each_kind()
        with bench.Moment() as sent:
            for packet in packets:
                tap.true("the packet is accepted", b.port.send_stamped(packet, when))
        tap.equal("queued", b.tree().root.qlen, len(packets))
        fare_as_ever(b, packets, sent)
        b.mark()
        tap.true("a stale packet is refused", not b.port.send_stamped(relative(5, 0), when))
        b.expect(packets_in=1, stale_enqueue=1)


def test_stamped_in_the_far_past():
    """A time stamp 146 years before boot does not make a packet stale."""
    stamped(-2**62)


def test_stamped_in_the_far_future():
    """A time stamp 146 years after boot neither delays a packet nor lengthens its lifetime."""
    stamped(2**62)


def test_stamped_within_their_lifetime():
    """A sender that paces its packets sets time stamps in the near future. A time stamp halfway
    through the lifetime has no effect."""
    stamped(time.monotonic_ns() + SHORT * MS // 2)


def stepped_while_packets_wait(by):
    """Step the wall clock while packets of each kind are queued. Check that each packet leaves or
    expires as it does without a step."""
    with bench.Bench() as b:
        b.lpd(lifetime=SHORT * MS)
        b.plug()
        packets = some_of_each_kind()
        sent = b.send(*packets)
        with clock.stepped(by):
            tap.equal("queued", b.tree().root.qlen, len(packets))
            fare_as_ever(b, packets, sent)


def test_clock_steps_forward_while_packets_wait():
    """If the wall clock steps forward by an hour, all queued packets expire at their original time,
    even packets with an absolute deadline."""
    stepped_while_packets_wait(HOUR)


def test_clock_steps_back_while_packets_wait():
    """If the wall clock steps back by an hour, all queued packets expire at their original time,
    even packets with an absolute deadline."""
    stepped_while_packets_wait(-HOUR)


def stepped_before_arrival(by, arrives):
    """Make one packet with a deadline before the wall clock steps, and another packet after the
    step. Send both packets after the step."""
    with bench.Bench() as b:
        b.lpd()
        before = absolute(0, LONG)
        with clock.stepped(by):
            b.send(before)
            b.send(absolute(1, LONG))
            tap.equal("packets", b.numbers(), [0, 1] if arrives else [1])
            b.expect(packets_in=2, packets_out=1 + arrives, stale_enqueue=1 - arrives)


def test_clock_steps_forward_before_arrival():
    """If the wall clock steps forward after a packet's deadline was set, the packet is stale on
    arrival. By the new clock, the deadline is in the past."""
    stepped_before_arrival(HOUR, False)


def test_clock_steps_back_before_arrival():
    """If the wall clock steps back after a packet's deadline was set, the packet is fresh on
    arrival. By the new clock, the deadline is an hour later."""
    stepped_before_arrival(-HOUR, True)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
