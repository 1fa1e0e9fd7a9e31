#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Marks and DSCPs choose the class of a packet. Packets of the class "bypass" are sent once, in a
transmit queue of their own. The lifetime of packets of the class "reliable" does not count."""
# run.sh: needs: simulated time
from lib import arq_device, netlink, packet as pkt, tap, tree
from lib.arq_frame import BYPASS, DATA, ETHERNET, HEADER, HELLO, MS, NACK, S, SKIP
from lib.arq_peer import Scripted, near, since_the_first, whole

REPLACE = netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE
FIXED = {"timer": arq_device.FIXED, "timeout": 100 * MS}
EF, LE = 46, 1                          # DSCPs
SHORT = pkt.xlo4(50)                    # ends before the second transmission
FIFO, FAIR = 0, 1                       # enum arqlink_order
RATE = 10_000                           # bytes/s
# Frames wait for the rate. BYPASS packets have the mark 5.
QUEUED = {"rate": RATE, "window": 50, "ring": 10**6, "frame": 1500, "bypass_mark": 5,
          "bypass_mask": 255, "timer": arq_device.FIXED, "timeout": 60 * S, "ack_delay": 0}
LETTERS = {DATA: "d", BYPASS: "b", NACK: "N", HELLO: "H", SKIP: "S"}


def sent_as(test, expected, number=0, **packet):
    """Check the type of the frame in which a packet leaves at once."""
    test.send(number, **packet)
    tap.equal(f"type for {packet}", test.peer.next(0).kind, expected)


def test_bypass_mark():
    """Only the bits in `bypass_mask` count. Without a mask no packet bypasses."""
    for mark, mask, bypass in ((5, 0xff, {5, 0x105}), (5, 0xffffffff, {5}), (0, 1, {0, 4, 0x104}),
                               (0, 0, set())):
        with Scripted(bypass_mark=mark, bypass_mask=mask, window=8) as test:
            for value in (0, 4, 5, 0x104, 0x105):
                test.port.mark(value)
                sent_as(test, BYPASS if value in bypass else DATA)


def test_bypass_dscp():
    """IPv4 and IPv6 packets bypass by their DSCP, whatever their ECN bits are."""
    with Scripted(bypass_dscp=1 << EF | 1 << 63, window=20) as test:
        for dscp in (0, LE, EF, 63):
            expected = BYPASS if dscp in (EF, 63) else DATA
            for ecn in range(2):
                sent_as(test, expected, tos=dscp << 2 | ecn)
            test.put(pkt.ipv6(None, pkt.body(0, 60), tos=dscp << 2 | 1))
            tap.equal(f"type of IPv6 with DSCP {dscp}", test.peer.next(0).kind, expected)
        test.put(pkt.arp())
        tap.equal("type of ARP", test.peer.next(0).kind, DATA)


def test_bypass_is_sent_once():
    """A bypass packet is sent once, and not acknowledged."""
    with Scripted(bypass_mark=5, bypass_mask=255, attempts=3, **FIXED) as test:
        test.port.mark(5)
        for _ in range(3):
            sent_as(test, BYPASS)
        test.peer.nothing(10 * S)
        test.device.expect(bypassed=3, held=0, data=0, flight=0, repeats_timer=0)


def test_bypass_passes_a_stalled_window():
    """A window that is full does not block bypass packets."""
    with Scripted(bypass_mark=5, bypass_mask=255, window=1, timer=arq_device.FIXED,
                  timeout=60 * S) as test:
        for number in range(3):
            test.send(number)
        test.peer.data(0)
        test.port.mark(5)
        for number in range(50):
            sent_as(test, BYPASS, number)
        test.device.expect(bypassed=50, flight=1, held=3)


def test_bypass_is_delivered():
    """A received BYPASS frame is delivered at once, although an earlier DATA frame is missing."""
    with Scripted() as test:
        test.peer.packets(1)
        test.peer.send(BYPASS, whole(7))
        tap.equal("delivered packets", test.arrived(), [7])
        test.peer.packets(0)
        tap.equal("delivered packets", test.arrived(), [0, 1])
        test.device.expect(in_bypass=1, in_data=2, delivered=3)


def test_bypass_too_long():
    """A bypass packet that does not fit into a frame of the lower device is dropped."""
    with Scripted(bypass_mark=5, bypass_mask=255) as test:
        test.ns.link("low0", True, mtu=1600)
        test.device.up(mtu=3000)
        test.port.mark(5)
        longest = 1600 - 24 - 14
        test.send(0, longest + 1)
        test.peer.nothing(0)
        test.device.expect(unfit=1, bypassed=0, held=0)
        sent_as(test, BYPASS, size=longest)
        test.device.expect(unfit=1, bypassed=1)


def test_queues():
    """Bypass packets use transmit queue 1, and all others queue 0."""
    with Scripted(bypass_mark=5, bypass_mask=255, bypass_dscp=1 << EF, window=20) as test:
        test.device.netlink.qdisc("arq0", REPLACE, "mq")
        for number in range(2):
            test.send(number)
        test.send(0, tos=EF << 2)
        test.port.mark(5)
        for number in range(4):
            test.send(number)
        told = {q.parent & 0xffff: q.packets
                for q in tree.Tree(test.device.netlink, "arq0").qdiscs if q.kind != "mq"}
        tap.equal("packets of each queue", told, {1: 2, 2: 5})


def test_reliable():
    """The lifetime of packets with `reliable_mark` or `reliable_dscp` does not count."""
    for options, marks in (({"reliable_mark": 5, "reliable_mask": 255}, {5: True, 4: False}),
                           ({"reliable_dscp": 1 << EF}, {0: False})):
        for mark, reliable in marks.items():
            with Scripted(**options, **FIXED) as test:
                test.port.mark(mark)
                test.send(0, options=SHORT)
                test.peer.data(0)
                last = test.peer.next()
                tap.equal(f"type with mark {mark}", last.kind, DATA if reliable else SKIP)
                test.device.expect(late=not reliable, held=reliable)
    with Scripted(reliable_dscp=1 << EF, lifetime=50 * MS, **FIXED) as test:
        test.send(0, options=SHORT, tos=EF << 2)
        test.send(1, tos=EF << 2)
        test.peer.data(0, 1, 0, 1, 0, 1)
        test.device.expect(late=0, held=2)


def test_reliable_waits_longer_than_its_lifetime():
    """A reliable packet is sent although its lifetime ends while it waits for the window."""
    with Scripted(reliable_dscp=1 << EF, window=1, **FIXED) as test:
        test.send(0)
        test.send(1, options=SHORT, tos=EF << 2)
        test.peer.data(0)
        test.peer.ack(1, after=90 * MS)
        frame, = test.peer.data(1)
        tap.equal("packet", pkt.number(frame.payload), 1)
        test.device.expect(expired=0)


def test_bypass_before_reliable():
    """A packet that matches both is bypassed."""
    with Scripted(bypass_dscp=1 << EF, reliable_mark=5, reliable_mask=255) as test:
        test.port.mark(5)
        sent_as(test, BYPASS, tos=EF << 2)
        sent_as(test, DATA)


def test_change():
    """A change of the classes applies to packets that arrive later."""
    with Scripted() as test:
        sent_as(test, DATA, tos=EF << 2)
        test.device.change(bypass_dscp=1 << EF)
        sent_as(test, BYPASS, tos=EF << 2)
        test.device.change(bypass_dscp=0)
        sent_as(test, DATA, tos=EF << 2)


def backlog(test, **counts):
    """Send packets, whose frames wait for the rate: counts["d"] packets of the size sizes["d"] that
    are retransmitted, and counts["b"] packets that bypass. A first frame leaves before them."""
    test.send(0, 60, after=S)
    test.peer.data(0, within=0)
    for kind, (count, size) in counts.items():
        test.port.mark(5 * (kind == "b"))
        for number in range(count):
            test.send(number, size)


def leave(test, order):
    """Check the order in which frames leave, and that each leaves when the frame before it has been
    sent at the rate. Returns the frames."""
    frames = [test.peer.next() for _ in order]
    tap.equal("order of frames", "".join(LETTERS[frame.kind] for frame in frames), order)
    sent = [0]
    for frame in frames[:-1]:
        sent.append(sent[-1] + ETHERNET + HEADER + len(frame.payload))
    near("times", since_the_first(frames), [size * S // RATE for size in sent])
    return frames


def test_first_come_first_served():
    """By default all frames leave in the order in which they have entered the queue."""
    with Scripted(**QUEUED) as test:
        backlog(test, d=(3, 1000), b=(6, 200))
        test.port.mark(0)
        test.send(3, 1000)
        leave(test, "ddd" + 6 * "b" + "d")


def test_fair_shares():
    """With `order fair` BYPASS frames and other frames get the same number of bytes, while both
    wait. The queue that has got fewer bytes is next."""
    # frames of 1052 and 252 bytes: five BYPASS frames are 208 bytes longer than one DATA frame
    for counts, order in (({"d": (6, 1000), "b": (30, 200)},
                           "dbbbbb" "dbbbb" "dbbbb" "dbbbb" "dbbbb" "dbbbb" "bbbbb"),
                          ({"b": (7, 1000), "d": (20, 200)},
                           "db" "ddddb" "ddddb" "ddddb" "ddddb" "ddd" "bb"),
                          ({"d": (3, 500), "b": (5, 500)}, "dbdbdbbb")):
        with Scripted(order=FAIR, **QUEUED) as test:
            backlog(test, **counts)
            leave(test, order)
            test.peer.nothing(S)


def test_share_without_a_rival():
    """A queue that was alone has no debt: when frames enter the other queue, both begin anew."""
    with Scripted(order=FAIR, **QUEUED) as test:
        backlog(test, b=(6, 500))
        leave(test, "bbb")
        test.port.mark(0)
        for number in range(3):
            test.send(number, 500)
        leave(test, "dbdbdb")


def test_order_changes():
    """A change of `order` applies to the frames that wait. Back in the order of arrival, no frame
    is overtaken any more."""
    with Scripted(**QUEUED) as test:
        backlog(test, d=(8, 500), b=(8, 500))
        leave(test, "dd")
        test.device.change(order=FAIR)
        leave(test, "dbdb")
        test.device.change(order=FIFO)
        leave(test, "dddd" "bbbbbb")


def test_protocol_before_a_backlog():
    """In fair shares a frame of the protocol leaves before the BYPASS frames that wait. Otherwise
    it leaves behind them."""
    for order, expected in ((FAIR, "bNbbbb"), (FIFO, "bbbbbN")):
        with Scripted(order=order, **QUEUED) as test:
            backlog(test, b=(5, 500))
            leave(test, "b")
            test.peer.packets(1)
            frames = leave(test, expected[1:])
            tap.equal("missing", frames[expected.index("N") - 1].missing(), [(0, 1)])
    for order, expected in ((FAIR, "Hbbbb"), (FIFO, "bbbbH")):
        with Scripted(order=order, **QUEUED) as test:
            backlog(test, b=(5, 500))
            leave(test, "b")
            test.peer.hello(ask=True)
            leave(test, expected)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
