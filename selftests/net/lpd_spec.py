#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The specification of the netlink family "lpd" agrees with the header <linux/lpd_genl.h> in names,
numbers, order, types, limits and descriptions."""
# run.sh: once: compares files
from lib import tap, uapi, xlo
from net import xlo_spec


def header_and_spec():
    return uapi.Header("lpd_genl.h"), xlo.Spec("lpd")


def test_numbers():
    """Every command and attribute of the header is in the specification with the same name and
    number."""
    header, spec = header_and_spec()
    names = [attribute["name"] for attribute in spec.sets["main"].values()]
    for what, got, enum, prefix in (
            ("commands", list(spec.operations), "lpd_cmd", "LPD_CMD_"),
            ("attributes", names, "lpd_attr", "LPD_A_")):
        tap.equal(what, list(xlo_spec.yaml_enum(prefix, got, 1).items()),
                  list(xlo_spec.without(header.enums[enum], f"{prefix}UNSPEC").items()))


def test_limits():
    """The specification has the same limits and the same name as the header."""
    header, spec = header_and_spec()
    limits = {"LPD_" + d["name"].upper().replace("-", "_"): d["value"]
              for d in spec.raw["definitions"]}
    tap.equal("limits", limits, {name: value for name, value in header.numbers.items()
                                 if not name.startswith("LPD_GENL_")})
    tap.equal("name", spec.raw["name"], header.strings["LPD_GENL_NAME"])


def test_words():
    """Header and specification describe each attribute in the same way and give it the same
    type."""
    xlo_spec.check_words(*header_and_spec(), "LPD_A_")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
