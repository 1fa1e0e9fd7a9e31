#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A router writes the option only into packets whose mark a profile selects. The router changes
only the option and the hop count. The tests cover routed and bridged packets, with and without a
VLAN tag."""
# run.sh: smoke: other_options_stay room_up_to_the_mtu
import contextlib
import os
import socket
import struct

from lib import bench, clock, fragments, kmod, packet as pkt, port, sniff, stamped, syn, tap, tun, \
    xlo
from lib.router import ALL, FLAGS, MARK, MARKED, MTU, PROFILE, RIGHT_MAC, ROUTER4, UNMARKED, \
    Router, bridge, exactly, expected, marking, ours

ROUTER_ALERT4, ROUTER_ALERT6 = bytes([0x94, 4, 0, 0]), bytes([5, 2, 0, 0])


def unknown(size, kind):
    """An unknown option of `size` bytes."""
    return bytes([kind, size]) + bytes(range(1, size - 1))


def random_packet(number, random, marked):
    """A random IPv4 or IPv6 packet, with or without other options. The packet is small enough for
    our option."""
    body = pkt.body(number, 8) + random.randbytes(random.randrange(1300))
    port_number = MARKED if marked else UNMARKED
    if random.randrange(2):
        options = b"".join(random.choice((b"\1", ROUTER_ALERT4, unknown(5, 0x5e), unknown(3, 0xde)))
                           for _ in range(random.randrange(5)))
        return pkt.ipv4(options, body, random.randrange(256) & ~3, port=port_number)
    options = b"".join(bytes(random.randrange(4)) + random.choice(
        (ROUTER_ALERT6, bytes([0x1f, 3, 1, 2, 3]), bytes([0x3f, 0])))
        for _ in range(random.randrange(5)))
    return pkt.ipv6(random.choice((None, options)), body, port=port_number)


def many(r, random, count=150):
    """Send marked and unmarked packets in random order. Check that exactly the marked packets are
    stamped."""
    marked = [bool(random.randrange(2)) for _ in range(count)]
    packets = [random_packet(number, random, mark) for number, mark in enumerate(marked)]
    exactly("packet", r.carry(packets), [expected(p) if m else stamped.one_hop_less(p)
                                         for p, m in zip(packets, marked)])
    r.account.expect(stamped_forward=sum(marked))
    tap.equal("packets of the profile", r.xlo.profile_get()[0]["packets"], sum(marked))


def test_marked_by_nft():
    """The router stamps exactly the packets that nft marks. All other bits of the packets stay
    unchanged. A capture before the hook shows unstamped packets."""
    random = bench.seed()
    with Router() as r:
        r.mark()
        r.profile(**PROFILE)
        many(r, random)
        tap.true("no packet is stamped before the hook", all(pkt.lifetime(p) is None
                                                             for p in ours(r.before.drain())))


def test_marked_by_tc():
    """A packet that a tc filter marks is stamped."""
    with Router() as r:
        r.router.run("tc qdisc add dev r0 clsact")
        r.router.run(f"tc filter add dev r0 ingress matchall action skbedit mark {MARK}")
        r.profile(**PROFILE)
        packets = [pkt.ipv4(payload=pkt.body(0, 50)), pkt.ipv6(None, pkt.body(1, 50))]
        exactly("packet", r.carry(packets), [expected(p) for p in packets])
        r.account.expect(stamped_forward=2)


def test_by_tun():
    """Packets from a device without a link header are stamped, although they have no spare
    headroom."""
    with Router() as r, tun.Tun(r.router) as device:
        r.mark(ALL, "tun0")
        r.profile(**PROFILE)
        packets = [pkt.ipv4(payload=pkt.body(0, 50)), pkt.ipv6(None, pkt.body(1, 1400)),
                   pkt.ipv6(b"", pkt.body(2, 9)), pkt.ipv4(ROUTER_ALERT4, pkt.body(3, 1450))]
        for packet in packets:
            device.send(packet)
        exactly("packet", r.arrived(4), [expected(p) for p in packets])
        r.account.expect(stamped_forward=4)


def test_profiles_and_paths():
    """The mark selects the profile. A profile for output does not apply to forwarded packets."""
    with Router() as r:
        r.mark("meta mark set udp dport map { 5120 : 0, 5121 : 1, 5122 : 2, 5123 : 3, 5124 : 4 }")
        for number, (path, lifetime) in enumerate(((2, 10), (1, 20), (3, 30), (2, 40))):
            r.xlo.profile_add(profile_name=f"p{number}", mark=number, mask=0xff, path=path,
                              lifetime=lifetime)
        packets = [pkt.ipv4(payload=pkt.body(number, 50), port=5120 + number)
                   for number in range(5)]
        tap.equal("lifetimes", [pkt.lifetime(p) for p in r.carry(packets)],
                  [10, None, 30, 40, None])
        r.account.expect(stamped_forward=3)
        tap.equal("packets per profile", [p["packets"] for p in r.xlo.profile_get()], [1, 0, 1, 1])


def test_clock_utc():
    """If the profile's clock is utc, xlo writes a deadline. The deadline is the time at which the
    packet leaves plus the profile's lifetime."""
    with Router() as r:
        r.mark(ALL)
        r.profile(lifetime=5_000_000, clock=1)
        for packet in (pkt.ipv4(payload=pkt.body(0, 50)), pkt.ipv6(None, pkt.body(1, 50))):
            before = clock.ms_of_day()
            [found] = r.carry([packet])
            field = pkt.lifetime(found)
            tap.within("deadline", (field - clock.deadline(before + 5_000_000)) % pkt.DAY_MS, 0,
                       (clock.ms_of_day() - before) % pkt.DAY_MS)
            exactly("packet", [found], [expected(packet, lifetime=field, flags=pkt.DISCARD,
                                                 reorder=0)])


# Other options in the header

OTHERS4 = {
    "router alert": ROUTER_ALERT4,
    **{f"{n} bytes of padding": b"\1" * n for n in range(1, 8)},
    **{f"end of options after {n} bytes": b"\1" * n + bytes(8) for n in range(8)},
    **{f"an option of {n} bytes": unknown(n, 0x5e) for n in range(2, 30)},
    "padding between two options": unknown(3, 0xde) + b"\1\1\1" + unknown(6, 0x5e),
    "three, then padding": unknown(3, 0xde) + ROUTER_ALERT4 + unknown(5, 0x5e) + b"\1\1\1\1",
    "32 bytes": unknown(32, 0x5e),
    "29 bytes and padding": unknown(29, 0x5e) + b"\1" * 3,
    "space in the padding": unknown(4, 0x5e) + b"\1" * 36,
}
FULL4 = {
    "33 bytes": unknown(33, 0x5e),
    "36 bytes": unknown(36, 0x5e),
    "40 bytes": unknown(40, 0x5e),
    "40 bytes, padding first": b"\1" * 30 + unknown(3, 0xde) + b"\1" * 7,
}
OTHERS6 = {
    "an empty header": b"",
    "router alert": ROUTER_ALERT6,
    "padding first": b"\0\0\0" + ROUTER_ALERT6,
    **{f"{n} bytes of padding": stamped.padding6(n) for n in range(1, 7)},
    **{f"an option of {n} bytes": bytes([0x1f, n - 2]) + bytes(range(1, n - 1))
       for n in range(2, 30)},
    "router alert, padding in two pieces": ROUTER_ALERT6 + b"\0\0",
    **{f"{n} options": bytes([0x1f, 1, 7]) * n for n in range(2, 8)},
    "padding between two options": bytes([0x1f, 0]) + b"\1\3\0\0\0" + bytes([0x3f, 1, 9]),
    "257 bytes": bytes([0x1f, 255]) + bytes(255),
    "1028 bytes": (bytes([0x1f, 255]) + bytes(255)) * 4,
}
FULL6 = {
    "8 options": bytes([0x1f, 1, 7]) * 8,
    "8 options, padded": (bytes([0x1f, 1, 7]) + b"\0") * 8,
    "8 empty options": bytes([0x3f, 0]) * 8,
}


def test_other_options_stay():
    """Other options stay unchanged and keep their positions. Our option follows the other options
    in the same header and replaces their padding."""
    with marking() as r:
        packets = [pkt.ipv4(options, pkt.body(number, 40))
                   for number, options in enumerate(OTHERS4.values())]
        packets += [pkt.ipv6(options, pkt.body(number, 40))
                    for number, options in enumerate(OTHERS6.values(), len(packets))]
        names = [*OTHERS4, *OTHERS6]
        found = r.carry(packets)
        for packet, got in zip(packets, found):
            tap.equal(f"with {names[pkt.number(packet)]}", got.hex(), expected(packet).hex())
        r.account.expect(stamped_forward=len(packets))


def test_full_header():
    """A full header has no space for our option: 40 bytes of IPv4 options, or as many hop-by-hop
    options as receivers accept. A packet with a full header continues unchanged, is counted and
    causes an event."""
    with marking() as r:
        events = xlo.Events(r.router)
        for name, packet in ([(name, pkt.ipv4(o, pkt.body(0, 40))) for name, o in FULL4.items()] +
                             [(name, pkt.ipv6(o, pkt.body(0, 40))) for name, o in FULL6.items()]):
            [found] = r.carry([packet])
            tap.equal(name, found.hex(), stamped.one_hop_less(packet).hex())
            r.account.expect(no_room_header=1)
            tap.equal(f"event of {name}", events.next(), told(r, "no-room-header"))
        tap.equal("further event", events.next(0), None)


def told(r, cause):
    """The expected event about a packet that leaves through r1."""
    number = next(n for n, a in r.xlo.spec.sets["stats"].items() if a["name"] == cause)
    return "packet", {"cause": number, "ifindex": r.xlo.ifindex("r1")}


def test_options_that_the_router_fills_in():
    """The router fills in a Record Route option at its position, although xlo has added our option
    after the Record Route option."""
    with marking() as r:
        for before in (b"", b"\1", ROUTER_ALERT4):
            record = before + bytes([7, 11, 4]) + bytes(8)
            packet = pkt.ipv4(record, pkt.body(0, 40))
            [found] = r.carry([packet])
            filled = before + bytes([7, 11, 8]) + socket.inet_aton(ROUTER4[1]) + bytes(4)
            want = expected(packet)
            want = stamped.checksummed(want[:20] + filled + want[20 + len(filled):])
            tap.equal("packet", found.hex(), want.hex())


def test_present_and_malformed_stay():
    """Packets that already have the option and packets with malformed options continue
    unchanged."""
    with marking() as r:
        for packet, counter in (
                (pkt.ipv4(pkt.xlo4(77), pkt.body(0, 40)), "present"),
                (pkt.ipv4(ROUTER_ALERT4 + pkt.xlo4(pkt.NONE), pkt.body(0, 40)), "present"),
                (pkt.ipv6(pkt.xlo6(77), pkt.body(0, 40)), "present"),
                (pkt.ipv6(ROUTER_ALERT6 + pkt.xlo6(70_000), pkt.body(0, 40)), "present"),
                (pkt.ipv4(pkt.xlo4(77) * 2, pkt.body(0, 40)), "bad_header"),
                (pkt.ipv4(pkt.xlo4(2**32 - 1), pkt.body(0, 40)), "bad_header"),
                (pkt.ipv6(pkt.xlo6(77) * 2, pkt.body(0, 40)), "bad_header"),
                (pkt.ipv6(pkt.xlo6(77, kind=pkt.ABSOLUTE6), pkt.body(0, 40)), "bad_header")):
            [found] = r.carry([packet])
            tap.equal("packet", found.hex(), stamped.one_hop_less(packet).hex())
            r.account.expect(**{counter: 1})


# Sizes

def sized4(size, options=b"", number=0):
    return pkt.ipv4(options, pkt.body(number, size - 28 - len(options) - -len(options) % 4))


def sized6(size, options=None, number=0):
    extension = 0 if options is None else len(pkt.hop_by_hop(options))
    return pkt.ipv6(options, pkt.body(number, size - 48 - extension))


BOUNDARIES = {
    # a function that makes a packet of a given size, and how many bytes stamping adds
    "IPv4": (sized4, 8),
    "IPv4 with space for half of the option": (lambda size: sized4(size, b"\1" * 4), 4),
    "IPv4 with space for the option": (lambda size: sized4(size, b"\1" * 8), 0),
    "IPv4 with an option of 5 bytes": (lambda size: sized4(size, unknown(5, 0x5e)), 8),
    "IPv4 with an option of 7 bytes": (lambda size: sized4(size, unknown(7, 0x5e)), 8),
    "IPv6": (sized6, 16),
    "IPv6 with an empty header": (lambda size: sized6(size, b""), 8),
    "IPv6 with router alert": (lambda size: sized6(size, ROUTER_ALERT6), 8),
    "IPv6 with 12 bytes": (lambda size: sized6(size, bytes([0x1f, 10]) + bytes(10)), 8),
    "IPv6 with 9 bytes": (lambda size: sized6(size, bytes([0x1f, 7]) + bytes(7)), 8),
}


def test_room_up_to_the_mtu():
    """A packet is stamped if it fits into the MTU with the option. A packet that fits only without
    the option continues without the option, is counted, causes an event, and arrives."""
    with marking() as r:
        for name, (make, grow) in BOUNDARIES.items():
            for size in (MTU - 17, MTU - 16, MTU - 15, MTU - 9, MTU - 8, MTU - 7, MTU - 4,
                         MTU - 3, MTU - 1, MTU):
                packet, fits = make(size), size + grow <= MTU
                tap.equal("size", len(packet), size)
                [found] = r.carry([packet])
                want = expected(packet) if fits else stamped.one_hop_less(packet)
                tap.equal(f"{name}, {size} bytes", found.hex(), want.hex())
                r.account.expect(**{"stamped_forward" if fits else "no_room_mtu": 1})
        events = xlo.Events(r.router)
        r.carry([sized4(MTU), sized6(MTU)])
        tap.equal("events", [events.next(), events.next()], [told(r, "no-room-mtu")] * 2)
        tap.equal("further event", events.next(0), None)


def test_too_large_is_refused_as_ever():
    """The router refuses a packet that is too large for the link and must not be fragmented. xlo
    does not count the refused packet."""
    with marking(mtu=1400) as r:
        for packet in (pkt.ipv4(b"", pkt.body(0, 1450), fragment=0x4000),
                       pkt.ipv6(None, pkt.body(0, 1450))):
            r.port.send(packet)
        [found] = r.carry([pkt.ipv4(payload=pkt.body(1, 20))])
        tap.equal("lifetime", pkt.lifetime(found), 300)
        r.account.expect(stamped_forward=1)


def test_last_hop_is_refused_as_ever():
    """A packet that arrives with hop limit 1 is not forwarded, and xlo does not count it."""
    with marking() as r:
        four = pkt.ipv4(payload=pkt.body(0, 20))
        six = pkt.ipv6(None, pkt.body(0, 20))
        r.port.send(stamped.checksummed(four[:8] + b"\1" + four[9:]))
        r.port.send(six[:7] + b"\1" + six[8:])
        r.carry([pkt.ipv4(payload=pkt.body(1, 20))])
        r.account.expect(stamped_forward=1)


def test_link_local_is_left_alone():
    """Packets of neighbour discovery, multicast listener discovery and IGMP are not stamped, even
    if a profile selects their mark. Other ICMP packets are stamped."""
    with marking() as r:
        for kind, is_stamped in ((128, True), (129, True), (1, True), (130, False), (131, False),
                                 (132, False), (133, False), (134, False), (135, False),
                                 (136, False), (137, False), (138, True), (143, False)):
            crossed_raw(r, icmp6(kind), is_stamped)
        for protocol, is_stamped in ((1, True), (2, False), (17, True), (50, True)):
            crossed_raw(r, raw4(protocol), is_stamped)


def authenticated6(packet):
    """The IPv6 packet with an Authentication Header before its payload."""
    header = packet[6:7] + bytes([4]) + bytes(22)
    return packet[:4] + struct.pack("!HB", len(packet) - 40 + len(header), 51) + packet[7:40] + \
        header + packet[40:]


def test_authenticated_headers_stay():
    """A packet with an Authentication Header stays unchanged. The Authentication Header protects
    the lengths in the IP header, the extension headers and a SYN's MSS. A receiver would therefore
    reject a changed packet."""
    open_wide = syn.ipv6(syn.SYN, syn.mss(65535), pkt.body(0, 20))
    with marking() as r:
        for packet in (raw4(51), authenticated6(icmp6(128)), authenticated6(open_wide)):
            [found] = r.carry([packet])
            tap.equal("packet", found.hex(), stamped.one_hop_less(packet).hex())
            r.account.expect(authenticated=1)


def crossed_raw(r, packet, is_stamped):
    [found] = r.carry([packet])
    want = expected(packet) if is_stamped else stamped.one_hop_less(packet)
    tap.equal("packet", found.hex(), want.hex())
    r.account.expect(stamped_forward=int(is_stamped))


def icmp6(kind):
    """An ICMPv6 packet of this type."""
    body = bytes([kind, 0, 0, 0]) + pkt.body(0, 20)
    return pkt.ipv6(None)[:4] + struct.pack("!HBB", len(body), 58, 64) + pkt.ipv6(None)[8:40] + body


def raw4(protocol):
    """An IPv4 packet of this protocol."""
    body = bytes([0x11, 0, 0, 0]) + pkt.body(0, 20)
    whole = pkt.ipv4()[:2] + struct.pack("!H", 20 + len(body)) + pkt.ipv4()[4:9] + \
        bytes([protocol]) + pkt.ipv4()[10:20] + body
    return stamped.checksummed(whole)


# Bridges and VLANs

def framed(packet, tag=b""):
    """The packet in an Ethernet frame, with or without a VLAN tag."""
    return pkt.ETHERNET + tag + struct.pack("!H", pkt.protocol(packet)) + packet


@contextlib.contextmanager
def bridge_netfilter(r):
    """Let the IP netfilter hooks see bridged packets within the block, also packets in VLANs."""
    there = os.path.exists("/proc/sys/net/bridge")
    kmod.modprobe("br_netfilter")
    for name in ("call-iptables", "call-ip6tables", "filter-vlan-tagged"):
        r.router.sysctl(f"net.bridge.bridge-nf-{name}", 1)
    try:
        yield
    finally:
        if not there:
            kmod.rmmod("br_netfilter")


def bridging():
    """A router that bridges, marks and stamps."""
    r = Router(routes=False)
    bridge(r)
    r.router.run("tc qdisc add dev r0 clsact")
    r.router.run(f"tc filter add dev r0 ingress matchall action skbedit mark {MARK}")
    r.profile(**PROFILE)
    return r


def test_bridged():
    """Bridged packets are stamped if the IP netfilter hooks see them. If the hooks do not see the
    packets, the packets stay unchanged. The frames keep their link header."""
    with bridging() as r:
        vlan_beyond(r)
        if not os.path.exists("/proc/sys/net/bridge"):
            bridge_frames(r, lambda packet: packet)
            r.account.expect()
        with bridge_netfilter(r):
            bridge_frames(r, lambda packet: stamped.stamped(packet, 300, FLAGS, 5))
        r.account.expect(stamped_forward=80)


def test_bridged_and_reassembled():
    """Connection tracking reassembles bridged fragments, and the bridge later fragments the packet
    again. Each new fragment carries the option and the link header of the original frame."""
    with bridging() as r, bridge_netfilter(r):
        r.router.run("nft -f -", stdin="table inet track { chain pre { type filter hook "
                     "prerouting priority 0; ct state new counter; }; }")
        seen = sniff.Sniffer(r.mobile, "m0", header=0)
        for packets in (fragments.ipv4(pkt.ipv4(payload=pkt.body(0, 4000)), 1480),
                        fragments.ipv6(pkt.ipv6(None, pkt.body(0, 4000)), 1448)):
            send_frames(r, packets, b"")
            frames = seen.until("the whole packet", lambda seen: sum(
                fragments.payload(f.packet[14:]) for f in seen) >= 4008)
            for frame in frames:
                tap.equal("link header", frame.packet[:14].hex(),
                          framed(packets[0])[:14].hex())
                tap.equal("lifetime", pkt.lifetime(frame.packet[14:]), 300)
            r.account.expect(stamped_forward=1)


def bridge_frames(r, wanted):
    """Send frames with and without a VLAN tag over the bridge. Check that each frame keeps its link
    header and contains the packet wanted(packet). Each frame must arrive on the device of its
    VLAN."""
    random = bench.seed()
    for tag, device in ((b"", "m0"), (b"\x81\0\0\7", "m0.7")):
        seen = sniff.Sniffer(r.mobile, device, header=0)
        packets = [random_packet(number, random, True) for number in range(40)]
        send_frames(r, packets, tag)
        frames = seen.until("40 frames", lambda seen: len(ours(seen)) >= 40)
        exactly("frame", sorted(ours(frames), key=pkt.number), [framed(wanted(p)) for p in packets])


def send_frames(r, packets, tag):
    out = port.Port(r.sender, "s0")
    for packet in packets:
        tap.true("the device accepts the frame",
                 out.send_as(framed(packet, tag), pkt.protocol(packet)))
    out.close()


def vlan_beyond(r):
    """Create a device for VLAN 7 on the mobile host."""
    kmod.modprobe("8021q")
    r.mobile.ip("link add link m0 name m0.7 type vlan id 7", "link set m0.7 up")


def test_vlan():
    """A packet that is routed from one VLAN into another is stamped."""
    with Router() as r:
        vlan_beyond(r)
        r.router.ip("link add link r0 name r0.5 type vlan id 5",
                    "link add link r1 name r1.7 type vlan id 7", "link set r0.5 up",
                    "link set r1.7 up")
        r.router.ip(*(f"neigh add {target} lladdr {RIGHT_MAC} dev r1.7"
                      for target in (pkt.TARGET4, pkt.TARGET6)),
                    f"route add {pkt.TARGET4} dev r1.7", f"route add {pkt.TARGET6} dev r1.7")
        r.mark(ALL, "r0.5")
        r.profile(**PROFILE)
        tagged = sniff.Sniffer(r.mobile, "m0.7")
        packets = [pkt.ipv4(payload=pkt.body(0, 50)), pkt.ipv6(None, pkt.body(1, 50)),
                   sized4(MTU - 8, number=2), sized6(MTU - 16, number=3)]
        send_frames(r, packets, b"\x81\0\0\5")
        frames = tagged.until("4 packets", lambda seen: len(ours(seen)) >= 4)
        exactly("packet", sorted(ours(frames), key=pkt.number), [expected(p) for p in packets])
        r.account.expect(stamped_forward=4)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
