#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Network devices, VLANs, packet dissectors and the hosts at both ends accept packets that lpd has
cut. The hosts' IP stacks count no errors. Sockets read the remaining bytes, and TCP connections
continue.

    left v0 [lpd] === v1 right"""
# run.sh: once: the programs that read the packets are the same everywhere
import itertools
import platform
import select
import socket
import struct

from lib import bench, cast, dissect, hosts, kmod, mib, netlink, packet as pkt, port, sniff, \
    tap, tc, tcp_socket, tree, wait
from lib.cast import SHAPES, TCP, UDP, VERSIONS, Shape

MS = bench.MS
UDP_SEGMENT = 103
KERNEL = tuple(map(int, platform.release().split(".")[:2]))


def exactly(what, got, want):
    """Compare the packets bit by bit."""
    tap.equal(what, [p.hex() for p in got], [p.hex() for p in want])


class Cable(hosts.Hosts, bench.Account):
    """Two hosts, with lpd on the device of the left host. Every packet without an option is
    immediately stale, and the option `stale` determines its treatment."""

    def __init__(self, stale=bench.FORWARD, mtu=None, **options):
        tc.need("lpd")
        kmod.modprobe("veth")
        hosts.Hosts.__init__(self, mtu)
        bench.Account.__init__(self)
        self.netlink = netlink.Netlink(self.left)
        self.options = {"lifetime": MS, "delay": 1000 * MS} | options
        self._lpd(netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, stale)
        self.port = port.Port(self.left, "v0", ethernet=True)
        self.sniffer = sniff.Sniffer(self.right, "v1")

    def _lpd(self, flags, stale):
        self.netlink.qdisc("v0", flags, "lpd",
                           *bench.lpd_options(stale=stale, **self.options), handle=0x80010000)
        self.before = self.tree().lpd().counters

    def stale(self, treatment):
        self._lpd(0, treatment)

    def tree(self):
        return tree.checked(self.netlink, "v0")

    def cut(self, packets, count):
        """Check that since the last call of stale() lpd has cut `packets` packets, and has removed
        `count` bytes."""
        wait.until(f"{packets} packets are cut", lambda: self.risen("truncated") >= packets)
        tap.equal("truncated, bytes", (self.risen("truncated"), self.risen("truncated_bytes")),
                  (packets, count))

    def risen(self, name):
        return self.tree().lpd().counters[name] - self.before[name]

    def seen(self, count):
        """Wait for `count` packets of the test, and return them."""
        frames = self.sniffer.until(f"{count} packets", lambda frames: len(ours(frames)) >= count)
        return ours(frames)

    def ends(self, version):
        family = socket.AF_INET if version == 4 else socket.AF_INET6
        return hosts.address("left", family), hosts.address("right", family)


def ours(frames):
    ports = struct.pack("!HH", cast.SOURCE_PORT, cast.PORT)
    return [frame.packet for frame in frames if ports in frame.packet]


def test_begun_checksums_stay_begun():
    """A device may have to complete the checksum of a cut packet. In this case the checksum field
    contains the sum of the pseudo header with the remaining length."""
    for shape in SHAPES.values():
        if not shape.summed:
            continue
        with Cable(stale=bench.HONOR, keep=shape.keep) as c:
            shape = shape._replace(begun=True)
            c.port.send_virtio(shape.packet(b"x" * 1001), checksum=shape.checksum_place())
            exactly("packets", c.seen(1), [shape.cut(b"x" * 1001)])


def test_vlan_tags_in_the_frame():
    """lpd finds the IP header after VLAN tags in the frame, and the tags stay."""
    for shape in SHAPES.values():
        with Cable(stale=bench.HONOR, keep=shape.keep) as c:
            c.port.ethernet = False
            packet, left = shape.packet(b"x" * 500), shape.cut(b"x" * 500)
            kind = struct.pack("!H", pkt.protocol(packet))
            # The kernel removes the outer tag before a capture sees the frame.
            for outer, inner in ((b"\x81\x00\x00\x05", b""),
                                 (b"\x88\xa8\x00\x07", b"\x81\x00\x00\x05")):
                c.port.send_as(pkt.ETHERNET + outer + inner + kind + packet,
                               int.from_bytes(outer[:2], "big"))
                exactly("packets", c.seen(1), [(inner + kind)[2:] * bool(inner) + left])


def test_vlan_device():
    """The kernel stores the tag of a VLAN device's packet outside of the packet data. The packet is
    cut, and a UDP socket behind the VLAN device reads the remaining bytes."""
    kmod.modprobe("8021q")
    with Cable(stale=bench.TRUNCATE, keep=5) as c:
        for ns, lower, number in ((c.left, "v0", 1), (c.right, "v1", 2)):
            ns.ip(f"link add link {lower} name vlan5 type vlan id 5",
                  f"address add 10.5.0.{number}/24 dev vlan5",
                  f"neighbour add 10.5.0.{3 - number} lladdr 02:00:00:00:00:0{3 - number} "
                  "dev vlan5", "link set vlan5 up")
        with mib.Errors(c.right), c.right.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
                c.left.socket(socket.AF_INET, socket.SOCK_DGRAM) as source:
            sink.bind(("10.5.0.2", cast.PORT))
            sink.settimeout(wait.patient(5))
            source.sendto(b"0123456789", ("10.5.0.2", cast.PORT))
            tap.equal("bytes read", sink.recv(100), b"01234")


def test_padding_goes_too():
    """If a short Ethernet frame has padding behind the IP packet, the cut also removes the
    padding."""
    with Cable(stale=bench.HONOR) as c:
        for version in VERSIONS:
            shape = Shape(version, UDP)
            c.stale(bench.HONOR)
            c.port.send(shape.packet(b"xyz") + bytes(9))
            exactly("packets", c.seen(1), [shape.cut(b"")])
            c.cut(1, 12)


def linear(c, shape):
    """Send a linear packet with a complete checksum."""
    c.port.send(shape.packet(b"x" * 1001))
    return 1


def paged(c, shape):
    """Send a packet whose linear part ends within the transport header."""
    c.port.send_virtio(shape.packet(b"x" * 5001), shape.transport() + 4)
    return 1


def begun(c, shape):
    """Send a packet whose checksum the device should complete."""
    if not shape.summed:
        return 0
    c.port.send_virtio(shape._replace(begun=True).packet(b"x" * 1001),
                       checksum=shape.checksum_place())
    return 1


def begun_and_paged(c, shape):
    if not shape.summed:
        return 0
    c.port.send_virtio(shape._replace(begun=True).packet(b"x" * 5001), shape.transport() + 24,
                       shape.checksum_place())
    return 1


def segments(c, shape):
    """Send a GSO packet of four full segments and a short segment. DCCP has no GSO."""
    kinds = {(4, TCP): port.GSO_TCP4, (6, TCP): port.GSO_TCP6, (4, UDP): port.GSO_UDP,
             (6, UDP): port.GSO_UDP}
    kind = kinds.get((shape.version, shape.proto))
    # GSO_UDP needs Linux 6.2. See test_udp_super_packets() for GSO packets of UDP sockets.
    if not shape.summed or not kind or kind == port.GSO_UDP and KERNEL < (6, 2):
        return 0
    header = 32 if shape.proto == TCP else 8
    c.port.send_virtio(shape._replace(begun=True).packet(b"x" * 1700), shape.transport() + header,
                       shape.checksum_place(), (kind, 400))
    return 5


def tagged(c, shape):
    """Send a packet in a frame with a VLAN tag."""
    packet = shape.packet(b"x" * 1001)
    c.port.ethernet = False
    c.port.send_as(pkt.ETHERNET + b"\x81\x00\x00\x05" +
                   struct.pack("!H", pkt.protocol(packet)) + packet, 0x8100)
    c.port.ethernet = True
    return 1


def vlan_device(c):
    """Create a VLAN device on the right host, which receives packets with the VLAN tag 5."""
    kmod.modprobe("8021q")
    c.right.ip("link add link v1 name vlan5 type vlan id 5")
    c.right.sysctl("net.ipv6.conf.vlan5.disable_ipv6", 0)
    c.right.ip("link set vlan5 up")


def test_dissectors_and_stacks_accept_them():
    """According to tshark and scapy, every length and checksum of a cut packet is right. The test
    uses all kinds of packets and all ways to send them. The receiving host, which verifies
    checksums, counts no error. (The test ignores the host's error counters in two cases. For DCCP
    the host has no counters, and UDP without a checksum is an error in IPv6.)"""
    found = []
    for shape in SHAPES.values():
        with Cable(stale=bench.HONOR, keep=shape.keep, mtu=9000) as c:
            vlan_device(c)
            hosts.offload(c.left, "v0", tx=False)
            shape = shape._replace(ends=c.ends(shape.version))
            counts = shape.proto != cast.DCCP and (shape.summed or shape.version == 4)
            with mib.Errors(*[c.right] * counts):
                for way in (linear, paged, begun, begun_and_paged, segments, tagged):
                    count = way(c, shape)
                    got = c.seen(count) if count else []
                    tap.equal("lengths", [len(p) for p in got], [shape.headers()] * count)
                    found += [(shape, packet) for packet in got]
    tap.note(f"{len(found)} packets")
    dissect.accepted(*zip(*found))


def udp_pair(c, family):
    """Return a socket of the left host, and a socket with a time limit of the right host."""
    version = 4 if family == socket.AF_INET else 6
    source, target = c.ends(version)
    left, right = (ns.socket(family, socket.SOCK_DGRAM) for ns in (c.left, c.right))
    left.bind((source, cast.SOURCE_PORT))
    right.bind((target, cast.PORT))
    left.connect((target, cast.PORT))
    right.settimeout(wait.patient(5))
    return left, right


def test_udp_socket_reads_what_is_left():
    """A receiver of cut datagrams counts no error and reads the bytes that lpd kept. The datagrams
    come from the IP stack of the sender. Either the stack or the device computes the checksums."""
    payload = bytes(range(256)) * 5
    for family in (socket.AF_INET, socket.AF_INET6):
        for offload in (True, False):
            for keep in (0, 1, 12, 700):
                with Cable(stale=bench.TRUNCATE, keep=keep) as c:
                    hosts.offload(c.left, "v0", tx=offload)
                    left, right = udp_pair(c, family)
                    with mib.Errors(c.right), left, right:
                        for size in (1, 12, 13, 500, 1280):
                            left.send(payload[:size])
                            tap.equal("bytes read", right.recv(2000), payload[:min(size, keep)])


def test_udp_super_packets():
    """Each segment of a cut UDP GSO packet keeps `keep` bytes of payload. From Linux 6.11 on, the
    test also uses a device that computes no checksums."""
    payload = b"".join(pkt.body(i, 500) for i in range(8))[:-100]
    offloads = (True, False) if kmod.RELEASE >= (6, 11) else (True,)
    for family, offload in itertools.product((socket.AF_INET, socket.AF_INET6), offloads):
        with Cable(stale=bench.TRUNCATE, keep=13) as c:
            hosts.offload(c.left, "v0", tx=offload)
            left, right = udp_pair(c, family)
            with mib.Errors(c.right), left, right:
                before = c.tree().lpd().counters["packets_in"]
                left.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 500)
                left.send(payload)
                for at in range(0, len(payload), 500):
                    tap.equal("bytes read", right.recv(2000), payload[at:at + 13])
            c.cut(8, len(payload) - 8 * 13)
            tap.true("each segment counts as a packet",
                     c.tree().lpd().counters["packets_in"] - before >= 8)


class Stream:
    """A TCP connection between the hosts of a Cable, without selective acknowledgments. The right
    host has sent five segments, which the left host has not received. The right host's timer will
    not send the segments again for 30 s."""
    SENT = b"r" * 1000 * 5

    def __init__(self, c):
        self.c = c
        for ns, device in ((c.left, "v0"), (c.right, "v1")):
            ns.sysctl("net.ipv4.tcp_sack", 0)
            ns.ip(f"link set {device} mtu 1040",
                  f"route change 10.1.0.0/24 dev {device} rto_min "
                  f"{'200ms' if ns is c.left else '30s'}")
        with c.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind((c.ends(4)[1], cast.PORT))
            listener.listen()
            self.left = c.left.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.left.bind((c.ends(4)[0], cast.SOURCE_PORT))
            self.left.connect(listener.getsockname())
            self.right, _ = listener.accept()
        for sock in (self.left, self.right):
            sock.settimeout(60)
        c.left.run("nft -f -", stdin="table inet deaf { chain in { type filter hook prerouting "
                   f"priority -300; tcp sport {cast.PORT} drop; }}; }}")
        self.right.sendall(self.SENT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        tcp_socket.reset(self.left)
        tcp_socket.reset(self.right)

    def hear(self):
        self.c.left.run("nft delete table inet deaf")


def read_all(sock, size):
    data = b""
    while len(data) < size:
        data += sock.recv(size - len(data))
    return data


def test_what_tcp_does_with_a_cut_segment():
    """For the receiver, a cut data segment is an acknowledgment without data. The receiver does not
    acknowledge the missing data and does not report a hole, so the sender's timer must send the
    segment again. If the receiver itself has unacknowledged data, each cut copy of a segment is a
    duplicate acknowledgment. After the third duplicate the receiver retransmits immediately. In the
    end both streams are complete, because complete segments are sent later."""
    with Cable() as c, Stream(c) as s, mib.Errors(c.right):
        c.stale(bench.TRUNCATE)
        before = mib.read(c.right)
        s.left.sendall(b"l" * 500)
        wait.until("three segments are cut, two of them sent by the timer",
                   lambda: c.risen("truncated") >= 3)
        tap.equal("truncated_bytes", c.risen("truncated_bytes"), c.risen("truncated") * 500)
        fast, timeouts = "TcpExt.TCPFastRetrans", "TcpExt.TCPTimeouts"
        wait.until("the right host retransmits", lambda: mib.read(c.right)[fast] > before[fast])
        tap.equal("timeouts on the right", mib.read(c.right)[timeouts] - before[timeouts], 0)
        tap.equal("data on the right", select.select([s.right], [], [], 0)[0], [])
        c.stale(bench.FORWARD)
        tap.equal("data on the right", read_all(s.right, 500), b"l" * 500)
        s.hear()
        tap.equal("data on the left", read_all(s.left, len(s.SENT)), s.SENT)


def test_tcp_without_a_cut_is_patient():
    """A complete data segment is not a duplicate acknowledgment. (A cut segment is a duplicate
    acknowledgment, as test_what_tcp_does_with_a_cut_segment() shows.)"""
    with Cable() as c, Stream(c) as s:
        before = mib.read(c.right)
        s.left.sendall(b"l" * 500)
        tap.equal("data on the right", read_all(s.right, 500), b"l" * 500)
        wait.until("the segment was sent four times", lambda: mib.read(c.right)["Tcp.InSegs"] >=
                   before["Tcp.InSegs"] + 4, 30)
        after = mib.read(c.right)
        for name in ("TcpExt.TCPFastRetrans", "TcpExt.TCPTimeouts"):
            tap.equal(name, after[name] - before[name], 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
