#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every discarded packet can be traced. The tracepoint lpd:lpd_expire reports the queue, the
packet, the event that found the packet, and how late the packet was. The kernel's tracepoint
skb:kfree_skb reports a drop reason. The tracepoint lpd:lpd_truncate reports each packet that is
cut."""
# run.sh: all on vm-6.12: everything
import re
import time

from lib import bench, packet as pkt, tap, tc, wait
from lib.trace import Trace

LINE = re.compile(r"lpd_(?:expire|truncate): (.*)$")


def packet(number, ms, size=60):
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, size))


def expiries(trace):
    """The events of lpd_expire and lpd_truncate, as dictionaries."""
    found = [LINE.search(line) for line in trace.lines()]
    return [dict(word.split("=") for word in line.group(1).split()) for line in found if line]


def test_expire_names_queue_packet_finder_and_lateness():
    """Each discard causes an event with the queue, the packet's length, the cause and the
    lateness."""
    with bench.Bench() as b, Trace("lpd/lpd_expire") as trace:
        b.lpd()
        b.plug()
        stale = b.send(packet(0, 0, 100))
        sent = b.send(packet(1, 40, 200))
        b.send(packet(2, 20_000))
        wait.till(sent.last + 41 * bench.MS)
        wait.until("the packet expires", lambda: b.tree().root.qlen == 1)
        found, events = time.monotonic_ns(), expiries(trace)
        tap.equal("events", [(e["cause"], int(e["len"])) for e in events],
                  [("enqueue", 28 + 8 + 100), ("timer", 28 + 8 + 200)])
        latest = stale.last - stale.first, found - sent.first - 40 * bench.MS
        for e, most in zip(events, latest):
            tap.equal("handle", int(e["handle"], 16), 0x80010000)
            tap.equal("parent", int(e["parent"], 16), 0xffffffff)
            tap.equal("ifindex", int(e["ifindex"]), b.netlink.ifindex("slip0"))
            tap.within("late", int(e["late_ns"]), 1, most)
        if wait.virtual_time():
            tap.within("late by the timer", int(events[1]["late_ns"]), 1, 10_000)


def test_expire_before_the_deadline_because_of_the_link():
    """If the link delay makes a packet stale before its deadline, its lateness is negative."""
    with bench.Bench() as b, Trace("lpd/lpd_expire") as trace:
        b.lpd(delay=500 * bench.MS)
        sent = b.send(packet(0, 400))
        late = [int(e["late_ns"]) for e in expiries(trace)]
        tap.equal("events", len(late), 1)
        tap.within("late", late[0], -400 * bench.MS,
                   sent.last - sent.first - 400 * bench.MS)


def test_one_event_for_each_discard():
    """For each cause, the number of events is equal to the counter of the cause."""
    with bench.Bench() as b, Trace("lpd/lpd_expire") as trace:
        b.lpd(limit=50)
        for _ in range(3):
            b.plug()
            sent = b.send(*[packet(number, 20) for number in range(45)], packet(45, 0))
            b.send(packet(46, 20_000))
            wait.till(sent.last + 20 * bench.MS + 1)
            b.open()
        counters = b.counters()
        causes = [e["cause"] for e in expiries(trace)]
        for cause in ("enqueue", "dequeue", "peek", "purge", "timer"):
            tap.equal(cause, causes.count(cause), counters[f"stale_{cause}"])


def test_truncate_names_queue_packet_finder_and_bytes():
    """Each packet that is cut causes one event with the number of remaining bytes and of removed
    bytes. A packet that needs no cut causes no event of lpd_truncate, and neither does a discarded
    packet."""
    def stale(number, size, flags=pkt.TRUNCATE):
        return pkt.ipv4(pkt.xlo4(40, flags), pkt.body(number, size))
    with bench.Bench() as b, Trace("lpd/lpd_truncate") as trace:
        b.lpd(keep=12)
        b.plug()
        sent = b.send(stale(0, 100), stale(1, 12), stale(2, 300), stale(3, 200, pkt.DISCARD),
                      packet(4, 20_000))
        wait.till(sent.last + 41 * bench.MS)
        wait.until("the timer discards a packet", lambda: b.counters()["stale_timer"] == 1)
        events = expiries(trace)
        tap.equal("events", [(e["cause"], int(e["len"]), int(e["cut"])) for e in events],
                  [("timer", 28 + 8 + 12, 88), ("timer", 28 + 8 + 12, 288)])
        tap.equal("queue", {(int(e["handle"], 16), int(e["ifindex"])) for e in events},
                  {(0x80010000, b.netlink.ifindex("slip0"))})
        counters = b.counters()
        tap.equal("counters", (counters["truncated"], counters["truncated_bytes"]), (2, 88 + 288))


def truncated_by(b, cause):
    """The device dequeues when all packets have just expired. Another packet has expired a little
    earlier, so the timer pauses. The packets are cut one by one, as it is their turn. The timer cuts
    the last two packets."""
    row = 10
    with Trace("lpd/lpd_truncate") as trace:
        b.plug()
        b.send(packet(0, 40))
        sent = b.send(*[pkt.ipv4(pkt.xlo4(40, pkt.TRUNCATE), pkt.body(number, 100))
                        for number in range(row)])
        wait.till(sent.last + 40 * bench.MS + 1)
        tap.equal("lengths", [len(p) for p in b.open()], [28 + 8] * row)
        events = expiries(trace)
        tap.equal("events", [(int(e["len"]), int(e["cut"])) for e in events], [(28 + 8, 100)] * row)
        if wait.virtual_time():
            tap.equal("causes", [e["cause"] for e in events], [cause] * (row - 2) + ["timer"] * 2)


def test_truncate_in_dequeue():
    """A packet that dequeue cuts and sends in one step causes the event of a dequeue."""
    with bench.Bench() as b:
        b.lpd()
        truncated_by(b, "dequeue")


def test_truncate_in_peek():
    """A packet that is cut when the parent tbf peeks causes the event of a peek."""
    with bench.Bench() as b:
        tc.need("tbf")
        b.tc("qdisc add DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001)
        truncated_by(b, "peek")


def test_drop_reason():
    """For each dropped packet, kfree_skb reports a drop reason for qdiscs. The reason is never
    "unspecified"."""
    with bench.Bench() as b, Trace("skb/kfree_skb", "protocol == 2048") as trace:
        b.lpd(limit=2)
        b.plug()
        sent = b.send(packet(0, 30), packet(1, 30), packet(2, 30), packet(3, 0))
        wait.till(sent.last + 31 * bench.MS)
        wait.until("all packets expire", lambda: b.tree().root.qlen == 0)
        reasons = [line.rpartition("reason: ")[2] for line in trace.lines()]
        tap.note(reasons)
        tap.equal("drops", len(reasons), 4)
        tap.equal("reasons other than the qdisc's",
                  [r for r in reasons if "QDISC" not in r and r != "OVERLIMIT"], [])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
