#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The specification of the netlink family "xlo_rto" agrees with the header <linux/xlo_rto_genl.h>
in names, numbers, order, types and descriptions."""
# run.sh: once: compares files
import re

from lib import tap, uapi, xlo
from net import xlo_spec


def header_and_spec():
    return uapi.Header("xlo_rto_genl.h"), xlo.Spec("xlo_rto")


def test_numbers():
    """Every command, attribute, counter and value of the header is in the specification with the
    same name and number."""
    header, spec = header_and_spec()
    sets = {name: [attribute["name"] for attribute in attributes.values()]
            for name, attributes in spec.sets.items()}
    for what, got, enum, prefix in (
            ("commands", list(spec.operations), "xrto_cmd", "XRTO_CMD_"),
            ("attributes", sets["main"], "xrto_attr", "XRTO_A_"),
            ("counters", sets["stats"], "xrto_stats", "XRTO_STATS_"),
            ("notices", sets["notices"], "xrto_notices", "XRTO_NOTICES_")):
        tap.equal(what, list(xlo_spec.yaml_enum(prefix, got, 1).items()),
                  list(xlo_spec.without(header.enums[enum], f"{prefix}UNSPEC").items()))
    encodings = {f"XRTO_ACCEPT_{name.upper()}": 1 << bit
                 for bit, name in enumerate(spec.raw["definitions"][0]["entries"])}
    encodings["XRTO_ACCEPT_ALL"] = sum(encodings.values())
    encodings |= {f"XRTO_ENCODING_{name.upper()}": number
                  for number, name in enumerate(spec.raw["definitions"][1]["entries"])}
    encodings |= {f"XRTO_EARLY_{name.upper()}": number
                  for number, name in enumerate(spec.raw["definitions"][2]["entries"])}
    tap.equal("settings' values", encodings,
              {name: number for name, number in header.numbers.items()
               if re.match("XRTO_(ACCEPT|ENCODING|EARLY)_", name)})
    tap.equal("name", spec.raw["name"], header.strings["XRTO_GENL_NAME"])
    tap.equal("groups", [group["name"] for group in spec.raw["mcast-groups"]["list"]],
              [header.strings["XRTO_GENL_GROUP"]])


def test_words():
    """Each attribute and counter has the header's description, and each attribute has the type that
    the description names."""
    xlo_spec.check_words(*header_and_spec(), "XRTO_A_")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
