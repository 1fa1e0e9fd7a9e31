#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The channel sends one packet after the other. The link sends a packet at its rate. The packet
arrives when the delay has passed since its last byte was sent. A capture at the receiver confirms
the times to the microsecond."""
# run.sh: needs: simulated time
import socket
import time

from lib import bench, cell, kmod, packet as pkt, sniff, tap, wait
from lib.cell import MS, S, US

MBIT = 125_000                          # bytes/s
TICK = 256                              # ns by which the simulated clock advances at each reading
EXACT = US


def taken(end, send):
    """The time at which the device accepts the first packet of send(), from a capture on the
    device."""
    out = sniff.Sniffer(end.ns, end.name, outgoing=True)
    port = cell.port.Port(end.ns, end.name, ethernet=True)
    send(port)
    port.close()
    return out.drain()[0].when


def send(end, sizes):
    """Send packets of these sizes. Returns the time at which the device accepts the first
    packet."""
    return taken(end, lambda port: [port.send(cell.packet(number, size))
                                    for number, size in enumerate(sizes)])


def expect(sniffer, start, sizes, rate, delay=0):
    """Check that each packet arrives as soon as the packet and all packets before it have been
    sent."""
    wait.till(start + sum(sizes) * S // rate + delay + MS)
    total, seen = 0, cell.ours(sniffer.drain())
    tap.equal("order", [number for number, _ in seen], list(range(len(sizes))))
    for (number, when), size in zip(seen, sizes):
        total += size
        ideal = start + total * S // rate + delay
        tap.within(f"packet {number} of {len(sizes)}: arrival less its ideal time", when - ideal,
                   -EXACT, EXACT)


def at(what, sniffer, start, times, exact=EXACT):
    """Check that packets arrive in order, at these times after the start."""
    wait.till(start + times[-1] + MS)
    seen = cell.ours(sniffer.drain())
    tap.equal(f"{what}: order", [number for number, _ in seen], list(range(len(times))))
    for (number, when), ideal in zip(seen, times):
        tap.within(f"{what}: packet {number}", when - start - ideal, -exact, exact)


def test_rate():
    """The channel sends 1000 packets of random sizes at rates from 64 kbit/s to 1 Gbit/s. Each
    packet arrives exactly when it is due."""
    random = bench.seed()
    for rate in (8000, 3 * MBIT, 1000 * MBIT):
        with cell.Pair(rate=rate) as pair:
            sniffer = pair.sniffer()
            sizes = [random.randrange(60, 1514) for _ in range(1000)]
            expect(sniffer, send(pair.left, sizes), sizes, rate)
            tap.equal("bytes", pair.left.counters()["sent_bytes"], sum(sizes))


def test_delay():
    """Without a rate, a packet arrives after exactly the delay."""
    # Each delay is a multiple of many ticks. A simulated timer is 1 us late if it fires between two
    # ticks or very soon.
    for delay in (200 * TICK, 20 * MS, 10 * S):
        with cell.Pair(delay=delay) as pair:
            sniffer = pair.sniffer()
            for _ in range(3):
                at(f"delay of {delay} ns", sniffer, send(pair.left, [100]), [delay])


def test_rate_and_delay():
    """The delay begins when the last byte is sent, so several packets can be on their way at the
    same time."""
    with cell.Pair(rate=MBIT, delay=300 * MS) as pair:
        sniffer = pair.sniffer()
        sizes = [500] * 200
        start = send(pair.left, sizes)
        time.sleep(0.2)
        tap.equal("packets in the device after 200 ms", pair.left.counters()["held"], 50 + 2)
        expect(sniffer, start, sizes, MBIT, 300 * MS)


def test_directions_differ():
    """Each device's attributes apply to packets that this device sends."""
    with cell.Pair(rate=MBIT, delay=5 * MS, back={"rate": 8 * MBIT, "delay": 70 * MS}) as pair:
        sniffer = pair.sniffer()
        sizes = [1000] * 10
        expect(sniffer, send(pair.left, sizes), sizes, MBIT, 5 * MS)
        pair.left, pair.right = pair.right, pair.left
        sniffer = sniff.Sniffer(pair.right.ns, "cell0")
        expect(sniffer, send(pair.left, sizes), sizes, 8 * MBIT, 70 * MS)


def test_idle_time_is_lost():
    """After a pause no packet is sent faster than the rate."""
    with cell.Pair(rate=MBIT) as pair:
        sniffer = pair.sniffer()
        for _ in range(3):
            time.sleep(1)
            sizes = [777] * 20
            expect(sniffer, send(pair.left, sizes), sizes, MBIT)


ADDRESS = ("address add 10.9.0.1/24 dev cell0",
           "neighbour replace 10.9.0.2 lladdr 02:00:00:00:00:02 dev cell0")
TUNNEL = ("link add tunnel type ipip local 10.9.0.1 remote 10.9.0.2 dev cell0",
          "link set tunnel up")
UDP_SEGMENT = 103


def super_packet(what, headers, send):
    """Check that a GSO packet of ten segments of 1000 bytes takes as long as ten packets with their
    own headers."""
    with cell.Pair(rate=MBIT) as pair:
        pair.left.ns.ip(*ADDRESS)
        sniffer = pair.sniffer()
        start = taken(pair.left, lambda port: send(pair.left.ns, port))
        wait.till(start + 200 * MS)
        seen = [frame for frame in sniffer.drain() if len(frame.packet) > 1000]
        wire = 10 * (1000 + headers + cell.HEADER)
        tap.within(f"{what}: arrival less its ideal time",
                   seen[0].when - start - wire * S // MBIT, -EXACT, EXACT)
        tap.equal(f"{what}: packets", (len(seen), pair.left.counters()["sent"]), (1, 1))


def udp(ns, _):
    sock = ns.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1000)
    sock.sendto(pkt.body(0, 10_000), ("10.9.0.2", 5000))
    sock.close()


def in_tunnel(ns, _):
    kmod.modprobe("ipip")
    ns.ip(*TUNNEL)
    cell.port.Port(ns, "tunnel").send_gso(pkt.tcp4(pkt.body(0, 10_000)), 1000)


def test_super_packets():
    """A GSO packet of TCP, UDP or a tunnel takes as long as its segments, each with its own
    headers."""
    body = pkt.body(0, 10_000)
    super_packet("tcp4", 20 + 20, lambda _, port: port.send_gso(pkt.tcp4(body), 1000))
    super_packet("tcp6", 40 + 20, lambda _, port: port.send_gso(pkt.tcp6(body), 1000))
    super_packet("udp", 20 + 8, udp)
    super_packet("tunnel", 20 + 20 + 20, in_tunnel)


def test_rate_changes_within_a_packet():
    """After a change of the rate, the channel sends the rest of the current packet and all later
    packets at the new rate."""
    with cell.Pair(rate=1000) as pair:
        sniffer = pair.sniffer()
        start = send(pair.left, [1000, 1000, 1000])
        wait.sharp(start + 250 * MS)
        pair.left.change(rate=3000)
        wait.sharp(start + 350 * MS)
        pair.left.change(rate=2000)
        # 250 bytes at 1000 bytes/s, 300 at 3000, 450 at 2000; the requests also take some time
        at("changed twice", sniffer, start, [575 * MS, 1075 * MS, 1575 * MS], 20 * EXACT)


def test_becoming_unlimited_releases_all():
    """When the rate is removed, all queued packets leave immediately, in order."""
    with cell.Pair(rate=100) as pair:
        sniffer = pair.sniffer()
        start = send(pair.left, [1000] * 50)
        wait.sharp(start + 100 * MS)
        pair.left.change(rate=0)
        at("unlimited", sniffer, start, [100 * MS] * 50, 20 * EXACT)


def test_shorter_delay_overtakes_nothing():
    """Packets arrive in the order they were sent, even if the delay becomes shorter or 0."""
    for delay in (10 * MS, 0):
        with cell.Pair(delay=500 * MS) as pair:
            sniffer = pair.sniffer()
            port, start = pair.port(), time.monotonic_ns()
            port.send(cell.packet(0, 100))
            pair.left.change(delay=delay)
            port.send(cell.packet(1, 100))
            wait.sharp(start + 600 * MS)
            port.send(cell.packet(2, 100))
            at(f"shortened to {delay} ns", sniffer, start,
               [500 * MS, 500 * MS, 600 * MS + delay], 20 * EXACT)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
