#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A sender that shares memory with the kernel may overwrite packets that it has already sent. A
sender that overwrites packets can do no harm. The tests use lpd on the sender's own device, where
lpd counts each packet once, and on a router where xlo caps and stamps packets. A good packet passes
afterwards.

On a host with two CPUs, the sender writes while the kernel reads. The tests in selftests/fetch
check each parser alone in the same way."""
# run.sh: all on smp-debug: everything
# run.sh: soak on smp-debug, 7200 s: everything
import struct
import time
from random import Random

from lib import (bench, child, kmod, netlink, netns, packet as pkt, ring, soak, tap, tc, tree,
                 wait)
from lib.router import Router

MS = bench.MS
LONG = 60_000      # ms
BATCHES = soak.amount(20 if wait.virtual_time() else 10, 2000)       # each batch fills the ring
LENGTH_BATCHES = soak.amount(400, 600_000)
LENGTH_AT, LENGTHS = 57, (0, 30, 140)
OPTIONS = {"stale": bench.TRUNCATE, "lifetime": 2 * MS}


def rewritten(version, device, namespace, batch, ethernet=False):
    """Send batches of packets while a thread overwrites them with other packets. After each batch,
    the function `batch` is called. Returns the number of sent packets."""
    random = bench.seed()
    forms = ring.forms(random, version)
    shared = ring.Ring(namespace, device, pkt.protocol(forms[0]), ethernet=ethernet)
    with shared.rewriting(Random(random.random()), forms):
        for _ in range(BATCHES):
            shared.send(random.choices(forms, k=shared.frames))
            batch()
    shared.close()
    tap.note(f"{BATCHES * shared.frames} packets, {shared.written} written over them")
    return BATCHES * shared.frames


def own_device(version):
    """Packets wait until they are stale. The kernel reads a packet when it arrives, when it leaves
    and when the timer finds it."""
    with bench.Bench() as b:
        b.lpd(**OPTIONS)
        b.plug()
        before = b.counters()

        def stale():
            wait.till(time.monotonic_ns() + 3 * MS)
            b.open()
            b.plug()
        sent = rewritten(version, "slip0", b.ns, stale)
        b.open()
        after = b.counters()
        tap.equal("packets in without plugs", after["packets_in"] - before["packets_in"] - BATCHES,
                  sent)
        tap.equal("queued", after["queued"], 0)
        tap.true(f"some packets are cut: {after}", after["truncated"] > sent // 20)
        # with lpd's own lifetime of 2 ms, this packet could become stale on a slow machine and be
        # cut
        b.send(pkt.ipv4(pkt.xlo4(LONG), pkt.body(1, 100)))
        tap.equal("a good packet", b.numbers(), [1])


def routed(version):
    """Packets that the router forwards wait behind other packets."""
    with Router() as r:
        r.xlo.set(validate=1)
        r.xlo.cap_set("r0", 100)
        r.xlo.profile_add(profile_name="all", mark=0, mask=1, path=2, lifetime=300)
        tc.need("lpd", "tbf")
        socket = netlink.Netlink(r.router)
        tc.tc(r.router, "qdisc add dev r1 root handle 1: tbf rate 8mbit burst 2000 limit 1mb")
        socket.qdisc("r1", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**OPTIONS),
                     parent=0x10001)

        def emptied():
            wait.until("the queue is empty",
                       lambda: not tree.checked(socket, "r1").lpd().qlen)
        rewritten(version, "s0", r.sender, emptied, ethernet=True)
        stats, counters = r.xlo.stats(), tree.checked(socket, "r1").lpd().counters
        seen = sum(stats[name] for name in ("relative", "absolute", "no_lifetime", "no_option",
                                            "malformed"))
        tap.true(f"xlo counts them: {stats}", seen and stats["stamped_forward"])
        tap.true(f"some packets are cut: {counters}", counters["truncated"])
        [got] = r.carry([pkt.ipv4(b"", pkt.body(1, 100))])
        tap.equal("a good packet is stamped", pkt.lifetime(got) <= 300, True)


def with_lengths():
    """A packet whose routing header may have several lengths. After each of these lengths there is
    a fragment header and a UDP header, so the packet is valid with every length."""
    packet = bytearray(pkt.ipv6(b"\1\0" + pkt.xlo6(0, pkt.TRUNCATE), bytes(1400)))
    packet[40] = ring.ROUTING
    for length in LENGTHS:
        at = LENGTH_AT + 7 + 8 * length
        packet[at:at + 16] = struct.pack("!BxHIHHHH", ring.UDP, 1, 1, 4000, 5000,
                                         len(packet) - at - 8, 0)
    packet[LENGTH_AT - 1:LENGTH_AT + 3] = bytes([ring.FRAGMENT, LENGTHS[0], 0, 0])
    return bytes(packet)


def lengths():
    """A length field in the packet changes as fast as possible. If a parser read the length twice,
    first a small and then a large value, it would write far beyond the linear part. With a correct
    parser lpd cuts every packet."""
    kmod.modprobe("veth")
    packet = with_lengths()
    with netns.Netns() as left, netns.Netns() as right:
        netns.veth(left, "v0", right, "v1")
        socket = netlink.Netlink(left)
        tc.need("lpd")
        socket.qdisc("v0", netlink.NLM_F_CREATE, "lpd")
        shared = ring.Ring(left, "v0", pkt.protocol(packet), frames=8, ethernet=True)

        def change():
            for length in LENGTHS * 100:
                shared.write_byte(LENGTH_AT, length)
            return 1
        with child.Beside(change):
            for _ in range(LENGTH_BATCHES):
                shared.send([packet] * shared.frames)
        wait.until("an empty queue", lambda: not tree.checked(socket, "v0").lpd().qlen)
        counters = tree.checked(socket, "v0").lpd().counters
        shared.close()
        tap.equal("cut", counters["truncated"], LENGTH_BATCHES * shared.frames)


if __name__ == "__main__":
    tests = [(f"{way.__name__}:ipv{version}", lambda way=way, version=version: way(version))
             for way in (own_device, routed) for version in (4, 6)]
    # in simulated time nothing can change a packet while lpd reads it
    tap.run(tests if wait.virtual_time() else [*tests, ("lengths", lengths)])
