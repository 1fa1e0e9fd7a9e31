#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""arqlink carries the same traffic as the device below it, although the link loses frames: address
resolution, multicast, VLANs, TCP in GSO packets, and packets of a bridge."""
# run.sh: smoke: addresses vlan
import hashlib
import socket

from lib import arq_device, arq_frame, cell, ethtool, hosts, kmod, packet as pkt, sniff, tap, wait
from lib.arq_frame import MS
from net import cell_network

VLAN = 4                                # bytes of a tag, for which the receiver has space
CHANNEL = {"rate": 10**6, "delay": 5 * MS, "loss": 50_000}


class Addressed(arq_device.Pair):
    """A pair of devices with addresses at both ends. `above` makes a device above each end, and
    returns its name."""

    def __init__(self, above=lambda end: end.name, **values):
        super().__init__(channel=CHANNEL, frame=1500, window=32, **values)
        for end in self.left, self.right:
            end.up(mtu=1500)
        for end, own in ((self.left, 1), (self.right, 2)):
            name = above(end)
            end.ns.sysctl(f"net.ipv6.conf.{name}.disable_ipv6", 0)
            end.ns.ip(f"address add 10.1.0.{own}/24 dev {name}",
                      f"address add fd01::{own}/64 dev {name} nodad")
            hosts.await_address(end.ns, f"fd01::{own}")


def ask_both(pair):
    cell_network.ask(pair, socket.AF_INET, "10.1.0.1", "10.1.0.2")
    cell_network.ask(pair, socket.AF_INET6, "fd01::1", "fd01::2")


def test_addresses():
    """ARP and IPv6 neighbour discovery find the neighbour's address."""
    with Addressed() as pair:
        ask_both(pair)


def test_vlan():
    """Packets of a VLAN device above arqlink pass with their tag."""
    kmod.modprobe("8021q")

    def vlan(end):
        end.ns.ip(f"link add link {end.name} name v7 type vlan id 7", "link set v7 up")
        return "v7"
    with Addressed(vlan) as pair:
        ask_both(pair)


def test_vlan_below():
    """A VLAN device can be the lower device."""
    kmod.modprobe("8021q")
    with cell.Pair() as lower:
        ends = []
        for end, name, address in ((lower.left, "arq0", arq_device.UPPER[0]),
                                   (lower.right, "arq1", arq_device.UPPER[1])):
            end.ns.ip(f"link add link {end.name} name v7 type vlan id 7", "link set v7 up")
            ends.append(arq_device.Device(end.ns, name))
            ends[-1].above("v7", address=address)
            ends[-1].up()
        for end in ends:
            end.expect(connected=1)
        sniffer = ends[1].sniffer()
        arq_device.flood(ends[0], [arq_device.packet(number, 200) for number in range(20)])
        tap.equal("packets", [number for number, _ in cell.arrivals(sniffer, 20)],
                  list(range(20)))


def test_bridge():
    """A bridge forwards packets to and from arqlink."""
    def bridge(end):
        end.ns.ip("link add br0 type bridge stp_state 0 forward_delay 0", "link set br0 up",
                  f"link set {end.name} master br0")
        return "br0"
    with Addressed(bridge) as pair:
        ask_both(pair)


def test_multicast():
    """A multicast packet arrives at a host that has joined the group."""
    with Addressed() as pair, pair.right.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
            pair.left.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sink.settimeout(wait.patient(10))
        sink.bind(("239.1.2.3", cell_network.PORT))
        sink.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                        socket.inet_aton("239.1.2.3") + socket.inet_aton("10.1.0.2"))
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.1.0.1"))
        sock.sendto(b"all", ("239.1.2.3", cell_network.PORT))
        tap.equal("received data", sink.recv(100), b"all")


def test_tcp():
    """A TCP transfer arrives completely, with and without offloads. TCP sees no loss."""
    data = hashlib.shake_128(b"arqlink").digest(300_000)
    for features in ({}, {"gso": False}, {"gro": False}):
        with Addressed(ring=100_000) as pair:
            for end in pair.left, pair.right:
                ethtool.switch(end.ns, end.name, **features)
            tap.true(f"{features}: all data arrives", cell_network.transfer(pair, data) == data)
            told = pair.left.counters()
            tap.true("the link lost frames", told["repeats_nack"] + told["repeats_timer"])
            tap.equal("packets given up", [told["late"], told["attempts"], told["persist"]],
                      [0, 0, 0])


def test_gso_packet():
    """A GSO packet without checksums leaves as single segments with right checksums."""
    for packet in (pkt.tcp4(pkt.body(3, 5000)), pkt.tcp6(pkt.body(3, 5000))):
        with arq_device.Pair(frame=1500, window=32) as pair:
            sniffer, out = pair.right.sniffer(), pair.left.port()
            out.send_gso(packet, 1000)
            pair.right.expect(delivered=5)
            frames = sniffer.drain()
            tap.equal("bytes of the segments", {len(frame.packet) for frame in frames},
                      {len(packet) - 4000})
            for frame in frames:
                tap.equal("checksum", _tcp_sum(frame.packet), 0)


def _tcp_sum(packet):
    """The checksum over the pseudo header and the segment, 0 if it is right."""
    if packet[0] >> 4 == 4:
        head, addresses = packet[:20], packet[12:20]
    else:
        head, addresses = packet[:40], packet[8:40]
    segment = packet[len(head):]
    return pkt.checksum(addresses + b"\0\x06" + len(segment).to_bytes(2, "big") + segment)


def test_captures():
    """A capture on the device shows the packets, and a capture on the lower device the frames."""
    with arq_device.Pair(ack_delay=0) as pair:
        above = [sniff.Sniffer(pair.left.ns, "arq0", outgoing=True), pair.right.sniffer()]
        below = [sniff.Sniffer(pair.lower.left.ns, "cell0", outgoing=True),
                 sniff.Sniffer(pair.lower.right.ns, "cell1")]
        packets = [arq_device.packet(number, 200) for number in range(5)]
        arq_device.flood(pair.left, packets)
        pair.left.expect(sent=5)
        for sniffer in above:
            tap.equal("packets above", [frame.packet for frame in sniffer.drain()], packets)
        for sniffer in below:
            kinds = [frame.packet[0] for frame in sniffer.drain()]
            tap.equal("DATA frames below", kinds.count(0x10 | arq_frame.DATA), 5)


def test_statistics():
    """The general counters of the device count packets above, each once and with its Ethernet
    header."""
    with arq_device.Pair(channel={"loss": 200_000}) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, 200) for number in range(50)])
        pair.left.expect(sent=50)
        sent, received = pair.left.ns.interface("arq0"), pair.right.ns.interface("arq1")
        tap.equal("sent", (sent["tx_packets"], sent["tx_bytes"]), (50, 50 * 214))
        tap.equal("received", received["rx_packets"], 50)


def test_mtu():
    """A packet as long as the MTU arrives. The receiver refuses a packet that is longer than its
    own MTU."""
    with arq_device.Pair() as pair:
        pair.left.up(mtu=4000)
        pair.right.up(mtu=2000)
        pair.connected()
        sniffer = pair.right.sniffer()
        for number, size in enumerate((2000, 2000 + VLAN + 1, 4000, 100)):
            arq_device.flood(pair.left, [arq_device.packet(number, size)])
        pair.left.expect(sent=4)
        tap.equal("packets", [number for number, _ in cell.ours(sniffer.drain())], [0, 3])
        pair.right.expect(delivered=2, refused=2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
