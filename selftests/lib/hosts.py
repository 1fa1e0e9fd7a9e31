# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts in two network namespaces, which are connected by a veth pair.

    left v0 ===== v1 right"""
import os
import socket

from . import ethtool, netlink, netns, setup, tap, wait

ADDRESSES = {"left": ("10.1.0.1", "fd01::1"), "right": ("10.1.0.2", "fd01::2")}
SO_MARK = 36


class Hosts:
    """The two hosts. Addresses and neighbour entries are static, so only the traffic under test is
    on the wire."""

    def __init__(self, mtu=None):
        if os.geteuid():
            tap.skip("making network namespaces needs root")
        self.left, self.right = netns.Netns(), netns.Netns()
        netns.veth(self.left, "v0", self.right, "v1", mtu)
        for ns, device, name, other, mac in (
                (self.left, "v0", "left", "right", "02:00:00:00:00:02"),
                (self.right, "v1", "right", "left", "02:00:00:00:00:01")):
            ns.sysctl(f"net.ipv6.conf.{device}.disable_ipv6", 0)
            ns.sysctl(f"net.ipv6.conf.{device}.router_solicitations", 0)
            route = netlink.Netlink(ns)
            for own, prefix, there in zip(ADDRESSES[name], (24, 64), ADDRESSES[other]):
                setup.add_address(route, device, own, prefix)
                setup.set_neighbour(route, device, there, mac)
            await_address(ns, ADDRESSES[name][1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.left.close()
        self.right.close()


def await_address(ns, address):
    """Wait until the kernel uses an IPv6 address. The kernel needs some time after the address was
    set."""
    local = socket.inet_pton(socket.AF_INET6, address).hex() + " 80 "

    def in_force():
        with ns.inside(), open("/proc/thread-self/net/ipv6_route") as file:
            return any(line.startswith(local) for line in file)
    wait.until(f"the kernel uses {address}", in_force)


def address(name, family):
    """The address of the host `name`, which is "left" or "right"."""
    return ADDRESSES[name][family == socket.AF_INET6]


def quiet(ns):
    """Drop the kernel's reports about multicast groups, because the kernel may send them at any
    time."""
    ns.run("nft -f -", stdin="table ip6 quiet { chain out { type filter hook output "
           "priority 0; ip6 daddr ff00::/8 drop; }; }")


def offload(ns, device, **features):
    """Switch offloads of a device on or off. The features have ethtool's names."""
    ethtool.switch(ns, device, **features)
