#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With the qdisc option `strip`, lpd reads the cross-layer option of a packet and then removes it.
The packet leaves exactly as its sender would have sent it without the option, byte for byte. Other
IP options stay. The backlog of every ancestor qdisc stays right."""
# run.sh: smoke: relative_lifetime frames_with_tags
import itertools
import socket
import threading
import time

from lib import (bench, fragments, hosts, kmod, netlink, netns, packet as pkt, parents, port,
                 segments, sender, stamped, tap, tc, tree, tun, wait)
from net import lpd_forward, lpd_options

MS = bench.MS
SHORT, LONG = 30, 20_000
NOP, EOL = lpd_options.NOP, lpd_options.EOL
RECORD_ROUTE, ALERT6 = lpd_options.RECORD_ROUTE, lpd_options.ROUTER_ALERT6
ALERT4 = bytes([148, 4, 0, 0])
LARGE4 = bytes([94, 32]) + bytes(range(30))
UNKNOWN6 = bytes([0x1f, 7]) + bytes(range(7))
UDP_SEGMENT = 103
VLAN = b"\x81\x00\x00\x05"

# Each layout has the bytes before the option, the bytes after the option, and the options that
# remain.
LAYOUTS4 = {
    "alone": (b"", b"", b""),
    "behind_nops": (NOP * 3, b"", b""),
    "between_nops": (NOP, NOP * 3, b""),
    "before_end_of_list_and_garbage": (b"", EOL + b"\x9e\x08\x03", b""),
    "behind_another": (RECORD_ROUTE, b"", RECORD_ROUTE),
    "before_another": (b"", RECORD_ROUTE, RECORD_ROUTE),
    "between_others": (RECORD_ROUTE, ALERT4, RECORD_ROUTE + ALERT4),
    "behind_nops_before_another": (NOP * 2, NOP * 2 + ALERT4, NOP * 4 + ALERT4),
    "at_the_end_of_60_bytes": (LARGE4, b"", LARGE4),
    "at_the_start_of_60_bytes": (b"", LARGE4, LARGE4),
}
LAYOUTS6 = {
    "alone": (b"", b"", None),
    "aligned": (b"\1\0", b"", None),
    "behind_pad1": (b"\0" * 3, b"\0", None),
    "behind_much_padding": (b"\1\5" + bytes(5) + b"\1\5" + bytes(5), b"", None),
    "behind_another": (ALERT6, b"", ALERT6),
    "before_another": (b"", ALERT6, ALERT6),
    "between_others": (ALERT6, UNKNOWN6, ALERT6 + UNKNOWN6),
    "behind_another_and_padding": (UNKNOWN6 + b"\0", b"", UNKNOWN6),
    "padding_on_both_sides": (b"\1\0", b"\1\2\0\0" + ALERT6, b"\1\4" + bytes(4) + ALERT6),
    "in_a_long_header": (bytes([0x1f, 254]) + bytes(254) + b"\1\6" + bytes(6), b"",
                         bytes([0x1f, 254]) + bytes(254)),
}


def layouts(field):
    """Yields (packet with the option, packet without the option, name) for every layout. `field` is
    the lifetime field."""
    for number, (name, (before, behind, left)) in enumerate(LAYOUTS4.items()):
        body = pkt.body(number, 64)
        yield pkt.ipv4(before + pkt.xlo4(field) + behind, body), pkt.ipv4(left, body), name
    for number, (name, (before, behind, left)) in enumerate(LAYOUTS6.items(), 100):
        body = pkt.body(number, 64)
        yield pkt.ipv6(before + pkt.xlo6(field) + behind, body), pkt.ipv6(left, body), name


def exactly(got, wanted):
    """Compare the packets `got` with the packets `wanted`, bit by bit."""
    tap.equal("packets", [pkt.number(p) for p in got], [pkt.number(p) for p in wanted])
    for one, want in zip(got, wanted):
        tap.equal(f"packet {pkt.number(want)}", one.hex(), want.hex())


def leave(pairs, **counters):
    """Check that packets leave without the option. Each pair is (packet with the option, packet
    without the option). `counters` contains the expected counters other than packets_in and
    packets_out."""
    with bench.Bench() as b:
        b.lpd(strip=1)
        b.plug()
        b.send(*[packet for packet, _ in pairs])
        tap.equal("backlog", b.tree().root.backlog, sum(len(p) for p, _ in pairs))
        sent_before = b.tree().root.bytes
        exactly(b.open(), [packet for _, packet in pairs])
        b.expect(packets_in=len(pairs), packets_out=len(pairs), **counters)
        tap.equal("bytes sent", b.tree().root.bytes - sent_before,
                  sum(len(packet) for _, packet in pairs))


def every_layout(field, **counters):
    pairs = [(packet, without) for packet, without, _ in layouts(field)]
    leave(pairs, stripped=len(pairs), **{name: len(pairs) for name in counters})


def test_relative_lifetime():
    """A packet with a relative lifetime leaves without the option. The test uses every position of
    the option."""
    every_layout(LONG)


def test_absolute_lifetime():
    """A packet with an absolute lifetime leaves without the option. The test uses every position of
    the option."""
    every_layout(pkt.absolute(LONG, time.time()))


def test_no_lifetime():
    """A packet whose option states no lifetime leaves without the option. The test uses every
    position of the option."""
    every_layout(pkt.NONE, no_lifetime=True)


def test_what_a_router_has_put_in():
    """If a router has stamped a packet with the option, the packet leaves as it was before the
    router. The test uses packets with and without other IP options."""
    others4 = [b"", ALERT4, RECORD_ROUTE, ALERT4 + RECORD_ROUTE, RECORD_ROUTE * 2]
    others6 = [None, ALERT6, UNKNOWN6, ALERT6 + UNKNOWN6, UNKNOWN6 * 3]
    plain = [pkt.ipv4(options, pkt.body(number, 50)) for number, options in enumerate(others4)]
    plain += [pkt.ipv6(options, pkt.body(number, 50))
              for number, options in enumerate(others6, 100)]
    leave([(stamped.stamped(packet, LONG), packet) for packet in plain], stripped=len(plain))


def test_fragments():
    """If every fragment of a datagram carries the option, lpd removes the option from every
    fragment."""
    whole4, whole6 = pkt.ipv4(b"", pkt.body(1, 3000)), pkt.ipv6(None, pkt.body(2, 3000))
    plain = fragments.ipv4(whole4, 1000) + fragments.ipv6(whole6, 1000)
    leave([(stamped.stamped(packet, LONG), packet) for packet in plain], stripped=len(plain))


def test_damaged_header_stays_damaged():
    """If a packet has a wrong IPv4 header checksum, lpd does not correct it. Without the option the
    checksum is wrong by the same amount."""
    pairs = []
    for number in range(1, 50):
        sound = pkt.ipv4(b"", pkt.body(number, 20))
        damaged = stamped.stamped(sound, LONG)
        pairs.append((damaged[:8] + bytes([damaged[8] ^ number]) + damaged[9:],
                      sound[:8] + bytes([sound[8] ^ number]) + sound[9:]))
    leave(pairs, stripped=len(pairs))


def test_what_has_none_stays():
    """A packet without an option, or with a malformed option, leaves unchanged."""
    odd = {**lpd_options.ABSENT, **lpd_options.MALFORMED}
    with bench.Bench() as b:
        b.lpd(strip=1)
        b.plug()
        lpd_options.send_all(b, odd)
        tap.equal("packets", [p.hex() for p in b.slip.drain(b.netlink)[1:]],
                  [p.hex() for p in odd.values()])
        b.expect(packets_in=len(odd), packets_out=len(odd), no_lifetime=len(odd),
                 malformed=len(lpd_options.MALFORMED))


def test_what_cannot_be_taken_out_stays():
    """In three cases lpd leaves the option in the packet, with the remaining lifetime: if an
    authentication header covers the option, if the packet is shorter than its headers state, or if
    the packet is a jumbogram."""
    ah4 = pkt.ipv4(pkt.xlo4(LONG), pkt.body(0, 64))
    ah4 = stamped.checksummed(ah4[:9] + b"\x33" + ah4[10:])
    ah6 = pkt.ipv6(pkt.xlo6(LONG), bytes([59, 4]) + bytes(22) + pkt.body(1, 64))
    ah6 = ah6[:40] + b"\x33" + ah6[41:]
    short4 = pkt.ipv4(pkt.xlo4(LONG), pkt.body(2, 64))
    short4 = stamped.checksummed(short4[:2] + b"\0\x1b" + short4[4:])
    short6 = pkt.ipv6(pkt.xlo6(LONG), pkt.body(3, 64))
    short6 = short6[:4] + b"\0\x0f" + short6[6:]
    jumbo = pkt.ipv6(b"\xc2\4\0\1\0\0" + pkt.xlo6(LONG), pkt.body(4, 64))
    packets = [ah4, ah6, short4, short6, jumbo]
    with bench.Bench() as b:
        b.lpd(strip=1)
        b.plug()
        b.send(*packets)
        exactly([pkt.with_lifetime(p, LONG) for p in b.open()], packets)
        b.expect(packets_in=5, packets_out=5, rewritten=5)


def test_stale_packets_are_discarded_first():
    """A stale packet is discarded, even if lpd strips options."""
    with bench.Bench() as b:
        b.lpd(strip=1)
        b.plug()
        last = b.send(*[pkt.ipv4(pkt.xlo4(SHORT), pkt.body(number, 60)) for number in range(10)],
                      *[pkt.ipv6(pkt.xlo6(0), pkt.body(number, 60)) for number in range(3)],
                      pkt.ipv4(pkt.xlo4(LONG), pkt.body(99, 60)))
        wait.till(last.last + (SHORT + 1) * MS)
        exactly(b.open(), [pkt.ipv4(b"", pkt.body(99, 60))])
        b.expect(packets_in=14, packets_out=1, stripped=1, stale=13)


def test_stale_packets_are_cut_first():
    """A packet that is cut to its headers also leaves without the option."""
    flags, size = pkt.TRUNCATE, 400
    with bench.Bench() as b:
        b.lpd(strip=1)
        b.plug()
        last = b.send(pkt.ipv4(pkt.xlo4(SHORT, flags), pkt.body(0, size)),
                      pkt.ipv6(pkt.xlo6(SHORT, flags), pkt.body(1, size)),
                      pkt.ipv4(ALERT4 + pkt.xlo4(SHORT, flags), pkt.body(2, size)))
        wait.till(last.last + SHORT * MS)
        wait.until("only headers are queued", lambda: b.tree().root.backlog == 36 + 64 + 40)
        exactly(b.open(), [pkt.ipv4(b""), pkt.ipv6(None), pkt.ipv4(ALERT4)])
        b.expect(packets_in=3, packets_out=3, stripped=3, truncated=3, truncated_bytes=3 * size)


def test_stale_packets_are_forwarded_without():
    """If a stale packet is forwarded, it leaves without the option."""
    with bench.Bench() as b:
        b.lpd(strip=1, stale=bench.FORWARD)
        b.plug()
        last = b.send(pkt.ipv4(pkt.xlo4(5), pkt.body(0, 60)),
                      pkt.ipv6(pkt.xlo6(5), pkt.body(1, 60)))
        wait.till(last.last + 20 * MS)
        exactly(b.open(), [pkt.ipv4(b"", pkt.body(0, 60)), pkt.ipv6(None, pkt.body(1, 60))])
        b.expect(packets_in=2, packets_out=2, stripped=2, stale_forwarded=2)


def test_a_change_is_for_what_arrives():
    """If `strip` changes while a packet is queued, the setting at the packet's arrival decides
    whether lpd removes the option."""
    packets = [pkt.ipv4(pkt.xlo4(LONG), pkt.body(number, 60)) for number in range(3)]
    with bench.Bench() as b:
        b.lpd()
        b.plug()
        for strip, packet in zip((0, 1, 0), packets):
            b.change(strip=strip)
            b.send(packet)
        got = b.open()
        tap.equal("offsets of the option", [pkt.option_offset(p) for p in got], [20, None, 20])
        tap.equal("packet without the option", got[1].hex(), pkt.ipv4(b"", pkt.body(1, 60)).hex())
        b.expect(packets_in=3, packets_out=3, stripped=1, rewritten=2)


def test_super_packets():
    """The segments of a TCP GSO packet leave without the option, byte for byte as if the sender had
    not set the option."""
    data = b"".join(pkt.body(number, 400) for number in range(12))
    for with_option, without in ((pkt.tcp4(data, pkt.xlo4(LONG)), pkt.tcp4(data)),
                                 (pkt.tcp4(data, ALERT4 + pkt.xlo4(LONG)),
                                  pkt.tcp4(data, ALERT4)),
                                 (pkt.tcp6(data, pkt.xlo6(LONG)), pkt.tcp6(data))):
        with bench.Bench() as b:
            b.lpd(strip=1)
            b.port.send_gso(without, 400)
            plain = b.open()
            b.port.send_gso(with_option, 400)
            exactly(b.open(), plain)
            tap.equal("segments with a right checksum",
                      sum(map(segments.checksum_right, plain)), 12)
            b.expect(packets_in=2, packets_out=2, stripped=1, no_lifetime=1)


def tap_device(ns):
    """Create a tap device with lpd. The test reads the frames that leave the device."""
    tc.need("lpd")
    device = tun.Tap(ns, "tap0")
    socket = netlink.Netlink(ns)
    socket.qdisc("tap0", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(strip=1))
    return device, socket


def counter(socket, name):
    return tree.checked(socket, "tap0").lpd().counters[name]


def test_frames_with_tags():
    """The Ethernet header and all VLAN tags stay unchanged. The kernel stores a tag in the frame or
    outside of the frame."""
    tags = (b"", VLAN, b"\x88\xa8\x00\x07" + VLAN)
    kmod.modprobe("tun")
    with netns.Netns() as ns:
        device, socket = tap_device(ns)
        out = port.Port(ns, "tap0")
        with device:
            for tag in tags:
                for packet, without, name in layouts(LONG):
                    proto = pkt.protocol(packet)
                    head = pkt.ETHERNET + tag + proto.to_bytes(2, "big")
                    out.send_as(head + packet, int.from_bytes(head[12:14], "big"))
                    tap.equal(f"{name} after tag {tag.hex()}", device.read().hex(),
                              (head + without).hex())
            tap.equal("stripped", counter(socket, "stripped"),
                      len(tags) * (len(LAYOUTS4) + len(LAYOUTS6)))


def test_frames_of_a_vlan_device():
    """A packet of a VLAN device leaves without the option and keeps its link header."""
    kmod.modprobe("tun")
    kmod.modprobe("8021q")
    with netns.Netns() as ns:
        device, socket = tap_device(ns)
        ns.ip("link add link tap0 name vlan5 address 02:00:00:00:00:01 type vlan id 5")
        ns.link("vlan5", True)
        out = port.Port(ns, "vlan5", ethernet=True)
        with device:
            for packet, without, name in layouts(LONG):
                out.send(packet)
                tap.equal(name, device.read().hex(),
                          (pkt.ETHERNET + VLAN + pkt.ethernet(without)[12:]).hex())


class Stamping(sender.Sender):
    """A host on which xlo stamps the marked packets, and lpd strips them."""

    def __init__(self):
        super().__init__(lifetime=LONG)
        hosts.quiet(self.left)
        tc.need("lpd")
        self.netlink = netlink.Netlink(self.left)
        self.netlink.qdisc("v0", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(strip=1))

    def sent(self):
        """(packets stripped, bytes sent)."""
        lpd = tree.checked(self.netlink, "v0").lpd()
        return lpd.counters["stripped"], lpd.bytes


def plain_and_stamped(s, family, payload, count, segment=0):
    """Send a datagram without the mark and then with the mark. For each datagram, yields the
    packets that arrive and the increase of the queue's counters."""
    with s.socket(family, mark=0) as sock:
        if segment:
            sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, segment)
        for mark in (0, 1):
            stripped, sent = s.sent()
            sock.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, mark)
            sock.sendto(payload, (hosts.address("right", family), sender.PORT))
            packets = s.arrived(count)
            after = s.sent()
            yield packets, (after[0] - stripped, after[1] - sent)


def same_but_id(packet):
    """The packet with the IPv4 identification 0. The identification differs between the packets of
    a host."""
    return stamped.checksummed(packet[:4] + b"\0\0" + packet[6:]) if packet[0] >> 4 == 4 else packet


def test_as_this_host_would_have_sent_it():
    """If xlo stamps UDP packets and lpd strips them, the packets that arrive are the same as
    from a host without xlo and lpd, except for the IPv4 identification. The test also sends GSO
    packets, which the kernel segments behind the queue. From Linux 6.11 on, the test also uses
    a device that computes no checksums."""
    devices = [{"tx_udp_segmentation": False}] + [{"tx": False}] * (kmod.RELEASE >= (6, 11))
    for family, device in itertools.product(sender.FAMILIES, devices):
        with Stamping() as s:
            hosts.offload(s.left, "v0", **device)
            hosts.offload(s.right, "v1", gro=False)
            for payload, count, segment in ((b"x" * 100, 1, 0), (bytes(10_000), 10, 1000)):
                (plain, risen_plain), (without, risen) = \
                    plain_and_stamped(s, family, payload, count, segment)
                tap.equal("packets", len(plain), count)
                tap.equal("bits", [same_but_id(p).hex() for p in without],
                          [same_but_id(p).hex() for p in plain])
                tap.equal("stripped, bytes sent", risen, (1, risen_plain[1]))


def lose(ns, device):
    """Drop 10 % of the packets that arrive on a device, after the sniffer has captured them."""
    tc.need("netem", "ingress")
    kmod.modprobe("ifb")
    kmod.modprobe("act_mirred")
    ns.ip("link add ifb0 type ifb", "link set ifb0 up")
    ns.run("tc -batch -", stdin="qdisc add dev ifb0 root netem loss 10%\n"
           f"qdisc add dev {device} ingress\n"
           f"filter add dev {device} ingress matchall action mirred egress redirect dev ifb0")


def tcp_transfer(s, family, size):
    """Send `size` bytes over a stamped connection."""
    received = []

    def serve(listener):
        conn, _ = listener.accept()
        with conn:
            while data := conn.recv(1 << 16):
                received.append(len(data))

    with s.right.socket(family, socket.SOCK_STREAM) as listener, \
            s.socket(family, kind=socket.SOCK_STREAM) as client:
        listener.bind((hosts.address("right", family), sender.PORT))
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        client.connect((hosts.address("right", family), sender.PORT))
        client.sendall(bytes(size))
        client.shutdown(socket.SHUT_WR)
        thread.join(60)
    tap.equal("bytes", sum(received), size)


def test_tcp():
    """If xlo stamps a TCP connection and lpd strips it, no segment arrives with the option. Every
    checksum is right. Lost segments are sent again."""
    for family in sender.FAMILIES:
        with Stamping() as s:
            hosts.offload(s.left, "v0", tso=False, tx=False)
            hosts.offload(s.right, "v1", gro=False)
            lose(s.right, "v1")
            tcp_transfer(s, family, 200_000)
            packets = [p for p in s.arrived() if segments.is_tcp(p)]
            tap.equal("segments with the option",
                      [p for p in packets if pkt.lifetime(p) is not None], [])
            tap.true("checksums are right", all(map(segments.checksum_right, packets)))
            sequences = [(x.sequence, x.payload) for x in map(segments.Segment, packets)
                         if x.payload]
            tap.true("some segments are sent again", len(set(sequences)) < len(sequences))
            tap.true("packets are stripped", s.sent()[0] > 5)


def test_chained_packets_lose_it_each():
    """In a router that sends the packets of a GRO chain (rx-gro-list) one by one, lpd removes the
    option from each of them."""
    kmod.modprobe("sch_plug")
    with lpd_forward.Path("rate 30kbit burst 3000 limit 1mb", strip=1) as path:
        lpd_forward.route(path)
        hosts.offload(path.router, "r0", gro=True, rx_gro_list=True)
        hosts.offload(path.router, "r1", tx_gso_list=False)
        before = path.counters()
        path.sender.run("tc qdisc add dev s0 root plug limit 1000000")
        path.send([lpd_forward.packet(number, LONG, 200) for number in range(1, 20, 2)])
        path.sender.run("tc qdisc change dev s0 root plug release_indefinite")
        frames = path.settle()
        risen = path.counters()["stripped"] - before["stripped"]
        tap.true("some packets are chained", 0 < risen < path.sent)
        # The kernel lowers the hop limit only in the first packet of a chain.
        exactly([f.packet[:7] + f.packet[8:] for f in frames],
                [p[:7] + p[8:] for p in
                 (pkt.ipv6(None, pkt.body(number, 200)) for number in range(1, 20, 2))])


def test_copies_of_a_bridged_packet_stay_as_they_were():
    """A bridge shares a packet's memory with other readers, and does not set the transport header.
    The sniffer in front of the bridge sees the option in each packet. The packets at the far end
    have no option."""
    with lpd_forward.Path(lpd_forward.SLOW, strip=1) as path:
        lpd_forward.bridge(path)
        pairs = list(mixture(40))
        path.send([packet for packet, _ in pairs])
        exactly([f.packet for f in path.settle()], [without for _, without in pairs])
        exactly(lpd_forward.seen_before(path), [packet for packet, _ in pairs])
        tap.equal("stripped", path.counters()["stripped"], 40)


def mixture(count, first=0):
    """Yields IPv4 and IPv6 packets of several sizes as (packet with the option, packet without the
    option)."""
    for number in range(first, first + count):
        body = pkt.body(number, 40 + 70 * (number % 7))
        yield ((pkt.ipv6(pkt.xlo6(LONG), body), pkt.ipv6(None, body)) if number % 3 == 0 else
               (pkt.ipv4(pkt.xlo4(LONG), body), pkt.ipv4(b"", body)))


def leave_one_by_one(b, pairs):
    """Let the packets leave one by one, and check every sum in the tree after each packet."""
    got = []
    for _ in range(len(pairs) + 1):
        frame, _, _ = b.release(0.05)
        b.tree()
        got.append(frame)
    exactly([p for p in got if pkt.number(p) != bench.PLUG], [packet for _, packet in pairs])


def backlog_at_every_step(parent):
    """Packets become shorter when they leave. After each packet, the sums of every ancestor agree
    with the sums of its children, even if lpd holds a single packet."""
    with bench.Bench() as b:
        parent.build(b, strip=1)
        for count in (12, 1, 2):
            pairs = list(mixture(count))
            b.plug()
            b.send(*[packet for packet, _ in pairs])
            b.tree()
            leave_one_by_one(b, pairs)
            b.expect(packets_in=count, packets_out=count, stripped=count)
        parents.ends_empty_and_working(b, parent)


def sibling_and_stale_packets(parent):
    """While a sibling sends, lpd discards stale packets and sends the fresh packets between them
    without the option."""
    with bench.Bench() as b:
        parent.build(b, strip=1)
        pairs = list(mixture(8, first=100))
        b.plug()
        if parent.sibling:
            parents.to_sibling(b, *range(500, 505))
        b.send(*[packet for packet, _ in pairs[:4]])
        last = parents.send_row(b)
        b.send(*[packet for packet, _ in pairs[4:]])
        wait.till(last.last + parents.SHORT * MS + 1)
        b.tree()
        got = b.open()
        exactly([p for p in got if pkt.number(p) < 500], [packet for _, packet in pairs])
        b.expect(packets_in=8 + parents.ROW, packets_out=8, stripped=8, stale=parents.ROW)
        parents.ends_empty_and_working(b, parent)


RULES = (backlog_at_every_step, sibling_and_stale_packets)


if __name__ == "__main__":
    tap.run([(f"{name}:{rule.__name__}", lambda rule=rule, parent=parent: rule(parent))
             for name, parent in parents.PARENTS.items() for rule in RULES]
            + tap.collect(globals()))
