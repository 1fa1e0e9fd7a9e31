#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With `notify`, arqlink reports to a program what it did to the program's UDP and DCCP packets, if
they carry the cross-layer option. The program reads the reports without privilege."""
# run.sh: needs: simulated time
import socket

from lib import arq_device, hosts, icmp, kmod, netlink, notice, program, setup, tap, uapi, wait, xlo
from lib.arq_frame import DATA, MS, SKIP
from lib.arq_peer import Scripted

STEP = 100 * MS
FAILING = {"timer": arq_device.FIXED, "timeout": STEP, "attempts": 2, "window": 2, "ring": 10**5,
           "frame": 1000, "notify": 1, "backlog": 0}
PROBE = uapi.ARQLINK_FLUSH_PROBE
OWN, FAR = hosts.ADDRESSES["left"], hosts.ADDRESSES["right"]
PEER_MAC = "02:00:00:00:00:12"


class Link(Scripted):
    """A host whose link is the device. The peer of the link is controlled by the test, and xlo
    stamps the packets that have the profile's mark, by default all."""

    def __init__(self, profile=None, **values):
        kmod.insmod("xlo_rto")
        super().__init__(**FAILING | values)
        # before the first report about a multicast group
        hosts.quiet(self.ns)
        self.ns.sysctl("net.ipv6.conf.arq0.disable_ipv6", 0)
        self.ns.sysctl("net.ipv6.conf.arq0.router_solicitations", 0)
        # the reports to this host's own address come by lo
        self.ns.ip("link set lo up")
        route = netlink.Netlink(self.ns)
        for own, prefix, far in zip(OWN, (24, 64), FAR):
            setup.add_address(route, "arq0", own, prefix)
            setup.set_neighbour(route, "arq0", far, PEER_MAC)
        hosts.await_address(self.ns, OWN[1])
        xlo.Client(self.ns).profile_add(**program.ALL | (profile or {}))
        self.notices = xlo.Account(xlo.Client(self.ns, "xlo_rto"), "notices")
        self.peer.forget()

    def program(self, way):
        return program.Program(self.ns, way, FAR[way.family == socket.AF_INET6])

    def tried(self, sender, number, attempts=2):
        """Let the program send a packet, and wait until it has been transmitted."""
        tap.equal("error of the call", sender.send(), 0)
        self.peer.data(*[number] * attempts)

    def expect(self, **wanted):
        notice.expect(self.notices, **wanted)


def gives_up(way):
    """A packet that the link gives up is reported as DROP."""
    with Link() as link, link.program(way) as sender:
        link.tried(sender, 0)
        link.peer.expect(SKIP)
        program.check(way, sender.told(), icmp.DROP)
        link.device.expect(drops=1, attempts=1)
        link.expect(asked=1, sent=1)


def recovers(way):
    """A packet whose last attempt arrives is reported as DEFER."""
    with Link() as link, link.program(way) as sender:
        link.tried(sender, 0)
        link.peer.ack(1, after=10 * MS)
        program.check(way, sender.told(), icmp.DEFER)
        link.device.expect(sent=1, defers=1, drops=0)
        link.expect(asked=1, sent=1)


def comes_back(way):
    """When the link is good again, the packet that was given up is reported as LINK-UP."""
    with Link(flush=PROBE) as link, link.program(way) as sender:
        link.tried(sender, 0, 4)
        program.check(way, sender.told(), icmp.DROP)
        link.peer.ack(1, after=10 * MS)
        program.check(way, sender.told(), icmp.LINK_UP)
        link.device.expect(sent=1, link_ups=1, drops=1)
        link.expect(asked=2, sent=2)


def is_silent(way):
    """A packet without the option is given up without a report."""
    with Link(profile={"mark": 1, "mask": 1}) as link, link.program(way) as sender:
        link.tried(sender, 0)
        link.peer.expect(SKIP)
        link.device.expect(drops=1, attempts=1)
        link.expect(asked=1, no_option=1)
        tap.equal("entry", sender.error(), None)
        tap.equal("error of a later call", sender.send(), 0)


def goes_on(way):
    """In an outage of 6 s a program that sends on, although a call fails after each report, sends
    each of its packets, and learns of each that it was given up."""
    with Link() as link, link.program(way) as sender:
        for number in range(30):
            if sender.send():
                tap.equal("error of the second call", sender.send(), 0)
            heard = link.peer.heard(2 * STEP + 10 * MS)
            tap.equal("frames", [frame.number for frame in heard if frame.kind == DATA],
                      [number] * 2)
        wait.until("all reports are sent", lambda: not link.notices.risen()["asked"] - 30)
        link.expect(asked=30, sent=30)
        for _ in range(30):
            program.check(way, sender.told(), icmp.DROP)


if __name__ == "__main__":
    tap.run([(f"{check.__name__}:{way.name}", lambda check=check, way=way: check(way))
             for check in (gives_up, recovers, comes_back, is_silent, goes_on)
             for way in program.UDP + program.RAW])
