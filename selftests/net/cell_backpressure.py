#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets wait in the qdisc above a cellink device, not in the device. At most as many packets as
fit into the ring wait in the device, which accepts the next packet as soon as the ring has
space."""
# run.sh: all on vm-6.12: default_* drains_* lpd_*
# run.sh: all on smp-debug: everything
# run.sh: smoke: default_holds_two drains_* lpd_*
from lib import bench, cell, netlink, packet as pkt, tap, tc, tree, wait

REPLACE = netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE
SLOW = 1                                # bytes/s, so slow that no packet is sent during a test


def backlog(pair):
    """The number of packets in the qdisc above the device."""
    return tree.Tree(pair.left.netlink, "cell0").qdiscs[0].qlen


def fill(pair, count=20, size=1000):
    port = pair.port()
    for number in range(count):
        tap.true("sent", port.send(cell.packet(number, size)))


def test_default_holds_two():
    """By default, the device contains two packets. All other packets wait in the qdisc, and no
    packet is lost."""
    with cell.Pair(rate=SLOW) as pair:
        fill(pair)
        tap.equal("packets in the device", pair.left.counters()["held"], 2)
        tap.equal("packets above it", backlog(pair), 18)
        tap.equal("accepted packets", pair.left.counters()["packets_in"], 2)


def test_packets():
    """The ring contains at most `ring_packets` packets, even if `ring_packets` is 1."""
    for count in (1, 7):
        with cell.Pair(rate=SLOW, ring_packets=count) as pair:
            fill(pair)
            tap.equal("packets in the device", pair.left.counters()["held"], count)
            tap.equal("packets above it", backlog(pair), 20 - count)


def test_bytes():
    """The qdisc stops when the ring contains `ring_bytes` bytes. An empty ring accepts a packet of
    any size."""
    for room, count in ((1, 1), (2000, 2), (2001, 3)):
        with cell.Pair(rate=SLOW, ring_packets=100, ring_bytes=room) as pair:
            fill(pair)
            tap.equal(f"in {room} bytes", pair.left.counters()["held"], count)
            tap.equal("packets above it", backlog(pair), 20 - count)


def test_delay_holds_nothing_back():
    """Packets take no space in the ring during the link delay."""
    with cell.Pair(delay=10**10) as pair:
        fill(pair, 100)
        tap.equal("packets above it", backlog(pair), 0)
        tap.equal("delayed packets", pair.left.counters()["held"], 100)


def test_drains_without_an_arrival():
    """Each packet that is sent makes space for the next packet. The qdisc drains completely,
    although no further packet arrives."""
    with cell.Pair(rate=100_000) as pair:
        sniffer = pair.sniffer()
        fill(pair, 100, 1000)
        seen = cell.arrivals(sniffer, 100)
        tap.equal("packets in order", [number for number, _ in seen], list(range(100)))
        pair.left.expect(held=0, delivered=100)


def test_ring_grows_and_shrinks():
    """If the ring is enlarged, it immediately accepts packets from the qdisc. If the ring is made
    smaller, it keeps the packets that it has accepted."""
    with cell.Pair(rate=SLOW) as pair:
        fill(pair)
        pair.left.change(ring_packets=10)
        wait.until("ten packets in the device", lambda: pair.left.counters()["held"] == 10)
        pair.left.change(ring_packets=1)
        tap.equal("packets in the smaller ring", pair.left.counters()["held"], 10)
        pair.left.change(rate=0)
        pair.left.expect(held=0, delivered=20)
        tap.equal("packets above it", backlog(pair), 0)


def test_lpd_discards_what_waits():
    """The backlog waits in sch_lpd above the device. A packet that expires in sch_lpd is never
    sent."""
    tc.need("lpd")
    with cell.Pair(rate=SLOW) as pair:
        pair.left.netlink.qdisc("cell0", REPLACE, "lpd", *bench.lpd_options(limit=50))
        port = pair.port()
        for number in range(10):
            port.send(pkt.ipv4(pkt.xlo4(300), pkt.body(number, 950)))

        def lpd():
            return tree.Tree(pair.left.netlink, "cell0").lpd()
        wait.until("all queued packets expire", lambda: lpd().counters["queued"] == 0)
        tap.equal("packets accepted, sent and discarded",
                  [lpd().counters[name] for name in ("packets_in", "packets_out", "stale_timer")],
                  [10, 2, 8])
        pair.left.change(rate=0)
        pair.left.expect(held=0, delivered=2)


def test_fq_codel_holds_the_backlog():
    """The backlog waits in the kernel's fq_codel above the device."""
    with cell.Pair(rate=SLOW) as pair:
        pair.left.netlink.qdisc("cell0", REPLACE, "fq_codel")
        fill(pair)
        tap.equal("packets above it", backlog(pair), 18)
        pair.left.change(rate=0)
        pair.left.expect(held=0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
