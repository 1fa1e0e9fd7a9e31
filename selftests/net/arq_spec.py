#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The specifications of the netlink attributes and of the events of arqlink agree with the headers
<linux/arqlink.h> and <linux/arqlink_genl.h> in names, numbers, order, types, limits and
descriptions."""
# run.sh: once: compares files
import re

from lib import arq, netlink, tap, uapi, xlo
from net import xlo_spec

COUNTERS = {"srttvar": "s64"}           # the types of counters that are not u64
WORDS = ("timer", "gains", "variance", "clock", "reject", "flush", "estimate", "order")


def header_and_spec():
    return uapi.Header("arqlink.h"), xlo.Spec("arqlink")


def described(spec, kind, prefix):
    """The attributes of a set except the padding: {name in the header: attribute}."""
    return {prefix + attribute["name"].upper().replace("-", "_"): attribute
            for attribute in spec.sets[kind].values() if attribute["type"] != "pad"}


def test_numbers():
    """Every attribute, counter and value of the header is in the specification with the same name
    and number."""
    header, spec = header_and_spec()
    definitions = {d["name"]: d.get("entries") for d in spec.raw["definitions"]}
    for what, got, first, enum, prefix in (
            ("attributes", [a["name"] for a in spec.sets["main"].values()], 1, "arqlink_attr",
             "ARQLINK_"),
            ("counters", [a["name"] for a in spec.sets["stats"].values()], 1, "arqlink_stats",
             "ARQLINK_STATS_"),
            *((word, definitions[word], 0, f"arqlink_{word}", f"ARQLINK_{word.upper()}_")
              for word in WORDS)):
        tap.equal(what, list(xlo_spec.yaml_enum(prefix, got, first).items()),
                  list(xlo_spec.without(header.enums[enum], f"{prefix}UNSPEC").items()))


def test_limits():
    """The specification has the limits and defaults of the header."""
    header, spec = header_and_spec()
    limits = {"ARQLINK_" + d["name"].upper().replace("-", "_"): d["value"]
              for d in spec.raw["definitions"] if d["type"] == "const"}
    tap.equal("limits", limits, {name: value for name, value in header.numbers.items()
                                 if re.search("_(MIN|MAX|DEFAULT)$", name) and
                                 name not in ("ARQLINK_RANGES_MAX", "ARQLINK_WORDS_MAX")})


def test_words():
    """Header and specification describe each attribute and each counter in the same way, and give
    it the same type. An attribute with words names the words' definition."""
    header, spec = header_and_spec()
    for name, attribute in described(spec, "main", "ARQLINK_").items():
        words = header.described[name]
        tap.equal(name, " ".join(attribute["doc"].split()), words)
        tap.equal(f"type of {name}", attribute["type"], re.match(r"\w+", words)[0])
        enum = re.search(r"enum arqlink_(\w+)", words)
        tap.equal(f"words of {name}", attribute.get("enum"), enum and enum[1])
    for name, attribute in described(spec, "stats", "ARQLINK_STATS_").items():
        tap.equal(name, " ".join(attribute["doc"].split()), header.described[name])
        tap.equal(f"type of {name}", attribute["type"], COUNTERS.get(attribute["name"], "u64"))


def test_defaults_are_in_the_descriptions():
    """The tests' defaults are those that the header describes."""
    header = uapi.Header("arqlink.h")
    numbers = header.numbers | {name: number for enum in header.enums.values()
                                for name, number in enum.items()}
    for name, default in arq.DEFAULTS.items():
        words = re.sub(r"\(the default\)", ", default 0", header.described[
            f"ARQLINK_{name.upper()}"])
        [told] = re.findall(r"default (\w+)", words)
        value = numbers.get(told, told)
        tap.equal(name, int(value), netlink.number(default) if name == "remote" else
                  default)


def events():
    return uapi.Header("arqlink_genl.h"), xlo.Spec("arqlink-events")


def test_numbers_of_events():
    """Every command and attribute of the events is in the specification with the same name and
    number. The limit, the family and the groups are the header's."""
    header, spec = events()
    for what, got, enum, prefix in (
            ("commands", spec.operations, "arqlink_cmd", "ARQLINK_CMD_"),
            ("attributes", [attribute["name"] for attribute in spec.sets["main"].values()],
             "arqlink_event_attr", "ARQLINK_A_")):
        tap.equal(what, list(xlo_spec.yaml_enum(prefix, got, 1).items()),
                  list(xlo_spec.without(header.enums[enum], f"{prefix}UNSPEC").items()))
    tap.equal("limit", spec.raw["definitions"][0]["value"], header.numbers["ARQLINK_PACKET_MAX"])
    tap.equal("family", spec.raw["name"], header.strings["ARQLINK_GENL_NAME"])
    tap.equal("groups", [group["name"] for group in spec.raw["mcast-groups"]["list"]],
              [header.strings[f"ARQLINK_GENL_{name}"] for name in ("EVENTS", "PACKETS")])


def test_words_of_events():
    """Header and specification describe each event and each attribute in the same way. An attribute
    has the type that its description begins with."""
    header, spec = events()
    xlo_spec.check_words(header, spec, "ARQLINK_A_")
    for operation in spec.raw["operations"]["list"]:
        name = "ARQLINK_CMD_" + operation["name"].upper().replace("-", "_")
        words = header.described[name]
        tap.equal(name, " ".join(operation["doc"].split()), words[0].upper() + words[1:] + ".")


def test_attributes_of_events():
    """All events have the attributes of a packet, except the event of a flush. Each attribute
    belongs to an event."""
    _, spec = events()
    main = {attribute["name"] for attribute in spec.sets["main"].values()} - {"pad"}
    own = {"flush": {"packets"}, "backlog": {"packets"}, "packet": {"result"}}
    about = main - {"packets", "result", "ifindex"}
    for operation in spec.raw["operations"]["list"]:
        if "event" in operation:
            name = operation["name"]
            tap.equal(name, set(operation["event"]["attributes"]),
                      {"ifindex"} | own.get(name, set()) | (about if name != "flush" else set()))
            tap.equal(f"group of {name}", operation["mcgrp"],
                      "packets" if name == "packet" else "events")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
