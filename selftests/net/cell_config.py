#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is set is what the kernel tells; a request is applied whole or not at all, and a refusal
names the attribute and its range."""
import errno
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import cell, netlink, netns, tap

ODD = {"rate": 123_457, "delay": 7_654_321, "ring_packets": 17, "ring_bytes": 4321}
LIMITS = {"rate": (0, 125_000_000_000), "delay": (0, 60 * cell.S), "ring_packets": (1, 65536),
          "ring_bytes": (0, 1 << 30)}
RANGES = {"rate": "0 (unlimited) to 125000000000 bytes/s", "delay": "0 to 60 s",
          "ring_packets": "1 to 65536", "ring_bytes": "0 (no limit) to 1073741824"}


def refused(what, function, code, text, attribute=None):
    """The request is refused so."""
    try:
        function()
    except netlink.Refused as refusal:
        tap.equal(what, (refusal.code, refusal.text), (code, text))
        if attribute:
            tap.equal(f"{what}: attribute", refusal.attribute, attribute)
        return
    raise tap.Failed(f"{what}: was not refused")


def test_defaults():
    """What is not said has its default, the peer's direction too."""
    with cell.Pair() as pair:
        tap.equal("left", pair.left.config(), cell.DEFAULTS)
        tap.equal("right", pair.right.config(), cell.DEFAULTS)


def test_round_trip():
    """Each direction is told as it was set."""
    with cell.Pair(back={"rate": 99}, **ODD) as pair:
        tap.equal("left", pair.left.config(), cell.DEFAULTS | ODD)
        tap.equal("right", pair.right.config(), cell.DEFAULTS | {"rate": 99})


def test_change_keeps_the_rest():
    """A change of one attribute leaves the others, and the other direction."""
    for name, value in ODD.items():
        with cell.Pair(back=ODD) as pair:
            pair.left.change(**{name: value})
            tap.equal("changed", pair.left.config(), cell.DEFAULTS | {name: value})
            tap.equal("the other direction", pair.right.config(), cell.DEFAULTS | ODD)


def test_limits():
    """Both ends of each range are taken."""
    with cell.Pair() as pair:
        for end in (0, 1):
            values = {name: limits[end] for name, limits in LIMITS.items()}
            pair.left.change(**values)
            tap.equal("set", pair.left.config(), cell.DEFAULTS | values)


def test_refused_whole():
    """One attribute outside of its range: all stay as they were, whichever came first."""
    with cell.Pair(**ODD) as pair:
        for name, (low, high) in LIMITS.items():
            for wrong in [high + 1] + ([low - 1] if low else []):
                refused(f"{name} {wrong}",
                        lambda: pair.left.change(delay=1, **{name: wrong})
                        if name != "delay" else pair.left.change(rate=1, delay=wrong),
                        errno.ERANGE, f"cellink: {name} must be {RANGES[name]}",
                        cell.ATTRIBUTES[name][0])
                tap.equal("as it was", pair.left.config(), cell.DEFAULTS | ODD)


def end_of(ns, name="cell0"):
    """An end that is not there yet."""
    cell.kmod.insmod("cellink")
    return cell.End(ns, name)


def test_refused_creation_leaves_nothing():
    """Neither device is made if one cannot be, whatever is wrong with which."""
    huge = cell.options({"delay": 1 << 62})
    with netns.Netns() as ns:
        end = end_of(ns)
        text = f"cellink: delay must be {RANGES['delay']}"
        refused("first", lambda: end.create(*huge, cell.peer("cell1")), errno.ERANGE, text)
        refused("peer", lambda: end.create(cell.peer("cell1", *huge)), errno.ERANGE, text)
        refused("a peer of a peer", lambda: end.create(cell.peer("cell1", cell.peer("cell2"))),
                errno.EINVAL, "Unsupported attribute")
        queues = netlink.attr(31, netlink.u32(4))
        refused("queues", lambda: end.create(more=queues), errno.EINVAL, "cellink: numtxqueues "
                "must be 1: a radio sends one packet at a time")
        refused("queues of the peer", lambda: end.create(cell.peer("cell1", more=queues)),
                errno.EINVAL, "cellink: numtxqueues must be 1: a radio sends one packet at a time")
        group = netlink.attr(netlink.IFLA_ADDRESS, bytes.fromhex("010000000001"))
        refused("address", lambda: end.create(cell.peer("cell1", more=group)),
                errno.EADDRNOTAVAIL, "cellink: address must be of one host")
        short = netlink.attr(netlink.IFLA_ADDRESS, bytes(5))
        refused("a short address", lambda: end.create(cell.peer("cell1", more=short)),
                errno.EINVAL, "cellink: address must have 6 bytes")
        refused("the same name", lambda: end.create(cell.peer("cell0")), errno.EEXIST, "")
        for name in ("cell0", "cell1"):
            tap.equal(name, end.netlink.link(name), None)
        end.create(cell.peer("cell1"))


def test_refused_change():
    """A peer is for creation."""
    with cell.Pair() as pair:
        refused("peer", lambda: pair.left.change(cell.peer("cell2")), errno.EINVAL,
                "cellink: a peer is for creation only", cell.PEER)


def test_malformed_attributes():
    """An attribute of another length is refused, and one that is cut off."""
    with cell.Pair(**ODD) as pair:
        for number, _ in cell.ATTRIBUTES.values():
            for size in (0, 1, 3, 5, 7, 9):
                try:
                    pair.left.change(netlink.attr(number, bytes([1] * size)))
                except netlink.Refused as refusal:
                    tap.true(refusal, refusal.code in (errno.EINVAL, errno.ERANGE))
                    continue
                raise tap.Failed(f"attribute {number} of {size} bytes was taken")
        tap.equal("as it was", pair.left.config(), cell.DEFAULTS | ODD)


def test_short_peer():
    """A peer without a whole header is refused."""
    with netns.Netns() as ns:
        end = end_of(ns)
        for size in (0, 4, 15):
            body = netlink.attr(cell.PEER | netlink.NLA_F_NESTED, bytes(size))
            try:
                end.create(body)
            except netlink.Refused as refusal:
                tap.true(refusal, refusal.code in (errno.EINVAL, errno.ERANGE))
                continue
            raise tap.Failed(f"a peer of {size} bytes was taken")


def test_without_a_word_of_the_peer():
    """A pair is made without one, in one namespace, and the kernel finds names."""
    with netns.Netns() as ns:
        end = end_of(ns)
        end.create()
        tap.true("the peer", end.netlink.link("cellink0"))
        tap.equal("the peer's direction", cell.End(ns, "cellink0").config(), cell.DEFAULTS)


def test_ifindex_of_the_peer():
    """Each names the other as its lower device."""
    with netns.Netns() as ns:
        end = end_of(ns)
        end.create(cell.peer("cell1"))
        iflink = {name: struct.unpack("=I", end.netlink.link(name)[5])[0]
                  for name in ("cell0", "cell1")}
        tap.equal("links", iflink, {"cell0": end.netlink.ifindex("cell1"),
                                    "cell1": end.netlink.ifindex("cell0")})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
