#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The specification of the netlink family "xlo" agrees with the header <linux/xlo_genl.h> in names,
numbers, order, types, limits and descriptions."""
import re

from lib import tap, uapi, xlo


def yaml_enum(prefix, names, first):
    """Number the names of the specification. Returns {name in the header: number}."""
    return {prefix + name.upper().replace("-", "_"): number
            for number, name in enumerate(names, first)}


def without(enum, *names):
    return {name: number for name, number in enum.items() if name not in names}


def test_specification_has_the_headers_numbers():
    """Every command, attribute, counter and value of the header is in the specification with the
    same name, number and order."""
    header, spec = uapi.Header("xlo_genl.h"), xlo.Spec().raw
    sets = {s["name"]: [a["name"] for a in s["attributes"]] for s in spec["attribute-sets"]}
    definitions = {d["name"]: d.get("entries") for d in spec["definitions"]}
    for what, got, want in (
            ("commands", yaml_enum("XLO_CMD_", [o["name"] for o in spec["operations"]["list"]], 1),
             without(header.enums["xlo_cmd"], "XLO_CMD_UNSPEC")),
            ("attributes", yaml_enum("XLO_A_", sets["main"], 1),
             without(header.enums["xlo_attr"], "XLO_A_UNSPEC")),
            ("counters", yaml_enum("XLO_STATS_", sets["stats"], 1),
             without(header.enums["xlo_stats"], "XLO_STATS_UNSPEC")),
            ("clocks", yaml_enum("XLO_CLOCK_", definitions["clock"], 0),
             header.enums["xlo_clock"]),
            ("stale treatments", yaml_enum("XLO_STALE_", definitions["stale"], 0),
             without(uapi.Header("xlo.h").enums["xlo_stale"], "XLO_STALE_RESERVED"))):
        tap.equal(what, list(got.items()), list(want.items()))
    paths = {f"XLO_PATH_{name.upper()}": 1 << bit for bit, name in enumerate(definitions["path"])}
    paths["XLO_PATH_ALL"] = sum(paths.values())
    tap.equal("paths", paths, {name: number for name, number in header.numbers.items()
                               if name.startswith("XLO_PATH_")})


def test_specification_has_the_headers_limits():
    """The specification has the same limits and names as the header."""
    header, spec = uapi.Header("xlo_genl.h"), xlo.Spec().raw
    limits = {"XLO_" + d["name"].upper().replace("-", "_"): d["value"]
              for d in spec["definitions"] if d["type"] == "const"}
    tap.equal("limits", limits, {name: value for name, value in header.numbers.items()
                                 if not name.startswith(("XLO_PATH_", "XLO_GENL_"))})
    tap.equal("name", spec["name"], header.strings["XLO_GENL_NAME"])
    tap.equal("groups", [g["name"] for g in spec["mcast-groups"]["list"]],
              [header.strings["XLO_GENL_GROUP"]])
    name = next(a for a in xlo.Spec().sets["main"].values() if a["name"] == "profile-name")
    tap.equal("longest name", name["checks"]["max-len"], header.numbers["XLO_NAME_LEN"] - 1)


def check_words(header, spec, main):
    """Check that attributes and counters have the same description in the specification and the
    header. Attributes with the prefix `main` must also have the type that their description begins
    with."""
    for attributes in spec.raw["attribute-sets"]:
        prefix = attributes["name-prefix"].upper().replace("-", "_")
        for attribute in attributes["attributes"]:
            if attribute["type"] == "pad":
                continue
            name = prefix + attribute["name"].upper().replace("-", "_")
            tap.equal(name, " ".join(attribute["doc"].split()), header.described[name])
            if prefix == main:
                tap.equal(f"type of {name}", attribute["type"],
                          re.match(r"\w+", header.described[name])[0])


def test_specification_has_the_headers_words():
    """Each attribute and counter has the header's description, and each attribute has the type that
    the description names."""
    check_words(uapi.Header("xlo_genl.h"), xlo.Spec(), "XLO_A_")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
