#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unmodified programs send packets with a lifetime. An nft rule or a cgroup selects the packets of
ping and iperf3."""
import shutil
import signal
import socket
import subprocess

from lib import hosts, packet as pkt, segments, tap
from lib.cgroup import Cgroup
from lib.sender import FAMILIES, Sender

RULES = """table inet test {
  chain output { type route hook output priority mangle; %s meta mark set 0x1; }
}"""


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            tap.skip(f"{program} is not installed")


def rules(ns, match):
    ns.run("nft -f -", stdin=RULES % match)


def ping(family):
    return f"ping -n -c 3 -i 0.2 -W 5 {hosts.address('right', family)}"


def lifetimes(s):
    """The lifetimes of the packets that arrived, in order of arrival."""
    return [pkt.lifetime(packet) for packet in s.arrived(3)]


def test_ping_by_rule():
    """If an nft rule marks ICMP, each echo request is stamped and answered."""
    need("nft", "ping")
    with Sender(lifetime=700) as s:
        rules(s.left, "meta l4proto { icmp, ipv6-icmp }")
        for family in FAMILIES:
            done = s.left.run(ping(family))
            tap.true("three answers", "3 received" in done.stdout)
            tap.equal("lifetimes", lifetimes(s), [700] * 3)


def test_ping_by_cgroup():
    """Packets of a ping inside the cgroup are stamped. Packets of a ping outside the cgroup are not
    stamped."""
    need("nft", "ping")
    with Sender(lifetime=700) as s, Cgroup("fresh") as group:
        rules(s.left, 'socket cgroupv2 level 1 "fresh"')
        for family in FAMILIES:
            s.left.run(ping(family))
            tap.equal("outside", lifetimes(s), [None] * 3)
            tap.true("three answers", "3 received" in group.run(s.left, ping(family)).stdout)
            tap.equal("inside", lifetimes(s), [700] * 3)


class Iperf:
    """The iperf3 server on the right host."""

    def __init__(self, s):
        self.s = s

    def __enter__(self):
        with self.s.right.inside():
            self.server = subprocess.Popen(["iperf3", "-s", "--forceflush"],
                                           stdout=subprocess.PIPE,
                                           stderr=subprocess.DEVNULL, text=True)
        while "listening" not in self.server.stdout.readline():
            tap.true("iperf3 serves", self.server.poll() is None)
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGTERM)
        self.server.communicate()


def test_iperf3_tcp_by_rule():
    """An nft rule marks the port of a TCP transfer by iperf3. The transfer succeeds, and nearly all
    segments with data, SYN or FIN are stamped."""
    need("nft", "iperf3")
    for family in FAMILIES:
        with Sender(rto=True) as s, Iperf(s):
            hosts.offload(s.left, "v0", tso=False)
            hosts.offload(s.right, "v1", gro=False)
            rules(s.left, "tcp dport 5201")
            # -w: iperf3 ends when all data is written to the socket, so data in a larger buffer
            # would be lost. -b and -i: iperf3 checks once per interval whether all data is written.
            # Without a rate limit, version 3.18 spins until the check, and simulated time stands
            # still.
            done = s.left.run(f"iperf3 -c {hosts.address('right', family)} -n 2M -w 64K"
                              " -b 100M -i 0.1")
            tap.true("iperf3 is done", "iperf Done" in done.stdout)
            seen = [segments.Segment(p) for p in s.arrived() if segments.is_tcp(p)]
            carrying = [x for x in seen if x.carries]
            tap.within("segments with data, SYN or FIN", len(carrying), 1000, 3000)
            bare = [x for x in carrying if x.lifetime is None]
            tap.within("segments without the option", len(bare), 0, len(carrying) // 1000)


def test_iperf3_udp_by_cgroup():
    """The UDP packets of an iperf3 process in the cgroup are stamped."""
    need("nft", "iperf3")
    with Sender(lifetime=700) as s, Cgroup("fresh") as group, Iperf(s):
        rules(s.left, 'socket cgroupv2 level 1 "fresh" meta l4proto udp')
        target = hosts.address("right", socket.AF_INET)
        done = group.run(s.left, f"iperf3 -u -c {target} -n 100K -l 1000")
        tap.true("iperf3 is done", "iperf Done" in done.stdout)
        udp = [p for p in s.arrived() if p[0] >> 4 == 4 and p[9] == 17]
        tap.true("there are at least 100 packets", len(udp) >= 100)
        tap.equal("lifetimes", {pkt.lifetime(packet) for packet in udp}, {700})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
