#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Below mq there is one lpd a transmit queue: each keeps its own account, and mq's is their sum.

    port --> veth(2 queues) mq --> [ tbf --> ] lpd, lpd"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import bench, kmod, netlink, netns, packet as pkt, port, sniff, tap, tc, tree, wait

MS = bench.MS
SLOW, FAST = "rate 8bit burst 1600 limit 1mb", "rate 1gbit burst 1mb limit 1mb"


class MultiQueue:
    """A veth pair with two queues and mq, lpd in each queue at `parents`."""

    def __init__(self, parents, gate=None):
        tc.need("lpd", *(["tbf"] if gate else []))
        kmod.modprobe("veth")
        self.ns, self.far = netns.Netns(), netns.Netns()
        netns.veth(self.ns, "mq0", self.far, "far0", "numtxqueues 2 numrxqueues 2")
        self.netlink = netlink.Netlink(self.ns)
        self.ns.run("tc qdisc replace dev mq0 root handle 1: mq")
        for number in (1, 2) if gate else ():
            self.ns.run(f"tc qdisc replace dev mq0 parent 1:{number} handle 1{number}: tbf {gate}")
        for number, parent in enumerate(parents):
            self.netlink.qdisc("mq0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                               parent=parent, handle=0xa0000000 + (number << 16))
        self.port = port.Port(self.ns, "mq0", ethernet=True)
        self.sniffer = sniff.Sniffer(self.far, "far0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ns.close()
        self.far.close()

    def gate(self, words):
        for number in (1, 2):
            self.ns.run(f"tc qdisc change dev mq0 parent 1:{number} handle 1{number}: tbf {words}")

    def send(self, packets):
        with bench.Moment() as moment:
            for packet in packets:
                self.port.send(packet)
        return moment

    def tree(self):
        return tree.checked(self.netlink, "mq0")

    def sums(self, *names):
        """The counters of both lpds added up; each must have seen something."""
        both = [self.tree().lpd(number).counters for number in (0, 1)]
        tap.true("both queues were used", all(c["packets_in"] > 0 for c in both))
        return [sum(c[name] for c in both) for name in names]


def flows(count, ms):
    """Packets of many flows: their hash spreads them over the queues."""
    return [pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 60), port=5000 + number)
            for number in range(count)]


def test_straight_below_mq():
    with MultiQueue((0x10001, 0x10002)) as m:
        m.send(flows(100, 20_000) + flows(50, 0))
        wait.until("100 arrive", lambda: m.sums("packets_out") == [100])
        tap.equal("in, stale", m.sums("packets_in", "stale_enqueue"), [150, 50])
        seen = m.sniffer.until("100 on the wire", lambda frames: len(frames) >= 100)
        tap.equal("seen on the wire", len(seen), 100)


def test_expiry_below_mq_and_tbf():
    """Gated by tbf: what is queued expires in both, every ancestor knows, the rest leaves."""
    with MultiQueue((0x110001, 0x120001), SLOW) as m:
        m.send(flows(40, 20_000))
        sent = m.send(flows(100, 60))
        queued = m.tree().root.qlen
        tap.within("queued", queued, 100, 140)
        wait.till(sent.last + 61 * MS)
        wait.until("the stale ones are gone", lambda: m.tree().root.qlen <= 40)
        m.gate(FAST)
        m.send(flows(40, 20_000))
        wait.until("all is sent", lambda: m.tree().root.qlen == 0)
        tap.equal("in", m.sums("packets_in"), [180])
        stale = sum(m.sums(*tree.STALE))
        tap.within("stale", stale, 96, 100)
        wait.until("the last frame", lambda: m.sums("packets_out") == [180 - stale])
        seen = m.sniffer.until("the rest on the wire",
                               lambda frames: len(frames) >= 180 - stale)
        tap.equal("seen on the wire", len(seen), 180 - stale)


def test_link_down_resets_both():
    with MultiQueue((0x110001, 0x120001), SLOW) as m:
        m.send(flows(60, 20_000))
        queued = m.tree().root.qlen
        m.ns.link("mq0", False)
        tap.equal("qlen", [q.qlen for q in m.tree().qdiscs], [0] * 5)
        tap.equal("reset", m.sums("reset"), [queued])


def test_mq_deleted_with_packets_queued():
    with MultiQueue((0x110001, 0x120001), SLOW) as m:
        m.send(flows(60, 30))
        m.ns.run("tc qdisc del dev mq0 root")
        m.send(flows(10, 20_000))
        wait.until("packets pass", lambda: len(m.sniffer.drain()) > 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
