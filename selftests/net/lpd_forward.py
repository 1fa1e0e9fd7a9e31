#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A router forwards or bridges packets through lpd. Exactly the packets that lpd counts as sent
arrive behind the router. Each packet has the right option, although the router has also changed the
header. If another program holds a copy of a packet, the copy does not change.

    sender s0 -- r0 router r1 [tbf > lpd] -- m0 mobile"""
# run.sh: smoke: routed_packets_arrive_right
import socket
import struct
import time

from lib import bench, hosts, kmod, netlink, netns, packet as pkt, port, segments, sniff, \
    tap, tc, tree, wait

MS = bench.MS
LONG = 20_000
RATE = 10**6
TBF = f"rate {RATE}bit burst 2000 limit 10mb"
# so slow that packets wait in the queue on any host
SLOW = "rate 100kbit burst 2000 limit 10mb"
UDP_SEGMENT = 103


class Path:
    """The sender, the router and the mobile host. Packets that the router sends on r1 pass tbf and
    lpd."""

    def __init__(self, tbf=TBF, **options):
        tc.need("lpd", "tbf")
        kmod.modprobe("veth")
        self.sender, self.router, self.mobile = netns.Netns(), netns.Netns(), netns.Netns()
        netns.veth(self.sender, "s0", self.router, "r0")
        netns.veth(self.router, "r1", self.mobile, "m0")
        self.router.run(f"tc qdisc add dev r1 root handle 1: tbf {tbf}")
        self.netlink = netlink.Netlink(self.router)
        self.netlink.qdisc("r1", netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**options),
                           parent=0x10001)
        self.port = port.Port(self.sender, "s0", ethernet=True)
        self.before = sniff.Sniffer(self.router, "r0")
        self.beyond = sniff.Sniffer(self.mobile, "m0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for ns in (self.sender, self.router, self.mobile):
            ns.close()

    def counters(self):
        return tree.checked(self.netlink, "r1").lpd().counters

    def stale(self):
        counters = self.counters()
        return sum(counters[name] for name in tree.STALE)

    def send(self, packets):
        """Send packets through the router. A later call of settle() accounts for each of them."""
        self.sent, self.stale_before = len(packets), self.stale()
        for packet in packets:
            self.port.send(packet)

    def settle(self):
        """Wait until each sent packet was seen behind the router or discarded. Returns the packets
        that were seen, sorted by number, because several CPUs may change the order. Packets that
        the router itself sends (neighbour discovery) are ignored."""
        frames = []

        def done():
            frames.extend(f for f in self.beyond.drain() if pkt.number(f.packet) is not None)
            return len(frames) + self.stale() - self.stale_before == self.sent
        wait.until("all sent packets", done)
        self.beyond.lossless()
        return sorted(frames, key=lambda f: pkt.number(f.packet))


def route(path):
    """Configure the router to forward IPv4 and IPv6. The neighbour entries are static, so the
    router sends no packets for neighbour discovery."""
    r = path.router
    for name in ("all", "default"):
        r.sysctl(f"net.ipv6.conf.{name}.disable_ipv6", 0)
        r.sysctl(f"net.ipv6.conf.{name}.forwarding", 1)
        r.sysctl(f"net.ipv6.conf.{name}.accept_dad", 0)
    for name in ("r0", "r1"):
        r.sysctl(f"net.ipv6.conf.{name}.disable_ipv6", 0)
        r.sysctl(f"net.ipv6.conf.{name}.accept_dad", 0)
        r.sysctl(f"net.ipv6.conf.{name}.forwarding", 1)
    r.sysctl("net.ipv4.ip_forward", 1)
    lines = ["addr add 192.0.2.254/24 dev r0", "addr add 198.51.100.254/24 dev r1",
             "addr add 2001:db8:1::fe/64 dev r0 nodad",
             "addr add 2001:db8:2::fe/64 dev r1 nodad",
             f"neigh add {pkt.TARGET4} lladdr 02:00:00:00:00:02 dev r1",
             f"neigh add {pkt.TARGET6} lladdr 02:00:00:00:00:02 dev r1"]
    r.ip(*lines)


def packet(number, ms, size=400):
    """An IPv6 packet if `number` is odd, else an IPv4 packet."""
    body = pkt.body(number, size)
    return pkt.ipv6(pkt.xlo6(ms), body) if number % 2 else pkt.ipv4(pkt.xlo4(ms), body)


def one_hop_less(packet):
    """The packet as a router must forward it, with a TTL or hop limit that is lower by one."""
    if packet[0] >> 4 == 6:
        return packet[:7] + bytes([packet[7] - 1]) + packet[8:]
    packet = packet[:8] + bytes([packet[8] - 1]) + packet[9:]
    return pkt.with_lifetime(packet, pkt.lifetime(packet))


def test_routed_packets_arrive_right():
    """A router changes only the TTL (or hop limit) and the remaining lifetime of a packet. The
    lifetime is reduced by at most the time for which the packet waited."""
    with Path(SLOW) as path:
        route(path)
        before = path.counters()
        packets = [packet(number, LONG) for number in range(60)]
        path.send(packets)
        frames = path.settle()
        arrived = {pkt.number(f.packet): f.when for f in path.before.drain()}
        tap.equal("numbers", [pkt.number(f.packet) for f in frames], list(range(60)))
        for frame, sent in zip(frames, packets):
            left = pkt.lifetime(frame.packet)
            tap.equal("bits", frame.packet.hex(),
                      pkt.with_lifetime(one_hop_less(sent), left).hex())
            waited = (frame.when - arrived[pkt.number(sent)]) / MS
            # The first sniffer sees a packet slightly before the queue, and the second sniffer
            # slightly after the queue.
            tap.within("lifetime", left, LONG - waited - 0.51, LONG)
        tap.true("the last packet has waited", pkt.lifetime(frames[-1].packet) < LONG - 50)
        tap.equal("rewritten", path.counters()["rewritten"] - before["rewritten"], 60)


def test_routed_stale_packets_do_not():
    """If many packets cannot arrive in time, the sniffer and the counters agree on the number of
    sent packets."""
    with Path() as path:
        route(path)
        before = path.counters()
        packets = [packet(number, 400) for number in range(300)]
        path.send(packets)
        frames = path.settle()
        after = path.counters()
        stale = sum(after[name] - before[name] for name in tree.STALE)
        came = [frame.when for frame in path.before.drain()]
        start, end = min(came), max(came)
        # The bytes that the link can carry from the first arrival to the last deadline. The number
        # includes tbf's burst, which one packet may exceed.
        room = 2000 + 500 + RATE / 8 * ((end - start) / 1e9 + 0.4)
        # A slow host may send fewer bytes. A slow host may also pause after the sniffer saw a
        # packet and before the packet reached the queue.
        tap.within("bytes that arrived", sum(len(f.packet) + 14 for f in frames),
                   min(room, sum(len(p) + 14 for p in packets)) / 3, room * 1.1)
        tap.equal("arrived and discarded", len(frames) + stale, 300)
        # The lifetime is 400 ms. The limit is 1 ms longer, because a packet also takes some time
        # from the first sniffer to the queue and from the queue to the second sniffer.
        if wait.virtual_time():
            tap.within("arrival of the last packet, ns", frames[-1].when - start, 0, 401 * MS)


def bridge(path):
    """Make the router a bridge."""
    kmod.modprobe("bridge")
    r = path.router
    # The devices must not have the addresses of the test's frames, because the bridge would accept
    # the frames as its own.
    r.ip("link set r0 address 02:00:00:00:01:00", "link set r1 address 02:00:00:00:01:01",
         "link add br0 type bridge mcast_snooping 0", "link set r0 master br0",
         "link set r1 master br0", "link set br0 up")
    for name in ("r0", "r1"):
        wait.until(f"{name} forwards", lambda name=name: "state forwarding" in
                   r.run(f"ip -d link show {name}").stdout)


def seen_before(path):
    """The test's packets as the sniffer in front of the router saw them, sorted by number."""
    return sorted((f.packet for f in path.before.drain() if pkt.number(f.packet) is not None),
                  key=pkt.number)


def test_copies_of_a_bridged_packet_stay_as_they_were():
    """A bridge shares a packet's memory with other readers, so lpd must copy the packet before it
    writes. The sniffer in front of the bridge sees the original lifetimes. The far end sees the
    remaining lifetimes."""
    with Path(SLOW) as path:
        bridge(path)
        packets = [packet(number, LONG) for number in range(60)]
        path.send(packets)
        frames = path.settle()
        tap.equal("packets before the bridge",
                  [p.hex() for p in seen_before(path)], [p.hex() for p in packets])
        tap.equal("numbers", [pkt.number(f.packet) for f in frames], list(range(60)))
        for frame, sent in zip(frames, packets):
            tap.equal("bits", frame.packet.hex(),
                      pkt.with_lifetime(sent, pkt.lifetime(frame.packet)).hex())
        tap.true("the last packet has waited", pkt.lifetime(frames[-1].packet) < LONG - 50)


def send_gso(ns, count, size):
    """Send one UDP GSO packet of `count` segments with the option through the host's own stack."""
    with ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, pkt.xlo4(LONG))
        sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
        sock.sendto(b"".join(pkt.body(number, size) for number in range(count)),
                    (pkt.TARGET4, 5000))


def carried(frames):
    """The number of bytes after the headers of the test's frames."""
    return sum(len(f.packet) - 28 - 8 for f in frames if pkt.number(f.packet) is not None)


def test_gso_packet_is_one_packet():
    """A GSO packet is one packet in every counter. Each segment of the GSO packet carries the
    remaining lifetime."""
    with Path("rate 1gbit burst 64kb limit 1mb") as path:
        route(path)
        before = path.counters()
        send_gso(path.router, 10, 1000)
        wait.until("the packet is sent", lambda: path.counters()["rewritten"] > before["rewritten"])
        after = path.counters()
        risen = {name: after[name] - before[name] for name in tree.COUNTERS}
        tap.equal("rewritten", risen["rewritten"], 1)
        tap.equal("packets in with a lifetime", risen["packets_in"] - risen["no_lifetime"], 1)
        seen = path.beyond.until("10 000 bytes", lambda seen: carried(seen) >= 10_000)
        tap.equal("bytes", carried(seen), 10_000)
        frames = [f.packet for f in seen if pkt.number(f.packet) is not None]
        for p in frames:
            tap.true("the checksum is right", pkt.checksum_right(p))
            tap.within("lifetime", pkt.lifetime(p), LONG - 500, LONG)
        tap.true("the length is right", struct.unpack_from("!H", frames[0], 2)[0] <= len(frames[0]))


def test_chained_packets_have_a_header_each():
    """Packets that GRO has chained (rx-gro-list) are one packet in every counter. The chain waits
    behind four large packets. Afterwards each packet of the chain carries its remaining
    lifetime."""
    kmod.modprobe("sch_plug")
    with Path("rate 30kbit burst 3000 limit 1mb") as path:
        route(path)
        hosts.offload(path.router, "r0", gro=True, rx_gro_list=True)
        hosts.offload(path.router, "r1", tx_gso_list=False)
        before = path.counters()
        # Packets that the qdisc plug releases together arrive together.
        path.sender.run("tc qdisc add dev s0 root plug limit 1000000")
        path.send([packet(number, LONG, 1400) for number in (100, 102, 104, 106)] +
                  [packet(number, LONG, 200) for number in range(1, 20, 2)])
        path.sender.run("tc qdisc change dev s0 root plug release_indefinite")
        frames = path.settle()
        tap.true("some packets are chained",
                 path.counters()["rewritten"] - before["rewritten"] < path.sent)
        for frame in frames:
            if pkt.number(frame.packet) < 100:
                tap.within("lifetime", pkt.lifetime(frame.packet), 1, LONG - 400)


def test_chained_packets_are_cut_each():
    """If a chain of packets that GRO has built expires, each packet is cut to its headers. The cut
    packets leave after earlier packets and before later packets."""
    kmod.modprobe("sch_plug")
    with Path("rate 30kbit burst 3000 limit 1mb") as path:
        route(path)
        hosts.offload(path.router, "r0", gro=True, rx_gro_list=True)
        hosts.offload(path.router, "r1", tx_gso_list=False)
        path.netlink.qdisc("r1", 0, "lpd", *bench.lpd_options(keep=8), parent=0x10001)
        before = path.counters()
        path.sender.run("tc qdisc add dev s0 root plug limit 1000000")
        path.send([packet(number, LONG, 1400) for number in (100, 102, 104, 106)] +
                  [pkt.ipv6(pkt.xlo6(100, pkt.TRUNCATE), pkt.body(number, 200))
                   for number in range(1, 20, 2)] + [packet(108, LONG)])
        path.sender.run("tc qdisc change dev s0 root plug release_indefinite")
        frames = path.settle()
        tap.equal("numbers", [pkt.number(f.packet) for f in frames],
                  [*range(1, 20, 2), 100, 102, 104, 106, 108])
        tap.equal("truncated", path.counters()["truncated"] - before["truncated"], 10)
        for frame in frames[:10]:
            udp = frame.packet[segments.transport_offset(frame.packet):]
            tap.equal("bytes after the UDP header", len(udp) - 8, 8)
            tap.true("the checksum is right", segments.checksum_right(frame.packet, 17))


def test_chained_packets_of_another_keep_the_option():
    """A copy of a chained packet is queued on another device. If lpd strips the option from the
    packet, the copy does not change. (The lifetimes are absolute, so lpd makes no other change.)"""
    for module in ("sch_plug", "act_mirred", "cls_matchall"):
        kmod.modprobe(module)
    with Path("rate 1gbit burst 64kb limit 1mb") as path:
        route(path)
        netns.veth(path.router, "r2", path.mobile, "m2")
        hosts.offload(path.router, "r0", gro=True, rx_gro_list=True)
        hosts.offload(path.router, "r1", tx_gso_list=False)
        hosts.offload(path.router, "r2", tx_gso_list=False)
        path.netlink.qdisc("r1", 0, "lpd", *bench.lpd_options(strip=1), parent=0x10001)
        path.router.run("tc -batch -", stdin="qdisc add dev r2 root plug limit 1000000\n"
                        "qdisc add dev r0 clsact\nfilter add dev r0 ingress matchall "
                        "action mirred egress mirror dev r2\n")
        copies = sniff.Sniffer(path.mobile, "m2")
        before = path.counters()
        path.sender.run("tc qdisc add dev s0 root plug limit 1000000")
        packets = [pkt.ipv6(pkt.xlo6(pkt.absolute(LONG, time.time())), pkt.body(number, 200))
                   for number in range(10)]
        path.send(packets)
        path.sender.run("tc qdisc change dev s0 root plug release_indefinite")
        path.settle()
        tap.true("some packets are chained",
                 path.counters()["stripped"] - before["stripped"] < path.sent)
        path.router.run("tc qdisc change dev r2 root plug release_indefinite")
        seen = copies.until("all copies", lambda seen: len(ours(seen)) == 10)
        tap.equal("copies", [p.hex() for p in ours(seen)], [p.hex() for p in packets])


def ours(frames):
    return [f.packet for f in frames if pkt.number(f.packet) is not None]


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
