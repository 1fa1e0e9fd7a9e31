#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tc refuses an option of lpd if its value is out of range, an unknown word, or missing, or if the
option occurs twice. The message says what is wrong and what is expected. The queue keeps its
options and counters."""
# run.sh: once: what tc refuses does not depend on the kernel
from lib import tap
from tdc import cases

CHANGE = "tc qdisc change dev $DEV root handle 1: lpd "
ADD = "tc qdisc add dev $DEV root handle 1: lpd "
SETUP = "limit 20 memory 100000 order edf overflow head rate 64kbit delay 25ms stale discard " \
    "keep 12 lifetime 2s noadu strip notify share 30"
OPTIONS = {"limit": 20, "memory": 100_000, "order": "edf", "overflow": "head", "rate": 8000,
           "delay": 25_000_000, "stale": "discard", "keep": 12, "lifetime": 2_000_000_000,
           "adu": False, "strip": True, "notify": True, "share": 30}
DEFAULTS = {"limit": 1000, "memory": 32 << 20, "order": "fifo", "overflow": "tail", "rate": 0,
            "delay": 0, "stale": "honor", "keep": 0, "lifetime": 0, "adu": True, "strip": False,
            "notify": False, "share": 50}

# option: smallest and largest value as tc prints them; both values as typed; values just out of
# range, and values of another kind. This table repeats tc's own table, because tc's table is under
# test.
BOUNDS = {
    "limit": ("1", "1048576", "1 1048576",
              "0 1048577 -1 10.5 many 18446744073709551617 0x10p"),
    "memory": ("64kb", "4294967295b", "65536 4294967295", "0 65535 4294967296 -1 big 1mib"),
    "rate": ("8bit", "1tbit", "8bit 1tbit",
             "0.5bit 7bit 1.001tbit 2tbit -1kbit fast 1mbps 1000"),
    "delay": ("0", "60s", "0s 60s", "60000000001ns 60001ms -1ms soon 300 1h"),
    "lifetime": ("1ns", "3600s", "1ns 3600s", "3600000000001ns 3601s -1s long 300"),
    "keep": ("0", "65535b", "0 65535", "65536 64kb -1 header 1.5.1"),
    "share": ("0", "99", "0 99", "100 -1 0.5 50% half"),
}
# option: words that it accepts; words that are refused
CHOICES = {
    "stale": ("honor forward discard truncate", "drop Honor 2 cut 3"),
    "order": ("fifo edf", "lifo EDF 1"),
    "overflow": ("tail head stalest least", "random 2"),
}
SWITCHES = ("adu", "strip", "notify", "exempt")


def case(command, status, said=(), setup=(ADD + SETUP,), options=OPTIONS):
    """A case with this command, its exit status and parts of its message. Afterwards lpd must have
    these options, or must not exist (None)."""
    lpd = {"kind": "lpd", "handle": "1:", "options": options}
    there = {"noMatchJSON": [{"kind": "lpd"}]} if options is None else {"matchJSON": [lpd]}
    return {"setup": setup, "cmdUnderTest": command, "expExitCode": status, "expStderr": said,
            "verifyCmd": "tc -s -j qdisc show dev $DEV", **there}


def change(words, *said):
    """A change that tc refuses with these words in its message."""
    return words, case(CHANGE + words, 1, said)


def bounds():
    """tc accepts the smallest and the largest value, and refuses values just out of range."""
    for option, (least, greatest, taken, refused) in BOUNDS.items():
        others = {name: value for name, value in OPTIONS.items() if name != option}
        for value in taken.split():
            yield (f"{option} {value} is accepted",
                   case(CHANGE + f"{option} {value}", 0, options=others))
        for value in refused.split():
            yield change(f"{option} {value}", f"lpd: {option} {value}: ", least, greatest)
        yield change(option, f"lpd: {option} ", least, greatest)
        first = taken.split()[0]
        yield change(f"{option} {first} {option} {first}", f"lpd: {option} ", "twice")


def choices():
    for option, (words, refused) in CHOICES.items():
        expected = words.replace(" ", ", ")
        for value in refused.split():
            yield change(f"{option} {value}", f"lpd: {option} {value}: ", expected)
        yield change(option, f"lpd: {option} ", expected)
        first, second = words.split()[:2]
        yield change(f"{option} {first} {option} {first}", f"lpd: {option} ", "twice")
        yield change(f"{option} {first} {option} {second}", f"lpd: {option} ", "twice")


def switches():
    for switch in SWITCHES:
        for one, other in ((switch, f"no{switch}"), (f"no{switch}", switch)):
            yield change(f"{one} {other}", f"lpd: {one} and {other}: ")
            yield change(f"{one} limit 5 {other}", f"lpd: {one} and {other}: ")
            yield change(f"{one} {one}", f"lpd: {one} ", "twice")
        for value in ("1", "on", "off"):
            yield change(f"{switch} {value}", f'lpd: unknown word "{value}"', "expected one of",
                         *(f"{name} no{name}" for name in SWITCHES))


def rules():
    """tc refuses a wrong rule and more rules than the kernel accepts."""
    for rule in ("mark", "mark x 1s", "mark 1/0 1s", "dscp 64 1s", "dscp efg 1s", "priority -1 1s",
                 "mark 1", "mark 1 5", "mark 1 3601s", "tos 4 1s", "mark 1 1s importance 8"):
        yield change(f"match {rule}", "lpd: match", "expected")
        yield change(f"match dscp ef 1s match {rule}", "lpd: match", "expected")
    yield change("match dscp ef 1s stal", 'lpd: unknown word "stal"')
    yield change("match none match dscp ef 1s", "lpd: match none: ")
    yield ("33_rules", case(CHANGE + "match dscp ef 1s " * 33, 1, ["at most 32"]))


def combinations():
    """A wrong word is refused at any position."""
    yield change("limit 5 colour red", "colour")
    yield change("limit 5 delay 61s", "delay", "61s")
    yield change("delay 61s limit 5", "delay", "61s")
    yield change("adu limit 0", "lpd: limit 0: ")
    yield change("limit ''", "limit")
    yield change("nolimit", 'lpd: unknown word "nolimit"')
    yield change("Noadu", 'lpd: unknown word "Noadu"')


def requests():
    """A refused creation creates nothing, and the kernel refuses requests that tc cannot judge."""
    for words, said in (("limit 0", "limit 0"), ("colour red", "colour"),
                        ("limit 5 stale bogus", "bogus"), ("limit 5 adu noadu", "adu and noadu")):
        yield f"add {words}", case(ADD + words, 1, [said], setup=(), options=None)
    yield "change another kind", case("tc qdisc change dev $DEV root handle 1: pfifo limit 5", 2)
    yield "add a second lpd", case(ADD + "limit 5", 2)
    yield "change without an lpd", case(CHANGE + "limit 5", 2, setup=(), options=None)
    # lpd has only the class 1:1, and no filters
    yield "add a child", case("tc qdisc add dev $DEV parent 1:2 handle 2: pfifo", 2, setup=(ADD,),
                              options=DEFAULTS)
    yield "add a child without a class", case(
        "tc qdisc add dev $DEV parent 1:1 handle 2: pfifo", 2, setup=(ADD + "share 0",),
        options=DEFAULTS | {"share": 0})
    yield "add a class", case("tc class add dev $DEV parent 1: classid 1:2 lpd", 1, setup=(ADD,),
                              options=DEFAULTS)
    yield "delete the class", case("tc class del dev $DEV classid 1:1", 2, setup=(ADD,),
                                   options=DEFAULTS)
    yield "add a filter", case("tc filter add dev $DEV parent 1: matchall classid 1:1", 2,
                               setup=(ADD,), options=DEFAULTS)


if __name__ == "__main__":
    tap.run([(words.replace(" ", "_"), lambda one=one: cases.run_case(one))
             for group in (bounds, choices, switches, rules, combinations, requests)
             for words, one in group()])
