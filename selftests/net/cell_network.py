#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The channel carries the same traffic as an Ethernet cable. The tests send address resolution,
neighbour discovery, multicast, VLANs, and TCP in GSO packets without complete checksums."""
# run.sh: all on vm-6.12: address_* neighbour_* tcp
import hashlib
import socket
import threading

from lib import cell, hosts, kmod, mib, tap, wait

PORT = 5000
MBIT = 125_000                          # bytes/s
CHANNEL = {"rate": 10 * MBIT, "delay": 5 * cell.MS}


class Addressed(cell.Pair):
    """A pair of devices with addresses at both ends and without configured neighbours."""

    def __init__(self, names=("cell0", "cell1"), **values):
        super().__init__(back=values, **values)
        for end, own, name in zip((self.left, self.right), (1, 2), names):
            if name != end.name:
                kmod.modprobe("8021q")
                end.ns.ip(f"link add link {end.name} name {name} type vlan id 7",
                          f"link set {name} up")
            end.ns.sysctl(f"net.ipv6.conf.{name}.disable_ipv6", 0)
            end.ns.ip(f"address add 10.1.0.{own}/24 dev {name}",
                      f"address add fd01::{own}/64 dev {name} nodad")
            hosts.await_address(end.ns, f"fd01::{own}")


def ask(pair, family, source, target):
    """Send a datagram and check that it is answered. For the datagram and the answer, each side
    needs the link-layer address of the other side."""
    with pair.right.ns.socket(family, socket.SOCK_DGRAM) as sink, \
            pair.left.ns.socket(family, socket.SOCK_DGRAM) as sock:
        for each in (sink, sock):
            each.settimeout(wait.patient(10))
        sink.bind((target, PORT))
        sock.sendto(b"ask", (target, PORT))
        data, address = sink.recvfrom(100)
        tap.equal("data and source", (data, address[0]), (b"ask", source))
        sink.sendto(b"answer", address)
        tap.equal("answer", sock.recv(100), b"answer")


def test_address_resolution():
    """ARP finds the neighbour's address."""
    with Addressed(**CHANNEL) as pair:
        ask(pair, socket.AF_INET, "10.1.0.1", "10.1.0.2")


def test_neighbour_discovery():
    """IPv6 neighbour discovery finds the neighbour's address by multicast."""
    with Addressed(**CHANNEL) as pair:
        ask(pair, socket.AF_INET6, "fd01::1", "fd01::2")


def test_multicast():
    """A multicast packet arrives at a host that has joined the group."""
    with Addressed(**CHANNEL) as pair, \
            pair.right.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
            pair.left.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sink.settimeout(wait.patient(10))
        sink.bind(("239.1.2.3", PORT))
        sink.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                        socket.inet_aton("239.1.2.3") + socket.inet_aton("10.1.0.2"))
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.1.0.1"))
        sock.sendto(b"all", ("239.1.2.3", PORT))
        tap.equal("received data", sink.recv(100), b"all")


def test_vlan():
    """Packets with a VLAN tag pass the channel with their tag."""
    with Addressed(("v0", "v1"), **CHANNEL) as pair:
        ask(pair, socket.AF_INET, "10.1.0.1", "10.1.0.2")
        ask(pair, socket.AF_INET6, "fd01::1", "fd01::2")


def transfer(pair, data):
    """Send data over a TCP connection. Returns the received data."""
    got = bytearray()
    with pair.right.ns.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("10.1.0.2", PORT))
        listener.listen()

        def receive():
            conn, _ = listener.accept()
            with conn:
                while part := conn.recv(1 << 18):
                    got.extend(part)
        thread = threading.Thread(target=receive)
        thread.start()
        with pair.left.ns.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.connect(("10.1.0.2", PORT))
            sock.sendall(data)
        thread.join()
    return bytes(got)


def test_tcp():
    """A TCP transfer arrives completely. The channel carries GSO packets, or single segments if it
    has random losses or bit errors. TCP sends lost and damaged segments again."""
    data = hashlib.shake_128(b"cellink").digest(1_000_000)
    for values, whole in (({}, True), ({"loss": 5000, "seed": 1}, False),
                          ({"ber": 10**6, "corrupt": cell.DELIVER, "seed": 1}, False)):
        with Addressed(**CHANNEL) as pair:
            pair.left.change(**values)
            before = mib.read(pair.right.ns)
            tap.true(f"{values}: all data arrives", transfer(pair, data) == data)
            counters = pair.left.counters()
            mean = counters["sent_bytes"] / counters["sent"]
            tap.note(f"{values}: {counters['sent']} packets of {mean:.0f} bytes")
            tap.true(f"{values}: GSO packets if none must be segmented", (mean > 2000) == whole)
            if "loss" in values:
                tap.true("some packets are lost", counters["lost"])
            if "ber" in values:
                after = mib.read(pair.right.ns)
                tap.true("some packets are damaged", counters["damaged"])
                tap.true("TCP finds damaged packets",
                         after["Tcp.InCsumErrors"] > before["Tcp.InCsumErrors"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
