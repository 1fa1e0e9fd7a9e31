#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Below mq, multiq or taprio, each transmit queue has its own lpd. Each lpd has its own counters,
and the root qdisc reports their sums. Packets, drops and changes of the options in one lpd do not
affect the other lpd.

    port --> veth(2 queues) mq, multiq or taprio --> [ tbf --> ] lpd, lpd"""
# run.sh: all on vm-6.12: *:timer_* *:root_*
# run.sh: all on smp-debug: mq:leaf_* mq:queue_* mq:link_* *:timer_* mq:root_*
from lib import bench, kmod, netlink, netns, packet as pkt, port, sniff, tap, tc, tree, wait

MS = bench.MS
SLOW, FAST = "rate 8bit burst 1600 limit 1mb", "rate 1gbit burst 1mb limit 1mb"
GATES, LPDS = (0x110000, 0x120000), (0xa0000000, 0xa0010000)
ROOTS = {"mq": "mq", "multiq": "multiq",
         "taprio": "taprio num_tc 1 map " + "0 " * 16 + "queues 2@0 base-time 0 "
         "sched-entry S 01 1000000000 clockid CLOCK_TAI"}
# ms; even a slow host needs much less than SHORT to fill both queues
SHORT, LONG, ROW = 500 if wait.virtual_time() else 2000, 20_000, 40
PAYLOAD, FRAME = 60, 14 + 28 + 8 + 60
KEEP = 50               # bytes of a cut packet's payload, more than tbf's tokens allow


class MultiQueue(bench.Account):
    """A veth pair with two transmit queues and a root qdisc. `parents` are the parents of both
    lpds."""

    def __init__(self, root, parents, gate=None):
        super().__init__()
        # every kernel has mq, without a module
        tc.need("lpd", *[root] * (root != "mq"), *["tbf"] * bool(gate))
        kmod.modprobe("veth")
        self.ns, self.far = netns.Netns(), netns.Netns()
        netns.veth(self.ns, "mq0", self.far, "far0", queues=2)
        self.netlink = netlink.Netlink(self.ns)
        self.waiting = tc.Waiting(self.ns)
        self.waiting.do(f"qdisc replace dev mq0 root handle 1: {ROOTS[root]}")
        for number in (1, 2) if gate else ():
            self.waiting.do(f"qdisc replace dev mq0 parent 1:{number} handle 1{number}: tbf {gate}")
        for number, parent in enumerate(parents):
            self.lpd(number, parent)
        self.port = port.Port(self.ns, "mq0", ethernet=True)
        self.sniffer = sniff.Sniffer(self.far, "far0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.waiting.close()
        self.ns.close()
        self.far.close()

    def lpd(self, number, parent, **options):
        self.netlink.qdisc("mq0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                           *bench.lpd_options(**options), parent=parent, handle=LPDS[number])

    def gate(self, words, numbers=(1, 2)):
        for number in numbers:
            self.waiting.do(f"qdisc change dev mq0 parent 1:{number} handle 1{number}: tbf {words}")

    def send(self, packets):
        with bench.Moment() as moment:
            for packet in packets:
                self.port.send(packet)
        return moment

    def tree(self):
        return tree.checked(self.netlink, "mq0")

    def queued(self):
        """The number of packets in both queues."""
        found = self.tree()
        return sum(found.lpd(number).qlen for number in (0, 1))

    def sums(self, *names):
        """Return the sums of counters over both lpds. Checks that each lpd has received packets."""
        both = [self.tree().lpd(number).counters for number in (0, 1)]
        tap.true("both queues get packets", all(c["packets_in"] > 0 for c in both))
        return [sum(c[name] for c in both) for name in names]


def flows(count, ms):
    """Packets of many flows. The kernel distributes the flows over the queues by a hash."""
    return [pkt.ipv4(pkt.xlo4(ms), pkt.body(number, PAYLOAD), port=5000 + number)
            for number in range(count)]


class Gated(MultiQueue):
    """Two lpds, each below a tbf that sends nothing. The first lpd has the given options. The
    packets 500, 501 and 502 wait in the second lpd. A packet to the n-th port of `ports` goes to
    the n-th queue."""

    def __init__(self, root, **options):
        super().__init__(root, [gate + 1 for gate in GATES], SLOW)
        self.lpd(0, GATES[0] + 1, **options)
        self.ports = [self._port_to(number) for number in (0, 1)]
        for number in (0, 1):
            # The plug uses up tbf's burst.
            self.port.send(pkt.ipv4(payload=pkt.body(bench.PLUG, 1472),
                                    port=self.ports[number]))
        self.put(1, (500, 501, 502), LONG)
        self.holds(0, 3)
        self.sniffer.until("both plugs", lambda frames: len(frames) == 2)
        self.mark()

    def _port_to(self, number):
        """Find a UDP port whose packets go to the queue `number`. The packets for this search are
        stale on arrival."""
        for candidate in range(5000, 5100):
            before = self.tree().lpd(number).counters["packets_in"]
            self.port.send(pkt.ipv4(pkt.xlo4(0), port=candidate))
            if self.tree().lpd(number).counters["packets_in"] > before:
                return candidate
        raise tap.Failed(f"no flow leads to queue {number}")

    def put(self, number, names, ms, flags=pkt.DISCARD):
        """Send packets of one size to a queue. Returns when the last packet was sent, and the
        number of accepted packets."""
        taken = 0
        for name in names:
            with bench.Moment() as last:
                taken += self.port.send(pkt.ipv4(pkt.xlo4(ms, flags),
                                                 pkt.body(name, PAYLOAD),
                                                 port=self.ports[number]))
        return last, taken

    def holds(self, *wanted):
        """Check that each queue holds the wanted number of packets. The method tree() also checks
        the sums of the root."""
        found = self.tree()
        gates = [found.by_handle(gate) for gate in GATES]
        tap.equal("(qlen, backlog) of both queues", [(q.qlen, q.backlog) for q in gates],
                  [(packets, packets * FRAME) for packets in wanted])

    def opens(self, *wanted):
        """Let both queues send. A stale packet that arrives wakes each tbf. Check that the wanted
        packets and the packets of the second queue arrive."""
        self.gate(FAST)
        for number in (0, 1):
            self.put(number, (600,), 0)
        self.lets_out(*wanted, 500, 501, 502)
        self.holds(0, 0)

    def lets_out(self, *wanted):
        """Check that exactly the wanted packets arrive."""
        frames = self.sniffer.until("the packets", lambda seen: len(seen) >= len(wanted))
        tap.equal("packets", sorted(pkt.number(f.packet) for f in frames), sorted(wanted))


def straight_below(root):
    """If both lpds are directly below the root, each lpd sends fresh packets and discards stale
    packets."""
    with MultiQueue(root, (0x10001, 0x10002)) as m:
        m.send(flows(100, 20_000) + flows(50, 0))
        wait.until("100 packets are sent", lambda: m.sums("packets_out") == [100])
        tap.equal("packets in, stale on arrival", m.sums("packets_in", "stale_enqueue"), [150, 50])
        seen = m.sniffer.until("100 on the wire", lambda frames: len(frames) >= 100)
        tap.equal("packets on the wire", len(seen), 100)


def expiry_below_tbf(root):
    """Packets that wait below a tbf expire in both queues, and lpd informs every ancestor qdisc.
    The fresh packets leave."""
    with MultiQueue(root, (0x110001, 0x120001), SLOW) as m:
        m.send(flows(40, 20_000))
        sent = m.send(flows(100, SHORT))
        queued = m.queued()
        tap.within("queued", queued, 100, 140)
        wait.till(sent.last + SHORT * MS)
        wait.until("the stale packets are gone", lambda: m.queued() <= 40)
        m.gate(FAST)
        m.send(flows(40, 20_000))
        wait.until("all packets are sent", lambda: m.queued() == 0)
        tap.equal("packets in", m.sums("packets_in"), [180])
        stale = sum(m.sums(*tree.STALE))
        tap.within("stale packets", stale, 96, 100)
        wait.until("the last frame", lambda: m.sums("packets_out") == [180 - stale])
        seen = m.sniffer.until("the rest on the wire",
                               lambda frames: len(frames) >= 180 - stale)
        tap.equal("packets on the wire", len(seen), 180 - stale)


def link_down_resets_both(root):
    """If the link goes down, both queues are reset."""
    with MultiQueue(root, (0x110001, 0x120001), SLOW) as m:
        m.send(flows(60, 20_000))
        queued = m.queued()
        m.ns.link("mq0", False)
        tap.equal("qlens", {q.qlen for q in m.tree().qdiscs}, {0})
        tap.equal("reset", m.sums("reset"), [queued])


def root_deleted_with_packets_queued(root):
    """The root can be deleted with packets in both queues, and packets pass afterwards."""
    with MultiQueue(root, (0x110001, 0x120001), SLOW) as m:
        m.send(flows(60, 30))
        m.waiting.do("qdisc del dev mq0 root")
        m.send(flows(10, 20_000))
        wait.until("packets pass", lambda: len(m.sniffer.drain()) > 0)


def purge_inside_enqueue(root):
    """New packets replace stale packets in one queue, and the other queue does not change."""
    with Gated(root, limit=ROW) as m:
        last, _ = m.put(0, range(ROW), SHORT)
        wait.till(last.last + SHORT * MS + 1)
        _, taken = m.put(0, range(100, 100 + ROW), LONG)
        counters = m.tree().lpd().counters
        tap.equal("accepted", taken, ROW)
        if wait.virtual_time():
            # The timer discards the first packet. After each arrival tbf peeks.
            tap.equal("packets discarded for space",
                      counters["stale_purge"] + counters["stale_peek"], ROW - 1)
        wait.until("the stale packets are gone", lambda: m.tree().lpd().qlen == ROW)
        m.holds(ROW, 3)
        m.expect(0, packets_in=2 * ROW, stale=ROW)
        m.expect(1)
        m.opens(*range(100, 100 + ROW))


def overflow(root):
    """If one queue is full, it refuses packets and reports the drop to the sender, while the other
    queue has space."""
    with Gated(root, limit=5) as m:
        tap.equal("accepted", m.put(0, range(9), LONG)[1], 5)
        tap.equal("accepted stale packets", m.put(0, (9,), 0)[1], 0)
        m.holds(5, 3)
        m.expect(0, packets_in=10, overflow_limit=4, stale_enqueue=1)
        m.expect(1)
        m.opens(0, 1, 2, 3, 4)


def overflow_head(root):
    """With the overflow policy head, lpd drops the packet that would be sent next. The counters of
    every ancestor qdisc remain correct."""
    with Gated(root, limit=5, overflow=bench.HEAD) as m:
        m.put(0, range(7), LONG)
        m.holds(5, 3)
        m.expect(0, packets_in=7, overflow_limit=2)
        m.opens(*range(2, 7))


def overflow_stalest(root):
    """With the overflow policy stalest, lpd drops the packet that would become stale first, even in
    the middle of the queue."""
    with Gated(root, limit=5, overflow=bench.STALEST) as m:
        for number, ms in enumerate((LONG, LONG // 2, LONG, LONG // 4, LONG, LONG, LONG)):
            m.put(0, (number,), ms)
        m.holds(5, 3)
        m.expect(0, packets_in=7, overflow_limit=2)
        m.opens(0, 2, 4, 5, 6)


def timer_cuts(root):
    """If the timer cuts a packet, the backlog of every ancestor qdisc shrinks. Only the headers and
    `keep` bytes of the packet leave."""
    with Gated(root, keep=KEEP) as m:
        last, _ = m.put(0, range(ROW), SHORT, pkt.TRUNCATE)
        wait.till(last.last + SHORT * MS + 1)
        wait.until("all are cut", lambda: m.tree().lpd().counters["truncated"] == ROW)
        gate = m.tree().by_handle(GATES[0])
        tap.equal("(qlen, backlog)", (gate.qlen, gate.backlog),
                  (ROW, ROW * (FRAME - PAYLOAD + KEEP)))
        m.opens(*range(ROW))
        m.expect(1, packets_in=1, packets_out=3, rewritten=3, stale_enqueue=1)


def limit_shrinks(root):
    """If a lower limit makes one lpd drop packets, the counters of the root are immediately
    correct. The second lpd does not change."""
    with Gated(root) as m:
        m.put(0, range(10), LONG)
        m.netlink.qdisc("mq0", 0, "lpd", *bench.lpd_options(limit=3), parent=GATES[0] + 1,
                        handle=LPDS[0])
        m.holds(3, 3)
        m.expect(0, packets_in=10, overflow_limit=7)
        m.expect(1)
        m.opens(0, 1, 2)


def leaf_goes(root, words):
    """Delete one lpd with queued packets and an armed timer, by the tc command `words`. Create the
    lpd again afterwards."""
    with Gated(root) as m:
        m.put(0, (0, 1, 2), LONG)
        last, _ = m.put(0, (3,), SHORT)
        m.waiting.do("qdisc " + words)
        m.holds(0, 3)
        wait.till(last.last + SHORT * MS)
        m.lpd(0, GATES[0] + 1)
        m.expect(1)
        m.put(0, (4, 5), LONG)
        m.holds(2, 3)
        m.opens(4, 5)


def leaf_replaced(root):
    """If a pfifo replaces one lpd, the root subtracts only the packets of this lpd."""
    leaf_goes(root, "replace dev mq0 parent 11:1 handle c: pfifo")


def leaf_deleted(root):
    """If one lpd is deleted, the root subtracts only the packets of this lpd."""
    leaf_goes(root, "del dev mq0 parent 11:1")


def queue_goes(root, words):
    """Replace or delete the qdisc of one queue by the tc command `words`. To replace a qdisc, mq
    and taprio stop the whole device. Up to Linux 6.12, the stop also resets the second queue. The
    second queue counts the dropped packets. Afterwards an lpd directly below the root works."""
    with Gated(root) as m:
        m.put(0, (0, 1, 2), LONG)
        m.put(0, (3,), SHORT)
        m.waiting.do("qdisc " + words)
        found = m.tree()
        stayed = found.lpd().qlen
        tap.true(f"{stayed} packets stay: all or none", stayed in (0, 3))
        m.expect(0, reset=3 - stayed)
        m.lpd(0, 0x10001)
        m.gate(FAST, numbers=(2,))
        for number in (0, 1):
            m.put(number, (700 + number,), LONG)
        m.lets_out(*(500, 501, 502)[:stayed], 700, 701)


def queue_replaced(root):
    """Let a pfifo replace the whole subtree of one queue."""
    queue_goes(root, "replace dev mq0 parent 1:1 handle c: pfifo")


def queue_deleted(root):
    """Delete the whole subtree of one queue."""
    queue_goes(root, "del dev mq0 parent 1:1")


RULES = (straight_below, expiry_below_tbf, link_down_resets_both,
         root_deleted_with_packets_queued, purge_inside_enqueue, overflow, overflow_head,
         overflow_stalest, timer_cuts, limit_shrinks, leaf_replaced, leaf_deleted,
         queue_replaced, queue_deleted)


def has(root):
    """Whether the tests can run with the root qdisc `root`. In Linux 6.1, taprio does not find a
    child that is to be changed or replaced."""
    return root != "taprio" or kmod.RELEASE >= (6, 12)


if __name__ == "__main__":
    tap.run([(f"{root}:{rule.__name__}", lambda rule=rule, root=root: rule(root))
             for root in filter(has, ROOTS) for rule in RULES])
