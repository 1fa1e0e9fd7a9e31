#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A cellink with `buffer` accepts packets immediately, like a modem that has its own buffer. The
backlog is then in the device instead of the qdisc above, and packets that do not fit are dropped
and counted. With `grant` the packets leave in bursts, at exact multiples of the configured
interval. A burst contains the packets that the rate or the trace has sent since the burst
before."""
# run.sh: needs: simulated time
import errno
import itertools
import socket
import time

from lib import bench, cell, netlink, packet as pkt, tap, tc, tree, wait
from lib.cell import MS, S, US
from net import cell_outage, cell_states, cell_trace

RATE = 100_000                          # bytes/s: 1000 bytes take 10 ms
SIZE = 1000
PACE = SIZE * S // RATE
GRANT = 35 * MS                         # not a multiple of PACE
CLOSE = 100 * US                        # no timer fires in the last part of wait.sharp()
LATER = 3 * MS                          # with this delay, no packet is ready exactly at a grant
SLOW = 1                                # bytes/s, so slow that no packet is sent during a test
EXACT = US
SETUP = 20 * US                         # duration of a request
MOST = 65536                            # packets in a buffer or a block


def above(pair):
    """The root qdisc above the left device."""
    return tree.Tree(pair.left.netlink, "cell0").qdiscs[0]


def send(pair, count, size=SIZE, first=0):
    port = pair.port()
    for number in range(first, first + count):
        tap.true("sent", port.send(cell.packet(number, size)))
    port.close()


def held(pair, packets, overflow):
    """Check that no packet is above the device, that the device holds `packets` packets, and that
    it has dropped `overflow` packets."""
    qdisc = above(pair)
    tap.equal("packets above, dropped and requeued there",
              (qdisc.qlen, qdisc.drops, qdisc.requeues), (0, 0, 0))
    counters = pair.left.counters()
    tap.equal("packets held and dropped", (counters["held"], counters["overflow"]),
              (packets, overflow))


def begin(pair, **values):
    """Change the left device now. Returns the present time."""
    start = time.monotonic_ns()
    pair.left.change(**values)
    return start


def send_later(pair, start, count):
    """Send packets a little after the start. Returns the times at which the device has sent them
    completely at its rate."""
    wait.sharp(start + LATER)
    send(pair, count)
    return [start + LATER + (k + 1) * PACE for k in range(count)]


def granted(times, start):
    """The first grants at or after the given times."""
    return [start + -(-(at - start) // GRANT) * GRANT for at in times]


def expect(sniffer, times, early=EXACT, late=EXACT + SETUP):
    """Check that exactly these packets arrive, in order and at these times."""
    wait.till(times[-1] + 2 * MS)
    seen = cell.ours(sniffer.drain())
    tap.equal("order", [number for number, _ in seen], list(range(len(times))))
    for (number, when), ideal in zip(seen, times):
        tap.within(f"packet {number}, due at {ideal / MS} ms", when - ideal, -early, late)


def test_takes_at_once():
    """The qdisc above stays empty while the buffer fills up to its last byte. The next packet is
    dropped, and the qdisc above stays empty. A small ring makes no difference."""
    for ring in (1, 2):
        with cell.Pair(rate=SLOW, ring_packets=ring, ring_bytes=1, buffer=20_060) as pair:
            for count in range(1, 21):
                send(pair, 1, first=count - 1)
                held(pair, count, 0)
            send(pair, 1)
            held(pair, 20, 1)
            send(pair, 1, 61)
            held(pair, 20, 2)
            send(pair, 1, 60)
            held(pair, 21, 2)
            tap.equal("packets accepted", pair.left.counters()["packets_in"], 23)
            tap.equal("tx_dropped", pair.left.ns.interface("cell0")["tx_dropped"], 2)
            pair.left.change(rate=0)
            pair.left.expect(held=0, delivered=21, overflow=2)


def test_empty_buffer_takes_anything():
    """An empty buffer accepts a packet that is longer than the buffer. The packet that is being
    sent is in the buffer up to its last byte."""
    with cell.Pair(rate=RATE, buffer=1) as pair:
        start = time.monotonic_ns()
        send(pair, 2)
        held(pair, 1, 1)
        wait.sharp(start + PACE - MS)
        send(pair, 1)
        held(pair, 1, 2)
        wait.sharp(start + PACE + MS)
        send(pair, 1)
        held(pair, 1, 2)


def kept(arrivals, buffer):
    """A model of the buffer at the rate RATE. `arrivals` contains [time, bytes] for each packet. If
    a packet would arrive almost when another packet has been sent, it arrives a little later
    instead. Returns (number, time at which the packet is sent) of each packet that is not
    dropped."""
    inside, sent, free = [], [], 0
    for number, packet in enumerate(arrivals):
        while any(abs(end - packet[0]) < CLOSE for end, _ in inside):
            packet[0] += CLOSE
        at, size = packet
        inside = [(end, length) for end, length in inside if end > at]
        if inside and sum(length for _, length in inside) + size > buffer:
            continue
        free = max(free, at) + size * S // RATE
        inside.append((free, size))
        sent.append((number, free))
    return sent


def test_drops_what_does_not_fit():
    """Packets of random sizes arrive at random times, faster than the rate. The buffer drops
    exactly the packets that a model of the buffer drops, and sends the others at the times of the
    model."""
    random = bench.seed()
    arrivals = [[MS + number * 4 * MS + random.randrange(3 * MS), random.randrange(5, 140) * 10]
                for number in range(500)]
    wanted = kept(arrivals, 10_000)
    tap.within("packets that fit", len(wanted), 100, 400)
    with cell.Pair(rate=RATE, buffer=10_000) as pair:
        sniffer, port = pair.sniffer(), pair.port()
        start = time.monotonic_ns()
        for number, (at, size) in enumerate(arrivals):
            wait.sharp(start + at)
            port.send(cell.packet(number, size))
        wait.till(start + wanted[-1][1] + MS)
        seen = cell.ours(sniffer.drain())
        tap.equal("packets", [number for number, _ in seen], [number for number, _ in wanted])
        for (number, when), (_, ideal) in zip(seen, wanted):
            tap.within(f"packet {number}", when - start - ideal, -EXACT, EXACT + SETUP)
        pair.left.expect(packets_in=500, delivered=len(wanted), overflow=500 - len(wanted))


def test_socket_is_not_charged():
    """A packet in the buffer no longer counts against its sender's send buffer, so a socket with a
    small send buffer fills the modem. A packet in a ring still counts against the send buffer."""
    for values, full in (({"buffer": 1_000_000}, False),
                         ({"ring_packets": 65536, "ring_bytes": 1_000_000}, True)):
        with cell.Pair(rate=SLOW, **values) as pair:
            port = pair.port()
            port.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 20_000)
            port.sock.setblocking(False)
            stopped = False
            try:
                for number in range(1000):
                    port.send(cell.packet(number, SIZE))
            except OSError as error:
                tap.equal("error", error.errno, errno.EAGAIN)
                stopped = True
            tap.equal("the socket is full", stopped, full)
            if not full:
                held(pair, 1000, 0)


def test_lpd_above_discards_nothing():
    """In front of a modem, lpd holds no packet. Packets become stale in the modem, where lpd cannot
    discard them, and the modem sends them."""
    tc.need("lpd")
    with cell.Pair(rate=SLOW, buffer=1 << 20) as pair:
        pair.left.netlink.qdisc("cell0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                                *bench.lpd_options(limit=50))
        port = pair.port()
        for number in range(10):
            port.send(pkt.ipv4(pkt.xlo4(300), pkt.body(number, 950)))
        wait.till(time.monotonic_ns() + S)
        counters = tree.Tree(pair.left.netlink, "cell0").lpd().counters
        tap.equal("packets in, out and queued",
                  [counters[name] for name in ("packets_in", "packets_out", "queued")], [10, 10, 0])
        pair.left.change(rate=0)
        pair.left.expect(delivered=10, held=0)


def test_number_of_packets_has_a_limit():
    """A buffer contains at most 65536 packets, whatever their size, so the buffer's memory is
    bounded. When the device goes down, all these packets are purged."""
    with cell.Pair(rate=SLOW, buffer=1 << 26) as pair:
        pair.flood([cell.packet(0, 60)] * 66_000)
        held(pair, MOST, 66_000 - MOST)
        pair.left.up(False)
        pair.left.expect(held=0, purged=MOST, overflow=66_000 - MOST)


def test_segments_are_dropped_one_by_one():
    """A modem drops single segments, not whole GSO packets. If ten segments arrive as one GSO
    packet, the buffer keeps the segments that fit."""
    with cell.Pair(rate=SLOW, buffer=5000) as pair:
        pair.port().send_gso(pkt.tcp4(pkt.body(0, 10_000)), 1000)
        held(pair, 4, 6)


def test_changed_under_traffic():
    """A new buffer immediately dequeues the backlog of the qdisc above. If the buffer is made
    smaller, it keeps its packets. Without a buffer the device keeps its packets, and later packets
    wait in the qdisc."""
    def seen():
        counters = pair.left.counters()
        return above(pair).qlen, counters["held"], counters["overflow"]

    with cell.Pair(rate=SLOW) as pair:
        send(pair, 20)
        tap.equal("packets above, held and dropped", seen(), (18, 2, 0))
        pair.left.change(buffer=1_000_000)
        wait.until("the buffer takes the backlog", lambda: seen() == (0, 20, 0))
        pair.left.change(buffer=5000)
        send(pair, 1, first=20)
        tap.equal("with a small buffer", seen(), (0, 20, 1))
        pair.left.change(buffer=0)
        send(pair, 3, first=21)
        tap.equal("without a buffer", seen(), (3, 20, 1))
        sniffer = pair.sniffer()
        pair.left.change(rate=RATE)
        seen = [number for number, _ in cell.arrivals(sniffer, 23)]
        tap.equal("order", seen, [*range(20), 21, 22, 23])
        pair.left.expect(packets_in=24, delivered=23, overflow=1, held=0)


def test_outage_fills_the_buffer():
    """During an outage the buffer fills and then drops packets. After the outage, the packets in
    the buffer leave at the rate."""
    with cell.Pair(rate=RATE, buffer=10_000) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, outages=[(0, 5 * S)])
        for number in range(30):
            wait.till(start + number * 100 * MS)
            send(pair, 1, first=number)
        held(pair, 10, 20)
        expect(sniffer, [start + 5 * S + (k + 1) * PACE for k in range(10)])


def test_trace_as_mahimahi():
    """With a buffer all pending packets are in the device, as in mahimahi. Every packet leaves
    exactly at its opportunity, and an opportunity serves no packet that arrives later."""
    random = bench.seed()
    lines = list(range(3, 3001, 3))
    packets = [(10 * MS + at * 3 * MS + random.randrange(100 * US, 1900 * US),
                random.randrange(60, 1514)) for at in sorted(random.sample(range(500), 300))]
    with cell.Pair(buffer=1 << 20) as pair:
        sniffer = pair.sniffer()
        start = cell_trace.follow(pair, lines)
        cell_trace.send(pair, packets, start)
        cell_trace.expect(sniffer, start, cell_trace.departures(packets, lines))


def test_shaper_above():
    """Packets that a shaper above the buffer holds back cannot use the remaining bytes of an
    opportunity."""
    with cell.Pair(buffer=1 << 20) as pair:
        # tbf sends a packet every 0.3 ms
        pair.left.ns.run("tc qdisc replace dev cell0 root tbf rate 2666667bit burst 100 "
                         "limit 100000")
        sniffer = pair.sniffer()
        start = cell_trace.follow(pair, [10])
        wait.sharp(start + 9900 * US)
        send(pair, 4, 100)
        # tbf releases packets at 9.9, 10.2, 10.5 and 10.8 ms
        expect(sniffer, [start + ms * MS for ms in (10, 20, 20, 20)], EXACT + SETUP)


def test_overflow_is_traced():
    """The tracepoint cell_drop reports each packet that does not fit, with its cause."""
    with cell_states.traced("drop") as trace:
        trace.clock("mono", 4096)
        with cell.Pair(rate=SLOW, buffer=3000) as pair:
            send(pair, 5)
        dropped = [line for line in trace.lines() if " cell_drop: " in line]
        tap.equal("packets", len(dropped), 2)
        for line in dropped:
            tap.true(line, f"bytes={SIZE} " in line and line.rstrip().endswith("cause=overflow"))


def test_bursts():
    """At each grant, exactly those packets leave that the rate has sent since the previous grant.
    The throughput is therefore the rate. A ring of two packets, a long ring and a buffer make no
    difference."""
    for values in ({}, {"ring_packets": 1000}, {"buffer": 1 << 20}):
        with cell.Pair(rate=RATE, **values) as pair:
            sniffer = pair.sniffer()
            start = begin(pair, grant=GRANT)
            expect(sniffer, granted(send_later(pair, start, 350), start))
            pair.left.expect(packets_in=350, delivered=350, held=0)


def test_burst_times():
    """The packets of a burst arrive at the same time, after the delay. Packets that arrive one by
    one leave at the first grant after the rate has sent them."""
    random = bench.seed()
    with cell.Pair(rate=RATE, delay=7 * MS) as pair:
        sniffer, port = pair.sniffer(), pair.port()
        start = begin(pair, grant=GRANT)
        sent, free = [], 0
        for number in range(100):
            # a packet is ready half a ms after a full ms, and so never close to a grant
            at = start + number * 7 * MS + random.randrange(1, 6) * MS + 500 * US
            wait.sharp(at)
            port.send(cell.packet(number, SIZE))
            free = max(at, free) + PACE
            sent.append(free)
        expect(sniffer, [at + 7 * MS for at in granted(sent, start)])


def test_unlimited_rate():
    """Without a rate, all packets that have arrived leave at the next grant. A burst of thousands
    overflows neither the device nor the peer's inbox of a thousand packets."""
    with cell.Pair() as pair:
        start = begin(pair, grant=100 * MS)
        wait.till(start + 10 * MS)
        pair.flood([cell.packet(0, 100)] * 5000)
        counters = pair.left.counters()
        tap.equal("packets sent and held", (counters["sent"], counters["held"]), (0, 5000))
        wait.till(start + 99 * MS)
        tap.equal("packets sent before the grant", pair.left.counters()["sent"], 0)
        wait.till(start + 102 * MS)
        counters = pair.left.counters()
        tap.equal("packets delivered, refused and held",
                  tuple(counters[name] for name in ("delivered", "refused", "held")), (5000, 0, 0))


def test_traces():
    """A packet that a trace has sent leaves at the next grant. The grants do not change the
    opportunities."""
    random = bench.seed()
    for values in ({}, {"buffer": 1 << 20}):
        lines = sorted(random.choices(range(1, 300), k=200))
        sizes = [random.randrange(60, 1514) for _ in range(500)]
        with cell.Pair(**values) as pair:
            sniffer = pair.sniffer()
            pair.left.follow([cell_trace.NEVER])
            send_all(pair, sizes)
            start = cell_trace.follow(pair, lines)
            # the grants begin half a ms after the trace, so no opportunity is close to a grant
            wait.sharp(start + 500 * US)
            origin = begin(pair, grant=GRANT)
            ready = cell_trace.departures([(-1, size) for size in sizes], lines)
            expect(sniffer, granted([start + at for at in ready], origin))


def send_all(pair, sizes):
    """Send a packet of each size."""
    port = pair.port()
    for number, size in enumerate(sizes):
        port.send(cell.packet(number, size))
    port.close()


def test_outage_has_no_grants():
    """In an outage no burst leaves. The packets that the rate has sent before the outage leave at
    the first grant after the outage. The grants stay exact multiples."""
    outages = [(65 * MS, 100 * MS), (200 * MS, 5 * MS), (1 * S, 2 * S)]
    with cell.Pair(rate=RATE, buffer=1 << 20) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, grant=GRANT, outages=outages)
        send_later(pair, start, 200)
        periods = [(start + begun, length) for begun, length in outages]
        times = granted(cell_outage.sent_at(start + LATER, 200, periods), start)
        for at, (begun, length) in itertools.product(range(200), periods):
            if begun < times[at] < begun + length:
                times[at] = granted([begun + length], start)[0]
        expect(sniffer, times)
        tap.equal("outages", pair.left.counters()["outages"], 3)


def test_handover():
    """A changed rate applies to the packet that is being sent. Packets that wait for a grant are
    not in flight, so a handover does not lose them. Their delay is the delay that is configured
    when they leave."""
    with cell.Pair(rate=RATE, delay=50 * MS) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, grant=GRANT)
        ready = send_later(pair, start, 10)
        # three packets have left, and two wait for the grant at 70 ms
        wait.sharp(start + 55 * MS)
        counters = pair.left.counters()
        tap.equal("packets sent", counters["sent"], 3)
        pair.left.change(rate=2 * RATE, delay=MS, handover=cell.LOSE)
        tap.equal("packets lost", pair.left.counters()["handover"], 3)
        # the rest of the sixth packet would have taken 8 ms and now takes 4 ms. The other packets
        # take 5 ms each
        ready = ready[3:5] + [start + 59 * MS + k * 5 * MS for k in range(5)]
        wait.till(start + 200 * MS)
        seen = cell.ours(sniffer.drain())
        tap.equal("packets", [number for number, _ in seen], list(range(3, 10)))
        for (number, when), ideal in zip(seen, granted(ready, start)):
            tap.within(f"packet {number}", when - ideal - MS, -EXACT, EXACT + SETUP)


def test_state_of_the_grant():
    """The state at the time of the grant decides whether a packet is lost, because the packet is
    sent over the air at that time."""
    with cell.Pair(rate=RATE, bad_loss=1_000_000) as pair:
        sniffer = pair.sniffer()
        # bad from 60 to 80 ms, which contains the grant at 70 ms
        pair.left.follow([60, 80, cell_trace.NEVER], turns=1)
        send_later(pair, begin(pair, grant=GRANT), 12)
        seen = [number for number, _ in cell.arrivals(sniffer, 9)]
        tap.equal("packets", seen, [0, 1, 2, *range(6, 12)])
        pair.left.expect(lost=3, delivered=9, held=0)


def test_grant_changed_under_traffic():
    """A change of the grants releases the packets that wait for a grant. The new grants count from
    the change. Without grants each packet leaves immediately."""
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        first = begin(pair, grant=10 * S)
        ready = send_later(pair, first, 40)
        wait.sharp(first + 105 * MS)
        tap.equal("packets sent", pair.left.counters()["sent"], 0)
        second = begin(pair, grant=GRANT)
        times = [second] * 10 + granted(ready[10:25], second)
        wait.sharp(first + 255 * MS)
        third = begin(pair, grant=0)
        times = [min(at, third) for at in times] + ready[25:]
        expect(sniffer, times)
        pair.left.expect(held=0, delivered=40)


def test_all_removed_at_once():
    """If rate and grants are removed in one request, all packets leave immediately and in order:
    the packets that wait for a grant, the packet that is being sent, and the packets queued behind
    it."""
    with cell.Pair(rate=RATE, buffer=1 << 20) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, grant=10 * S)
        send_later(pair, start, 600)
        wait.sharp(start + 5 * S)
        now = begin(pair, rate=0, grant=0)
        # the device handles 256 packets at a time
        expect(sniffer, [now] * 600, EXACT, 3 * SETUP)


def test_grant_changed_in_an_outage():
    """During an outage, a change of the grants releases no packet. The new grants count from the
    change, and the first new grant after the outage releases the packets that wait."""
    with cell.Pair(rate=RATE, buffer=1 << 20) as pair:
        sniffer = pair.sniffer()
        first = begin(pair, grant=10 * S, outages=[(55 * MS, 100 * MS)])
        ready = send_later(pair, first, 10)
        wait.sharp(first + 100 * MS)
        second = begin(pair, grant=GRANT)
        wait.till(first + 150 * MS)
        tap.equal("packets sent", pair.left.counters()["sent"], 0)
        # five packets are ready before the outage, which lasts until 155 ms
        ready = [first + 155 * MS] * 5 + [at + 100 * MS for at in ready[5:]]
        expect(sniffer, granted(ready, second))


def test_other_changes_keep_the_grants():
    """A change of other options neither moves the grants nor releases packets."""
    with cell.Pair(rate=RATE) as pair:
        sniffer = pair.sniffer()
        start = begin(pair, grant=GRANT)
        ready = send_later(pair, start, 10)
        for ms in (14, 50, 71):
            wait.sharp(start + ms * MS)
            pair.left.change(delay=0, grant=GRANT, buffer=1_000_000, loss=0)
        expect(sniffer, granted(ready, start))


def test_block_is_in_the_buffer():
    """Packets that wait for a grant are still in the modem, so they take space in its buffer."""
    with cell.Pair(buffer=5000) as pair:
        start = begin(pair, grant=S)
        wait.till(start + MS)
        send(pair, 7)
        held(pair, 5, 2)
        wait.till(start + S + MS)
        held(pair, 0, 2)
        send(pair, 1)
        held(pair, 1, 2)


def test_block_has_a_limit():
    """The number of packets that wait for a grant is also limited if there is no buffer."""
    with cell.Pair() as pair:
        start = begin(pair, grant=10 * S)
        wait.till(start + MS)
        pair.flood([cell.packet(0, 60)] * 66_000)
        tap.true("before the grant", time.monotonic_ns() < start + 9 * S)
        held(pair, MOST, 66_000 - MOST)
        pair.left.change(grant=0)
        pair.left.expect(held=0, delivered=MOST)


def test_down_with_packets():
    """When the device goes down, packets in the buffer, packets that wait for a grant and packets
    in flight are purged. When the device is up again, the grants start again."""
    with cell.Pair(rate=RATE, delay=10 * S, buffer=10_000) as pair:
        start = begin(pair, grant=GRANT)
        send(pair, 12)
        wait.sharp(start + 55 * MS)
        held(pair, 10, 2)
        counters = pair.left.counters()
        tap.equal("packets in flight", counters["sent"], 3)
        pair.left.up(False)
        pair.left.expect(held=0, purged=10, delivered=0, overflow=2)
        pair.left.change(delay=0)
        wait.till(start + S)
        start = time.monotonic_ns()
        pair.left.up()
        # the grants began between these two times
        late = time.monotonic_ns() - start
        tap.true("up at once", late < MS)
        sniffer = pair.sniffer()
        wait.until("cell0 carries", lambda: pair.left.netlink.operstate("cell0") ==
                   netlink.IF_OPER_UP)
        # the core may need a second to notice the carrier
        ready = send_later(pair, granted([time.monotonic_ns()], start)[0], 6)
        expect(sniffer, granted(ready, start), EXACT, late + EXACT)


def test_directions_are_independent():
    """The buffer and the grants of one device do not affect the other direction."""
    with cell.Pair(rate=SLOW, buffer=1000, grant=10 * S) as pair:
        send(pair, 3)
        out = cell.port.Port(pair.right.ns, "cell1", ethernet=True)
        for number in range(3):
            out.send(cell.packet(number, SIZE))
        pair.right.expect(delivered=3, held=0, overflow=0)
        held(pair, 1, 2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
