#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A DCCP connection hears by arqlink's messages which of its packets the link gave up, over both
carriers and families. The soft errors that come with the messages cost no packet, and do not end the
connection."""
# run.sh: needs: simulated time
import contextlib
import os
import subprocess

from dccp import way
from lib import (arq_device, child, hosts, kmod, linux_dccp, netlink, notice, setup, tap,
                 xlo)
from lib.arq import MS

COUNT = 300
# about one packet in ten is lost in both attempts, because the way to the sink loses 30 %
LINK = {"timer": arq_device.FIXED, "timeout": 200 * MS, "attempts": 2, "frame": 1500, "window": 100,
        "notify": 1, "backlog": 0}
WORDS = f"--via txtime --lifetime 20s --size 1000 --count {COUNT} --ccid 2"


class Line(arq_device.Pair):
    """The hosts of a source and a sink, which are connected by arqlink."""

    def __init__(self):
        kmod.insmod("xlo_rto")
        super().__init__(channel={"delay": 20 * MS}, **LINK)
        for end, own, far, mac in ((self.left, "left", "right", arq_device.UPPER[1]),
                                   (self.right, "right", "left", arq_device.UPPER[0])):
            self._address(end, hosts.ADDRESSES[own], hosts.ADDRESSES[far], mac.hex(":"))
        xlo.Client(self.left.ns).set(txtime=1)
        self.notices = xlo.Account(xlo.Client(self.left.ns, "xlo_rto"), "notices")
        self.lower.left.change(loss=300_000, seed=1)

    def _address(self, end, own, far, mac):
        hosts.quiet(end.ns)
        # other tests may have loaded the kernel's own DCCP, which would refuse the Request
        end.ns.run("nft -f -", stdin=linux_dccp.SILENT)
        end.ns.sysctl(f"net.ipv6.conf.{end.name}.disable_ipv6", 0)
        end.ns.sysctl(f"net.ipv6.conf.{end.name}.router_solicitations", 0)
        # the messages to this host's own address come by lo
        end.ns.ip("link set lo up")
        route = netlink.Netlink(end.ns)
        for address, prefix, other in zip(own, (24, 64), far):
            setup.add_address(route, end.name, address, prefix)
            setup.set_neighbour(route, end.name, other, mac)
        hosts.await_address(end.ns, own[1])

    @contextlib.contextmanager
    def sink(self, carrier):
        process = self.start(self.right.ns, "dccp-sink --connections 1", carrier)
        try:
            tap.true("the sink listens", "listening" in process.stderr.readline())
            yield
        finally:
            process.kill()
            process.communicate()

    def start(self, ns, words, carrier):
        """Start freshlink, with a privilege only if the carrier needs it."""
        user = {} if carrier == "ip" else {"user": child.NOBODY, "group": child.NOBODY,
                                           "extra_groups": []}
        with ns.inside():
            return subprocess.Popen(
                [way.FRESHLINK, "traffic", *words.split(), "-j", "--carrier", carrier,
                 "--kernel-silent"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                **user)


def goes_on(carrier, family):
    """The source sends all its packets, each of which reaches the link. It hears of packets that the
    link gave up: each message that was sent arrives, and nearly all are believed."""
    with Line() as line, line.sink(carrier):
        before = line.left.counters()["packets_in"]
        seen = way.result(line.start(
            line.left.ns, f"dccp-source {hosts.address('right', family)} {WORDS}", carrier))
        tap.equal("packets and end", (seen["sent"], seen["end"]), (COUNT, "closed"))
        link, counters = line.left.counters(), seen["counters"]
        tap.note({name: link[name] for name in ("drops", "defers")} | counters | seen["fates"])
        tap.equal("packets that reached the link", link["packets_in"] - before, counters["sent"])
        tap.true("packets were given up", min(link["drops"], seen["fates"]["lost"]) > COUNT // 30)
        told = line.notices.risen()
        tap.equal("asked", told["asked"], link["drops"] + link["defers"])
        ignored = counters.get("icmp_ignored", 0)
        tap.equal("messages that arrived", counters["icmp_believed"] + ignored, told["sent"])
        tap.within("messages that were not believed", ignored, 0, told["sent"] // 10)


if __name__ == "__main__":
    tap.run([(f"goes_on:{carrier}-{family.name}",
              lambda carrier=carrier, family=family: goes_on(carrier, family))
             for carrier in ("udp", "ip") for family in way.FAMILIES])
