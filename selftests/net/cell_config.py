#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel reports the configuration that was set. A request is applied completely or not at all.
If the kernel refuses a request, its answer names the wrong attribute."""
import errno
import struct

from lib import cell, netlink, netns, tap
from lib.link import refused

DAY = 86_400 * cell.S
ODD = {"rate": 123_457, "delay": 7_654_321, "ring_packets": 17, "ring_bytes": 4321,
       "loss": 15_001, "ber": 1_234_567, "good": 9_876_543, "bad": 8_765_432,
       "bad_loss": 98_001, "bad_ber": 10_000_000_007, "sojourn": cell.CONSTANT,
       "corrupt": cell.TOLERANT, "outage_start": 5, "outage_every": cell.S,
       "outage_law": cell.EXPONENTIAL, "outages": [(1, 1), (2, 5 * cell.S), (DAY, DAY)],
       "buffer": 54_321, "grant": 12_345_678, "ber_state": cell.PER_BIT}
JITTER = {"outage_jitter": 7}       # excludes the exponential law
LIMITS = {"rate": (0, 125_000_000_000), "delay": (0, 60 * cell.S), "ring_packets": (1, 65536),
          "ring_bytes": (0, 1 << 30), "loss": (0, 1_000_000), "ber": (0, 10**11),
          "good": (cell.MS, DAY), "bad": (cell.MS, DAY), "bad_loss": (0, 1_000_000),
          "bad_ber": (0, 10**11), "sojourn": (0, 1), "corrupt": (0, 2),
          "outage": (0, DAY), "outage_start": (0, DAY), "outage_every": (cell.MS, DAY),
          "outage_jitter": (0, DAY), "outage_law": (0, 1), "buffer": (0, 1 << 26),
          "grant": (0, 10 * cell.S), "ber_state": (0, 1)}
# a netlink policy cannot express that these attributes may also be 0
OR_NOTHING = {"good": "1 ms to 86400 s, or 0 (for ever)", "bad": "1 ms to 86400 s, or 0 (never)",
              "outage_every": "1 ms to 86400 s, or 0 (once)"}
OUT_OF_RANGE = "integer out of range"
# good and bad can only be set together
STATES = {"good": {"bad": DAY}, "bad": {"good": DAY}}
NOTHING = {"outages": [], "outage_jitter": 0, "outage_every": 0, "good": 0, "bad": 0}


def test_defaults():
    """An attribute that is not in the request has its default value, in both directions."""
    with cell.Pair() as pair:
        tap.equal("left", pair.left.settings(), cell.DEFAULTS)
        tap.equal("right", pair.right.settings(), cell.DEFAULTS)


def test_round_trip():
    """The kernel reports each direction's settings as they were set."""
    with cell.Pair(back=JITTER, **ODD) as pair:
        tap.equal("left", pair.left.settings(), cell.DEFAULTS | ODD)
        tap.equal("right", pair.right.settings(), cell.DEFAULTS | JITTER)


def test_change_keeps_the_rest():
    """A change of one attribute keeps the other attributes and the other direction."""
    for name, value in (ODD | JITTER).items():
        with cell.Pair(back=ODD) as pair:
            values = {name: value} | STATES.get(name, {})
            seed = pair.left.config()["seed"]
            pair.left.change(**values)
            tap.equal("settings after the change", pair.left.settings(), cell.DEFAULTS | values)
            tap.equal("seed", pair.left.config()["seed"], seed)
            tap.equal("the other direction", pair.right.settings(), cell.DEFAULTS | ODD)


def test_limits():
    """cellink accepts the smallest and the largest value of each attribute."""
    with cell.Pair() as pair:
        for name, limits in LIMITS.items():
            for value in limits:
                pair.left.change(**NOTHING, outage=0)
                values = STATES.get(name, {}) | {name: value}
                pair.left.change(**values)
                told = pair.left.settings()
                tap.equal(name, {name: told[name] for name in values}, values)


def test_refused_whole():
    """If one attribute is out of range, cellink keeps all settings, for any order of the
    attributes."""
    with cell.Pair(**ODD) as pair:
        for name, (low, high) in LIMITS.items():
            for wrong in [high + 1] + ([low - 1] if low else []):
                values = {"rate": 1, "delay": 1} | {name: wrong}
                text = OUT_OF_RANGE
                if name in OR_NOTHING and wrong < low:
                    text = f"cellink: {name} must be {OR_NOTHING[name]}"
                refused(f"{name} {wrong}", lambda: pair.left.change(**values), errno.ERANGE, text,
                        cell.ATTRIBUTES[name][0])
                tap.equal("settings are unchanged", pair.left.settings(), cell.DEFAULTS | ODD)


def end_of(ns, name="cell0"):
    """An end of a pair that does not exist yet."""
    cell.kmod.insmod("cellink")
    return cell.End(ns, name)


def test_refused_creation_leaves_nothing():
    """If one of the two devices cannot be created, cellink creates no device."""
    huge = cell.options({"delay": 1 << 62})
    with netns.Netns() as ns:
        end = end_of(ns)
        refused("first", lambda: end.create(*huge, cell.peer("cell1")), errno.ERANGE, OUT_OF_RANGE)
        refused("peer", lambda: end.create(cell.peer("cell1", *huge)), errno.ERANGE, OUT_OF_RANGE)
        refused("a peer of a peer", lambda: end.create(cell.peer("cell1", cell.peer("cell2"))),
                errno.EINVAL, "Unsupported attribute")
        queues = netlink.attr(31, netlink.u32(4))
        refused("queues", lambda: end.create(more=queues), errno.EINVAL, "cellink: numtxqueues "
                "must be 1: a radio sends one packet at a time")
        refused("queues of the peer", lambda: end.create(cell.peer("cell1", more=queues)),
                errno.EINVAL, "cellink: numtxqueues must be 1: a radio sends one packet at a time")
        group = netlink.attr(netlink.IFLA_ADDRESS, bytes.fromhex("010000000001"))
        refused("address", lambda: end.create(cell.peer("cell1", more=group)),
                errno.EADDRNOTAVAIL, "cellink: address must be a unicast address")
        short = netlink.attr(netlink.IFLA_ADDRESS, bytes(5))
        refused("a short address", lambda: end.create(cell.peer("cell1", more=short)),
                errno.EINVAL, "cellink: address must have 6 bytes")
        refused("the same name", lambda: end.create(cell.peer("cell0")), errno.EEXIST, "")
        for name in ("cell0", "cell1"):
            tap.equal(name, end.netlink.link(name), None)
        end.create(cell.peer("cell1"))


def test_states_come_in_pairs():
    """The lengths of the good state and of the bad state can only be set and removed together."""
    text = "cellink: good and bad must both be times, or both 0"
    with cell.Pair() as pair:
        for name in ("good", "bad"):
            refused(name, lambda: pair.left.change(**{name: cell.S}), errno.EINVAL, text,
                    cell.ATTRIBUTES[name][0])
        pair.left.change(good=cell.S, bad=cell.S)
        for name in ("good", "bad"):
            refused(f"no {name}", lambda: pair.left.change(**{name: 0}), errno.EINVAL, text)
        pair.left.change(good=0, bad=0)
        tap.equal("settings", pair.left.settings(), cell.DEFAULTS)


def test_outages_that_cannot_be():
    """A schedule of outages must be in order and within the limits, and cannot be combined with a
    law. A law must leave time between outages. The exponential law allows no jitter."""
    malformed = "cellink: outages must be at most 32, in order and without overlap, their " \
        "times at most 86400 s and lengths not 0"
    number = cell.ATTRIBUTES["outages"][0]
    with cell.Pair() as pair:
        for wrong in ([(5, 5), (9, 1)], [(5, 5), (1, 1)], [(1, 0)], [(DAY + 1, 1)],
                      [(1, DAY + 1)], [(k, 1) for k in range(33)]):
            refused(wrong, lambda: pair.left.change(outages=wrong), errno.EINVAL, malformed,
                    number)
        refused("incomplete outage", lambda: pair.left.change(netlink.attr(number, bytes(15))),
                errno.EINVAL, malformed, number)
        refused("schedule and law",
                lambda: pair.left.change(outages=[(1, 1)], outage=1), errno.EINVAL,
                "cellink: outage and outages: expected one of them")
        text = "cellink: outage_every must be more than outage and outage_jitter together"
        for values in ({"outage": cell.S}, {"outage_jitter": cell.S},
                       {"outage": cell.S // 2, "outage_jitter": cell.S // 2}):
            refused(values, lambda: pair.left.change(outage_every=cell.S, **values),
                    errno.EINVAL, text, cell.ATTRIBUTES["outage_every"][0])
        law = {"outage_law": cell.EXPONENTIAL}
        text = "cellink: outage_jitter must be 0 with outage_law exponential"
        refused("jitter and law", lambda: pair.left.change(**JITTER, **law), errno.EINVAL, text,
                cell.ATTRIBUTES["outage_jitter"][0])
        tap.equal("settings are unchanged", pair.left.settings(), cell.DEFAULTS)
        for first, second in ((JITTER, law), (law, JITTER)):
            pair.left.change(**first)
            [name] = second
            refused(f"{name} in addition", lambda: pair.left.change(**second), errno.EINVAL, text,
                    cell.ATTRIBUTES[name][0])
            pair.left.change(**{name: cell.DEFAULTS[name] for name in first})
        full = [(2 * k, 1) for k in range(32)]
        pair.left.change(outages=full)
        tap.equal("longest schedule", pair.left.settings()["outages"], full)
        refused("law in addition to a schedule", lambda: pair.left.change(outage=1), errno.EINVAL,
                "cellink: outage and outages: expected one of them")
        pair.left.change(outages=[], outage=1)


def test_seeds():
    """By default, each direction has its own seed. A configured seed does not change."""
    with cell.Pair() as one, cell.Pair() as other:
        seeds = {end.config()["seed"] for pair in (one, other) for end in (pair.left, pair.right)}
        tap.equal("different seeds", len(seeds), 4)
    with cell.Pair(seed=0xffffffff, back={"seed": 0}) as pair:
        tap.equal("left", pair.left.config()["seed"], 0xffffffff)
        tap.equal("right", pair.right.config()["seed"], 0)


def test_handover_is_of_one_change():
    """The attribute `handover` applies to one change and is not stored. cellink accepts only the
    two defined values of `handover`."""
    with cell.Pair() as pair:
        pair.left.change(handover=cell.LOSE)
        tap.equal("settings without handover", pair.left.settings(), cell.DEFAULTS)
        refused("other value of handover",
                lambda: pair.left.change(handover=2), errno.ERANGE, OUT_OF_RANGE)


def test_refused_change():
    """A request may contain a peer only when it creates a device."""
    with cell.Pair() as pair:
        refused("peer", lambda: pair.left.change(cell.peer("cell2")), errno.EINVAL,
                "cellink: peer must be given at creation only", cell.PEER)


def test_malformed_attributes():
    """cellink refuses an attribute of a wrong length."""
    with cell.Pair(**ODD) as pair:
        for name, (number, _) in cell.ATTRIBUTES.items():
            if name == "outages":
                continue
            for size in (0, 2, 3, 5, 7, 9):
                try:
                    pair.left.change(netlink.attr(number, bytes([1] * size)))
                except netlink.Refused as refusal:
                    tap.true(refusal, refusal.code in (errno.EINVAL, errno.ERANGE))
                    continue
                raise tap.Failed(f"attribute {number} of {size} bytes was accepted")
        tap.equal("settings are unchanged", pair.left.settings(), cell.DEFAULTS | ODD)


def test_short_peer():
    """cellink refuses a peer without a complete header."""
    with netns.Netns() as ns:
        end = end_of(ns)
        for size in (0, 4, 15):
            body = netlink.attr(cell.PEER | netlink.NLA_F_NESTED, bytes(size))
            try:
                end.create(body)
            except netlink.Refused as refusal:
                tap.true(refusal, refusal.code in (errno.EINVAL, errno.ERANGE))
                continue
            raise tap.Failed(f"a peer of {size} bytes was accepted")


def test_without_a_word_of_the_peer():
    """If the request does not mention the peer, both devices are created in one namespace, and the
    kernel chooses the peer's name."""
    with netns.Netns() as ns:
        end = end_of(ns)
        end.create()
        tap.true("the peer exists", end.netlink.link("cellink0"))
        tap.equal("the peer's direction", cell.End(ns, "cellink0").settings(), cell.DEFAULTS)


def test_ifindex_of_the_peer():
    """Each device reports the other device of the pair as its link (IFLA_LINK)."""
    with netns.Netns() as ns:
        end = end_of(ns)
        end.create(cell.peer("cell1"))
        iflink = {name: struct.unpack("=I", end.netlink.link(name)[5])[0]
                  for name in ("cell0", "cell1")}
        tap.equal("links", iflink, {"cell0": end.netlink.ifindex("cell1"),
                                    "cell1": end.netlink.ifindex("cell0")})


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
