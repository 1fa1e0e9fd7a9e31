#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The queue finds the option at any position in the header. The queue treats a packet with a
malformed option like a packet without an option. A packet with a malformed option is counted and
forwarded without a change."""
# run.sh: smoke: absent behind_*
import struct

from lib import bench, kmod, netlink, netns, packet as pkt, port, tap, tc, tree, wait

RECORD_ROUTE = bytes([7, 7, 4, 0, 0, 0, 0])
NOP, EOL = b"\x01", b"\x00"
ROUTER_ALERT6 = bytes([5, 2, 0, 0])
GOOD4, GOOD6 = pkt.xlo4(0), pkt.xlo6(0)
BODY = pkt.body(7, 64)
LIFE = 5000
TOO_LATE = pkt.NONE + pkt.DAY_MS


def raw4(lifetime, length):
    return struct.pack("!BBBBI", pkt.TYPE4, length, 3, pkt.DISCARD, lifetime)


def v4(options):
    return pkt.ipv4(options, BODY)


def v6(options):
    return pkt.ipv6(options, BODY)


def cut(packet, size):
    """Cut a packet to `size` bytes, which is less than its headers."""
    return packet[:size]


# Packets in which lpd must find the option. The option has the lifetime 0, so lpd discards the
# packet on arrival.
FOUND = {
    "ipv4_alone": v4(GOOD4),
    "ipv4_after_nops": v4(NOP * 3 + GOOD4),
    "ipv4_after_another": v4(RECORD_ROUTE + GOOD4),
    "ipv4_before_another": v4(GOOD4 + RECORD_ROUTE),
    "ipv4_at_the_very_end": v4(NOP * 32 + GOOD4),
    "ipv4_before_end_of_list_and_garbage": v4(GOOD4 + EOL + raw4(0, 8)[:3]),
    "ipv6_alone": v6(GOOD6),
    "ipv6_aligned": v6(b"\x01\x00" + GOOD6),
    "ipv6_after_pad1": v6(b"\x00" + GOOD6),
    "ipv6_after_router_alert": v6(ROUTER_ALERT6 + GOOD6),
    "ipv6_before_router_alert": v6(GOOD6 + ROUTER_ALERT6),
    "ipv6_after_an_unknown_one": v6(bytes([0x1f, 20]) + bytes(20) + GOOD6),
    "ipv6_in_a_long_header": v6((b"\x01\xfe" + bytes(254)) * 3 + GOOD6),
}

# Packets without an option, or with an option at an invalid position.
ABSENT = {
    "ipv4_no_option": v4(b""),
    "ipv4_others_only": v4(RECORD_ROUTE + NOP),
    "ipv4_behind_end_of_list": v4(EOL + NOP * 3 + GOOD4),
    "ipv6_no_extension_header": pkt.ipv6(None, BODY),
    "ipv6_others_only": v6(ROUTER_ALERT6),
    "ipv6_hop_by_hop_not_first": pkt.ipv6(GOOD6, BODY, before=bytes([0, 0, 1, 4, 0, 0, 0, 0])),
    "ipv6_in_destination_options": bytes(v6(GOOD6)[:6]) + b"\x3c" + bytes(v6(GOOD6)[7:]),
}

MALFORMED = {
    **{f"ipv4_length_{n}": v4(raw4(0, n) + bytes(4)) for n in (0, 1, 2, 7, 9, 12)},
    "ipv4_length_255": v4(raw4(0, 255)),
    "ipv4_runs_past_the_header": v4(NOP * 4 + GOOD4[:4]),
    "ipv4_no_length_byte": v4(NOP * 3 + GOOD4[:1]),
    "ipv4_twice": v4(GOOD4 + GOOD4),
    "ipv4_lifetime_one_too_large": v4(raw4(TOO_LATE, 8)),
    "ipv4_lifetime_all_ones": v4(raw4(2**32 - 1, 8)),
    "ipv4_bad_option_before": v4(bytes([7, 0, 1, 1]) + GOOD4),
    "ipv4_bad_option_behind": v4(GOOD4 + bytes([7, 1, 1, 1])),
    "ipv4_option_behind_overruns": v4(GOOD4 + bytes([7, 5, 4, 0])),
    "ipv4_header_length_below_five": b"\x44" + v4(GOOD4)[1:],
    "ipv4_wrong_version": b"\x77" + v4(GOOD4)[1:],
    "ipv4_shorter_than_its_header": cut(v4(GOOD4), 24),
    "ipv4_shorter_than_any_header": cut(v4(GOOD4), 19),
    **{f"ipv6_length_{n}": v6(bytes([0x3e, n]) + GOOD6[2:] + bytes(8)) for n in (0, 5, 7, 8)},
    "ipv6_length_255": v6(bytes([0x3e, 255]) + GOOD6[2:]),
    "ipv6_no_length_byte": v6(bytes([1, 3, 0, 0, 0, 0x3e])),
    "ipv6_twice": v6(GOOD6 + GOOD6),
    "ipv6_relative_and_absolute": v6(GOOD6 + pkt.xlo6(70_000)),
    "ipv6_lifetime_one_too_large": v6(pkt.xlo6(TOO_LATE)),
    "ipv6_relative_type_absolute_lifetime": v6(pkt.xlo6(70_000, kind=pkt.RELATIVE6)),
    "ipv6_absolute_type_relative_lifetime": v6(pkt.xlo6(0, kind=pkt.ABSOLUTE6)),
    "ipv6_bad_option_before": v6(bytes([5, 40, 0, 0]) + GOOD6),
    "ipv6_shorter_than_hop_by_hop": cut(v6(GOOD6), 48),
    "ipv6_shorter_than_any_header": cut(v6(GOOD6), 39),
    "ipv6_wrong_version": b"\x50" + v6(GOOD6)[1:],
    "ipv6_wrong_version_and_no_extension": b"\x50" + pkt.ipv6(None, BODY)[1:],
    "ipv6_ends_at_hop_by_hop": cut(v6(GOOD6), 40),
    "ipv6_header_promises_256_times_8": v6(GOOD6)[:41] + b"\xff" + v6(GOOD6)[42:],
}


def protocol(name):
    return pkt.ETH_P_IP if name.startswith("ipv4") else pkt.ETH_P_IPV6


def send_all(b, packets):
    for name, packet in packets.items():
        b.port.send_as(packet, protocol(name))


def test_found_wherever_it_stands():
    """lpd finds the option at any position in the header."""
    with bench.Bench(mtu=4000) as b:
        b.lpd()
        b.plug()
        for name, packet in FOUND.items():
            b.mark()
            b.port.send_as(packet, protocol(name))
            tap.note(name)
            b.expect(packets_in=1, stale_enqueue=1)


def test_absent():
    """A packet without an option leaves unchanged and is counted."""
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        send_all(b, ABSENT)
        tap.equal("packets", b.open(), list(ABSENT.values()))
        b.expect(packets_in=len(ABSENT), packets_out=len(ABSENT), no_lifetime=len(ABSENT))


def malformed_one(b, name):
    b.plug()
    b.port.send_as(MALFORMED[name], protocol(name))
    got = b.slip.drain(b.netlink)
    tap.equal(name, [p.hex() for p in got[1:]], [MALFORMED[name].hex()])
    b.expect(packets_in=1, packets_out=1, malformed=1, no_lifetime=1)


def test_malformed_is_forwarded_untouched():
    """A packet with a malformed option leaves unchanged and is counted."""
    with bench.Bench() as b:
        b.lpd()
        for name in MALFORMED:
            tap.note(name)
            malformed_one(b, name)


def test_malformed_gets_the_default_lifetime():
    """A packet with a malformed option has the default lifetime, like a packet without an
    option."""
    with bench.Bench() as b:
        # longer than a slow host needs to send all packets
        b.lpd(lifetime=LIFE * bench.MS)
        b.plug()
        send_all(b, MALFORMED)
        tap.equal("packets", b.tree().root.qlen, len(MALFORMED))
        deadline = b.send().last + (LIFE + 1) * bench.MS
        wait.till(deadline)
        tap.equal("packets", b.open(), [])
        b.expect(packets_in=len(MALFORMED), malformed=len(MALFORMED),
                 default_lifetime=len(MALFORMED), stale=len(MALFORMED))


def test_behind_vlan_tags():
    """In a frame with VLAN tags, lpd finds the IP header after the tags."""
    tags = [b"\x81\x00\x00\x05", b"\x88\xa8\x00\x07\x81\x00\x00\x05"]
    tc.need("lpd")
    kmod.modprobe("dummy")
    with netns.Netns() as ns:
        ns.run("ip link add dummy0 type dummy")
        ns.link("dummy0", True)
        socket = netlink.Netlink(ns)
        socket.qdisc("dummy0", netlink.NLM_F_CREATE, "lpd")
        out = port.Port(ns, "dummy0")
        for tag in tags:
            for packet in (v4(GOOD4), v6(GOOD6)):
                frame = pkt.ETHERNET + tag + pkt.protocol(packet).to_bytes(2, "big") + packet
                out.send_as(frame, int.from_bytes(tag[:2], "big"))
        counters = tree.Tree(socket, "dummy0").check().lpd().counters
        tap.equal("stale on arrival", counters["stale_enqueue"], 4)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
