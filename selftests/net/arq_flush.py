#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""When all transmissions of a packet have failed, "flush" decides what becomes of the other packets
in the device. The device counts what it reports to the sources of packets."""
# run.sh: needs: simulated time
import socket
import time

from lib import arq_device, icmp, kmod, notice, packet as pkt, sniff, tap, uapi
from lib.arq_frame import BYPASS, DATA, MS, S, SKIP
from lib.arq_peer import Scripted, near, since_the_first, whole

STEP = 100 * MS
FAILING = {"timer": arq_device.FIXED, "timeout": STEP, "attempts": 2, "window": 2, "ring": 10**5}
NO, YES, PROBE = uapi.ARQLINK_FLUSH_NO, uapi.ARQLINK_FLUSH_YES, uapi.ARQLINK_FLUSH_PROBE
MARK = 5


def fill(test, count=5):
    """Send packets, of which two are in the window and all others wait. Then wait until both have
    been sent twice."""
    for number in range(count):
        test.send(number)
    test.peer.data(0, 1, 0, 1)


def test_no_flush():
    """Without a flush, each packet has its own attempts. Those that have failed leave their places
    to the next packets at once."""
    with Scripted(flush=NO, **FAILING) as test:
        fill(test)
        seen = test.peer.heard(STEP + 10 * MS)
        tap.equal("frames", [(frame.number, frame.payload) for frame in seen if frame.kind == DATA],
                  [(2, whole(2, 100)), (3, whole(3, 100))])
        tap.equal("oldest", seen[-1].oldest, 2)
        test.device.expect(attempts=2, flushed=0, held=3, flight=2)
        test.peer.ack(4)
        test.peer.expect(DATA, number=4, payload=whole(4, 100))


def test_flush():
    """With a flush, all packets of the device are given up, in the window and in the ring. Later
    packets are sent."""
    with Scripted(flush=YES, **FAILING) as test:
        fill(test)
        test.peer.expect(SKIP, oldest=2)
        test.device.expect(attempts=1, flushed=4, held=0, sent=0)
        test.peer.ack(2)
        test.send(7)
        test.peer.expect(DATA, number=2, payload=whole(7, 100))
        test.peer.ack(3)
        test.device.expect(attempts=1, flushed=4, sent=1, held=0)


def tried(test, number):
    """Send a packet in an outage. Returns the numbers of the frames until the packet has failed."""
    test.send(number)
    return [frame.number for frame in test.peer.heard(2 * STEP + 10 * MS) if frame.kind == DATA]


def test_outage():
    """In an outage that is longer than many windows, each packet is accepted, tried and reported.
    The first packet that arrives afterwards needs no SKIP."""
    for flush in NO, YES:
        with Scripted(flush=flush, **FAILING) as test:
            for number in range(25):
                tap.equal("transmissions", tried(test, number), [number, number])
                test.device.expect(attempts=number + 1, drops=number + 1, held=0, flight=0)
            test.device.expect(data=25, repeats_timer=25, flushed=0, sent=0)
            test.peer.forget()
            test.send(25)
            test.peer.expect(DATA, within=0, number=25, oldest=25, payload=whole(25, 100))
            test.peer.ack(26)
            test.peer.nothing(S)
            test.device.expect(sent=1, attempts=25, held=0)


def test_flushes_in_an_outage():
    """In an outage, each flush gives up what has arrived since the last one."""
    with Scripted(flush=YES, **FAILING) as test:
        for begin in range(0, 20, 2):
            for number in range(5):
                test.send(number)
            frames = test.peer.heard(2 * STEP + 10 * MS)
            tap.equal("transmissions", [frame.number for frame in frames if frame.kind == DATA],
                      [begin, begin + 1] * 2)
            rounds = begin // 2 + 1
            test.device.expect(attempts=rounds, drops=rounds, flushed=4 * rounds, held=0)


def test_after_an_outage():
    """The first packet after an outage arrives as fast as any other. It does not wait until a SKIP
    is acknowledged."""
    way = 5 * MS
    with arq_device.Pair(channel={"delay": way}, flush=YES, **FAILING) as pair:
        out, sniffer = pair.left.port(), pair.right.sniffer()
        for end in pair.lower.left, pair.lower.right:
            end.change(loss=10**6)
        for number in range(25):
            out.send(arq_device.packet(number, 100))
            pair.left.expect(attempts=number + 1)
        for end in pair.lower.left, pair.lower.right:
            end.change(loss=0)
        begin = time.monotonic_ns()
        out.send(arq_device.packet(25, 100))
        frame, = sniffer.until("the packet", len)
        tap.equal("packet", pkt.number(frame.packet), 25)
        tap.within("time", frame.when - begin, way, way + MS)
        pair.left.expect(attempts=25, sent=1, held=0)
        pair.right.expect(delivered=1, outside=0)


def test_flush_of_a_long_packet():
    """A packet that is only partly in the window is flushed completely."""
    with Scripted(flush=YES, frame=64, **FAILING) as test:
        test.send(0, 64)
        test.send(1, 640)
        test.send(2, 64)
        test.peer.data(0, 1, 0, 1)
        test.peer.expect(SKIP, oldest=2)
        test.device.expect(attempts=1, flushed=2, held=0)
        test.peer.ack(2)
        test.send(3, 64)
        test.peer.expect(DATA, number=2, payload=whole(3, 64))


def test_bypass_is_not_flushed():
    """Packets of the class "bypass" that wait are not flushed."""
    with Scripted(flush=YES, bypass_mark=MARK, bypass_mask=255, **FAILING) as test:
        test.send(0)
        test.peer.data(0, 0)
        test.device.change(rate=1)
        test.port.mark(MARK)
        for number in range(3):
            test.send(number)
        test.peer.expect(BYPASS)
        time.sleep(1)
        test.device.expect(attempts=1, flushed=0, held=2)
        test.device.change(rate=0)
        test.device.expect(bypassed=3, held=0)


def test_probe():
    """With "probe", the packet that failed is sent again until it arrives."""
    with Scripted(flush=PROBE, **FAILING) as test:
        fill(test)
        test.device.expect(flushed=0)
        near("times", since_the_first(test.peer.data(*[0] * 20)), [n * STEP for n in range(20)])
        test.device.expect(attempts=0, flushed=4, held=1, link_ups=0)
        test.peer.ack(1, after=10 * MS)
        test.device.expect(sent=1, link_ups=1, held=0, drops=1)
        skip = test.peer.next(0)
        tap.equal("type and oldest", (skip.kind, skip.oldest), (SKIP, 2))


def test_probe_ends():
    """Another packet takes the place of the probe. Its arrival shows that the link is up."""
    with Scripted(flush=PROBE, **FAILING) as test:
        test.send(0)
        test.peer.data(0, 0, 0, 0)
        test.send(1)
        numbers = [frame.number for frame in test.peer.heard(10 * MS) if frame.kind == DATA]
        tap.equal("numbers", numbers, [1])
        test.device.expect(attempts=1, flushed=0, held=1)
        test.peer.ack(2)
        test.device.expect(sent=1, link_ups=1, held=0)


def test_drops():
    """One failed packet of several pieces is one report. Each packet that fails is one."""
    with Scripted(frame=64, **FAILING) as test:
        test.send(0, 128)
        test.peer.data(0, 1, 0, 1)
        test.peer.expect(SKIP, oldest=2)
        test.device.expect(drops=1, attempts=1)
        test.peer.ack(2)
        test.send(1, 64)
        test.send(2, 64)
        test.device.expect(drops=3, attempts=3, defers=0)


def test_defers_of_the_last_attempt():
    """A packet whose last attempt arrives is reported, and a packet that arrives earlier is not."""
    with Scripted(backlog=0, **FAILING) as test:
        for number, attempts, defers in ((0, 1, 0), (1, 2, 1), (2, 1, 1), (3, 2, 2)):
            test.send(number)
            test.peer.data(*[number] * attempts)
            test.peer.ack(number + 1, after=10 * MS)
            test.device.expect(sent=number + 1, defers=defers, drops=0)


def test_defers_of_a_backlog():
    """A packet that finds `backlog` - 1 other packets in the device is reported."""
    for backlog, defers in ((1, 5), (3, 3), (5, 1), (6, 0), (0, 0)):
        with Scripted(backlog=backlog, **FAILING) as test:
            for number in range(5):
                test.send(number)
            test.device.expect(defers=defers, held=5)


def test_messages():
    """With `notify`, the source of a TCP packet gets a message when the packet fails, and when its
    last attempt succeeds."""
    kmod.insmod("xlo_rto")
    with Scripted(notify=1, frame=500, **FAILING) as test:
        test.ns.ip("link add d0 type dummy", "link set d0 up",
                   "address add 192.0.2.254/24 dev d0",
                   f"neigh add {pkt.SOURCE4} lladdr 02:00:00:00:00:09 dev d0")
        told = sniff.Sniffer(test.ns, "d0", outgoing=True)
        segment = notice.ipv4(notice.segment(), source=pkt.SOURCE4, options=pkt.xlo4(60_000))
        for number, code in ((0, icmp.DROP), (1, icmp.DEFER)):
            test.put(segment)
            test.peer.data(number, number)
            if code == icmp.DROP:
                test.peer.expect(SKIP)
            test.peer.ack(number + 1, after=10 * MS)
            frame, = told.until("a message", len)
            tap.equal("target, type and code",
                      (frame.packet[16:20], frame.packet[20], frame.packet[21]),
                      (socket.inet_aton(pkt.SOURCE4), icmp.TYPE4, code))
        test.device.expect(drops=1, defers=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
