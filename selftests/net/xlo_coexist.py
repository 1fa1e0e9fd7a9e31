#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Connection tracking, NAT, routing rules by mark, VLANs, tunnels and segmentation handle stamped
packets like other packets. Independent dissectors read the option correctly."""
# run.sh: all on vm-6.12: conntrack_* rule_* vlan tunnels tcp_*
import re
import socket

from lib import dissect, hosts, kmod, packet as pkt, segments, sniff, tap, wait
from lib.sender import FAMILIES, PORT, Sender, ours

MASQUERADE = """table inet test {
  chain post { type nat hook postrouting priority srcnat; oifname "v0" snat ip to 10.1.0.9; }
  chain in { type filter hook input priority filter; ct state established counter accept; }
}"""


def test_conntrack_and_nat():
    """Connection tracking and NAT treat a stamped packet like other packets. The answer reaches the
    sender's socket."""
    with Sender(lifetime=300) as s:
        s.left.ip("address add 10.1.0.9/24 dev v0")
        s.right.ip("neighbour replace 10.1.0.9 lladdr 02:00:00:00:00:01 dev v1")
        s.left.run("nft -f -", stdin=MASQUERADE)
        target = (hosts.address("right", socket.AF_INET), PORT)
        with s.right.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
                s.socket(socket.AF_INET) as sock:
            sink.bind(target)
            sink.settimeout(wait.patient(5))
            sock.settimeout(wait.patient(5))
            sock.sendto(b"ask", target)
            data, source = sink.recvfrom(100)
            tap.equal("data and source", (data, source[0]), (b"ask", "10.1.0.9"))
            sink.sendto(b"answer", source)
            tap.equal("answer", sock.recv(100), b"answer")
        [packet] = s.arrived()
        tap.equal("lifetime", pkt.lifetime(packet), 300)
        tap.true("header checksum", pkt.checksum_right(packet))


def test_rule_by_mark():
    """A marked packet is stamped even if a routing rule sends it through another device."""
    with Sender(lifetime=300) as s:
        s.left.ip("link add other type dummy", "link set other up",
                  "address add 10.9.0.1/24 dev other",
                  "neighbour add 10.9.0.2 lladdr 02:00:00:00:00:09 dev other",
                  "route add default via 10.9.0.2 table 77",
                  "rule add fwmark 1 table 77 priority 1")
        s.left.run("nft -f -", stdin="table inet test { chain output { type route hook output "
                   "priority mangle; udp dport 5000 meta mark set 1; }; }")
        other = sniff.Sniffer(s.left, "other", outgoing=True)
        s.send(b"x", socket.AF_INET, mark=0, count=0)
        frames = other.until("the packet on the other device", lambda frames: frames)
        tap.equal("lifetime", pkt.lifetime(frames[0].packet), 300)
        s.account.expect(stamped_output=1)


def test_vlan():
    """A packet that leaves through a VLAN device is stamped."""
    kmod.modprobe("8021q")
    with Sender(lifetime=300) as s:
        for ns, lower, number in ((s.left, "v0", 1), (s.right, "v1", 2)):
            ns.ip(f"link add link {lower} name vlan5 type vlan id 5",
                  f"address add 10.5.0.{number}/24 dev vlan5", "link set vlan5 up")
        with s.right.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
                s.socket(socket.AF_INET) as sock:
            sink.bind(("10.5.0.2", PORT))
            sink.settimeout(wait.patient(5))
            inside = sniff.Sniffer(s.right, "vlan5")
            sock.sendto(b"x", ("10.5.0.2", PORT))
            tap.equal("arrived", sink.recv(10), b"x")
            seen = ours(inside.drain())
            tap.equal("lifetimes", [pkt.lifetime(packet) for packet in seen], [300])


def test_classifiers():
    """The tc classifier flower finds the port of a packet with the option. The u32 rule "match ip
    dport" does not find the port, because u32 assumes a header without options.
    Documentation/xlo.rst states this limit of u32."""
    filters = {"u32": f"match ip dport {PORT} 0xffff", "flower": f"ip_proto udp dst_port {PORT}"}
    for name, words in filters.items():
        kmod.modprobe(f"cls_{name}")
        with Sender(lifetime=300) as s:
            for line in ("qdisc add dev v0 root handle 1: prio",
                         f"filter add dev v0 parent 1: protocol ip {name} {words} classid 1:3"):
                s.left.run(f"tc {line}")
            for mark in (0, 1):
                s.send(b"x", socket.AF_INET, mark=mark)
            # prio's class statistics count the packets of its leaves
            classes = s.left.run("tc -s class show dev v0").stdout
            sent = re.search(r"class prio 1:3 .*\n Sent \d+ bytes (\d+) pkt", classes)
            tap.equal(f"{name}: matched packets of one without and one with the option",
                      int(sent[1]),
                      {"u32": 1, "flower": 2}[name])


def tunnel(s, mode, family):
    """A tunnel between the hosts, whose inner addresses are 10.7.0.1 and 10.7.0.2."""
    kmod.modprobe({"ipip": "ipip", "ip6tnl": "ip6_tunnel"}[mode])
    for ns, own, other, number in ((s.left, "left", "right", 1), (s.right, "right", "left", 2)):
        extra = " mode ipip6" if mode == "ip6tnl" else ""
        ns.ip(f"link add tun5 type {mode}{extra} local {hosts.address(own, family)} "
              f"remote {hosts.address(other, family)}",
              f"address add 10.7.0.{number}/24 dev tun5", "link set tun5 up")


def test_tunnels():
    """In a tunnel xlo stamps the inner and the outer packet, because the outer packet inherits the
    mark. xlo stamps each packet once, and the payload arrives."""
    for mode, family in (("ipip", socket.AF_INET), ("ip6tnl", socket.AF_INET6)):
        with Sender(lifetime=300) as s:
            tunnel(s, mode, family)
            with s.right.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
                    s.socket(socket.AF_INET) as sock:
                sink.bind(("10.7.0.2", PORT))
                sink.settimeout(wait.patient(5))
                sock.sendto(pkt.body(1, 500), ("10.7.0.2", PORT))
                tap.equal("arrived", sink.recv(1000), pkt.body(1, 500))
            [outer] = [p for p in s.arrived() if pkt.number(p) == 1]
            inner = outer[segments.transport_offset(outer):]
            if mode == "ip6tnl" and inner[0] != 0x47:
                # skip the destination options header, which contains the tunnel encapsulation limit
                inner = inner[8:]
            tap.equal("lifetimes of the outer and inner packet",
                      (pkt.lifetime(outer), pkt.lifetime(inner)), (300, 300))
            s.account.expect(stamped_output=2)


def test_tcp_in_a_tunnel():
    """The full-size segments of a TCP connection through a tunnel are stamped, and no packet is
    fragmented."""
    with Sender(rto=True) as s:
        tunnel(s, "ipip", socket.AF_INET)
        hosts.offload(s.left, "v0", tso=False)
        hosts.offload(s.right, "v1", gro=False)
        with s.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("10.7.0.2", PORT))
            listener.listen()
            with s.socket(socket.AF_INET, kind=socket.SOCK_STREAM) as client:
                client.settimeout(wait.patient(20))
                client.connect(("10.7.0.2", PORT))
                conn, _ = listener.accept()
                with conn:
                    client.sendall(bytes(200_000))
                    client.shutdown(socket.SHUT_WR)
                    total = 0
                    while data := conn.recv(1 << 16):
                        total += len(data)
        tap.equal("bytes", total, 200_000)
        packets = s.arrived()
        tap.true("no packet is a fragment", not any(map(segments.is_fragment, packets)))
        inner = [p[segments.transport_offset(p):] for p in packets if p[9] == 4]
        full = [p for p in inner if len(p) > 1400]
        tap.true("full-size segments are stamped", len(full) > 100 and
                 all(pkt.lifetime(p) is not None for p in full[10:]))


def samples():
    """Packets with the option in each form that xlo writes."""
    found = []
    for family in FAMILIES:
        with Sender(lifetime=300, reorder=4) as s:
            hosts.offload(s.left, "v0", tx=False)
            found += s.send(b"x" * 100, family) + s.send(b"x" * 4000, family, count=3)
        with Sender(lifetime=300, clock=1) as s:
            hosts.offload(s.left, "v0", tx=False)
            found += s.send(b"x", family)
    return found


def test_tshark_reads_it():
    """tshark finds the option in each packet, no malformed header and no wrong checksum."""
    packets = samples()
    for packet, fields in zip(packets, dissect.tshark(packets)):
        tap.true("no header is malformed", "_ws.malformed" not in fields)
        option = packet[pkt.option_offset(packet):][:8].hex()
        if packet[0] >> 4 == 4:
            tap.true("tshark finds the option", option in [value for _, value in fields[""]])
            tap.equal("header checksum", fields["ip.checksum.status"][0][0], "1")
        else:
            tap.true("tshark finds the option",
                     option[:2] in [value for _, value in fields["ipv6.opt.type"]])
        for status, _ in fields.get("udp.checksum.status", []):
            tap.equal("udp checksum", status, "1")


def test_scapy_reads_it():
    """scapy finds the option that xlo wrote, and rebuilds the same bytes from it."""
    try:
        from scapy.layers.inet import IP
        from scapy.layers.inet6 import IPv6, IPv6ExtHdrHopByHop
    except ImportError:
        tap.skip("scapy is not installed")
    for packet in samples():
        if packet[0] >> 4 == 4:
            read = IP(packet)
            [option] = [o for o in read.options if o.option == 30]
            tap.equal("option", (option.copy_flag, bytes(option)), (1, packet[20:28]))
        else:
            read = IPv6(packet)
            types = [o.otype for o in read[IPv6ExtHdrHopByHop].options]
            tap.true("scapy finds the option", 0x3e in types or 0x1e in types)
        tap.equal("rebuilt packet", bytes(read).hex(), packet.hex())


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
