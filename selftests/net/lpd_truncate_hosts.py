#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices, VLANs and the hosts at both ends take cut packets for what they are: no stack counts
an error, sockets read what is left, and TCP goes on.

    left v0 [lpd] === v1 right"""
import os
import select
import socket
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import bench, cast, hosts, kmod, mib, netlink, packet as pkt, port, sniff, tap, tc, tree, \
    wait
from lib.cast import SHAPES, UDP, VERSIONS, Shape

MS = bench.MS
UDP_SEGMENT = 103


def exactly(what, got, want):
    """Packets, to the bit."""
    tap.equal(what, [p.hex() for p in got], [p.hex() for p in want])


class Cable(hosts.Hosts, bench.Account):
    """Two hosts, lpd on the left one's device. Everything without an option that it sends is
    stale from the start: what stale() says happens to it."""

    def __init__(self, stale=bench.FORWARD, **options):
        tc.need("lpd")
        kmod.modprobe("veth")
        hosts.Hosts.__init__(self)
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
        """So many packets have been cut, and so many bytes of them, since stale() was said."""
        wait.until(f"{packets} are cut", lambda: self.risen("truncated") >= packets)
        tap.equal("truncated, bytes", (self.risen("truncated"), self.risen("truncated_bytes")),
                  (packets, count))

    def risen(self, name):
        return self.tree().lpd().counters[name] - self.before[name]

    def seen(self, count):
        """So many packets from our ports that have arrived."""
        frames = self.sniffer.until(f"{count} packets", lambda frames: len(ours(frames)) >= count)
        return ours(frames)

    def ends(self, version):
        family = socket.AF_INET if version == 4 else socket.AF_INET6
        return hosts.address("left", family), hosts.address("right", family)


def ours(frames):
    ports = struct.pack("!HH", cast.SOURCE_PORT, cast.PORT)
    return [frame.packet for frame in frames if ports in frame.packet]


def test_begun_checksums_stay_begun():
    """Before a device that completes checksums the field holds the pseudo header's sum for the
    length that is left."""
    for shape in SHAPES.values():
        if not shape.summed:
            continue
        with Cable(stale=bench.HONOR, keep=shape.keep) as c:
            shape = shape._replace(begun=True)
            c.port.send_virtio(shape.packet(b"x" * 1001), checksum=shape.checksum_place())
            exactly("packets", c.seen(1), [shape.cut(b"x" * 1001)])


def test_vlan_tags_in_the_frame():
    """The IP header is where the tags end; they stay."""
    for shape in SHAPES.values():
        with Cable(stale=bench.HONOR, keep=shape.keep) as c:
            c.port.ethernet = False
            packet, left = shape.packet(b"x" * 500), shape.cut(b"x" * 500)
            kind = struct.pack("!H", pkt.protocol(packet))
            # the kernel takes the outer tag off before a capture sees it
            for outer, inner in ((b"\x81\x00\x00\x05", b""),
                                 (b"\x88\xa8\x00\x07", b"\x81\x00\x00\x05")):
                c.port.send_as(pkt.ETHERNET + outer + inner + kind + packet,
                               int.from_bytes(outer[:2], "big"))
                exactly("packets", c.seen(1), [(inner + kind)[2:] * bool(inner) + left])


def test_vlan_device():
    """The tag of a VLAN device stands beside the packet; a UDP socket behind it reads what is
    left."""
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
            sink.settimeout(5)
            source.sendto(b"0123456789", ("10.5.0.2", cast.PORT))
            tap.equal("read", sink.recv(100), b"01234")


def test_padding_goes_too():
    """Bytes that a short Ethernet frame had behind the IP packet are not sent on."""
    with Cable(stale=bench.HONOR) as c:
        for version in VERSIONS:
            shape = Shape(version, UDP)
            c.stale(bench.HONOR)
            c.port.send(shape.packet(b"xyz") + bytes(9))
            exactly("packets", c.seen(1), [shape.cut(b"")])
            c.cut(1, 12)


def udp_pair(c, family):
    """Sockets on the left and, with a time limit, on the right."""
    version = 4 if family == socket.AF_INET else 6
    source, target = c.ends(version)
    left, right = (ns.socket(family, socket.SOCK_DGRAM) for ns in (c.left, c.right))
    left.bind((source, cast.SOURCE_PORT))
    right.bind((target, cast.PORT))
    left.connect((target, cast.PORT))
    right.settimeout(5)
    return left, right


def test_udp_socket_reads_what_is_left():
    """Datagrams of every size that the host's own stack has made, with checksums of its own or
    for the device: the receiver counts no error and reads the bytes that were kept."""
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
                            tap.equal("read", right.recv(2000), payload[:min(size, keep)])


def test_udp_super_packets():
    """Each segment of a UDP super-packet keeps what is to be kept."""
    payload = b"".join(pkt.body(i, 500) for i in range(8))[:-100]
    for family in (socket.AF_INET, socket.AF_INET6):
        with Cable(stale=bench.TRUNCATE, keep=13) as c:
            left, right = udp_pair(c, family)
            with mib.Errors(c.right), left, right:
                before = c.tree().lpd().counters["packets_in"]
                left.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 500)
                left.send(payload)
                for at in range(0, len(payload), 500):
                    tap.equal("read", right.recv(2000), payload[at:at + 13])
            c.cut(8, len(payload) - 8 * 13)
            tap.true("each is one packet", c.tree().lpd().counters["packets_in"] - before >= 8)


class Stream:
    """A TCP connection over a cable, without selective acknowledgements, in which the right one
    has sent five segments that the left one has not seen, and will not send them again for
    30 s by itself."""
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
        self.left.close()
        self.right.close()

    def hear(self):
        self.c.left.run("nft delete table inet deaf")


def read_all(sock, size):
    data = b""
    while len(data) < size:
        data += sock.recv(size - len(data))
    return data


def test_what_tcp_does_with_a_cut_segment():
    """A cut data segment is an acknowledgement to its receiver and no data: nothing in it is
    acknowledged, nor is a hole reported, so its sender's timer has to send it again. To a
    receiver that waits for acknowledgements itself it is a duplicate one each time it is sent,
    and the third makes it retransmit at once. Nothing is lost in the end: what is sent whole
    after that completes both streams."""
    with Cable() as c, Stream(c) as s, mib.Errors(c.right):
        c.stale(bench.TRUNCATE)
        before = mib.read(c.right)
        s.left.sendall(b"l" * 500)
        wait.until("three are cut, two of them sent by the timer",
                   lambda: c.risen("truncated") >= 3)
        tap.equal("truncated_bytes", c.risen("truncated_bytes"), c.risen("truncated") * 500)
        fast, timeouts = "TcpExt.TCPFastRetrans", "TcpExt.TCPTimeouts"
        wait.until("the right one retransmits", lambda: mib.read(c.right)[fast] > before[fast])
        tap.equal("because of its timer", mib.read(c.right)[timeouts] - before[timeouts], 0)
        tap.equal("data on the right", select.select([s.right], [], [], 0)[0], [])
        c.stale(bench.FORWARD)
        tap.equal("data on the right", read_all(s.right, 500), b"l" * 500)
        s.hear()
        tap.equal("data on the left", read_all(s.left, len(s.SENT)), s.SENT)


def test_tcp_without_a_cut_is_patient():
    """The control of the test before: whole segments in the same place are no duplicate
    acknowledgements."""
    with Cable() as c, Stream(c) as s:
        before = mib.read(c.right)
        s.left.sendall(b"l" * 500)
        tap.equal("data on the right", read_all(s.right, 500), b"l" * 500)
        wait.until("it was sent four times", lambda: mib.read(c.right)["Tcp.InSegs"] >=
                   before["Tcp.InSegs"] + 4, 30)
        after = mib.read(c.right)
        for name in ("TcpExt.TCPFastRetrans", "TcpExt.TCPTimeouts"):
            tap.equal(name, after[name] - before[name], 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
