#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""This test sends 100,000 packets with random lifetimes over a congested link. A sniffer behind the
queue sees no packet after its deadline, and no packet states less than its remaining lifetime. The
sniffer and lpd's counters together account for every packet. Packets leave in the order of their
arrival.

    port --> veth: tbf -- lpd --> gate --> sniffer

The environment variable FL_SCALE scales the number of packets. The environment variable FL_SEED=N
repeats the run with the seed N."""
# run.sh: once: very many packets
import itertools
import os
import time

from lib import bench, kmod, netlink, netns, packet as pkt, port, sniff, tap, tc, tree, wait

MS = bench.MS
# The kernel's debug build needs ten times as long for a packet, and an emulated VM even longer.
SCALE = float(os.environ.get("FL_SCALE") or
              {"lab": 1, "lab-debug": 0.2}.get(os.environ.get("FL_MACHINE"), 0.05))
COUNT = int(100_000 * SCALE)
SIZE = 100              # bytes of payload
FRAME = SIZE + 60       # payload and headers of most packets
LOAD = 1.5              # ratio of the offered load to the capacity of the link
BURST = 40              # packets in a burst
LIFETIMES = (1, 700)    # ms, for a queue that needs more than 500 ms to empty


class Link:
    """A network link with the rate `rate`, in byte/s. The object also records the packets that were
    sent into the link and the packets that were seen behind it."""

    def __init__(self, rate):
        tc.need("lpd", "tbf")
        kmod.modprobe("veth")
        self.ns, self.far = netns.Netns(), netns.Netns()
        netns.veth(self.ns, "a0", self.far, "b0")
        self.ns.run(f"tc qdisc add dev a0 root handle 1: tbf rate {rate * 8}bit "
                    "burst 3000 limit 1gb")
        self.netlink = netlink.Netlink(self.ns)
        self.netlink.qdisc("a0", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(limit=4000),
                           parent=0x10001)
        self.port = port.Port(self.ns, "a0", ethernet=True)
        # The gate captures packets in the order in which they leave. Behind the gate each CPU
        # forwards packets on its own, so the sniffer may see another order.
        self.gate = sniff.Sniffer(self.ns, "a0", outgoing=True)
        self.sniffer = sniff.Sniffer(self.far, "b0")
        # `earliest` and `latest` are the bounds of each packet's deadline. `seen` has (number,
        # time, lifetime) of each packet behind the link.
        self.earliest, self.latest, self.seen = [], [], []
        self.left = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ns.close()
        self.far.close()

    def send(self, number, ms, kind):
        """Send a packet. The kinds 0 (IPv4) and 1 (IPv6) have a relative lifetime. Kind 2 (IPv4)
        has an absolute deadline."""
        body = pkt.body(number, SIZE)
        if kind == 2:
            # an absolute deadline is a whole number of ms of the wall clock
            deadline = time.time_ns() // MS + ms
            offset = self.sniffer.offset
            self.port.send(pkt.ipv4(pkt.xlo4(pkt.NONE + (deadline % pkt.DAY_MS or
                                                         pkt.DAY_MS - 1)), body))
            first = last = deadline * MS - offset
        else:
            packet = (pkt.ipv4(pkt.xlo4(ms), body), pkt.ipv6(pkt.xlo6(ms), body))[kind]
            first = time.monotonic_ns()
            self.port.send(packet)
            first, last = first + ms * MS, time.monotonic_ns() + ms * MS
        self.earliest.append(first)
        self.latest.append(last)

    def collect(self):
        self.left += [pkt.number(frame.packet) for frame in self.gate.drain()]
        self.seen += [(pkt.number(frame.packet), frame.when, pkt.lifetime(frame.packet))
                      for frame in self.sniffer.drain()]

    def lpd(self):
        lpd = tree.Tree(self.netlink, "a0").lpd()
        tree.check_account(lpd)
        return lpd


def link_rate():
    """The rate of the link in byte/s. The host can send LOAD times as fast as this rate. In real
    time the rate is at most a third of the rate at which the host can send."""
    if wait.virtual_time():
        return 10**6
    with Link(10**8) as link:
        start = time.monotonic_ns()
        for number in range(500):
            link.send(number, LIFETIMES[1], number % 3)
        sent = 500 * FRAME * 10**9 // (time.monotonic_ns() - start)
    return min(sent // 3, 10**5)


def traffic(link, rate, random):
    """Send COUNT packets in bursts, at LOAD times the capacity of the link. Returns how long the
    whole transfer takes, in ns."""
    start = time.monotonic_ns()
    for number in range(COUNT):
        if number % BURST == 0:
            wait.till(start + int(number * FRAME * 10**9 / (rate * LOAD)))
            link.collect()
        link.send(number, random.randrange(*LIFETIMES), random.randrange(3))
    wait.until("an empty queue", lambda: link.lpd().qlen == 0)
    wait.until("all sent packets", lambda: link.collect() or
               len(link.seen) == len(link.left) == link.lpd().counters["packets_out"], 5)
    return time.monotonic_ns() - start


def way(link, number, when, field):
    """An upper bound of the time that the packet needed from the queue to the sniffer. The result
    follows from the lifetime that lpd wrote into the packet."""
    return when - (link.earliest[number] - field * MS - MS // 2)


def longest_way(link):
    """The longest time that a packet needed from the queue to the sniffer. In simulated time the
    result is 0. In real time the host may pause a process, and the remaining lifetimes show for how
    long."""
    if wait.virtual_time():
        return 0
    return max(way(link, *seen) for seen in link.seen if 2 <= seen[2] < pkt.NONE)


def check_lifetime(link, grace, number, when, field):
    """Check that the sniffer saw the packet before its deadline, and that the option states at
    least the remaining lifetime."""
    late = when - link.latest[number]
    tap.true(f"packet {number} is {-late / MS} ms before its deadline", late <= grace)
    if field <= pkt.NONE:
        # The packet left the queue before the sniffer saw it.
        tap.true(f"packet {number}: {field} ms is no less than the rest when it was seen",
                 field * MS + MS // 2 >= link.earliest[number] - when)


def test_none_leaves_after_its_deadline():
    """No packet leaves after its deadline, and lpd's counters account for every packet."""
    random, rate = bench.seed(), link_rate()
    with Link(rate) as link:
        took = traffic(link, rate, random)
        counters = link.lpd().counters
        tap.note(f"{COUNT} packets at {rate} byte/s, {len(link.seen)} seen in {took / 1e9:.1f} s, "
                 f"{counters}")
        grace = longest_way(link)
        tap.note(f"from queue to sniffer: at most {grace / MS} ms")
        for seen in link.seen:
            check_lifetime(link, grace, *seen)
        link.sniffer.lossless()
        overtaken = [pair for pair in itertools.pairwise(link.left) if pair[0] >= pair[1]]
        tap.equal("pairs in the wrong order", overtaken[:5], [])
        tap.true("the sniffer saw each packet that left",
                 sorted(number for number, _, _ in link.seen) == link.left)
        tap.equal("packets in", counters["packets_in"], COUNT)
        tap.equal("packets out", counters["packets_out"], len(link.seen))
        lost = sum(counters[cause] for cause in tree.CAUSES)
        tap.equal("packets not seen", COUNT - len(link.seen), lost)
        tap.equal("stale and overflowing packets", lost,
                  sum(counters[cause] for cause in tree.STALE + ["overflow_limit"]))
        tap.true("many lifetimes expired", sum(counters[c] for c in tree.STALE)
                 > COUNT / 20)
        if wait.virtual_time():
            # in real time the host may be too slow to keep the link busy
            carried = len(link.seen) * FRAME / (took / 1e9)
            tap.within("used part of the link's rate", carried / rate, 0.85, 1.1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
