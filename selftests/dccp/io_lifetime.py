#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program without privilege sends DCCP packets with deadlines, which xlo turns into lifetimes. It
learns which packets became stale, in a queue of its own host or on the way."""
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import json
import os
import socket
import subprocess

from lib import bench, child, dccp, hosts, netlink, packet as pkt, router, tap, tc, tree, wait, xlo
from lib.sender import FAMILIES, Sender

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
FRESHLINK = os.path.join(TREE, "build", "tools", "freshlink")
MS = 10**6
COUNT = 50
EXTENSION = 1                   # XRTO_ENCODING_EXTENSION
# the longest time between the reading of the clock and the hook, ms
LATE = 0 if wait.virtual_time() else 5000


class Sink:
    """freshlink's sink, which runs for one connection."""

    def __init__(self, ns):
        with ns.inside():
            self.process = subprocess.Popen(
                [FRESHLINK, "traffic", "dccp-sink", "--connections", "1", "-j"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        tap.true("the sink listens", "listening" in self.process.stderr.readline())
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def source(ns, address, *options):
    """Run freshlink's source without privilege."""
    with ns.inside():
        return subprocess.run([FRESHLINK, "traffic", "dccp-source", address, "-j", *options],
                              capture_output=True, text=True, check=False, user=child.NOBODY,
                              group=child.NOBODY, extra_groups=[])


def summary(done):
    tap.equal(f"status, {done.stderr}", done.returncode, 0)
    return json.loads(done.stdout)


def has_data(packet):
    """Whether a packet is a Data or DataAck."""
    return dccp.of_udp(packet)[8] >> 1 & 15 in (dccp.DATA, dccp.DATAACK)


def test_by_deadline():
    """If txtime is on, each data packet carries its lifetime, and asks routers to discard it. The
    queue fq sends it at once. Packets without data, after the first data, carry the longest
    lifetime."""
    for family in FAMILIES:
        with Sender() as s, Sink(s.right):
            s.xlo.set(txtime=1)
            tc.need("fq")
            s.left.run("tc qdisc replace dev v0 root fq")
            seen = summary(source(s.left, hosts.address("right", family), "--via", "txtime",
                                  "--lifetime", "20s", "--count", str(COUNT)))
            tap.equal("acknowledged", seen["fates"]["acknowledged"], COUNT)
            tap.true(f"fq delays no packet: {seen['seconds']} s", seen["seconds"] < 20)
            packets = s.arrived()
            data = [has_data(p) for p in packets]
            tap.equal("packets with data", sum(data), COUNT)
            first = data.index(True)
            for packet in packets[first:]:
                longest = 20_000 if has_data(packet) else 65_534
                tap.within("lifetime", pkt.lifetime(packet), longest - LATE, longest)
                at = pkt.option_offset(packet)
                tap.equal("reorder and flags", packet[at + 2:at + 4], bytes([0, pkt.DISCARD]))
            tap.equal("lifetimes before", {pkt.lifetime(p) for p in packets[:first]}, {None})


def test_without_txtime():
    """If txtime is off, deadlines are refused, with the setting as the reason. The choice `auto`
    then sends packets without a lifetime."""
    for family in FAMILIES:
        with Sender() as s, Sink(s.right):
            address = hosts.address("right", family)
            done = source(s.left, address, "--via", "txtime", "--lifetime", "1s", "--count", "1")
            tap.equal("status", done.returncode, 1)
            tap.true(f"the reason: {done.stderr}", "txtime on" in done.stderr)
            tap.equal("packets", s.sniffer.drain(), [])
            # the sniffer would see packets that leave together as one
            done = source(s.left, address, "--via", "auto", "--count", str(COUNT), "--rate",
                          "2mbit")
            tap.equal("sent", summary(done)["sent"], COUNT)
            packets = s.arrived()
            tap.true("packets arrived", len(packets) > COUNT)
            tap.equal("with a lifetime", [p for p in packets if pkt.option_offset(p)], [])


def slow(ns, device, **options):
    """Let a device send 1 Mbit/s, out of lpd."""
    tc.need("lpd", "tbf")
    ns.run(f"tc qdisc replace dev {device} root handle 1: tbf rate 1mbit burst 2000 limit 1mb")
    netlink.Netlink(ns).qdisc(device, netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**options),
                              parent=0x10001)


def fates_of(seen):
    """The fates of the packets that were sent. Those that became stale before the rate control
    allowed them have the fate expired, too."""
    tap.note(seen)
    fates = seen["fates"]
    never_sent = sum(fates.values()) - seen["sent"]
    tap.within("packets that were never sent", never_sent, 0, fates["expired"])
    return fates | {"expired": fates["expired"] - never_sent}


def test_expired_here():
    """Packets that become stale in a queue of the sender's host have the fate `expired`, because
    the kernel reports each of them. lpd has counted as many."""
    for family in FAMILIES:
        with Sender() as s, Sink(s.right):
            s.xlo.set(txtime=1)
            slow(s.left, "v0")
            seen = summary(source(s.left, hosts.address("right", family), "--via", "txtime",
                                  "--lifetime", "50ms", "--count", "300", "--rate", "2mbit"))
            fates = fates_of(seen)
            tap.true("packets expired", fates["expired"] > 0)
            tap.equal("expired, as lpd counts", fates["expired"], dropped(s.left, "v0"))
            tap.equal("lost", fates["lost"], 0)


def dropped(ns, device):
    """The packets that lpd has discarded as stale."""
    counters = tree.checked(netlink.Netlink(ns), device).lpd().counters
    return sum(value for name, value in counters.items() if name.startswith("stale_"))


def test_discarded_on_the_way():
    """Packets that a router discards as stale have the fate `discarded`, because the router's ICMP
    messages say so, without privilege."""
    for family in FAMILIES:
        with router.Router(hosts=True) as r, Sink(r.mobile):
            xlo.Client(r.router, "xlo_rto").set(encoding=EXTENSION)
            xlo.Client(r.sender).set(txtime=1)
            slow(r.router, "r1", notify=1)
            seen = summary(source(
                r.sender, pkt.TARGET4 if family == socket.AF_INET else pkt.TARGET6, "--via",
                "txtime", "--lifetime", "50ms", "--count", "300", "--rate", "2mbit"))
            fates = fates_of(seen)
            tap.true("packets were discarded", fates["discarded"] > 0)
            tap.equal("discarded, as lpd counts", fates["discarded"], dropped(r.router, "r1"))
            tap.equal("lost or expired", (fates["lost"], fates["expired"]), (0, 0))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
