# SPDX-License-Identifier: GPL-2.0-or-later
"""A pair of arqlink devices in two namespaces, above a pair of cellink devices.

    left arq0 ==> cell0 ~~ channel ~~> cell1 ==> arq1 right
              <== cell0 <~ channel ~~~ cell1 <=="""
import re

from . import cell, kmod, link, netlink, tap, uapi

HEADER = uapi.Header("arqlink.h")
IFLA_LINK = 5
ENCODERS = {"u8": netlink.u8, "u32": netlink.u32, "u64": netlink.u64, "binary": bytes}
# the description of an attribute begins with its type
ATTRIBUTES = {name: (number, ENCODERS[re.match(r"\w+",
                                               HEADER.described[f"ARQLINK_{name.upper()}"])[0]])
              for name, number in uapi.words("arqlink_attr", "ARQLINK_").items()}
COUNTERS = {number: name for name, number in
            uapi.words("arqlink_stats", "ARQLINK_STATS_").items()}
MS, S = 10**6, 10**9
DEFAULTS = {"remote": bytes(6), "frame": 250, "window": 8, "timer": 1, "timeout": 1100 * MS,
            "floor": 10 * MS, "mean_factor": 3000, "deviation_factor": 2000, "gains": 0,
            "variance": 0, "clock": 0, "reject": 0, "ack_delay": 5 * MS, "attempts": 0,
            "persist": 0, "lifetime": 0, "rate": 0, "below": 2, "ring": 3000,
            "bypass_mark": 0, "bypass_mask": 0, "bypass_dscp": 0,
            "reliable_mark": 0, "reliable_mask": 0, "reliable_dscp": 0, "copies": 0,
            "flush": 0, "notify": 0, "backlog": 3,
            "ceiling": 60 * S, "estimate": 0, "order": 0, "pack": 0}
# bytes that a frame has in addition to its piece of a packet, without the lower Ethernet header
OVERHEAD = uapi.ARQLINK_HLEN + 14


def between(first, last):
    """The names of the counters from `first` to `last`."""
    names = list(COUNTERS.values())
    return names[names.index(first):names.index(last) + 1]


class End(link.End):
    """One end of the pair."""

    KIND, ATTRIBUTES, COUNTERS = "arqlink", ATTRIBUTES, COUNTERS

    def above(self, lower, *data, more=b"", **values):
        """Create the device above a lower device of the same namespace."""
        index = netlink.u32(self.netlink.ifindex(lower))
        self.create(*self.options(values), *data, more=netlink.attr(IFLA_LINK, index) + more)

    def settings(self):
        """The configuration, as the kernel reports it."""
        return self.numbers() | {"remote": self.attributes()[ATTRIBUTES["remote"][0]]}

    def counters(self):
        """The counters. The test fails if a sum of the counters is wrong."""
        found = super().counters()
        found["srttvar"] -= (found["srttvar"] >> 63) << 64      # it has a sign
        for whole, parts in (("packets_in", ["sent", "bypassed", "held",
                                             *between("expired", "nomem")]),
                             ("frames_in", between("in_hello", "in_nomem"))):
            tap.equal(f"{whole} of {self.name}", found[whole],
                      sum(found[name] for name in parts))
        return found


class Pair:
    """A pair of arqlink devices, which are up and connected. `below` are attributes of both
    cellink devices, `back` are attributes of the right device."""

    def __init__(self, below=None, back=None, **there):
        self.below = cell.Pair(back=below, **below or {})
        kmod.insmod("arqlink")
        self.left = End(self.below.left.ns, "arq0")
        self.right = End(self.below.right.ns, "arq1")
        self.left.above("cell0", **there)
        self.right.above("cell1", **back or {})
        self.up()

    def up(self):
        """Set both devices up, and wait until they are connected."""
        self.left.up()
        self.right.up()
        for end in (self.left, self.right):
            end.expect(connected=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.below.__exit__()
