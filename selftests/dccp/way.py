# SPDX-License-Identifier: GPL-2.0-or-later
"""A way from freshlink's DCCP source to its sink: a router in the middle, and behind the router a
cellink.

    source s0 ===== r0 router cell0 ==cellink== cell1 sink"""
import json
import os
import socket
import subprocess

from lib import bench, cell, child, hosts, kmod, netlink, netns, setup, tap, tc, tree

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
FRESHLINK = os.path.join(TREE, "build", "tools", "freshlink")
FAMILIES = socket.AF_INET, socket.AF_INET6
SOURCE, SINK = ("10.1.0.1", "fd01::1"), ("10.2.0.2", "fd02::2")
NEAR, FAR = ("10.1.0.2", "fd01::2"), ("10.2.0.1", "fd02::1")    # addresses of the router
MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"      # of both ends of each of the two links
HANDLES = {"pfifo": 0x10000, "lpd": 0x20000}


class Way:
    """The way. The arguments are attributes of the cellink in the direction to the sink, see
    lib/cell.py; `back` has those of the other direction."""

    link = "cell0", "cell1"     # the devices of router and sink that have addresses

    def __init__(self, back=None, **there):
        kmod.modprobe("veth")
        kmod.insmod("cellink")
        self.source, self.router, self.sink = (netns.Netns() for _ in range(3))
        self.running = []
        self._wire()
        self.cell = self._cellink(back or {}, there)
        for ns, ends in ((self.source, [("s0", SOURCE, NEAR, MAC[1])]),
                         (self.router, [("r0", NEAR, SOURCE, MAC[0]),
                                        (self.link[0], FAR, SINK, MAC[1])]),
                         (self.sink, [(self.link[1], SINK, FAR, MAC[0])])):
            self._address(ns, ends)

    def _wire(self):
        netns.veth(self.source, "s0", self.router, "r0")
        # without segmentation of TCP below the queue
        hosts.offload(self.source, "s0", tso=False, gso=False)

    def _cellink(self, back, there):
        near, far = cell.End(self.router, "cell0"), cell.End(self.sink, "cell1")
        mac = [netlink.attr(netlink.IFLA_ADDRESS, a) for a in cell.ADDRESSES]
        near.create(*cell.options(there), cell.peer("cell1", *cell.options(back), ns=self.sink,
                                                    more=mac[1]), more=mac[0])
        near.up()
        far.up()
        self.queue("pfifo", netlink.u32(1000))
        far.netlink.qdisc("cell1", netlink.NLM_F_CREATE, "pfifo", netlink.u32(1000),
                          handle=HANDLES["pfifo"])
        return near

    def _address(self, ns, ends):
        route = netlink.Netlink(ns)
        for name in ("all", *(device for device, *_ in ends)):
            ns.sysctl(f"net.ipv6.conf.{name}.disable_ipv6", 0)
            ns.sysctl(f"net.ipv6.conf.{name}.router_solicitations", 0)
            ns.sysctl(f"net.ipv6.conf.{name}.forwarding", int(ns is self.router))
        ns.sysctl("net.ipv4.ip_forward", int(ns is self.router))
        for device, own, others, mac in ends:
            for address, prefix, other in zip(own, (24, 64), others):
                setup.add_address(route, device, address, prefix)
                setup.set_neighbour(route, device, other, mac)
                if ns is not self.router:
                    setup.add_gateway(route, other)
            hosts.await_address(ns, own[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for ns in (self.source, self.router, self.sink):
            ns.close()

    def queue(self, kind, *options):
        """Replace the qdisc above the cellink."""
        self.netlink = netlink.Netlink(self.router)
        self.netlink.qdisc("cell0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, kind, *options,
                           handle=HANDLES[kind])

    def lpd(self, **options):
        tc.need("lpd")
        self.queue("lpd", *bench.lpd_options(**options))

    def counters(self):
        """The counters of the lpd above the cellink."""
        return tree.checked(self.netlink, "cell0").lpd().counters

    def start(self, ns, words, **how):
        """Start freshlink in a namespace."""
        with ns.inside():
            process = subprocess.Popen([FRESHLINK, *words.split()], **(
                {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | how))
        self.running.append(process)
        return process

    def listen(self, words="--connections 1"):
        """Start a sink, and wait until it listens."""
        process = self.start(self.sink, f"traffic dccp-sink -j {words}")
        tap.equal("the sink", process.stderr.readline(), "listening on port 5001\n")
        return process

    def send(self, words, family=socket.AF_INET, root=False):
        """Start a source, by default without privilege."""
        to = SINK[family == socket.AF_INET6]
        user = {} if root else {"user": child.NOBODY, "group": child.NOBODY, "extra_groups": []}
        return self.start(self.source, f"traffic dccp-source {to} -j {words}", **user)


def result(process):
    """Wait for a process. Returns its summary."""
    out, err = process.communicate()
    tap.equal(f"exit status ({err.strip()})", process.returncode, 0)
    return json.loads(out)
