#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules give lifetimes to packets without one. The first rule that a packet matches by its mark,
its DSCP or its priority applies. The packet's own option has priority over the rule."""
# run.sh: smoke: each_field_by_its_value first_rule_applies own_option_has_priority
import struct

from lib import bench, kmod, netlink, netns, packet as pkt, port, segments, soak, tap, tc, tree, \
    tun, wait

MS = bench.MS
LONG, SHORT = 20_000, 60        # ms
EF, AF41, CS5 = 46, 34, 40
VLAN = b"\x81\x00\x00\x05"
NUMBER = 8                      # bytes of a payload that contain the packet's number


def ipv4(number, dscp=0, options=b"", ecn=0):
    return pkt.ipv4(options, pkt.body(number, 100), tos=dscp << 2 | ecn)


def ipv6(number, dscp=0, options=None, ecn=0):
    return pkt.ipv6(options, pkt.body(number, 100), tos=dscp << 2 | ecn)


def stale(**values):
    """A rule with a lifetime that ends before the link sends the packet. With bench.lpd(delay=...)
    the packet is stale on arrival, so the test need not wait."""
    return dict(lifetime=SHORT * MS, **values)


def fresh(**values):
    return dict(lifetime=LONG * MS, **values)


def lpd(b, *match, **options):
    b.lpd(delay=2 * SHORT * MS, match=match, **options)
    b.plug()


def send(b, *packets, mark=0, priority=0):
    b.port.mark(mark)
    b.port.priority(priority)
    b.send(*packets)


def expect(b, numbers, **counters):
    tap.equal("packets", b.numbers(), numbers)
    b.expect(packets_out=len(numbers), **counters)


def test_each_field_by_its_value():
    """A rule applies to packets whose mark, DSCP or priority has exactly the rule's value."""
    with bench.Bench() as b:
        for rule, hit, misses in (
                (dict(mark=7), dict(mark=7), (dict(mark=6), dict(priority=7), dict(mark=15))),
                (dict(priority=6), dict(priority=6), (dict(priority=5), dict(mark=6))),
                (dict(priority=0x10010), dict(priority=0x10010), (dict(priority=0x10),))):
            lpd(b, stale(**rule))
            send(b, ipv4(1), **hit)
            for miss in misses:
                send(b, ipv4(2), **miss)
            expect(b, [2] * len(misses), packets_in=1 + len(misses), matched=1, stale_enqueue=1,
                   no_lifetime=len(misses))


def test_masks():
    """A rule with a mask compares only the bits of the mask."""
    with bench.Bench() as b:
        lpd(b, stale(mark=0x80000010, mask=0xf00000f0))
        for mark in (0x80000010, 0x8000001f, 0x8fffff1f):
            send(b, ipv4(1), mark=mark)
        for mark in (0, 0x10, 0x80000000, 0x90000010, 0x80000030):
            send(b, ipv4(2), mark=mark)
        expect(b, [2] * 5, packets_in=8, matched=3, stale_enqueue=3, no_lifetime=5)


def test_every_dscp():
    """A rule matches the packets of IPv4 and IPv6 with its DSCP, whatever their ECN bits, and no
    packet with another DSCP."""
    for make in (ipv4, ipv6):
        for dscp in range(64):
            with bench.Bench() as b:
                lpd(b, stale(dscp=dscp))
                send(b, *[make(other, other, ecn=other % 4) for other in range(64)])
                expect(b, [other for other in range(64) if other != dscp], packets_in=64,
                       matched=1, stale_enqueue=1, no_lifetime=63)


def test_dscp_behind_extension_headers():
    """The DSCP is also found in packets with IPv4 options or IPv6 extension headers that are not
    cross-layer options."""
    nops, pads = b"\1" * 4, b"\0" * 6
    with bench.Bench() as b:
        lpd(b, stale(dscp=EF))
        for make, options in ((ipv4, nops), (ipv6, pads)):
            send(b, make(1, EF, options), make(2, AF41, options))
        expect(b, [2, 2], packets_in=4, matched=2, stale_enqueue=2, no_lifetime=2)


def test_first_rule_applies():
    """Of several rules that a packet matches, the first one applies, even if a later one has more
    bits. A rule without a lifetime also ends the search."""
    with bench.Bench() as b:
        lpd(b, fresh(mark=0x10, mask=0xf0), stale(mark=0x12), dict(dscp=CS5, lifetime=0),
            stale(priority=6), fresh(dscp=EF), lifetime=SHORT * MS)
        send(b, ipv4(1), mark=0x12)
        send(b, ipv4(2, CS5), priority=6)
        send(b, ipv4(3, EF), priority=6)
        send(b, ipv4(4, EF))
        send(b, ipv4(5))                    # gets the default lifetime
        expect(b, [1, 2, 4], packets_in=5, matched=3, no_lifetime=1, default_lifetime=1,
               stale_enqueue=2)


def test_own_option_has_priority():
    """The lifetime and the treatment of a packet's own option have priority over those of a
    rule."""
    with bench.Bench() as b:
        lpd(b, stale(dscp=EF))
        send(b, ipv4(1, EF, pkt.xlo4(LONG)), ipv6(2, EF, pkt.xlo6(LONG)))
        expect(b, [1, 2], packets_in=2, rewritten=2)
        lpd(b, dict(dscp=EF, lifetime=LONG * MS, stale=bench.FORWARD))
        send(b, ipv4(1, EF, pkt.xlo4(SHORT)), ipv6(2, EF, pkt.xlo6(SHORT)))
        expect(b, [], packets_in=2, stale_enqueue=2)


def test_option_that_says_none():
    """A packet whose option says "none" gets the lifetime of the rule and keeps the treatment of
    its option, as with the qdisc option `lifetime`. With `exempt` the packet gets no lifetime."""
    says_none = [ipv4(1, EF, pkt.xlo4(pkt.NONE, pkt.FORWARD)),
                 ipv4(2, EF, pkt.xlo4(pkt.NONE, pkt.DISCARD)),
                 ipv6(3, EF, pkt.xlo6(pkt.NONE, pkt.FORWARD))]
    with bench.Bench() as b:
        lpd(b, stale(dscp=EF, stale=bench.DISCARD))
        send(b, *says_none)
        expect(b, [1, 3], packets_in=3, matched=3, stale_enqueue=1, stale_forwarded=2)
        lpd(b, stale(dscp=EF), exempt=1)
        send(b, *says_none)
        expect(b, [1, 2, 3], packets_in=3, no_lifetime=3)


def test_malformed_option():
    """A packet with a malformed option matches rules like a packet without an option."""
    with bench.Bench() as b:
        lpd(b, stale(dscp=EF))
        send(b, ipv4(1, EF, b"\x9e\x07" + bytes(6)), ipv4(2, AF41, b"\x9e\x07" + bytes(6)))
        expect(b, [2], packets_in=2, malformed=2, matched=1, stale_enqueue=1, no_lifetime=1)


def test_treatments():
    """A stale packet with the lifetime of a rule is treated as the rule says. The queue's option
    `stale` has priority."""
    for treatment, left, counters in (
            (bench.FORWARD, 100, {"stale_forwarded": 1}), (bench.DISCARD, None, {}),
            (bench.TRUNCATE, NUMBER, {"truncated": 1, "truncated_bytes": 100 - NUMBER})):
        for rule, override in ((treatment, bench.HONOR), (bench.FORWARD, treatment),
                               (bench.DISCARD, treatment)):
            with bench.Bench() as b:
                lpd(b, stale(dscp=EF, stale=rule), stale=override, keep=NUMBER)
                send(b, ipv4(1, EF))
                sizes = [len(packet) - 28 for packet in b.open()]
                tap.equal("payloads", sizes, [] if left is None else [left])
                b.expect(packets_in=1, packets_out=len(sizes), matched=1,
                         stale_enqueue=1 - len(sizes), **counters)


def test_lifetime_counts_from_arrival():
    """The lifetime of a rule begins when the packet arrives. The timer discards the packet when its
    lifetime has ended, and packets with another lifetime stay."""
    with bench.Bench() as b:
        b.lpd(match=[stale(dscp=EF), fresh(dscp=AF41)])
        b.plug()
        sent = b.send(ipv4(1, EF), ipv4(2, AF41), ipv6(3, EF), ipv4(4))
        tap.equal("queued", b.tree().root.qlen, 4)
        b.expect_queued(2, sent.last + SHORT * MS)
        expect(b, [2, 4], packets_in=4, matched=3, no_lifetime=1, stale=2)


def test_lifetime_is_not_written():
    """The lifetime of a rule is valid in this queue only, so the packets leave unchanged."""
    packets = [ipv4(1, EF), ipv6(2, EF), ipv4(3, EF, pkt.xlo4(pkt.NONE))]
    with bench.Bench() as b:
        b.lpd(match=[fresh(dscp=EF)])
        b.plug()
        b.send(*packets)
        tap.equal("packets", b.open(), packets)
        b.expect(packets_in=3, packets_out=3, matched=3)


def test_not_ip():
    """A packet that is not an IP packet gets no lifetime from a rule, not even by its mark."""
    packets = [pkt.arp(), b"\xf0" + pkt.body(1, 60)]
    with bench.Bench() as b:
        lpd(b, stale(mark=7), stale(dscp=0), stale(priority=0))
        send(b, *packets, mark=7)
        tap.equal("packets", b.open(), packets)
        b.expect(packets_in=2, packets_out=2, no_lifetime=2)


def test_short_packets():
    """Packets that end within the IP header match by their mark. Packets without the first two
    bytes of the header have no DSCP."""
    with bench.Bench() as b:
        lpd(b, stale(dscp=EF), stale(mark=7))
        for size, mark in ((1, 0), (1, 7), (2, 0), (10, 7)):
            b.port.mark(mark)
            b.port.send_as(ipv4(1, EF)[:size], pkt.ETH_P_IP)
        left = b.open()
        tap.equal("sizes of packets", [len(packet) for packet in left], [1])
        b.expect(packets_in=4, packets_out=1, malformed=4, matched=3, stale_enqueue=3,
                 no_lifetime=1)


def frames():
    """Frames with up to three VLAN tags: for each number of tags, a packet that matches and a
    packet that does not match."""
    for tag in (b"", VLAN, b"\x88\xa8\x00\x07" + VLAN, VLAN * 3):
        for make in (ipv4, ipv6):
            for dscp in (EF, AF41):
                packet = make(1, dscp)
                yield pkt.ETHERNET + tag + pkt.protocol(packet).to_bytes(2, "big") + packet


def device(ns, **options):
    """A dummy device with an lpd. Returns the netlink socket."""
    tc.need("lpd")
    kmod.modprobe("dummy")
    ns.ip("link add dut0 type dummy", "link set dut0 up")
    socket = netlink.Netlink(ns)
    socket.qdisc("dut0", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**options))
    return socket


def expect_frames(socket):
    """All frames of frames() have passed the device dut0."""
    wait.until("16 packets have arrived", lambda:
               tree.checked(socket, "dut0").lpd().counters["packets_in"] == 16)
    counters = tree.checked(socket, "dut0").lpd().counters
    names = ("matched", "stale_enqueue", "no_lifetime", "packets_out")
    tap.equal("counters", [counters[name] for name in names], [8] * 4)


def test_behind_vlan_tags():
    """In a frame with VLAN tags, the DSCP is that of the IP header behind the tags."""
    with netns.Netns() as ns:
        socket = device(ns, delay=2 * SHORT * MS, match=[stale(dscp=EF)])
        out = port.Port(ns, "dut0")
        for frame in frames():
            out.send_as(frame, int.from_bytes(frame[12:14], "big"))
        expect_frames(socket)


def test_behind_vlan_tags_that_came_in():
    """The kernel may store one VLAN tag outside of the frame. lpd still finds the DSCP."""
    for module in ("tun", "act_mirred", "cls_matchall"):
        kmod.modprobe(module)
    tc.need("ingress")
    with netns.Netns() as ns, tun.Tap(ns, "in0") as source:
        socket = device(ns, delay=2 * SHORT * MS, match=[stale(dscp=EF)])
        ns.run("tc -batch -", stdin="qdisc add dev in0 ingress\nfilter add dev in0 ingress "
               "matchall action mirred egress redirect dev dut0")
        for frame in frames():
            source.send(frame)
        expect_frames(socket)


def test_super_packet():
    """A GSO packet matches as one packet."""
    packet = bytearray(pkt.tcp4(pkt.body(1, 3000)))
    packet[1] = EF << 2
    packet[10:12] = bytes(2)
    packet[10:12] = struct.pack("!H", pkt.checksum(bytes(packet[:20])))
    with bench.Bench() as b:
        lpd(b, stale(dscp=EF))
        tap.equal("headers", segments.transport_offset(bytes(packet)), 20)
        try:
            b.port.send_gso(bytes(packet), 1000)
        except OSError:
            pass                            # refused, because stale
        expect(b, [], packets_in=1, matched=1, stale_enqueue=1)


def test_all_32_rules():
    """The queue searches all of 32 rules: each packet gets the lifetime of its rule."""
    every = [(stale if number % 2 else fresh)(mark=number) for number in range(31)]
    with bench.Bench() as b:
        lpd(b, *every, stale(dscp=EF))
        for number in range(31):
            send(b, ipv4(number), mark=number)
        send(b, ipv4(31, EF), mark=31)
        send(b, ipv4(32), mark=32)
        expect(b, [*range(0, 31, 2), 32], packets_in=33, matched=32, stale_enqueue=16,
               no_lifetime=1)


def test_change():
    """A change of the rules applies to packets that arrive afterwards. Queued packets keep their
    lifetimes."""
    with bench.Bench() as b:
        b.lpd(match=[fresh(dscp=EF)])
        b.plug()
        b.send(ipv4(1, EF))
        b.change(delay=2 * SHORT * MS, match=[stale(dscp=EF)])
        b.send(ipv4(2, EF))
        b.change(match=[])
        b.send(ipv4(3, EF))
        expect(b, [1, 3], packets_in=3, matched=2, stale_enqueue=1, no_lifetime=1)


def test_random_rules():
    """Random packets get the lifetimes that a simple search of random rules finds."""
    random = bench.seed()
    for _ in range(soak.amount(20, 2000)):
        every = [random.choice((stale, fresh))(**random.choice((
            dict(mark=random.randrange(8)), dict(mark=0, mask=random.randint(1, 7)),
            dict(dscp=random.randrange(8)), dict(priority=random.randrange(8)))))
            for _ in range(random.randint(0, 32))]
        with bench.Bench() as b:
            lpd(b, *every)
            wanted, matched, count = [], 0, 100
            for number in range(count):
                about = {"mark": random.randrange(16), "priority": random.randrange(8)}
                dscp = random.randrange(8)
                send(b, random.choice((ipv4, ipv6))(number, dscp), **about)
                rule = first_of(every, about | {"dscp": dscp})
                matched += rule is not None
                if not rule or rule["lifetime"] == LONG * MS:
                    wanted.append(number)
            expect(b, wanted, packets_in=count, matched=matched, no_lifetime=count - matched,
                   stale_enqueue=count - len(wanted))


def first_of(every, about):
    """Return the first rule that a packet with these properties matches, or None."""
    for rule in every:
        field = next(name for name in about if name in rule)
        if about[field] & rule.get("mask", 2**32 - 1) == rule[field]:
            return rule
    return None


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
