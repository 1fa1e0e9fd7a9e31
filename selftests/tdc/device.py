# SPDX-License-Identifier: GPL-2.0-or-later
"""The device that the tests in this folder configure, in its own namespace."""
import contextlib

from lib import kmod, netlink, netns, tc, tree


class Device:
    """A namespace with lo, or with a dummy device that accepts every packet."""

    def __init__(self, name="lo"):
        tc.need("lpd")
        if name != "lo":
            kmod.modprobe("dummy")
        self.name = name
        self.ns = netns.Netns()
        if name != "lo":
            self.ns.run(f"ip link add {name} type dummy")
        self.ns.link(name, True)
        self.netlink = netlink.Netlink(self.ns)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # a pending packet would hold a reference to its socket, and the socket to the namespace
        with contextlib.suppress(OSError):
            self.ns.link(self.name, False)
        self.ns.close()

    def tree(self):
        return tree.Tree(self.netlink, self.name)

    def dump(self):
        """Every qdisc as the kernel reports it."""
        return [(str(q), q.parent, q.raw_options, q.app, q.qlen, q.backlog, q.drops)
                for q in self.tree().qdiscs]
