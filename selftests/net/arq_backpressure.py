#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets wait in the qdisc above an arqlink device. The device holds at most `ring` bytes of
packets that wait, and the lower device at most `below` frames that it has not sent."""
# run.sh: needs: simulated time
import time

from lib import arq_device, arq_frame, bench, cell, netlink, packet as pkt, tap, tc, tree, wait
from lib.arq_frame import BYPASS, MS, S
from lib.arq_peer import Scripted, near, since_the_first

REPLACE = netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE
QUIET = {"timer": arq_device.FIXED, "timeout": 60 * S}
SLOW = 1                                # bytes/s, so slow that no frame is sent during a test
MARK = 7


def backlog(end):
    """The number of packets in the qdisc above a device."""
    return tree.Tree(end.netlink, end.name).qdiscs[0].qlen


def bql(test, queue, name, value=None):
    """Read or write a file of BQL in sysfs. sysfs shows the devices of the namespace in which it
    was mounted."""
    path = f"/sys/class/net/arq0/queues/tx-{queue}/byte_queue_limits/{name}"
    act = f"cat {path}" if value is None else f"echo {value} > {path}"
    return test.ns.run(["unshare", "-m", "sh", "-ec", f"mount -t sysfs none /sys; {act}"]).stdout


def inflight(test):
    """The bytes in each transmit queue's ring, as BQL counts them."""
    return [int(bql(test, queue, "inflight")) for queue in range(2)]


def test_below():
    """The lower device and its qdisc have at most `below` frames."""
    for below in (1, 2, 7):
        with arq_device.Pair(below=below, window=50, ring=10**6, **QUIET) as pair:
            cell0 = pair.lower.left
            before = cell0.counters()["packets_in"]
            cell0.change(rate=SLOW)
            arq_device.flood(pair.left, [arq_device.packet(number, 200) for number in range(30)])
            time.sleep(1)
            told = cell0.counters()
            tap.equal("frames below", told["packets_in"] - before + backlog(cell0), below)
            tap.equal("packets above", backlog(pair.left), 0)
            cell0.change(rate=0)
            pair.left.expect(held=0, sent=30)


def test_below_changes():
    """If `below` is raised, more frames leave at once."""
    with arq_device.Pair(below=1, window=50, ring=10**6, **QUIET) as pair:
        cell0 = pair.lower.left
        before = cell0.counters()["packets_in"]
        cell0.change(rate=SLOW, ring_packets=100)
        arq_device.flood(pair.left, [arq_device.packet(number, 200) for number in range(30)])
        pair.left.change(below=5)
        tap.equal("frames below", cell0.counters()["packets_in"] - before, 5)
        pair.left.change(below=2)
        tap.equal("frames below", cell0.counters()["packets_in"] - before, 5)
        cell0.change(rate=0)
        pair.left.expect(held=0, sent=30)


def test_ring():
    """When the window is full, the ring takes packets until it has `ring` bytes. All other packets
    wait in the qdisc. An empty ring accepts any packet."""
    for ring, waiting in ((1, 1), (1014, 1), (1015, 2), (2028, 2), (2029, 3), (3000, 3)):
        with Scripted(window=2, ring=ring, frame=1500, **QUIET) as test:
            for number in range(20):
                test.send(number, 1000)
            test.peer.data(0, 1)
            test.peer.nothing(S)
            test.device.expect(held=2 + waiting, packets_in=2 + waiting, flight=2)
            tap.equal("packets above", backlog(test.device), 18 - waiting)
            test.peer.ack(1)
            test.peer.data(2)
            test.device.expect(held=2 + waiting, packets_in=3 + waiting, flight=2)
            for number in range(2, 21):
                test.peer.ack(number)
            test.device.expect(held=0, sent=20)


def test_inflight():
    """BQL counts the bytes that wait in each ring, and 0 after the device went down."""
    with Scripted(window=2, ring=10**6, frame=1500, bypass_mark=MARK, bypass_mask=255,
                  **QUIET) as test:
        test.device.change(rate=SLOW)
        for number in range(5):
            test.send(number, 1000)
        test.peer.data(0, within=S)
        test.port.mark(MARK)
        for number in range(4):
            test.send(number, 500)
        tap.equal("bytes", inflight(test), [3 * 1014, 4 * 514])
        test.device.up(False)
        tap.equal("bytes after down", inflight(test), [0, 0])
        test.device.expect(purged=9, held=0)
        test.device.change(rate=0)
        test.peer.forget()
        test.up()
        test.connect()

        def passes():
            test.send(0, 500)
            return test.device.counters()["bypassed"] > 0
        # Linux 6.1 activates the qdisc some time after the device is up
        wait.until("a packet passes", passes)
        test.peer.expect(BYPASS, within=S)
        test.peer.forget()
        test.port.mark(0)
        for number in range(4):
            test.send(number, 1000)
        test.peer.data(0, 1, within=S)
        tap.equal("bytes after up", inflight(test), [2 * 1014, 0])
        test.peer.ack(2)
        test.peer.data(2, 3, within=S)
        tap.equal("bytes after an acknowledgment", inflight(test), [0, 0])


def acknowledge(test, first, count):
    """Acknowledge DATA frames one by one. The first two have left, and fill the window."""
    for number in range(first + 2, first + count):
        test.peer.ack(number - 1)
        test.peer.data(number, within=S)
    test.peer.ack(first + count)
    test.device.expect(held=0, sent=first + count)


def test_limit_of_bql():
    """BQL does not stop a queue before its ring is full, unless the administrator lowers
    `limit_max`. Another `ring` does not change `limit_max`."""
    with Scripted(window=2, ring=10**6, frame=1500, **QUIET) as test:
        for number in range(20):
            test.send(number, 1000)
        test.peer.data(0, 1, within=S)
        tap.equal("packets above", backlog(test.device), 0)
        bql(test, 0, "limit_max", 2000)
        acknowledge(test, 0, 20)
        for ring in 10**6, 10**5:
            test.device.change(ring=ring)
            before = test.device.counters()["sent"]
            for number in range(20):
                test.send(number, 1000)
            test.peer.data(before, before + 1, within=S)
            tap.equal("packets above", backlog(test.device), 16)
            tap.equal("bytes", inflight(test), [2 * 1014, 0])
            acknowledge(test, before, 20)


def test_lower_is_busy():
    """While the lower device is busy, the queue stops, although the window has space."""
    with arq_device.Pair(below=1, ring=3000, frame=1500, window=3, **QUIET) as pair:
        pair.lower.left.change(rate=SLOW)
        arq_device.flood(pair.left, [arq_device.packet(number, 1000) for number in range(50)])
        told = pair.left.counters()
        tap.equal("packets", told["held"] + backlog(pair.left), 50)
        tap.within("packets in the device", told["held"], 3, 6)
        pair.lower.left.change(rate=0)
        pair.left.expect(held=0, sent=50)


def test_lpd_discards_what_waits():
    """Packets that wait expire in lpd above the device, and are never sent."""
    tc.need("lpd")
    with Scripted(window=1, ring=1, frame=1500, **QUIET) as test:
        test.device.netlink.qdisc("arq0", REPLACE, "mq", handle=0x20000)
        test.device.netlink.qdisc("arq0", REPLACE, "lpd", *bench.lpd_options(limit=50),
                                  parent=0x20001)
        test.send(0)
        for number in range(1, 10):
            test.send(number, options=pkt.xlo4(300))
        test.peer.data(0)

        def lpd():
            return tree.Tree(test.device.netlink, "arq0").lpd()
        wait.until("all queued packets expire", lambda: lpd().counters["queued"] == 0)
        tap.equal("packets accepted, sent and discarded",
                  [lpd().counters[name] for name in ("packets_in", "packets_out", "stale_timer")],
                  [10, 2, 8])
        test.peer.forget()
        test.peer.ack(1)
        test.peer.nothing(S)
        test.device.expect(packets_in=2, sent=1, expired=1, held=0)


def test_queues_are_independent():
    """A full ring of packets that are retransmitted does not stop the queue of bypass packets. Each
    queue has a ring."""
    with Scripted(window=1, ring=1, bypass_mark=MARK, bypass_mask=255, **QUIET) as test:
        test.device.netlink.qdisc("arq0", REPLACE, "mq")
        for number in range(5):
            test.send(number)
        test.peer.data(0)
        test.port.mark(MARK)
        for number in range(5):
            test.send(number)
            test.peer.expect(BYPASS, within=0)
        test.device.expect(bypassed=5, packets_in=7, held=2)


def test_rate():
    """Frames leave no faster than `rate`. The size of a frame includes its Ethernet header."""
    for size, count in ((100, 10), (1000, 5)):
        with Scripted(rate=10_000, window=50, ring=10**6, frame=1500, **QUIET) as test:
            for number in range(count):
                test.send(number, size, after=S * (number == 0))
            frames = test.peer.data(*range(count))
            step = (size + 14 + arq_frame.HEADER + arq_frame.ETHERNET) * S // 10_000
            near("times", since_the_first(frames), [number * step for number in range(count)])


def test_rate_changes():
    """A frame that waits leaves at the new rate when `rate` changes."""
    with Scripted(window=50, ring=10**6, **QUIET) as test:
        test.device.change(rate=1)
        for number in range(10):
            test.send(number)
        test.peer.data(0)
        test.device.change(rate=0)
        test.peer.now = time.monotonic_ns()
        test.peer.data(*range(1, 10), within=0)


def test_rate_of_the_link():
    """Packets pass a slow link at its full rate, although the lower device has only two frames."""
    with arq_device.Pair(channel={"rate": 100_000, "delay": 10 * MS}, window=50, ring=3000,
                         frame=1500, back={"delay": 10 * MS}) as pair:
        sniffer = pair.right.sniffer()
        arq_device.flood(pair.left, [arq_device.packet(number, 1000) for number in range(50)])
        seen = cell.arrivals(sniffer, 50)
        step = (1000 + 14 + arq_frame.HEADER + arq_frame.ETHERNET) * S // 100_000
        near("times", [later[1] - earlier[1] for earlier, later in zip(seen, seen[1:])],
                  [step] * 49)
        pair.left.expect(held=0, repeats_timer=0, repeats_nack=0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
