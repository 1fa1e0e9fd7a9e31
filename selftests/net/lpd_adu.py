#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The fragments of a datagram are dropped together. If lpd drops one fragment of a datagram, it
also drops all queued and all later fragments of the datagram. There is one exception: if a fragment
without the option arrives at a full queue, later fragments still pass. Fragments of other datagrams
are not affected. A forged fragment does no harm to a datagram whose sender does not use the
option."""
# run.sh: all on lab-debug: [!f]*
# run.sh: smoke: those_to_come those_in_the_queue
import struct

from lib import bench, packet as pkt, parents, segments, stamped, tap, wait
from lib.trace import Trace

MS = bench.MS
LONG, SHORT = 20_000, 500
TRACKED, FORGOTTEN = 512, 60        # number of tracked datagrams; s until lpd forgets a datagram
UDP, ICMP = 17, 1


def fragment4(number, ms, at=0, more=True, ident=7, proto=UDP, source=pkt.SOURCE4,
              flags=pkt.DISCARD):
    """An IPv4 fragment with 48 bytes of data at the offset 8 * at. `ms` is the lifetime, or None
    for a fragment without the option."""
    plain = pkt.ipv4(b"" if ms is None else pkt.xlo4(ms, flags), pkt.body(number, 40),
                     source=source)
    packet = plain[:4] + struct.pack("!HHBB", ident & 0xffff, more << 13 | at, 64, proto) + \
        plain[10:]
    return stamped.checksummed(packet)


def fragment6(number, ms, at=0, more=True, ident=7, proto=UDP, source=pkt.SOURCE6,
              flags=pkt.DISCARD):
    """An IPv6 fragment, with the same arguments as fragment4(). In IPv6 the protocol number does
    not identify the datagram."""
    plain = pkt.ipv6(None, pkt.body(number, 40), source=source)
    header = struct.pack("!BBHI", proto, 0, at << 3 | more, ident)
    extension = b"" if ms is None else pkt.hop_by_hop(pkt.xlo6(ms, flags), 44)
    return plain[:4] + struct.pack("!HB", len(extension) + 8 + 48, 0 if extension else 44) + \
        plain[7:40] + extension + header + plain[40:]


FAMILIES = (fragment4, fragment6)


def whole(number, ms=LONG):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 40))


def queue(b, **options):
    b.lpd(**options)
    b.plug()


def test_those_to_come():
    """If a fragment is stale on arrival, the later fragments of its datagram are dropped. Fragments
    of other datagrams are not dropped."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(fragment(1, 0), fragment(2, LONG, 6), fragment(3, LONG, 12, False),
                   fragment(4, LONG, ident=8), fragment(5, LONG, 6, False, 8), whole(6))
            tap.equal("packets", b.numbers(), [4, 5, 6])
            b.expect(packets_in=6, packets_out=3, rewritten=3, stale_enqueue=1, adu=2)


def test_those_in_the_queue():
    """If the last fragment is dropped, the earlier fragments in the queue are dropped. Packets that
    are not fragments leave."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(whole(1), fragment(2, LONG), whole(3), fragment(4, LONG, 6), whole(5),
                   fragment(6, 0, 12, False))
            tap.equal("packets", b.numbers(), [1, 3, 5])
            b.expect(packets_in=6, packets_out=3, rewritten=3, stale_enqueue=1, adu=2)


def test_one_expires_in_the_queue():
    """If the timer discards one stale fragment, the datagram's other fragments are dropped, even a
    fragment without a lifetime."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(whole(1), fragment(2, LONG), fragment(3, pkt.NONE, 6))
            last = b.send(fragment(4, SHORT, 12, False))
            b.send(whole(5))
            wait.till(last.last + (SHORT + 1) * MS)
            wait.until("the timer discards a packet", lambda: b.counters()["stale_timer"] == 1)
            tap.equal("packets", b.numbers(), [1, 5])
            b.expect(packets_in=5, packets_out=2, rewritten=2, stale_timer=1, adu=2,
                     no_lifetime=1)


def test_overflow():
    """If a fragment is dropped because the queue is full, the other fragments of its datagram are
    dropped."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b, limit=3)
            b.send(whole(1), fragment(2, LONG), whole(3), fragment(4, LONG, 6))
            tap.equal("packets", b.numbers(), [1, 3])
            b.send(fragment(5, LONG, 12, False))
            b.expect(packets_in=5, packets_out=2, rewritten=2, overflow_limit=1, adu=2)


def test_forged_with_the_option():
    """A forged fragment with the option has no effect on a datagram without the option. The forged
    fragment may arrive before or between the real fragments, or expire in the queue."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(fragment(1, 0, 6), fragment(2, None), fragment(3, 0, 18, False),
                   fragment(4, None, 6), fragment(5, None, 12, False))
            tap.equal("packets", b.numbers(), [2, 4, 5])
            b.expect(packets_in=5, packets_out=3, no_lifetime=3, stale_enqueue=1, adu=1)
            b.plug()
            b.send(whole(1), fragment(2, None, ident=8), fragment(3, SHORT, 6, ident=8))
            last = b.send(fragment(4, None, 12, ident=8))
            wait.till(last.last + (SHORT + 1) * MS)
            wait.until("the timer discards a packet", lambda: b.counters()["stale_timer"] == 1)
            b.send(fragment(5, None, 18, False, 8))
            tap.equal("packets", b.numbers(), [1, 2, 4, 5])
            b.expect(packets_in=5, packets_out=4, no_lifetime=3, stale_timer=1, rewritten=1)


def test_forged_for_a_full_queue():
    """If a fragment without the option is dropped because the queue is full, later fragments of its
    datagram still pass. An attacker therefore gains nothing by filling the queue for a short
    time."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b, limit=3)
            b.send(whole(1), fragment(2, None), whole(3), fragment(4, None, 6))
            tap.equal("packets", b.numbers(), [1, 2, 3])
            b.send(fragment(5, None, 12, False))
            tap.equal("packets", b.numbers(), [5])
            b.expect(packets_in=5, packets_out=4, rewritten=2, no_lifetime=3, overflow_limit=1)


def test_without_the_option():
    """If a queued fragment without the option is dropped, the other fragments of its datagram are
    dropped. The queue drops a fragment to make space for another packet, or because the default
    lifetime ends."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b, limit=3, overflow=bench.HEAD)
            b.send(fragment(1, None), whole(2), fragment(3, None, 6), whole(4),
                   fragment(5, None, 12, False))
            tap.equal("packets", b.numbers(), [2, 4])
            b.expect(packets_in=5, packets_out=2, rewritten=2, no_lifetime=3, overflow_limit=1,
                     adu=2)
        with bench.Bench() as b:
            queue(b, lifetime=SHORT * MS)
            last = b.send(whole(1), fragment(2, None))
            wait.till(last.last + (SHORT + 1) * MS)
            wait.until("the timer discards a packet", lambda: b.counters()["stale_timer"] == 1)
            b.send(fragment(3, None, 6, False), fragment(4, LONG, 6, False))
            tap.equal("packets", b.numbers(), [1, 4])
            b.expect(packets_in=4, packets_out=2, rewritten=2, default_lifetime=2,
                     stale_timer=1, adu=1)


def test_out_of_order():
    """If fragments arrive in reverse order and lpd drops the first arrival, it also drops all later
    fragments."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(fragment(3, 0, 12, False), fragment(2, LONG, 6), fragment(1, LONG))
            tap.equal("packets", b.numbers(), [])
            b.expect(packets_in=3, stale_enqueue=1, adu=2)


def test_identification_comes_round():
    """A fragment with offset 0 and the identification of a queued datagram begins a new datagram.
    If the fragments of one datagram are dropped, the other datagram is not affected."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(fragment(1, LONG), fragment(2, 0, 6), fragment(3, LONG, 12, False),
                   fragment(4, LONG), fragment(5, LONG, 6, False))
            tap.equal("packets", b.numbers(), [4, 5])
            b.expect(packets_in=5, packets_out=2, rewritten=2, stale_enqueue=1, adu=2)
            b.plug()
            b.send(fragment(6, LONG), fragment(7, LONG, 6, False), fragment(8, LONG),
                   fragment(9, 0, 6, False))
            tap.equal("packets", b.numbers(), [6, 7])
            b.expect(packets_in=4, packets_out=2, rewritten=2, stale_enqueue=1, adu=1)


def test_what_tells_datagrams_apart():
    """Datagrams differ by identification and addresses, and in IPv4 also by the protocol."""
    with bench.Bench() as b:
        queue(b)
        b.send(fragment4(1, 0), fragment4(2, LONG, 6, ident=8), fragment4(3, LONG, 6, proto=ICMP),
               fragment4(4, LONG, 6, source="192.0.2.9"), fragment6(5, LONG, 6),
               fragment4(6, LONG, 6))
        tap.equal("packets", b.numbers(), [2, 3, 4, 5])
        b.expect(packets_in=6, packets_out=4, rewritten=4, stale_enqueue=1, adu=1)
        b.plug()
        b.send(fragment6(1, 0, ident=70_000), fragment6(2, LONG, 6, ident=70_000 & 0xffff),
               fragment6(3, LONG, 6, ident=70_000, source="2001:db8::9"),
               fragment6(4, LONG, 6, ident=70_000, proto=ICMP))
        tap.equal("packets", b.numbers(), [2, 3])
        b.expect(packets_in=4, packets_out=2, rewritten=2, stale_enqueue=1, adu=1)


def test_no_fragments():
    """A complete packet is not treated as a fragment, even if it has an identification or an atomic
    fragment header (RFC 6946)."""
    with bench.Bench() as b:
        queue(b)
        for fragment in FAMILIES:
            b.send(fragment(1, 0, more=False), fragment(2, LONG, more=False))
        tap.equal("packets", b.numbers(), [2, 2])
        b.expect(packets_in=4, packets_out=2, rewritten=2, stale_enqueue=2)


def test_switched_off():
    """With `noadu` each fragment is treated as an independent packet. After a change to `adu`, lpd
    treats fragments that arrive later as parts of their datagram."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b, adu=0)
            b.send(fragment(1, LONG), fragment(2, 0, 6), fragment(3, LONG, 12, False))
            tap.equal("packets", b.numbers(), [1, 3])
            b.expect(packets_in=3, packets_out=2, rewritten=2, stale_enqueue=1)
            b.plug()
            b.send(fragment(4, LONG))
            b.change(adu=1)
            b.send(fragment(5, LONG, ident=9), fragment(6, 0, 6, ident=9))
            tap.equal("packets", b.numbers(), [4])
            b.expect(packets_in=3, packets_out=1, rewritten=1, stale_enqueue=1, adu=1)
            b.plug()
            b.send(fragment(7, LONG, ident=10), fragment(8, 0, 6, ident=10))
            b.change(adu=0)
            tap.equal("packets", b.numbers(), [7])
            b.expect(packets_in=2, packets_out=1, rewritten=1, stale_enqueue=1)


def test_cut_first_fragment():
    """If a first fragment is cut to its headers, it becomes a complete packet. The datagram's other
    fragments cannot be cut, so they are dropped."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            sent = b.send(whole(1), fragment(2, SHORT, flags=pkt.TRUNCATE),
                          fragment(3, LONG, 6), fragment(4, LONG, 12, False), whole(5))
            wait.till(sent.last + (SHORT + 1) * MS)
            wait.until("the cut", lambda: b.counters()["truncated"] == 1)
            frames = b.open()
            tap.equal("packets", [pkt.number(p) for p in frames], [1, None, 5])
            b.expect(packets_in=5, packets_out=3, rewritten=3, adu=2, truncated=1,
                     truncated_bytes=40)


def test_first_fragment_to_be_cut_on_arrival():
    """A first fragment that is stale on arrival and asks for truncation is queued. The datagram's
    other fragments are dropped."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b)
            b.send(fragment(1, LONG, 6), fragment(2, 0, flags=pkt.TRUNCATE),
                   fragment(3, LONG, 12, False))
            tap.equal("packets", [pkt.number(p) for p in b.open()], [None])
            b.expect(packets_in=3, packets_out=1, rewritten=1, adu=2, truncated=1,
                     truncated_bytes=40)


def test_cut_first_fragment_of_which_all_stays():
    """A stale first fragment with no more data than `keep` becomes a complete packet. The
    datagram's other fragments are dropped."""
    for fragment in FAMILIES:
        with bench.Bench() as b:
            queue(b, keep=1000)
            sent = b.send(whole(1), fragment(2, SHORT, flags=pkt.TRUNCATE),
                          fragment(3, LONG, 6), fragment(4, LONG, 12, False), whole(5))
            wait.till(sent.last + (SHORT + 1) * MS)
            b.send(fragment(6, LONG, 18))
            frames = b.open()
            tap.equal("packets", [pkt.number(p) for p in frames], [1, 2, 5])
            if frames[1][0] >> 4 == 4:
                tap.equal("whether it is a fragment", segments.is_fragment(frames[1]), False)
            b.expect(packets_in=6, packets_out=3, rewritten=3, adu=3)


def test_bounded():
    """The number of datagrams that lpd tracks is limited. Fragments of further datagrams are
    counted, and each of these fragments is treated as an independent packet. When the tracked
    fragments have left the queue, lpd tracks new datagrams again."""
    many = TRACKED + 50
    with bench.Bench() as b:
        queue(b, limit=4 * many)
        b.send(*[fragment4(number, LONG, ident=number) for number in range(many)])
        b.send(*[fragment4(number, 0, 6, ident=number) for number in range(many)])
        tap.equal("packets", b.numbers(), list(range(TRACKED, many)))
        b.expect(packets_in=2 * many, packets_out=50, rewritten=50, stale_enqueue=many,
                 adu=TRACKED, untracked=2 * 50)
        b.plug()
        b.send(fragment4(1, LONG, ident=9999), fragment4(2, 0, 6, ident=9999))
        tap.equal("packets", b.numbers(), [])
        b.expect(packets_in=2, stale_enqueue=1, adu=1)


def test_forgotten():
    """One minute after the last fragment of a datagram has arrived, lpd forgets the datagram."""
    with bench.Bench() as b:
        b.lpd()
        for seconds, passes in ((FORGOTTEN - 1, False), (FORGOTTEN + 1, True)):
            ident = seconds
            b.mark()
            sent = b.send(fragment4(1, 0, ident=ident))
            wait.till(sent.last + seconds * 1000 * MS)
            b.send(fragment4(2, LONG, 6, ident=ident))
            tap.equal(f"after {seconds} s", b.numbers(), [2] * passes)


def test_stale_behind_a_lost_fragment():
    """If dequeue drops a fragment of an incomplete datagram, it also checks whether the next packet
    is stale. In this test more packets expire than the timer discards in one run, and the device
    dequeues while the timer pauses."""
    with bench.Bench() as b:
        queue(b, limit=2000)
        b.send(fragment4(1, pkt.NONE), fragment4(2, 0, 6))
        last = b.send(*[whole(3, SHORT) for _ in range(600)])
        b.send(whole(4))
        wait.till(last.last + SHORT * MS + 50_000)
        tap.equal("packets", b.numbers(), [4])
        b.expect(packets_in=603, packets_out=1, rewritten=1, no_lifetime=1, stale=601, adu=1)


def test_left_alone_under_every_parent():
    """If the only queued packet is a fragment of an incomplete datagram, lpd drops the fragment and
    informs the parent qdiscs. Packets of the sibling qdisc and later packets pass."""
    for name, parent in parents.PARENTS.items():
        tap.note(name)
        with bench.Bench() as b:
            parent.build(b)
            b.plug()
            if parent.sibling:
                parents.to_sibling(b, *range(500, 510))
            b.send(fragment4(1, LONG), fragment4(2, pkt.NONE, 6), fragment4(3, 0, 12, False))
            b.tree()
            tap.equal("packets", b.numbers(), list(range(500, 510)) * parent.sibling)
            wait.until("an empty queue", lambda b=b: b.tree().root.qlen == 0)
            b.expect(packets_in=3, stale_enqueue=1, adu=2, no_lifetime=1)
            parents.ends_empty_and_working(b, parent)


def test_all_or_nothing():
    """Fragments of 300 datagrams arrive in random order, with long and short lifetimes. If all
    fragments of a datagram live long enough, all of them leave. If one fragment expires, all
    fragments of the datagram are dropped."""
    random = bench.seed()
    with bench.Bench() as b:
        queue(b, limit=3000)
        sizes = {ident: random.randrange(2, 7) for ident in range(1, 301)}
        pieces = [(ident, index) for ident, size in sizes.items() for index in range(size)]
        random.shuffle(pieces)
        lost = set()
        for ident, index in pieces:
            ms = random.choice((LONG, LONG, LONG, LONG, pkt.NONE, 0, 2000))
            lost |= {ident} if ms in (0, 2000) else set()
            last = b.send(FAMILIES[ident % 2](ident, ms, 6 * index, index + 1 < sizes[ident],
                                              ident))
        wait.till(last.last + 2001 * MS)
        left = b.numbers()
        for ident, size in sizes.items():
            tap.equal(f"fragments of {ident}", left.count(ident), 0 if ident in lost else size)


def test_each_is_traced():
    """The tracepoint lpd:lpd_adu reports each fragment that is dropped because another fragment of
    its datagram was dropped."""
    with bench.Bench() as b, Trace("lpd/lpd_adu") as trace:
        queue(b)
        b.send(fragment4(1, LONG), fragment4(2, 0, 6), fragment4(3, LONG, 12, False))
        tap.equal("packets", b.numbers(), [])
        lines = [line for line in trace.lines() if " lpd_adu: " in line]
        tap.equal("events", len(lines), b.counters()["adu"])
        tap.true("each event names the queue and the length",
                 all("handle=0x80010000" in line and "len=76" in line
                     for line in lines))


if __name__ == "__main__":
    tests = dict(globals())
    if not wait.virtual_time():
        del tests["test_forgotten"]      # two minutes
    tap.run(tap.collect(tests))
