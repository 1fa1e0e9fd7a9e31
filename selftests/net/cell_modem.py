#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A cellink with `buffer` accepts packets at once, like a modem with a buffer of its own. The
backlog is then in the device instead of the qdisc above, and packets that do not fit are dropped
and counted."""
# run.sh: needs: simulated time
import errno
import socket
import time

from lib import bench, cell, netlink, packet as pkt, tap, tc, tree, wait
from lib.cell import MS, S, US
from net import cell_states, cell_trace

RATE = 100_000                          # bytes/s: 1000 bytes take 10 ms
SIZE = 1000
PACE = SIZE * S // RATE
CLOSE = 100 * US                        # wait.sharp() lets no timer fire for shorter
SLOW = 1                                # bytes/s, so slow that no packet is sent during a test
EXACT = US
SETUP = 20 * US                         # duration of a request
MOST = 65536                            # packets in a buffer


def above(pair):
    """The root qdisc above the left device."""
    return tree.Tree(pair.left.netlink, "cell0").qdiscs[0]


def send(pair, count, size=SIZE, first=0):
    port = pair.port()
    for number in range(first, first + count):
        tap.true("sent", port.send(cell.packet(number, size)))
    port.close()


def held(pair, packets, overflow):
    """Check that no packet is above the device, and that the device holds and has dropped as many
    packets as given."""
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
    """A model of the buffer at the rate RATE. `arrivals` contains [time, bytes] for each packet. A
    packet that would come almost when another packet has been sent comes a little later instead.
    Returns (number, time at which the packet is sent) of each packet that is not dropped."""
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
    """Packets of random sizes come at random times, faster than the rate. The buffer drops exactly
    the packets that a model of the buffer drops, and sends the others at the times of the model."""
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
    small send buffer fills the modem. A packet in a ring still counts."""
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
    """In front of a modem, lpd holds no packet. So lpd discards no packet that becomes stale, and
    the modem sends the stale packets."""
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
    """A modem drops packets, not GSO packets. Of ten segments that come as one GSO packet, those
    that fit are kept."""
    with cell.Pair(rate=SLOW, buffer=5000) as pair:
        pair.port().send_gso(pkt.tcp4(pkt.body(0, 10_000)), 1000)
        held(pair, 4, 6)


def test_changed_under_traffic():
    """A new buffer at once takes the backlog from the qdisc above. A smaller buffer keeps its
    packets. Without a buffer the device keeps its packets, and later packets wait in the qdisc."""
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
    """With a buffer all waiting packets are in the device, as in mahimahi. So every packet leaves
    exactly at its opportunity, and an opportunity serves no packet that comes later."""
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
    """Packets that a shaper above the buffer holds back cannot use what is left of an
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


def test_directions_are_independent():
    """The buffer of one device does not affect the other direction."""
    with cell.Pair(rate=SLOW, buffer=1000) as pair:
        send(pair, 3)
        out = cell.port.Port(pair.right.ns, "cell1", ethernet=True)
        for number in range(3):
            out.send(cell.packet(number, SIZE))
        pair.right.expect(delivered=3, held=0, overflow=0)
        held(pair, 1, 2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
