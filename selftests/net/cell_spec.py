#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The specification of the netlink family "cellink" agrees with the header <linux/cellink.h> in
names, numbers, order, types, limits and descriptions."""
# run.sh: once: compares files
import re

from lib import tap, uapi, xlo
from net import xlo_spec


def header_and_spec():
    return uapi.Header("cellink.h"), xlo.Spec("cellink")


def test_numbers():
    """Every command and attribute of the header is in the specification with the same name and
    number."""
    header, spec = header_and_spec()
    names = [attribute["name"] for attribute in spec.sets["main"].values()]
    for what, got, enum, prefix in (
            ("commands", list(spec.operations), "cellink_cmd", "CELLINK_CMD_"),
            ("attributes", names, "cellink_trace_attr", "CELLINK_A_")):
        tap.equal(what, list(xlo_spec.yaml_enum(prefix, got, 1).items()),
                  list(xlo_spec.without(header.enums[enum], f"{prefix}UNSPEC").items()))


def test_limits():
    """The specification has the same limits and the same name as the header."""
    header, spec = header_and_spec()
    limits = {"CELLINK_" + d["name"].upper().replace("-", "_"): d["value"]
              for d in spec.raw["definitions"]}
    tap.equal("limits", limits, {name: header.numbers.get(name) for name in limits})
    tap.true("the limits of traces are there", {name for name in header.numbers if re.fullmatch(
        "CELLINK_(TRACE|OPPORTUNITY|UPLOAD)S?_.*", name)} <= set(limits))
    tap.equal("name", spec.raw["name"], header.strings["CELLINK_GENL_NAME"])


def test_words():
    """Header and specification describe each attribute in the same way and give it the same
    type."""
    header, spec = header_and_spec()
    for attribute in spec.sets["main"].values():
        if attribute["type"] == "pad":
            continue
        name = "CELLINK_A_" + attribute["name"].upper().replace("-", "_")
        tap.equal(name, " ".join(attribute["doc"].split()), header.described[name])
        tap.equal(f"type of {name}", attribute["type"], re.match(r"\w+", header.described[name])[0])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
