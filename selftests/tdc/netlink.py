#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lpd refuses wrong requests that tc would never send, and the offset in the extended
acknowledgement points at the attribute. A refused request changes nothing, and a refused creation
leaves no qdisc behind."""
# run.sh: all on vm-6.12: everything
import errno
import socket
import struct

from lib import bench, netlink, rules, tap, tree, uapi
from tdc import device

CREATE = netlink.NLM_F_CREATE | netlink.NLM_F_EXCL
REPLACE = netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE
RTMGRP_TC = 1 << 3
RANGES = [("limit", netlink.u32(0)), ("limit", netlink.u32(1048577)),
          ("limit", netlink.u32(2**32 - 1)), ("memory", netlink.u32(0)),
          ("memory", netlink.u32(65535)), ("delay", netlink.u64(60 * 10**9 + 1)),
          ("delay", netlink.u64(2**63 - 1)), ("delay", netlink.u64(2**63 + 1)),
          ("delay", netlink.u64(2**64 - 1)),
          ("lifetime", netlink.u64(3600 * 10**9 + 1)), ("lifetime", netlink.u64(2**63)),
          ("lifetime", netlink.u64(2**64 - 1)), ("stale", netlink.u8(4)),
          ("stale", netlink.u8(255)), ("order", netlink.u8(2)), ("order", netlink.u8(255)),
          ("overflow", netlink.u8(4)), ("overflow", netlink.u8(255)),
          ("keep", netlink.u32(65536)), ("keep", netlink.u32(2**32 - 1)),
          ("adu", netlink.u8(2)), ("adu", netlink.u8(255)), ("strip", netlink.u8(2)),
          ("strip", netlink.u8(255)), ("notify", netlink.u8(2)), ("notify", netlink.u8(255)),
          ("exempt", netlink.u8(2)), ("exempt", netlink.u8(255)),
          ("share", netlink.u32(100)), ("share", netlink.u32(2**32 - 1))]
# rules that are refused: attributes of the rule, the error, and the attribute at fault
BAD_RULES = [
    (dict(dscp=64, lifetime=1), errno.ERANGE, uapi.TCA_LPD_RULE_DSCP),
    (dict(mark=0, mask=0, lifetime=1), errno.ERANGE, uapi.TCA_LPD_RULE_MASK),
    (dict(dscp=1, lifetime=3600 * 10**9 + 1), errno.ERANGE, uapi.TCA_LPD_RULE_LIFETIME),
    (dict(dscp=1, lifetime=1, stale=bench.HONOR), errno.ERANGE, uapi.TCA_LPD_RULE_STALE),
    (dict(dscp=1, lifetime=1, stale=4), errno.ERANGE, uapi.TCA_LPD_RULE_STALE),
    (dict(dscp=1, lifetime=1, importance=8), errno.ERANGE, uapi.TCA_LPD_RULE_IMPORTANCE),
    (dict(mark=2, mask=1, lifetime=1), errno.EINVAL, uapi.TCA_LPD_RULE_MARK),
    (dict(dscp=1, mask=1, lifetime=1), errno.EINVAL, uapi.TCA_LPD_RULE_MASK),
    (dict(lifetime=1), errno.EINVAL, uapi.TCA_LPD_MATCH_RULE),
    (dict(mark=1, dscp=1, lifetime=1), errno.EINVAL, uapi.TCA_LPD_MATCH_RULE),
    (dict(mark=1, priority=1, lifetime=1), errno.EINVAL, uapi.TCA_LPD_MATCH_RULE),
    (dict(mark=1), errno.EINVAL, uapi.TCA_LPD_MATCH_RULE),
]


class Loopback(device.Device):
    """The device lo, and requests that must be refused."""

    def refusal(self, flags, *options):
        """Send a request that the kernel must refuse, and check that it changes nothing. Returns
        the refusal."""
        before = self.dump()
        try:
            self.netlink.qdisc(self.name, flags, "lpd", *options)
        except netlink.Refused as refused:
            tap.equal("dump after the refusal", self.dump(), before)
            return refused
        raise tap.Failed("the request was accepted")

    def both_ways(self, *options):
        """Send these options in a creation and in a change. Returns both refusals."""
        yield self.refusal(CREATE, *options)
        self.netlink.qdisc(self.name, CREATE, "lpd", *bench.lpd_options(limit=7, delay=5))
        yield self.refusal(0, *options)
        self.netlink.remove_root(self.name)


def test_out_of_range():
    """A value out of range is refused, and the offset points at the attribute."""
    with Loopback() as lo:
        for name, value in RANGES:
            attribute = bench.LPD_ATTRIBUTES[name]
            for refused in lo.both_ways(netlink.attr(attribute, value)):
                tap.equal(f"{name} {value.hex()}: error", refused.code, errno.ERANGE)
                tap.equal(f"{name} {value.hex()}: message", refused.text, "integer out of range")
                tap.equal(f"{name} {value.hex()}: attribute", refused.attribute, attribute)


def test_wrong_size():
    """An attribute of a wrong size is refused, and the offset points at the attribute."""
    with Loopback() as lo:
        for attribute, (name, layout) in tree.OPTIONS.items():
            for wrong in {0, 1, 2, 3, 4, 7, 8, 9, 16} - {struct.calcsize(layout)}:
                for refused in lo.both_ways(netlink.attr(attribute, b"\1" * wrong)):
                    tap.true(f"{name} of {wrong} bytes: there is a message", refused.text)
                    tap.equal(f"{name} of {wrong} bytes: attribute", refused.attribute, attribute)


def test_defaults():
    """A creation without attributes sets the defaults, and a change without attributes keeps the
    defaults."""
    defaults = {"limit": 1000, "memory": 32 << 20, "rate": 0, "delay": 0, "lifetime": 0,
                "stale": bench.HONOR, "order": bench.FIFO, "overflow": bench.TAIL, "keep": 0,
                "adu": 1, "strip": 0, "notify": 0, "exempt": 0, "share": 50}
    with Loopback() as lo:
        lo.netlink.qdisc(lo.name, CREATE, "lpd")
        tap.equal("options", lo.tree().root.options, defaults)
        lo.netlink.qdisc(lo.name, 0, "lpd")
        tap.equal("options after a change", lo.tree().root.options, defaults)


def test_unknown_attribute():
    """An unknown attribute is refused."""
    with Loopback() as lo:
        last = max(*tree.OPTIONS, uapi.TCA_LPD_MATCH)
        for attribute in (last + 1, last + 2, 100, 0x3fff):
            for refused in lo.both_ways(netlink.attr(attribute, netlink.u32(1))):
                tap.equal("error", refused.code, errno.EINVAL)
                tap.true("there is a message", refused.text)


def test_bad_rules():
    """A rule is refused if a value is out of range, or if the rule compares no field or several
    fields. Valid rules before or after the refused rule are not applied."""
    good = dict(priority=6, lifetime=10**9)
    with Loopback() as lo:
        for bad, error, attribute in BAD_RULES:
            for every in ([bad], [bad, good], [good, bad]):
                for refused in lo.both_ways(rules.match(*every)):
                    tap.equal(f"{bad}: error", refused.code, error)
                    tap.equal(f"{bad}: attribute", refused.attribute, attribute)
                    tap.true(f"{bad}: there is a message", refused.text)


def test_number_of_rules():
    """32 rules are accepted and read back in their order. 33 rules are refused."""
    every = [rules.complete(mark=number, lifetime=number + 1) for number in range(32)]
    with Loopback() as lo:
        for refused in lo.both_ways(rules.match(*every, dict(dscp=1, lifetime=1))):
            tap.equal("refusal", (refused.code, refused.text, refused.attribute),
                      (errno.E2BIG, "lpd: more than 32 rules", uapi.TCA_LPD_MATCH))
        lo.netlink.qdisc(lo.name, CREATE, "lpd", rules.match(*every))
        tap.equal("rules", lo.tree().root.rules, every)


def test_notification_of_many_rules():
    """When an lpd with 32 rules replaces an lpd with 32 rules, programs such as tc monitor hear of
    both. The rules have neither a mask, nor a treatment or an importance. Some kernels align
    attributes to 8 bytes, so there is no room for more."""
    every = [rules.complete(mark=number, lifetime=number + 1) for number in range(32)]
    with Loopback() as lo:
        lo.netlink.qdisc(lo.name, CREATE, "lpd", rules.match(*every))
        with lo.ns.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as monitor:
            monitor.bind((0, RTMGRP_TC))
            monitor.settimeout(5)
            lo.netlink.qdisc(lo.name, REPLACE, "lpd", rules.match(*every), handle=0x80020000)
            data = monitor.recv(1 << 16)
        old, kind = struct.unpack_from("=IH", data)
        tap.equal("old qdisc", kind, netlink.RTM_DELQDISC)
        tap.equal("new qdisc", struct.unpack_from("=IH", data, old)[1], netlink.RTM_NEWQDISC)


def test_rules_are_replaced_as_a_whole():
    """A change with rules replaces all rules. A change without the attribute for rules keeps the
    rules. A change with an empty list of rules removes all rules. Attributes that a rule does not
    contain have their default values."""
    one, other = dict(dscp=46, lifetime=5), dict(mark=3, mask=7, lifetime=0, stale=bench.TRUNCATE,
                                          importance=7)
    with Loopback() as lo:
        lo.netlink.qdisc(lo.name, CREATE, "lpd")
        tap.equal("rules by default", lo.tree().root.rules, [])
        for every in ([one, other], [dict(mark=1, lifetime=2)], [other]):
            lo.netlink.qdisc(lo.name, 0, "lpd", rules.match(*every))
            lo.netlink.qdisc(lo.name, 0, "lpd", *bench.lpd_options(limit=3))
            tap.equal("rules", lo.tree().root.rules, [rules.complete(**rule) for rule in every])
        lo.netlink.qdisc(lo.name, 0, "lpd", rules.match())
        tap.equal("rules in the end", lo.tree().root.rules, [])


def test_unknown_in_rules():
    """Rules with an unknown attribute, an attribute of a wrong size or bytes after the last
    attribute are refused."""
    good = rules.rule(dscp=1, lifetime=1)
    field, lifetime = rules.NUMBERS["dscp"], rules.NUMBERS["lifetime"]
    inside = netlink.attr(field, netlink.u8(1)) + netlink.attr(lifetime, netlink.u64(1))
    made = netlink.nest
    with Loopback() as lo:
        for wrong in (
                made(uapi.TCA_LPD_MATCH, good, netlink.attr(2, good)),
                made(uapi.TCA_LPD_MATCH, good, netlink.attr(0, good)),
                made(uapi.TCA_LPD_MATCH, good, b"\xff\xff\xff\xff"),
                made(uapi.TCA_LPD_MATCH, netlink.attr(uapi.TCA_LPD_MATCH_RULE, inside)),
                netlink.attr(uapi.TCA_LPD_MATCH, good),
                *(made(uapi.TCA_LPD_MATCH, made(uapi.TCA_LPD_MATCH_RULE, inside, more))
                  for more in (netlink.attr(max(rules.NUMBERS.values()) + 1, netlink.u8(1)),
                               netlink.attr(lifetime, netlink.u32(1)),
                               netlink.attr(field, netlink.u32(1)), b"\1\1\1\1"))):
            for refused in lo.both_ways(wrong):
                tap.true(f"{wrong.hex()}: error", refused.code in (errno.EINVAL, errno.ERANGE))
                tap.true(f"{wrong.hex()}: there is a message", refused.text)


def test_one_bad_among_good_ones():
    """If one attribute is refused, no other attribute is applied, whether it precedes or follows
    the refused attribute."""
    good = bench.lpd_options(limit=3, memory=70_000, rate=1, lifetime=1, stale=bench.FORWARD,
                             order=bench.EDF, overflow=bench.HEAD, keep=12, adu=0, strip=1,
                             notify=1, exempt=1, share=0)
    bad = netlink.attr(uapi.TCA_LPD_DELAY, netlink.u64(2**63))
    with Loopback() as lo:
        for options in ([bad, *good], [*good, bad], [*good[:2], bad, *good[2:]]):
            for refused in lo.both_ways(*options):
                tap.equal("attribute", refused.attribute, uapi.TCA_LPD_DELAY)


def test_garbage_behind_the_attributes():
    """Bytes after the last attribute are refused."""
    with Loopback() as lo:
        for refused in lo.both_ways(*bench.lpd_options(limit=3), b"\xff\xff\xff\xff"):
            tap.equal("error", refused.code, errno.EINVAL)


def test_largest_values_are_taken():
    """The smallest and the largest value of each option are accepted and read back unchanged."""
    largest = {"limit": 1048576, "memory": 2**32 - 1, "rate": 2**64 - 1, "delay": 60 * 10**9,
               "lifetime": 3600 * 10**9, "stale": bench.TRUNCATE, "order": bench.EDF,
               "overflow": bench.LEAST, "keep": 65535, "adu": 1, "strip": 1,
               "notify": 1, "exempt": 1, "share": 99}
    smallest = {"limit": 1, "memory": 65536, "rate": 0, "delay": 0, "lifetime": 0,
                "stale": bench.HONOR, "order": bench.FIFO, "overflow": bench.TAIL, "keep": 0,
                "adu": 0, "strip": 0, "notify": 0, "exempt": 0, "share": 0}
    with Loopback() as lo:
        for values in (largest, smallest):
            lo.netlink.qdisc(lo.name, netlink.NLM_F_CREATE, "lpd", *bench.lpd_options(**values))
            tap.equal("options", lo.tree().root.options, values)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
