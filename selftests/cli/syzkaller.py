#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The descriptions for syzkaller agree with the headers. The descriptions contain every command,
attribute, value and flag with its size. The headers contain every name of the descriptions."""
# run.sh: once: compares files
import os
import re

from lib import tap, uapi

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DESCRIPTIONS = {"sch_lpd/syzkaller.txt": ["pkt_sched_lpd.h", "lpd_genl.h"],
                "kmod/xlo/syzkaller.txt": ["xlo.h", "xlo_genl.h"],
                "kmod/xlo_rto/syzkaller.txt": ["xlo_rto.h", "xlo_rto_genl.h"],
                "kmod/cellink/syzkaller.txt": ["cellink.h"],
                "kmod/arqlink/syzkaller.txt": ["arqlink.h", "arqlink_genl.h"]}
OURS = r"\b(?:TCA_LPD|TC_LPD|LPD|XLO|XRTO|CELLINK|ARQLINK)_\w+"
# calls that send one command each
CALLS = {"sch_lpd/syzkaller.txt": ("lpd_genl.h", "LPD"),
         "kmod/xlo/syzkaller.txt": ("xlo_genl.h", "XLO"),
         "kmod/xlo_rto/syzkaller.txt": ("xlo_rto_genl.h", "XRTO"),
         "kmod/cellink/syzkaller.txt": ("cellink.h", "CELLINK"),
         "kmod/arqlink/syzkaller.txt": ("arqlink_genl.h", "ARQLINK")}
# Names that occur in no request: ends of lists, answers, defaults, values derived from other
# values, limits of the number of requests, and the frames of arqlink
UNSAID = re.compile(r".*_UNSPEC|__.*|(TCA_LPD(_MATCH|_RULE)?|XLO_CMD|XLO_A|TC_LPD_(STALE|ORDER|OVERFLOW))_MAX|"
                    r"\w+_STATS_.*|XRTO_NOTICES_.*|.*_DEFAULT|.*_(BUCKETS|SHIFT|ALL)|XLO_OFF_.*|XLO_GENL_.*|"
                    r"XLO_(PROFILES|CAPS)_MAX|XLO_EVENTS_.*|XLO_(DAY_MS|IPV6_HBH_LEN|REORDER_TCP)|"
                    r"XLO_(TREATMENT|STALE_FLAGS)|"
                    r"LPD_((CMD|A)_MAX|GENL_.*|PRIORITY_PROBE|PROBES_.*|GATE_TIMEOUT_MS)|"
                    r"XRTO_((CMD|A|ACCEPT)_(MAX|ALL)|GENL_.*|(EXT_)?HLEN)|"
                    r"CELLINK_((CMD_|A_|LAW_|CORRUPT_|BER_STATE_|HANDOVER_)?MAX|STATES?|STATE_.*|GENL_.*|"
                    r"UPLOADS_MAX|UPLOAD_MS)|"
                    r"ARQLINK_(((CMD|A|TYPE|TIMER|GAINS|VARIANCE|CLOCK|REJECT|FLUSH|ESTIMATE|ORDER|MTU)_)?MAX|QUEUE.*|"
                    r"ETHERTYPE|VERSION|HLEN|HELLO(_LEN)?|GENL_.*|DATA|N?ACK|SKIP|BYPASS|RANGE.*|ITEM.*|AHEAD|"
                    r"WORDS?_.*|FLAG_.*)")
SAID_ANYHOW = {"XLO_PATH_ALL"}
SIZES = {"u8": "int8", "u16": "int16", "u32": "int32", "u64": "int64", "s64": "int64", "flag": "void",
         "string": "string", "nest": "array", "binary": "array"}


def read(*path):
    with open(os.path.join(TREE, *path)) as file:
        return file.read()


def names_of(headers):
    """The names of all enumerators and macros of some headers."""
    text = "".join(read(uapi.HEADERS, name) for name in headers)
    return set(re.findall(rf"^\t({OURS}),$", text, re.M) +
               re.findall(rf"^#define ({OURS})", text, re.M))


def types_of(headers):
    """The type of each attribute, which is the first word of its description: {name: "u32"}."""
    text = "".join(read(uapi.HEADERS, name) for name in headers)
    return {name: word for name, word in
            re.findall(r"@((?:TCA_LPD|LPD_A|XLO_A|XRTO_A|CELLINK|ARQLINK)_(?!STATS_)\w+): (\w+)", text)
            if word in SIZES}


def body(text):
    """A description without its comments."""
    return re.sub(r"^#.*$", "", text, flags=re.M)


def test_every_name_is_there():
    """The descriptions contain every name that occurs in requests, and no other name."""
    for path, headers in DESCRIPTIONS.items():
        described = set(re.findall(OURS, body(read(path))))
        known = names_of(headers)
        wanted = {name for name in known if not UNSAID.fullmatch(name)} | SAID_ANYHOW & known
        tap.true(f"{headers} have names", len(wanted) > 15)
        tap.equal(f"described in {path}", sorted(described), sorted(wanted))


def test_attributes_have_their_sizes():
    """Each attribute is as long as the header says, and its field has the attribute's name."""
    for path, headers in DESCRIPTIONS.items():
        found = re.findall(r"^\t(\w+)\s+(?:nlattr|nlnest)\[(\w+), (?:flags\[\w+, (\w+)\]|(\w+))",
                           body(read(path)), re.M)
        sizes = {attribute: flags or plain for _, attribute, flags, plain in found}
        tap.equal(f"names of fields in {path}", [f[0] for f in found], [f[1] for f in found])
        wanted = types_of(headers)
        sizes = {name: "int32" if size == "ifindex" else size for name, size in sizes.items()}
        tap.equal(f"sizes in {path}", {name: sizes.get(name) for name in wanted},
                  {name: SIZES[word] for name, word in wanted.items()})


def test_every_command_is_called():
    """For each command of a family there is one call, which sends this command."""
    for path, (header, prefix) in CALLS.items():
        calls = re.findall(rf"^sendmsg\$(\w+)\(.*msghdr_{prefix.lower()}\[(\w+),", read(path),
                           re.M)
        tap.equal("calls", [name for name, _ in calls], [command for _, command in calls])
        tap.equal("commands", [name for name, _ in calls],
                  [name for name in re.findall(rf"^\t({prefix}_CMD_\w+),$", read(uapi.HEADERS, header),
                                               re.M)
                   if not UNSAID.fullmatch(name)])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
