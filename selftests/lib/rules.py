# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of lpd (TCA_LPD_MATCH), as dictionaries and as netlink attributes.

    rules.match(dict(mark=1, mask=0xff, lifetime=300 * MS), dict(dscp=46, lifetime=200 * MS))"""
import struct

from . import netlink, uapi

NUMBERS = uapi.words("tca_lpd_rule", "TCA_LPD_RULE_")
FORMATS = {"mark": "=I", "mask": "=I", "dscp": "=B", "priority": "=I", "lifetime": "=Q",
           "stale": "=B", "importance": "=B"}
# values of a rule's attributes that a message does not contain
DEFAULTS = {"stale": uapi.TC_LPD_STALE_DISCARD, "importance": 0}


def rule(**values):
    """The attribute of one rule."""
    return netlink.nest(uapi.TCA_LPD_MATCH_RULE,
                        *[netlink.attr(NUMBERS[name], struct.pack(FORMATS[name], value))
                          for name, value in values.items()])


def match(*every):
    """The attribute of all rules."""
    return netlink.nest(uapi.TCA_LPD_MATCH, *[rule(**values) for values in every])


def complete(**values):
    """A rule with its default values."""
    mask = {"mask": 2**32 - 1} if "mark" in values else {}
    return {**mask, **DEFAULTS, **values}


def read(payload):
    """The rules in the payload of TCA_LPD_MATCH, with their default values."""
    names = {number: name for name, number in NUMBERS.items()}
    return [complete(**{names[kind]: struct.unpack(FORMATS[names[kind]], data)[0]
                        for kind, data in netlink.attrs(one) if kind in names})
            for kind, one in netlink.attrs(payload)]
