#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With the option `notify`, lpd sends an ICMP message about each packet that it discards as stale.
The message goes to the source of the packet and quotes the packet. Packets that lpd drops for other
reasons cause no message. Without `notify`, lpd sends no messages."""
# run.sh: smoke: switched frames_with_tags
import socket
import struct
import time

from lib import (bench, cast, hosts, icmp, kmod, netlink, packet as pkt, port, router, sniff,
                 stamped, tap, tc, tree, tun, wait)
from net import lpd_adu, lpd_feedback, lpd_moments

MS = bench.MS
LONG, LIFE = 60_000, 500
ESP, ICMP, ICMP6, UNREACHABLE = 50, 1, 58, 3
VLAN = b"\x81\x00\x00\x05"
MPLS, PPPOE = 0x8847, 0x8864
VERSIONS = (4, 6)


def source(version, number):
    """A different source address for each packet, because the rate of messages to one address is
    limited."""
    return f"192.0.2.{number + 1}" if version == 4 else f"2001:db8:1::{number + 1:x}"


def packet(version, number, ms, flags=pkt.DISCARD):
    body, at = pkt.body(number, 60), source(version, number)
    if version == 4:
        return pkt.ipv4(pkt.xlo4(ms, flags), body, source=at)
    return pkt.ipv6(pkt.xlo6(ms, flags), body, source=at)


def is_message(found):
    """Whether the packet `found` is a message in the native encoding."""
    if found[0] >> 4 == 4:
        return found[9] == ICMP and found[20] == icmp.TYPE4
    return found[6] == ICMP6 and found[40] == icmp.TYPE6


def check(found, quoted, ours):
    """Check the addresses of the message `found`, and all bytes after its IP header. The message
    must be about the packet `quoted`. `ours` contains the IPv4 and IPv6 address of the router."""
    at, ends = (20, slice(12, 20)) if found[0] >> 4 == 4 else (40, slice(8, 40))
    size = min(len(quoted), len(found) - at - 8)
    tap.true("the quote is as long as there is space",
             size == len(quoted) or size >= icmp.QUOTE_MIN and len(found) <= (576, 1280)[at == 40])
    if at == 20:
        expected = icmp.message(icmp.DISCARDED, quoted, quote=size, source=ours[0])
    else:
        expected = icmp.message6(icmp.DISCARDED, quoted, quote=size, source=ours[1])
    tap.equal("message", found[at:].hex(), expected[at:].hex())
    tap.equal("addresses", found[ends].hex(), expected[ends].hex())


def told(sniffer, packets, ours):
    """Check that `sniffer` sees exactly one message about each packet of `packets`."""
    def messages(frames):
        return [frame.packet for frame in frames if is_message(frame.packet)]
    frames = sniffer.until(f"{len(packets)} messages", lambda seen:
                           len(messages(seen)) >= len(packets))
    sniffer.lossless()
    found = sorted(messages(frames), key=lambda m: pkt.number(m) or 0)
    tap.equal("messages", len(found), len(packets))
    for one, quoted in zip(found, packets):
        check(one, quoted, ours)


class Router(bench.Bench):
    """A bench (lib/bench.py) that acts as a router. The sources of the packets are behind the
    device src0."""

    changes_namespace = True
    ours = router.ROUTER4[0], router.ROUTER6[0]

    def __init__(self, **options):
        super().__init__()
        kmod.modprobe("dummy")
        self.ns.ip("link add src0 type dummy")
        router.enable_ipv6(self.ns, "src0")
        self.ns.ip("link set src0 up", f"addr add {self.ours[0]}/24 dev src0",
                   f"addr add {self.ours[1]}/64 dev src0 nodad")
        hosts.await_address(self.ns, self.ours[1])
        self.sources = sniff.Sniffer(self.ns, "src0", outgoing=True)
        self.lpd(**{"notify": 1} | options)
        self.plug()

    def told(self, *packets):
        """Check that the sources of `packets` got messages, in the order of the packets' numbers.
        No other source may receive a message earlier."""
        told(self.sources, packets, self.ours)

    def settled(self):
        """Wait until the queue is empty."""
        self.expect_queued(0, time.monotonic_ns())

    def only(self, control=packet(4, 99, 0)):
        """Send the packet `control`, and check that only its source gets a message. Packets that
        were sent earlier must cause no message."""
        self.send(control)
        self.told(control)


def stale_on_arrival(version):
    """A packet that is stale on arrival causes a message."""
    with Router() as b:
        packets = [packet(version, number, 0) for number in range(2)]
        b.send(*packets)
        b.expect(packets_in=2, stale_enqueue=2, notified=2)
        b.told(*packets)


def expires_in_the_queue(version):
    """If the timer discards a packet, lpd sends a message. A fresh packet stays in the queue and
    causes no message."""
    with Router() as b:
        packets = [packet(version, number, LONG if number % 2 else LIFE) for number in range(6)]
        sent = b.send(*packets)
        b.expect_queued(3, sent.last + (LIFE + 1) * MS)
        b.expect(packets_in=6, stale_timer=3, notified=3)
        b.told(*packets[::2])


def makes_room(version):
    """If a change of the limit discards a stale packet, lpd sends a message."""
    with Router() as b:
        packets = [packet(version, number, 5000 if number < 3 else LONG) for number in range(5)]
        b.send(*packets)
        b.change(limit=2, delay=6000 * MS)
        b.expect(packets_in=5, stale_purge=3, notified=3)
        b.told(*packets[:3])


def unanswered(number, ms):
    """Return an ICMP error, about which no message may be sent."""
    made = pkt.ipv4(pkt.xlo4(ms), pkt.body(number, 20))
    return stamped.checksummed(made[:9] + bytes([ICMP]) + made[10:28] + bytes([UNREACHABLE]) +
                               made[29:])


def answered(number, ms):
    """Return a packet of a row. Every tenth packet of the row may cause a message."""
    return unanswered(number, ms) if number % 10 else packet(4, number, ms)


def found_by(b, cause):
    """Let dequeue or peek find a row of stale packets, as in lpd_moments.py. The packets of the
    crowd must cause no messages. Check that each round causes its messages exactly once."""
    rows = range(0, lpd_moments.ROW, 10)
    before = b.counters()["notified"]
    lpd_moments.until_counted(b, cause, answered, unanswered, notified=len(rows))
    rounds = (b.counters()["notified"] - before) // len(rows)
    b.told(*[packet(4, number, lpd_moments.LIFE) for number in rows for _ in range(rounds)])


def test_found_by_dequeue():
    """A packet that dequeue discards causes a message."""
    with Router(limit=lpd_moments.CROWD * 2) as b:
        b.open()
        found_by(b, "stale_dequeue")


def test_found_by_peek():
    """A packet that peek discards causes a message."""
    with Router() as b:
        tc.need("tbf")
        b.open()
        b.tc("qdisc replace DEV root handle 1: tbf rate 1gbit burst 1mb limit 100mb")
        b.lpd(parent=0x10001, limit=lpd_moments.CROWD * 2, notify=1)
        found_by(b, "stale_peek")


def uncuttable(version):
    """If a packet is discarded because it cannot be cut, lpd sends a message. The test uses packets
    that are stale on arrival and packets that expire in the queue. A packet that is cut causes no
    message, because its headers arrive."""
    with Router() as b:
        target = pkt.TARGET4 if version == 4 else pkt.TARGET6
        packets = [cast.Shape(version, cast.UDP, ends=(source(version, number), target)).network(
            pkt.body(number, 60), lifetime=number * LIFE, proto=ESP) for number in range(2)]
        sent = b.send(*packets, packet(version, 2, 0, pkt.TRUNCATE),
                      packet(version, 3, LIFE, pkt.TRUNCATE))
        wait.till(sent.last + (LIFE + 1) * MS)
        wait.until("the timer cuts both packets", lambda: b.counters()["truncated"] == 2)
        b.expect(packets_in=4, uncuttable=2, truncated=2, truncated_bytes=120, notified=2)
        b.told(*packets)


def test_off_by_default():
    """By default stale packets cause no message."""
    with Router() as b:
        b.netlink.remove_root("slip0")
        b.open()
        b.lpd()
        tap.equal("notify", b.tree().root.options["notify"], 0)
        b.plug()
        sent = b.send(packet(4, 1, 0), packet(6, 2, LIFE))
        b.expect_queued(0, sent.last + (LIFE + 1) * MS)
        b.expect(packets_in=2, stale_enqueue=1, stale_timer=1)
        b.change(notify=1)
        b.only()


def test_switched():
    """A change of `notify` applies immediately, also to queued packets. A change of another option
    does not change `notify`."""
    with Router(notify=0) as b:
        queued = packet(4, 1, LIFE)
        sent = b.send(packet(4, 0, 0), queued)
        b.change(notify=1)
        b.expect_queued(0, sent.last + (LIFE + 1) * MS)
        b.send(packet(4, 2, 0))
        b.change(limit=7)
        b.send(packet(4, 3, 0))
        b.change(notify=0)
        b.send(packet(4, 4, 0))
        b.change(notify=1)
        b.send(packet(4, 5, 0))
        b.expect(packets_in=6, stale_enqueue=5, stale_timer=1, notified=4)
        b.told(queued, *[packet(4, number, 0) for number in (2, 3, 5)])


def test_overflow():
    """If a fresh packet is dropped because the queue is full, lpd sends no message."""
    for overflow in (bench.TAIL, bench.HEAD, bench.STALEST):
        with Router(limit=3, overflow=overflow) as b:
            b.send(*[packet(4, number, LONG) for number in range(5)])
            b.expect(packets_in=5, overflow_limit=2)
            b.only()


def test_fragments():
    """A stale first fragment causes a message. The other fragments of the datagram cause no
    message. If a first fragment is dropped because of another fragment, it causes no message."""
    for fragment in lpd_adu.FAMILIES:
        with Router() as b:
            first = fragment(1, 0)
            b.send(first, fragment(2, LONG, 6), fragment(3, 0, 12, False))
            b.expect(packets_in=3, stale_enqueue=1, adu=2, notified=1)
            b.told(first)
            b.send(fragment(4, 0, 6, ident=8), fragment(5, LONG, ident=8))
            b.expect(packets_in=5, stale_enqueue=2, adu=3, notified=1)
            b.only()


def test_reset():
    """If a reset drops a packet, lpd sends no message."""
    with Router() as b:
        b.send(packet(4, 1, LONG))
        b.ns.link("slip0", False)
        b.expect(packets_in=1, reset=1)
        b.ns.link("slip0", True)
        b.only()


def test_forwarded():
    """If a stale packet is forwarded, lpd sends no message."""
    with Router() as b:
        b.send(packet(4, 1, 0, pkt.FORWARD), packet(6, 2, 0, pkt.FORWARD))
        tap.equal("packets", b.numbers(), [1, 2])
        b.expect(packets_in=2, packets_out=2, stale_forwarded=2, rewritten=2)
        b.only()


def never_answered(version):
    """Packets about which an ICMP error is forbidden or useless."""
    shape = cast.Shape(version, cast.TCP)
    error = bytes([UNREACHABLE if version == 4 else 1]) + bytes(63)
    yield shape.network(error, proto=ICMP if version == 4 else ICMP6)
    for flags in (cast.SYN, cast.RST, cast.SYN | cast.ACK):
        yield shape.packet(b"x" * 60, {"flags": flags})
    if version == 4:
        yield pkt.ipv4(pkt.xlo4(0), pkt.body(1, 60), target="224.0.0.251")
        yield pkt.ipv4(pkt.xlo4(0), pkt.body(1, 60), source="224.0.0.251")
        yield pkt.ipv4(pkt.xlo4(0), pkt.body(1, 60), source="0.0.0.0")
    else:
        yield pkt.ipv6(pkt.xlo6(0), pkt.body(1, 60), target="ff02::fb")
        yield pkt.ipv6(pkt.xlo6(0), pkt.body(1, 60), source="ff02::fb")
        yield pkt.ipv6(pkt.xlo6(0), pkt.body(1, 60), source="::")


def unanswerable(version):
    """A packet that must not be answered is discarded without a message."""
    with Router(stale=bench.DISCARD) as b:
        packets = list(never_answered(version))
        b.send(*packets)
        b.expect(packets_in=len(packets), stale_enqueue=len(packets))
        b.only()


def test_headers_that_are_not_whole():
    """Packets with an incomplete or wrong IP header expire by the queue's default lifetime. No
    message is sent about packets whose source address is unknown."""
    whole = {pkt.ETH_P_IP: pkt.ipv4(payload=pkt.body(1, 60)),
             pkt.ETH_P_IPV6: pkt.ipv6(None, pkt.body(1, 60))}
    bad = [(protocol, made[:length]) for protocol, made in whole.items()
           for length in (1, 19 if protocol == pkt.ETH_P_IP else 39)]
    bad += [(pkt.ETH_P_IP, bytes([first]) + whole[pkt.ETH_P_IP][1:24])
            for first in (0x05, 0x40, 0x44, 0x4f, 0x55, 0xff)]
    bad += [(pkt.ETH_P_IPV6, bytes([first]) + whole[pkt.ETH_P_IPV6][1:48])
            for first in (0x00, 0x50, 0x70)]
    with Router(lifetime=1) as b:
        for protocol, made in bad:
            b.port.send_as(made, protocol)
        b.settled()
        b.expect(packets_in=len(bad), stale=len(bad), default_lifetime=len(bad),
                 malformed=len(bad))
        b.only()


def test_super_packet():
    """A stale GSO packet causes one message. If a GSO packet has too many segments to be cut, lpd
    discards the packet and sends one message."""
    for stale, size, count in ((bench.DISCARD, 1000, 5), (bench.TRUNCATE, 8, 1500)):
        for version, made in ((4, pkt.tcp4(b"x" * size * count, pkt.xlo4(LIFE))),
                              (6, pkt.tcp6(b"x" * size * count, pkt.xlo6(LIFE)))):
            tap.note(f"IPv{version}, {count} segments")
            with Router(stale=stale) as b:
                with bench.Moment() as sent:
                    b.port.send_gso(made, size)
                b.expect_queued(0, sent.last + (LIFE + 1) * MS)
                cause = "uncuttable" if stale == bench.TRUNCATE else "stale_timer"
                b.expect(packets_in=1, notified=1, **{cause: 1})
                b.told(made)


def in_frames(b, device, **options):
    """Create a device that has link-layer headers and an lpd. Returns a port that sends on the
    device."""
    b.ns.ip(f"link add {device} type dummy", f"link set {device} up")
    b.netlink.qdisc(device, netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**options))
    return port.Port(b.ns, device)


def tagged(send):
    """Send stale packets in frames with different numbers of VLAN tags. Returns the packets."""
    packets = []
    for tag in (b"", VLAN, b"\x88\xa8\x00\x07" + VLAN, VLAN * 3):
        for version in VERSIONS:
            packets.append(packet(version, len(packets), 0))
            send(pkt.ETHERNET + tag + pkt.protocol(packets[-1]).to_bytes(2, "big") + packets[-1])
    return packets


def expect_stale(b, count):
    wait.until(f"{count} packets have arrived", lambda:
               tree.checked(b.netlink, "dut0").lpd().counters["packets_in"] == count)
    counters = tree.checked(b.netlink, "dut0").lpd().counters
    tap.equal("counters", (counters["stale_enqueue"], counters["notified"]), (count, count))


def test_frames_with_tags():
    """The quote in the message begins with the IP header. The offset of the IP header in the frame
    does not matter."""
    with Router() as b:
        out = in_frames(b, "dut0", notify=1)
        packets = tagged(lambda made: out.send_as(made, int.from_bytes(made[12:14], "big")))
        expect_stale(b, len(packets))
        b.told(*packets)


def test_frames_with_tags_that_came_in():
    """The kernel may store one VLAN tag outside of the frame, and set the offset of the network
    header to the next tag. The quote in the message still begins with the IP header."""
    tc.need("ingress")
    for module in ("tun", "act_mirred", "cls_matchall"):
        kmod.modprobe(module)
    with Router() as b, tun.Tap(b.ns, "in0") as device:
        in_frames(b, "dut0", notify=1)
        b.ns.run("tc -batch -", stdin="qdisc add dev in0 ingress\nfilter add dev in0 ingress "
                 "matchall action mirred egress redirect dev dut0")
        packets = tagged(device.send)
        expect_stale(b, len(packets))
        b.told(*packets)


def test_other_encapsulations():
    """An IP packet within MPLS or PPPoE has no lifetime and causes no message."""
    with Router() as b:
        out = in_frames(b, "dut0", notify=1, lifetime=1)
        made = packet(4, 1, 0)
        for protocol, head in ((MPLS, struct.pack("!I", 5 << 12 | 1 << 8 | 64)),
                               (PPPOE, struct.pack("!BBHHH", 0x11, 0, 1, len(made) + 2, 0x21))):
            out.send_as(pkt.ETHERNET + protocol.to_bytes(2, "big") + head + made, protocol)
        counters = tree.checked(b.netlink, "dut0").lpd().counters
        tap.equal("counters", (counters["packets_out"], counters["no_lifetime"],
                               counters["notified"]), (2, 2, 0))
        b.only()


def local_source(family):
    """A local sender gets a message, and also the report that it requested. The message and the
    report contain the same packet."""
    with lpd_feedback.Host(notify=1) as b, b.socket_that(family=family) as sock:
        b.ns.link("lo", True)
        hosts.await_address(b.ns, pkt.SOURCE6)
        lo = sniff.Sniffer(b.ns, "lo")
        lpd_feedback.lifetime(sock, 0)
        sock.send(pkt.body(1, 60))
        b.expect(packets_in=1, stale_enqueue=1, notified=1)
        told(lo, [lpd_feedback.report(sock)[1]], (pkt.SOURCE4, pkt.SOURCE6))


if __name__ == "__main__":
    RULES = (stale_on_arrival, expires_in_the_queue, makes_room, uncuttable, unanswerable)
    tap.run([(f"{rule.__name__}:ipv{version}", lambda rule=rule, version=version: rule(version))
             for rule in RULES for version in VERSIONS] +
            [(f"local_source:ipv{version}", lambda family=family: local_source(family))
             for version, family in zip(VERSIONS, (socket.AF_INET, socket.AF_INET6))] +
            tap.collect(globals()))
