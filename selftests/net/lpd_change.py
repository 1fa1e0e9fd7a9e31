#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A change of the configuration is applied completely or not at all. The new options apply
immediately, also to queued packets and under traffic."""
# run.sh: all on vm: everything
# run.sh: all on smp-debug: *_traffic
# run.sh: smoke: refused_change_leaves_everything limit_shrinks_under_packets
# run.sh: soak on smp-debug, 7200 s: under_traffic
import errno
import itertools
import threading

from lib import bench, netlink, packet as pkt, port, soak, tap, wait

MS = bench.MS
LONG = 20_000
GOOD = {"limit": 77, "memory": 99_999, "rate": 12_345, "delay": 6 * MS, "lifetime": 7 * 10**9,
        "stale": bench.DISCARD, "order": bench.EDF, "overflow": bench.STALEST, "keep": 12,
        "adu": 0, "strip": 1, "notify": 1, "exempt": 1, "share": 30}
RULES = [dict(dscp=46, lifetime=5 * MS), dict(mark=1, mask=3, lifetime=0)]
# some of these match the packets of Traffic
MATCHES = [*RULES, dict(dscp=0, lifetime=10 * MS), dict(priority=0, lifetime=20 * MS, importance=3)]
BAD = [("limit", netlink.u32(0)), ("limit", netlink.u32(1048577)), ("memory", netlink.u32(65535)),
       ("delay", netlink.u64(60 * 10**9 + 1)), ("lifetime", netlink.u64(3600 * 10**9 + 1)),
       ("stale", netlink.u8(4)), ("order", netlink.u8(2)), ("overflow", netlink.u8(4)),
       ("keep", netlink.u32(65536)), ("adu", netlink.u8(2)), ("strip", netlink.u8(2)),
       ("notify", netlink.u8(2)), ("exempt", netlink.u8(2)), ("share", netlink.u32(100)),
       ("rate", netlink.u32(1)), ("limit", b"\0\0"), ("stale", b"")]
# counters that must rise under traffic
MOVING = "packets_out", "stale_timer", "overflow_limit", "default_lifetime", "matched"


def packet(number, ms=LONG, flags=pkt.DISCARD, size=60):
    return pkt.ipv4(pkt.xlo4(ms, flags), pkt.body(number, size))


def test_what_is_named_changes_and_nothing_else():
    """A change sets the options that the request names, and no other options."""
    with bench.Bench() as b:
        b.lpd()
        options = dict(b.tree().root.options)
        tap.equal("defaults", options, {"limit": 1000, "memory": 32 << 20, "rate": 0,
                                        "delay": 0, "lifetime": 0, "stale": bench.HONOR,
                                        "order": bench.FIFO, "overflow": bench.TAIL,
                                        "keep": 0, "adu": 1, "strip": 0, "notify": 0,
                                        "exempt": 0, "share": 0})
        for name, value in GOOD.items():
            b.change(**{name: value})
            options[name] = value
            tap.equal(f"options after {name}", b.tree().root.options, options)


def refused(b, name, value):
    """Request a change of every option, in which the option `name` has a bad value. Check that the
    kernel refuses the request."""
    options = bench.lpd_options(limit=1, rate=1, delay=1, lifetime=1, memory=65536,
                                stale=bench.FORWARD, order=bench.FIFO, overflow=bench.HEAD,
                                keep=1, adu=1, strip=0, notify=0, exempt=0, share=60,
                                match=[])
    bad = netlink.attr(bench.LPD_ATTRIBUTES[name], value)
    try:
        b.netlink.qdisc("slip0", 0, "lpd", *options, bad)
    except netlink.Refused:
        return
    raise tap.Failed(f"{name} {value.hex()} was accepted")


def test_refused_change_leaves_everything():
    """If one attribute of a request is bad, no attribute is applied. Queued packets and counters do
    not change."""
    with bench.Bench() as b:
        b.lpd(**GOOD, match=RULES)
        b.plug()
        b.send(*[packet(number) for number in range(5)])
        before = b.tree().root
        for name, value in BAD:
            refused(b, name, value)
            after = b.tree().root
            tap.equal("dump", (after.raw_options, after.app, after.qlen, after.backlog),
                      (before.raw_options, before.app, before.qlen, before.backlog))
        tap.equal("packets", b.numbers(), [0, 1, 2, 3, 4])


def test_limit_shrinks_under_packets():
    """If a change lowers the limit, the newest packets are dropped and counted as an overflow."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[packet(number) for number in range(10)])
        b.change(limit=4)
        tap.equal("queued", b.tree().root.qlen, 4)
        tap.equal("drops", b.tree().root.drops, 6)
        b.change(limit=1000)
        b.send(packet(10))
        tap.equal("packets", b.numbers(), [0, 1, 2, 3, 10])
        b.expect(packets_in=11, packets_out=5, rewritten=5, overflow_limit=6)


def test_limit_shrinks_under_stale_packets():
    """If a change both lowers the limit and makes packets stale, the stale packets are discarded
    before any fresh packet."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[packet(number, 5000 if number < 5 else 20_000) for number in range(10)])
        b.change(limit=3, delay=6000 * MS)
        b.expect(packets_in=10, stale_purge=5, overflow_limit=2)
        tap.equal("packets", b.numbers(), [5, 6, 7])


def test_memory_shrinks_under_packets():
    """If a change lowers `memory`, the newest packets are dropped and counted as an overflow."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(*[packet(number, size=1300) for number in range(200)])
        b.change(memory=65536)
        kept = b.tree().root.qlen
        tap.within("queued", kept, 10, 49)
        tap.equal("packets", b.numbers(), list(range(kept)))
        b.expect(packets_in=200, packets_out=kept, rewritten=kept, overflow_memory=200 - kept)


def test_limit_grows_far():
    """After a change to the largest limit, the queue holds more packets than before. Packets still
    expire in the order of their deadlines."""
    with bench.Bench() as b:
        b.lpd(limit=10)
        b.plug()
        b.send(*[packet(number, 60) for number in range(10)])
        b.change(limit=1048576)
        sent = b.send(*[packet(number, LONG if number % 2 else 60) for number in range(10, 500)])
        wait.till(sent.last + 61 * MS)
        tap.equal("packets", b.numbers(), list(range(11, 500, 2)))


def test_stale_override_reaches_queued_packets():
    """A change of `stale` to `forward` or `discard` applies to packets that are already queued."""
    with bench.Bench() as b:
        b.lpd(stale=bench.FORWARD)
        b.plug()
        sent = b.send(packet(0, 40), packet(1, 40, pkt.FORWARD), packet(2), packet(3, LONG // 2))
        b.change(stale=bench.DISCARD)
        wait.till(sent.last + 41 * MS)
        wait.until("both short-lived packets are discarded", lambda: b.tree().root.qlen == 2)
        # The delay is longer than the lifetime of packet 3 and shorter than that of packet 2.
        b.change(stale=bench.FORWARD, delay=LONG * 3 // 4 * MS)
        tap.equal("queued", b.tree().root.qlen, 2)
        tap.equal("packets", b.numbers(), [2, 3])
        b.expect(packets_in=4, packets_out=2, rewritten=2, stale=2, stale_forwarded=1)


def test_rate_and_delay_reach_queued_packets():
    """`rate` and `delay` apply to packets that are already queued."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(packet(0, 5000), packet(1, LONG), packet(2, 5000, size=1000))
        b.change(delay=6000 * MS)
        wait.until("two packets are discarded", lambda: b.tree().root.qlen == 1)
        b.change(delay=0, rate=100)
        b.send(packet(3, 5000, size=20), packet(4, 5000, size=900))
        tap.equal("packets", b.numbers(), [1, 3])
        b.expect(packets_in=5, packets_out=2, rewritten=2, stale=3)


def test_lifetime_is_for_new_packets():
    """The default lifetime applies to packets that arrive after the change."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        b.send(pkt.ipv4(payload=pkt.body(0, 20)))
        b.change(lifetime=30 * MS)
        sent = b.send(pkt.ipv4(payload=pkt.body(1, 20)))
        wait.till(sent.last + 31 * MS)
        tap.equal("packets", b.numbers(), [0])
        b.expect(packets_in=2, packets_out=1, no_lifetime=1, default_lifetime=1, stale=1)


def test_reset_forgets_all():
    """A reset forgets the queued packets. After the reset, only packets that arrived later
    expire."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        # The slowest host must reach the reset before the first packet expires.
        life = 1000 if wait.virtual_time() else 5000
        first = b.send(*[packet(number, life + number % 40) for number in range(200)])
        b.ns.link("slip0", False)
        b.expect(packets_in=200, reset=200)
        b.ns.link("slip0", True)
        b.plug()
        b.send(*[packet(number, life + 100) for number in range(3)])
        wait.till(first.last + (life + 40) * MS)
        wait.until("three packets expire", lambda: b.tree().root.qlen == 0)
        b.expect(packets_in=3, stale=3)
        b.plug()
        b.send(packet(7))
        tap.equal("packets", b.numbers(), [7])


def test_reset_frees_the_memory():
    """After a reset, `memory` allows as many packets as before the reset."""
    with bench.Bench() as b:
        b.lpd(memory=65536)
        kept = []
        for _ in range(2):
            b.plug()
            b.send(*[packet(number, size=1300) for number in range(100)])
            kept.append(b.tree().root.qlen)
            b.ns.link("slip0", False)
            b.ns.link("slip0", True)
        tap.within("packets kept", kept[0], 10, 49)
        tap.equal("packets kept after the reset", kept[1], kept[0])


class Traffic:
    """Within the block, two senders send faster than a reader reads, so the queue stays filled. The
    senders count each packet that they hand to the queue, even if the queue drops the packet."""

    def __init__(self, b):
        self.b, self.stop, self.sent = b, threading.Event(), [0, 0]
        self.threads = [threading.Thread(target=self._send, args=(index, seed))
                        for index, seed in enumerate((7, 13))]
        self.threads.append(threading.Thread(target=self._read))

    def _send(self, index, seed):
        mine = port.Port(self.b.ns, "slip0")
        for number in itertools.count():
            try:
                size = 20 + number % 1000
                mine.send(packet(number, 1 + (number * seed) % 50, size=size) if number % 4 else
                          pkt.ipv4(payload=pkt.body(number, size)))
                self.sent[index] += 1
            except OSError as error:
                if error.errno != errno.ENETDOWN:
                    raise
            if self.stop.wait(0.0005):
                return

    def _read(self):
        while not self.stop.wait(0.003):
            self.b.slip.read(0)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def change_everything(b, random):
    b.change(limit=random.choice((1, 20, 5000, 5000)), delay=random.randrange(20) * MS,
             rate=random.choice((0, 10**5, 10**7)), memory=random.choice((65536, 10**7)),
             lifetime=random.choice((0, 10 * MS)), stale=random.randrange(3),
             overflow=random.randrange(4), order=random.randrange(2),
             notify=random.randrange(2), exempt=random.randrange(2),
             match=random.choices(MATCHES, k=random.choice((0, 0, 0, 1, 32))))


def test_under_traffic():
    """Many changes of all options happen under traffic. After each valid change the test requests
    an invalid change, which must leave the dump of the options unchanged. The counters are
    consistent at every check and account for each packet."""
    with bench.Bench() as b:
        b.lpd()
        random = bench.seed()
        with Traffic(b) as traffic:
            def change():
                change_everything(b, random)
                before = b.tree().root.raw_options
                refused(b, *random.choice(BAD))
                tap.equal("dump", b.tree().root.raw_options.hex(), before.hex())
                traffic.stop.wait(0.004)
            for _ in range(soak.amount(300 if wait.virtual_time() else 100, 2000)):
                change()
            # a slow machine needs more changes until each counter has risen
            wait.until(f"all of {MOVING} have risen", lambda: change() or all(
                b.counters()[name] > 10 for name in MOVING))
        b.change(stale=bench.HONOR)
        b.open()
        counters = b.counters()
        tap.note({name: value for name, value in counters.items() if value})
        tap.equal("packets in", counters["packets_in"], sum(traffic.sent))
        tap.equal("queued at the end", counters["queued"], 0)


def test_replaced_under_traffic():
    """While packets arrive and the timer runs, lpd is created and deleted, and the link goes down
    and up. Packets pass afterwards."""
    with bench.Bench() as b:
        b.lpd()
        with Traffic(b) as traffic:
            for number in range(60):
                traffic.stop.wait(0.005)
                if number % 3 == 0:
                    b.ns.link("slip0", False)
                    b.ns.link("slip0", True)
                elif number % 3 == 1:
                    b.netlink.remove_root("slip0")
                else:
                    b.lpd(limit=1 + number)
        b.open()
        b.send(packet(1))
        tap.equal("packets afterwards", b.numbers(), [1])
        tap.equal("queued at the end", b.tree().root.qlen, 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
