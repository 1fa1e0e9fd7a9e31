#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""xlo counts each arriving packet once, by its kind. The interface's cap replaces a longer lifetime
and the lifetime "none". No other bit of any packet changes."""
# run.sh: all on lab-debug: [!f]*
# run.sh: smoke: each_kind_is_counted_once relative_is_capped
# run.sh: soak on lab vm host, 3600 s: flood_of_malformed_packets
import contextlib
import socket
import struct
import time

from lib import bench, clock, hosts, kmod, mib, netns, packet as pkt, port, segments, sniff, \
    soak, stamped, tap, tun, wait, xlo
from lib.router import ALL, ROUTER4, ROUTER6, Router, ours

MS = bench.MS
BODY = pkt.body(7, 64)
ROUTER_ALERT4, ROUTER_ALERT6 = bytes([0x94, 4, 0, 0]), bytes([5, 2, 0, 0])
UNKNOWN4, UNKNOWN6 = bytes([0x5e, 5, 1, 2, 3]), bytes([0x1f, 3, 1, 2, 3])
KINDS = ("relative", "absolute", "no_lifetime", "no_option", "malformed")
DAY = pkt.DAY_MS
TOO_LATE = pkt.NONE + DAY
REORDER6 = 44           # offset of the field reorder in an IPv6 packet with only our option
HOUR = 3_600_000


def v4(options=b"", body=BODY):
    return pkt.ipv4(options, body)


def v6(options=None, body=BODY):
    return pkt.ipv6(options, body)


def raw4(lifetime, length):
    return struct.pack("!BBBBI", pkt.TYPE4, length, 3, pkt.DISCARD, lifetime)


GOOD = {
    "ipv4_relative": (v4(pkt.xlo4(300)), "relative"),
    "ipv4_expired": (v4(pkt.xlo4(0)), "relative"),
    "ipv4_longest_relative": (v4(pkt.xlo4(65534)), "relative"),
    "ipv4_earliest_absolute": (v4(pkt.xlo4(65536)), "absolute"),
    "ipv4_latest_absolute": (v4(pkt.xlo4(TOO_LATE - 1)), "absolute"),
    "ipv4_none": (v4(pkt.xlo4(pkt.NONE)), "no_lifetime"),
    "ipv4_after_others": (v4(ROUTER_ALERT4 + b"\1" + pkt.xlo4(300)), "relative"),
    "ipv4_before_others": (v4(pkt.xlo4(300) + UNKNOWN4), "relative"),
    "ipv4_at_the_very_end": (v4(b"\1" * 32 + pkt.xlo4(300)), "relative"),
    "ipv4_no_option": (v4(), "no_option"),
    "ipv4_others_only": (v4(ROUTER_ALERT4 + UNKNOWN4), "no_option"),
    "ipv6_relative": (v6(pkt.xlo6(300)), "relative"),
    "ipv6_expired": (v6(pkt.xlo6(0)), "relative"),
    "ipv6_earliest_absolute": (v6(pkt.xlo6(65536)), "absolute"),
    "ipv6_latest_absolute": (v6(pkt.xlo6(TOO_LATE - 1)), "absolute"),
    "ipv6_none_as_relative": (v6(pkt.xlo6(pkt.NONE)), "no_lifetime"),
    "ipv6_none_as_absolute": (v6(pkt.xlo6(pkt.NONE, kind=pkt.ABSOLUTE6)), "no_lifetime"),
    "ipv6_after_others": (v6(ROUTER_ALERT6 + UNKNOWN6 + pkt.xlo6(300)), "relative"),
    "ipv6_before_others": (v6(b"\0" + pkt.xlo6(300) + ROUTER_ALERT6), "relative"),
    "ipv6_no_option": (v6(), "no_option"),
    "ipv6_others_only": (v6(ROUTER_ALERT6 + UNKNOWN6), "no_option"),
    "ipv6_hop_by_hop_in_other_header":
        (pkt.ipv6(None, BODY)[:6] + b"\x3c" + pkt.ipv6(None, BODY)[7:40] +
         pkt.hop_by_hop(pkt.xlo6(300)) + pkt.ipv6(None, BODY)[40:-16], "no_option"),
}

# Packets that only xlo considers malformed. The stack forwards these packets.
FORWARDED = {
    **{f"ipv4_length_{n}": v4(raw4(0, n) + bytes(4)) for n in (2, 7, 9, 12)},
    "ipv4_twice": v4(pkt.xlo4(300) + pkt.xlo4(300)),
    "ipv4_lifetime_one_too_large": v4(pkt.xlo4(TOO_LATE)),
    "ipv4_lifetime_all_ones": v4(pkt.xlo4(2**32 - 1)),
    **{f"ipv6_length_{n}": v6(bytes([pkt.RELATIVE6, n]) + bytes(n)) for n in (0, 5, 7, 8)},
    "ipv6_twice": v6(pkt.xlo6(300) + pkt.xlo6(300)),
    "ipv6_relative_and_absolute": v6(pkt.xlo6(300) + pkt.xlo6(70_000)),
    "ipv6_lifetime_one_too_large": v6(pkt.xlo6(TOO_LATE)),
    "ipv6_relative_type_absolute_lifetime": v6(pkt.xlo6(70_000, kind=pkt.RELATIVE6)),
    "ipv6_absolute_type_relative_lifetime": v6(pkt.xlo6(300, kind=pkt.ABSOLUTE6)),
}

# Packets that the stack discards because of their options, after xlo has inspected them.
DISCARDED = {
    **{f"ipv4_length_{n}": v4(raw4(0, n) + bytes(4)) for n in (0, 1, 255)},
    "ipv4_runs_past_the_header": v4(b"\1" * 4 + pkt.xlo4(300)[:4]),
    "ipv4_no_length_byte": v4(b"\1" * 3 + pkt.xlo4(300)[:1]),
    "ipv4_bad_option_before": v4(bytes([7, 0, 1, 1]) + pkt.xlo4(300)),
    "ipv4_bad_option_behind": v4(pkt.xlo4(300) + bytes([7, 1, 1, 1])),
    "ipv4_option_behind_overruns": v4(pkt.xlo4(300) + bytes([7, 5, 4, 0])),
}

# Packets that the stack discards before xlo can inspect them.
UNSEEN = {
    "ipv4_wrong_checksum": v4(pkt.xlo4(300))[:10] + b"\0\0" + v4(pkt.xlo4(300))[12:],
    "ipv4_wrong_version": b"\x57" + v4(pkt.xlo4(300))[1:],
    "ipv6_no_length_byte": v6(bytes([1, 3, 0, 0, 0, pkt.RELATIVE6])),
    "ipv6_runs_past_the_header": v6(bytes([pkt.RELATIVE6, 40]) + bytes(8)),
    "ipv6_shorter_than_its_header": v6(pkt.xlo6(300))[:48],
}


def validating(**more):
    r = Router(**more)
    r.xlo.set(validate=1)
    return r


def looked_at(r, count):
    """Wait until `count` packets have been counted since r.account was created."""
    wait.until(f"{count} packets are counted", lambda: sum(
        r.xlo.stats()[kind] - r.account.before[kind] for kind in KINDS) >= count)


def test_each_kind_is_counted_once():
    """xlo finds the option at any position and counts the packet once, by its kind. Only the hop
    count of the packet changes."""
    with validating() as r:
        for name, (packet, kind) in GOOD.items():
            [found] = r.carry([packet])
            tap.equal(name, found.hex(), stamped.one_hop_less(packet).hex())
            r.account.expect(**{kind: 1})


def test_reserved_treatment_is_counted_beside():
    """A packet with the reserved treatment is counted as reserved in addition to its kind. A
    malformed option is not counted as reserved."""
    with validating() as r:
        for lifetime, kind in ((300, "relative"), (70_000, "absolute"), (pkt.NONE, "no_lifetime")):
            for packet in (v4(pkt.xlo4(lifetime, pkt.RESERVED)),
                           v6(pkt.xlo6(lifetime, pkt.RESERVED | 0xf0))):
                r.carry([packet])
                r.account.expect(reserved=1, **{kind: 1})
        r.carry([v4(pkt.xlo4(TOO_LATE, pkt.RESERVED)), v6(pkt.xlo6(TOO_LATE, pkt.RESERVED))])
        r.account.expect(malformed=2)


def test_malformed_is_forwarded_and_counted():
    """A packet with a malformed option is counted and forwarded unchanged, even if the interface
    has a cap."""
    with validating() as r:
        r.xlo.cap_set("r0", 1)
        for name, packet in FORWARDED.items():
            [found] = r.carry([packet])
            tap.equal(name, found.hex(), stamped.one_hop_less(packet).hex())
            r.account.expect(malformed=1)


def test_malformed_for_the_stack_too():
    """xlo counts a malformed packet once before the stack discards the packet for its options. A
    packet that the stack discards for its header never reaches xlo."""
    with validating() as r:
        for packet in DISCARDED.values():
            r.port.send(packet)
            looked_at(r, 1)
            r.account.expect(malformed=1)
        for name, packet in UNSEEN.items():
            r.port.send_as(packet, pkt.ETH_P_IP if name.startswith("ipv4") else pkt.ETH_P_IPV6)
        r.carry([v4(pkt.xlo4(300))])
        r.account.expect(relative=1)


def test_nothing_is_counted_unless_asked():
    """Packets are counted only while validate is on or a cap is set. A cap on one interface makes
    xlo count packets on all interfaces."""
    packets = [packet for packet, _ in GOOD.values()]
    numbered = [v4(pkt.xlo4(300), pkt.body(number, 30)) for number in range(3)]
    with Router() as r:
        r.carry(packets)
        r.account.expect()
        r.xlo.cap_set("r1", 5)
        r.carry(numbered)
        r.account.expect(relative=3)
        r.xlo.cap_del("r1")
        r.carry(numbered)
        r.account.expect()


# Caps

CAP = 1000
CAPPED = {0: 0, 1: 1, 999: 999, 1000: 1000, 1001: 1000, 5000: 1000, 65534: 1000,
          pkt.NONE: 1000}


def random_packet(number, lifetime, random):
    """An IPv4 or IPv6 packet with the option at a random position. Other fields have random
    values."""
    flags, reorder = random.randrange(256) & ~0xc | pkt.DISCARD, random.randrange(256)
    body = pkt.body(number, 8) + random.randbytes(random.randrange(300))
    if random.randrange(2):
        option = pkt.xlo4(lifetime, flags, reorder)
        return pkt.ipv4(b"\1" * random.randrange(8) + option + random.choice((b"", UNKNOWN4)),
                        body, random.randrange(256) & ~3)
    option = pkt.xlo6(lifetime, flags, reorder)
    return pkt.ipv6(bytes(random.randrange(8)) + option + random.choice((b"", UNKNOWN6)), body)


def test_relative_is_capped():
    """A lifetime longer than the cap becomes the cap, and a shorter lifetime stays unchanged. The
    checksum is right, and every other bit is unchanged. A capture before xlo shows the packet as it
    was sent."""
    random = bench.seed()
    with Router() as r:
        r.xlo.cap_set("r0", CAP)
        lifetimes = [random.choice(list(CAPPED)) for _ in range(200)]
        packets = [random_packet(number, ms, random) for number, ms in enumerate(lifetimes)]
        found = r.carry(packets)
        for packet, got, lifetime in zip(packets, found, lifetimes):
            tap.equal(f"packet with lifetime {lifetime}", got.hex(), stamped.one_hop_less(
                pkt.with_lifetime(packet, CAPPED[lifetime])).hex())
        none = lifetimes.count(pkt.NONE)
        r.account.expect(relative=200 - none, no_lifetime=none, capped=sum(
            CAPPED[lifetime] != lifetime for lifetime in lifetimes))
        seen = sorted(ours(r.before.drain()), key=pkt.number)
        tap.equal("packets captured before xlo",
                  [p.hex() for p in seen], [p.hex() for p in packets])


def test_every_cap():
    """The smallest and the largest cap limit lifetimes. A changed cap applies to the next
    packet."""
    with Router() as r:
        for cap, want in ((1, 1), (65533, 65533), (65534, 65534), (65535, 65534),
                          (43_200_000, 65534), (2, 2)):
            r.xlo.cap_set("r0", cap)
            found = r.carry([v4(pkt.xlo4(65534), pkt.body(0, 20)),
                             v6(pkt.xlo6(65534), pkt.body(1, 20))])
            tap.equal(f"lifetimes with the cap {cap}", [pkt.lifetime(p) for p in found], [want] * 2)
            r.account.expect(relative=2, capped=2 * (want != 65534))


def absolute_under(r, ms, cap):
    """Send packets with a deadline `ms` milliseconds from now, or in the past if `ms` is negative.
    Check that the cap shortens the deadline if and only if the deadline is later than the cap
    allows."""
    r.xlo.cap_set("r0", cap)
    r.account = xlo.Account(r.xlo)
    field = clock.deadline(clock.ms_of_day() + ms)
    packets = [v4(pkt.xlo4(field), pkt.body(0, 20)), v6(pkt.xlo6(field), pkt.body(1, 20))]
    before = clock.ms_of_day()
    found = r.carry(packets)
    passed = (clock.ms_of_day() - before) % DAY
    shortened = ms > cap
    for packet, got in zip(packets, found):
        now = pkt.lifetime(got)
        if shortened:
            tap.within(f"deadline in {ms} ms, cap {cap}: ms after now + cap",
                       (now - clock.deadline(before + cap)) % DAY, 0, passed)
        else:
            tap.equal(f"deadline in {ms} ms, cap {cap}", now, field)
        tap.equal("every other bit", got.hex(),
                  stamped.one_hop_less(pkt.with_lifetime(packet, now)).hex())
    r.account.expect(absolute=2, capped=2 * shortened)


def none_under(r, cap):
    """Send packets without a lifetime, with each type of option, through an interface with a cap.
    Returns the new lifetime fields for IPv4, IPv6 relative and IPv6 absolute, and the time of day
    in ms before and after."""
    r.xlo.cap_set("r0", cap)
    r.account = xlo.Account(r.xlo)
    packets = [v4(pkt.xlo4(pkt.NONE), pkt.body(0, 20)), v6(pkt.xlo6(pkt.NONE), pkt.body(1, 20)),
               v6(pkt.xlo6(pkt.NONE, kind=pkt.ABSOLUTE6), pkt.body(2, 20))]
    before = clock.ms_of_day()
    found = r.carry(packets)
    after = clock.ms_of_day()
    for packet, got in zip(packets, found):
        tap.equal("every other bit", got.hex(),
                  stamped.one_hop_less(pkt.with_lifetime(packet, pkt.lifetime(got))).hex())
        tap.true("the IPv4 header checksum is right", got[0] >> 4 == 6 or pkt.checksum_right(got))
    r.account.expect(no_lifetime=3, capped=3)
    return [pkt.lifetime(got) for got in found] + [before, after]


def test_none_is_capped():
    """If a packet has no lifetime, xlo writes the cap as a relative lifetime. xlo writes a deadline
    if the option's type is absolute, or if the cap exceeds the longest relative lifetime in
    IPv4."""
    with Router() as r:
        for cap in (1, CAP, 65534, 65535, HOUR, 43_200_000):
            four, relative6, absolute6, before, after = none_under(r, cap)
            tap.equal(f"relative option in IPv6, cap {cap}", relative6, min(cap, 65534))
            if cap <= 65534:
                tap.equal(f"option in IPv4, cap {cap}", four, cap)
            for field in [absolute6] + [four] * (cap > 65534):
                tap.within(f"ms after now + cap, cap {cap}",
                           (field - clock.deadline(before + cap)) % DAY, 0, (after - before) % DAY)


DISTANCES = [(60_000, CAP), (5000, CAP), (500, CAP), (1, CAP), (-500, CAP), (-HOUR, CAP),
             (11 * HOUR, CAP), (-11 * HOUR, CAP), (11 * HOUR, 12 * HOUR), (11 * HOUR, 10 * HOUR),
             (HOUR, 43_200_000), (5000, 1), (-5000, 1)]


def test_absolute_is_capped():
    """A deadline later than the cap allows becomes the present time plus the cap. A deadline in the
    past stays unchanged."""
    with Router() as r:
        for ms, cap in DISTANCES:
            absolute_under(r, ms, cap)


def test_absolute_is_capped_around_midnight():
    """xlo also caps deadlines correctly shortly before and after midnight, when the time of day
    restarts at 0."""
    with Router() as r:
        for at in (-30_000, -700, 5, 30_000):
            with clock.at_time_of_day(at):
                for ms, cap in DISTANCES:
                    absolute_under(r, ms, cap)


def test_cap_at_midnight_sharp():
    """xlo writes a deadline at midnight as one ms earlier, because the field has no value for
    midnight."""
    with Router() as r, clock.at_time_of_day(-20_000):
        for _ in range(100):
            now = clock.ms_of_day()
            r.xlo.cap_set("r0", DAY - now)
            [found] = r.carry([v6(pkt.xlo6(clock.deadline(now + HOUR)))])
            if clock.ms_of_day() == now:
                tap.equal("deadline", pkt.lifetime(found), pkt.NONE + DAY - 1)
                return
        tap.note("no packet crossed within one ms, so nothing was checked")


def test_other_interfaces_are_believed():
    """A cap applies to its interface only. Packets on other interfaces do not change."""
    with Router() as r:
        r.xlo.cap_set("r0", 5)
        r.router.ip(f"route add {pkt.TARGET4} via {pkt.SOURCE4} dev r0 table 9",
                    "rule add iif r1 table 9 priority 1")
        back = sniff.Sniffer(r.sender, "s0")
        packet = v4(pkt.xlo4(300))
        frame = pkt.ETHERNET[6:12] + pkt.ETHERNET[:6] + struct.pack("!H", pkt.ETH_P_IP) + packet
        port.Port(r.mobile, "m0").send_as(frame, pkt.ETH_P_IP)
        frames = back.until("the packet", ours)
        tap.equal("packet on the other interface",
                  ours(frames)[0].hex(), stamped.one_hop_less(packet).hex())
        r.account.expect(relative=1)
        tap.equal("lifetime on the interface with the cap", pkt.lifetime(r.carry([packet])[0]), 5)
        r.account.expect(relative=1, capped=1)


# Ways of arrival

@contextlib.contextmanager
def plainly(r):
    yield "r0", r.port.send


@contextlib.contextmanager
def tracked(r):
    """Packets that reach xlo after connection tracking has verified their checksums and stored the
    result."""
    r.router.run("nft -f -", stdin="table inet track { chain pre { type filter hook prerouting "
                 "priority -160; ct state new counter; }; }")
    yield "r0", r.port.send


@contextlib.contextmanager
def by_ifb(r):
    """Packets that tc redirects to an ifb device before they reach xlo."""
    kmod.modprobe("ifb")
    r.router.ip("link add ifb0 type ifb", "link set ifb0 up")
    r.router.run("tc qdisc add dev r0 clsact")
    r.router.run("tc filter add dev r0 ingress matchall action mirred egress redirect dev ifb0")
    yield "r0", r.port.send


@contextlib.contextmanager
def by_tun(r):
    """Packets from a device without a link header."""
    with tun.Tun(r.router) as device:
        yield "tun0", device.send


WAYS = {"plainly": plainly, "tracked": tracked, "by ifb": by_ifb, "by tun": by_tun}


def arriving(way, check):
    """Let packets arrive in the way that `way` names. The function check(router, send, packets,
    lifetimes) sends and receives the packets."""
    random = bench.seed()
    with Router(hosts=True) as r, WAYS[way](r) as (device, send):
        r.xlo.cap_set(device, CAP)
        r.account = xlo.Account(r.xlo)
        lifetimes = [random.choice(list(CAPPED)) for _ in range(60)]
        packets = [random_packet(number, ms, random) for number, ms in enumerate(lifetimes)]
        with mib.Errors(r.router, r.mobile):
            check(r, send, packets, lifetimes)
        none = lifetimes.count(pkt.NONE)
        r.account.expect(relative=60 - none, no_lifetime=none, capped=sum(
            CAPPED[lifetime] != lifetime for lifetime in lifetimes))


def sinks(ns, four, six):
    """UDP sockets of both families that also receive IP options."""
    found = []
    for family, address, level, name in (
            (socket.AF_INET, four, socket.IPPROTO_IP, 6),               # IP_RECVOPTS
            (socket.AF_INET6, six, socket.IPPROTO_IPV6, 53)):           # IPV6_RECVHOPOPTS
        sock = ns.socket(family, socket.SOCK_DGRAM)
        sock.setsockopt(level, name, 1)
        sock.bind((address, 5000))
        sock.settimeout(wait.patient(5))
        found.append(sock)
    return found


def delivered(socks, packets):
    """Receive as many datagrams as were sent. Returns {packet number: (payload, reported
    options)}."""
    found = {}
    for sock, family in zip(socks, (4, 6)):
        for _ in range(sum(packet[0] >> 4 == family for packet in packets)):
            payload, ancillary, _, _ = sock.recvmsg(2000, 500)
            found[pkt.number(payload)] = payload, [data for _, _, data in ancillary]
    return found


def lifetime_told(data):
    """The lifetime in the options that a socket reports: IPv4 options or a hop-by-hop header."""
    if data[0] == 17:
        return pkt.lifetime(bytes([0x60, 0, 0, 0, 0, 0, 0]) + bytes(33) + data)
    size = 20 + len(data)
    return pkt.lifetime(bytes([0x40 | size // 4]) + bytes(19) + data)


def forwarded(r, send, packets, lifetimes):
    """A socket behind the router receives each payload and lifetime."""
    socks = sinks(r.mobile, pkt.TARGET4, pkt.TARGET6)
    all_delivered(socks, send, packets, packets, lifetimes)


def locally(r, send, packets, lifetimes):
    """A socket on the router itself receives each payload and lifetime."""
    socks = sinks(r.router, ROUTER4[1], ROUTER6[1])
    all_delivered(socks, send, packets, [readdressed(packet) for packet in packets], lifetimes)


def readdressed(packet):
    """The packet with the router's own address as its destination."""
    four = packet[0] >> 4 == 4
    at, size = (12, 4) if four else (8, 16)
    family = socket.AF_INET if four else socket.AF_INET6
    target = socket.inet_pton(family, (ROUTER4 if four else ROUTER6)[1])
    start = segments.transport_offset(packet)
    head = packet[:at + size] + target + packet[at + 2 * size:start]
    pseudo = head[at:at + 2 * size] + struct.pack("!II", len(packet) - start, 17)
    ports = struct.unpack_from("!HH", packet, start)
    data = pkt.udp(pseudo, packet[start + 8:], *ports)
    return stamped.checksummed(head + data) if four else head + data


def all_delivered(socks, send, sent, packets, lifetimes):
    for packet in packets:
        send(packet)
    found = delivered(socks, packets)
    for number, (packet, lifetime) in enumerate(zip(sent, lifetimes)):
        payload, told = found[number]
        tap.equal(f"payload {number}", payload.hex(), packet[-len(payload):].hex())
        tap.equal(f"reported lifetimes of {number}", [lifetime_told(data) for data in told],
                  [CAPPED[lifetime]])


def test_stack_takes_what_is_capped():
    """Each packet is counted once and capped, for any way of arrival and any destination. The
    receiving stacks count no error, and the sockets receive the sent data."""
    for way in WAYS:
        for check in (forwarded, locally):
            tap.note(f"{way}, {check.__name__}")
            arriving(way, check)


def send_together(r, count):
    """Send packets that arrive together. The qdisc plug collects the packets and releases them
    together."""
    kmod.modprobe("sch_plug")
    r.sender.run("tc qdisc add dev s0 root plug limit 1000000")
    for number in range(count):
        r.port.send(v6(pkt.xlo6(5000), pkt.body(number, 100)))
    r.sender.run("tc qdisc change dev s0 root plug release_indefinite")


def test_packets_put_together_are_capped():
    """GRO merges packets into one packet or chains them. Each packet leaves with the cap as its
    lifetime."""
    for feature in ("rx-udp-gro-forwarding", "rx-gro-list"):
        with Router(hosts=True) as r, sinks(r.mobile, pkt.TARGET4, pkt.TARGET6)[1] as sink:
            r.xlo.cap_set("r0", CAP)
            r.account = xlo.Account(r.xlo)
            hosts.offload(r.router, "r0", **{"gro": True, feature: True})
            send_together(r, 10)
            told = [sink.recvmsg(2000, 500)[1][0][2] for _ in range(10)]
            tap.true(f"{feature} merges some packets",
                     r.xlo.stats()["relative"] - r.account.before["relative"] < 10)
            tap.equal(f"lifetimes with {feature}", [lifetime_told(data) for data in told],
                      [CAP] * 10)


def test_copies_of_a_chain_stay_as_they_were():
    """A copy of chained packets is made before the packets reach xlo. The copy stays unchanged when
    xlo caps the original packets."""
    with Router() as r:
        r.xlo.cap_set("r0", CAP)
        netns.veth(r.router, "copy0", r.router, "copy1")
        copied = sniff.Sniffer(r.router, "copy1")
        hosts.offload(r.router, "r0", gro=True, rx_gro_list=True)
        for device in ("r1", "copy0"):
            hosts.offload(r.router, device, tx_gso_list=False)
        kmod.modprobe("sch_plug")
        r.router.run("tc qdisc add dev copy0 root plug limit 1000000")
        r.router.run("tc qdisc add dev r0 clsact")
        r.router.run("tc filter add dev r0 ingress matchall action mirred egress mirror dev copy0")
        send_together(r, 10)
        tap.equal("lifetimes behind the router",
                  [pkt.lifetime(p) for p in r.arrived(10)], [CAP] * 10)
        tap.true("some packets are chained",
                 r.xlo.stats()["relative"] - r.account.before["relative"] < 10)
        r.router.run("tc qdisc change dev copy0 root plug release_indefinite")
        frames = copied.until("10 copies", lambda seen: len(ours(seen)) >= 10)
        tap.equal("lifetimes of the copies", [pkt.lifetime(p) for p in ours(frames)], [5000] * 10)


def test_loopback_counts_too():
    """A packet from a host to itself is counted like other packets."""
    with Router() as r:
        r.router.link("lo", True)
        r.xlo.set(validate=1)
        with r.router.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind(("127.0.0.1", 5000))
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, pkt.xlo4(300))
            sock.sendto(b"x", sock.getsockname())
            tap.equal("received data", sock.recv(10), b"x")
        r.account.expect(relative=1)


# Events

def malformed_event(r):
    """The event about a malformed packet that has arrived on r0."""
    cause = next(number for number, a in r.xlo.spec.sets["stats"].items()
                 if a["name"] == "malformed")
    return "packet", {"cause": cause, "ifindex": r.xlo.ifindex("r0")}


def test_malformed_packets_are_told():
    """Malformed packets cause at most ten events per second, one per packet. Each event names the
    cause and the interface. Further malformed packets in this second are counted in events_held.
    Without a listener, events_held does not rise."""
    bad = [v4(pkt.xlo4(TOO_LATE), pkt.body(number, 20)) for number in range(25)]
    with validating() as r:
        r.carry(bad)
        r.account.expect(malformed=25)
        events, want = xlo.Events(r.router), malformed_event(r)
        for _ in range(2):
            r.carry(bad)
            # the second of the limit began with one of the packets
            over = time.monotonic_ns() + 1010 * MS
            tap.equal("events", [events.next(1) for _ in range(10)], [want] * 10)
            tap.equal("further event", events.next(0), None)
            r.account.expect(malformed=25, events_held=15)
            wait.till(over)
        r.carry([v4(pkt.xlo4(300)), v4(), v6(), v6(pkt.xlo6(pkt.NONE, pkt.RESERVED))])
        r.account.expect(relative=1, no_option=2, no_lifetime=1, reserved=1)
        r.port.send(DISCARDED["ipv4_length_0"])
        tap.equal("event", events.next(), want)
        tap.equal("further event", events.next(0), None)


def test_chain_that_differs_is_told():
    """If the packets that GRO has chained have different options, xlo counts the chain as
    malformed, sends an event and does not cap the chain."""
    kmod.modprobe("act_pedit")
    with Router() as r:
        r.xlo.cap_set("r0", CAP)
        r.account = xlo.Account(r.xlo)
        hosts.offload(r.router, "r0", gro=True, rx_gro_list=True)
        hosts.offload(r.router, "r1", tx_gso_list=False)
        r.router.run("tc qdisc add dev r0 clsact")
        # of a chain, pedit changes only the first packet, here the option's field reorder
        r.router.run(f"tc filter add dev r0 ingress matchall action pedit munge offset {REORDER6} "
                     "u8 set 9")
        events = xlo.Events(r.router)
        send_together(r, 10)
        r.arrived(10)
        risen = r.account.risen()
        tap.true("some packets are chained", risen.get("malformed"))
        tap.equal("other packets", risen["relative"] - risen["malformed"], risen.get("capped", 0))
        told = [events.next() for _ in range(risen["malformed"])]
        tap.equal("events", told, [malformed_event(r)] * risen["malformed"])
        tap.equal("further event", events.next(0), None)


def test_flood_of_malformed_packets():
    """A flood of malformed packets causes at most ten events in a second. The other packets are
    counted in events_held."""
    bursts, size = 20, soak.amount(1000, 100_000)
    with validating() as r:
        events, told = xlo.Events(r.router), 0
        start = time.monotonic_ns()
        for number in range(1, bursts + 1):
            r.port.flood(DISCARDED["ipv4_length_0"], size)
            wait.till(start + number * 250 * MS)
        took = time.monotonic_ns() - start
        while events.next(0):
            told += 1
        tap.note(f"{bursts * size} packets in {took / 10**9:.1f} s: {told} events")
        tap.within("events", told, 10, 10 * (took // 10**9 + 1))
        r.account.expect(malformed=bursts * size, events_held=bursts * size - told)


def test_good_packets_are_not_told():
    """Packets that are counted or capped cause no event."""
    with validating() as r:
        r.xlo.cap_set("r0", 5)
        events = xlo.Events(r.router)
        r.carry([packet for packet, _ in GOOD.values()])
        tap.equal("event", events.next(0), None)


def test_marks_and_checks_together():
    """A packet that is capped when it arrives is not stamped when it leaves, because it already has
    an option."""
    with Router() as r:
        r.mark(ALL)
        r.profile(lifetime=7)
        r.xlo.cap_set("r0", 5)
        found = r.carry([v4(pkt.xlo4(300), pkt.body(0, 20)), v6(pkt.xlo6(300), pkt.body(1, 20)),
                         v4(b"", pkt.body(2, 20)), v6(None, pkt.body(3, 20))])
        tap.equal("lifetimes", [pkt.lifetime(p) for p in found], [5, 5, 7, 7])
        r.account.expect(relative=2, no_option=2, capped=2, present=2, stamped_forward=2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
