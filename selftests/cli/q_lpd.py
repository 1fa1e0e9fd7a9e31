#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tc's plugin for lpd refuses every wrong word before it sends a request to the kernel. The plugin
prints options and counters exactly as the kernel reports them. Only the test of the missing
privilege needs the kernel module."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
# run.sh: smoke: help options_are_printed_* counters histogram
import struct
import tempfile

from cli import tools
from lib import netlink, netns, rules, tap, tc, tree, uapi

RATE = "expected a rate in bit, kbit, mbit, gbit or tbit from 8bit to 1tbit, or unlimited or link"
SIZE = "expected a size in b, kb, mb or gb from 64kb to 4294967295b"
COUNT = "expected a number of packets from 1 to 1048576"
DELAY = "expected a time in s, ms, us or ns from 0 to 60s, or link"
LIFETIME = "expected a time in s, ms, us or ns from 1ns to 3600s, or none"
STALE = "expected one of honor, forward, discard, truncate"
ORDER = "expected one of fifo, edf"
OVERFLOW = "expected one of tail, head, stalest, least"
KEEP = "expected a size in b, kb, mb or gb from 0 to 65535b"
SHARE = "expected a number of percent from 0 to 99"
WORDS = "expected one of limit memory order overflow rate delay stale keep lifetime exempt " \
    "noexempt match adu noadu strip nostrip notify nonotify share help"
FIELD = "expected mark, dscp, priority or none"
MARK = "expected VALUE[/MASK], decimal or 0x and up to 32 bits, with a MASK that is not 0 and has " \
    "all bits of VALUE"
DSCP = "expected a number from 0 to 63 or a name such as ef, af41 or cs5"
PRIORITY = "expected a whole number from 0 to 4294967295"
IMPORTANCE = "expected a whole number from 0 to 7"

REFUSED = [
    ("limit 0", f"limit 0: {COUNT}"),
    ("limit 1048577", f"limit 1048577: {COUNT}"),
    ("limit -1", f"limit -1: {COUNT}"),
    ("limit 10.5", f"limit 10.5: {COUNT}"),
    ("limit 10p", f"limit 10p: {COUNT}"),
    ("limit 18446744073709551617", f"limit 18446744073709551617: {COUNT}"),
    ("limit", f"limit has no value: {COUNT}"),
    ("limit 5 limit 6", "limit is given twice: expected it once"),
    ("memory 65535", f"memory 65535: {SIZE}"),
    ("memory 4gb", f"memory 4gb: {SIZE}"),
    ("memory 1mib", f"memory 1mib: {SIZE}"),
    ("rate 7bit", f"rate 7bit: {RATE}"),
    ("rate 2tbit", f"rate 2tbit: {RATE}"),
    ("rate 1000", f"rate 1000: {RATE}"),
    ("rate 1mbps", f"rate 1mbps: {RATE}"),
    ("rate none", f"rate none: {RATE}"),
    ("rate links", f"rate links: {RATE}"),
    ("delay 300", f"delay 300: {DELAY}"),
    ("delay 60001ms", f"delay 60001ms: {DELAY}"),
    ("delay none", f"delay none: {DELAY}"),
    ("delay inf", f"delay inf: {DELAY}"),
    ("delay 0x1s", f"delay 0x1s: {DELAY}"),
    ("delay 0.4ns", f"delay 0.4ns: {DELAY}"),
    ("delay unlimited", f"delay unlimited: {DELAY}"),
    ("lifetime link", f"lifetime link: {LIFETIME}"),
    ("lifetime 3601s", f"lifetime 3601s: {LIFETIME}"),
    ("lifetime 5", f"lifetime 5: {LIFETIME}"),
    ("stale drop", f"stale drop: {STALE}"),
    ("stale 1", f"stale 1: {STALE}"),
    ("stale truncat", f"stale truncat: {STALE}"),
    ("order deadline", f"order deadline: {ORDER}"),
    ("order", f"order has no value: {ORDER}"),
    ("order edf order fifo", "order is given twice: expected it once"),
    ("overflow front", f"overflow front: {OVERFLOW}"),
    ("keep 65536", f"keep 65536: {KEEP}"),
    ("keep -1", f"keep -1: {KEEP}"),
    ("keep 12bytes", f"keep 12bytes: {KEEP}"),
    ("keep", f"keep has no value: {KEEP}"),
    ("share 100", f"share 100: {SHARE}"),
    ("share 50%", f"share 50%: {SHARE}"),
    ("adu noadu", "adu and noadu: expected one of them"),
    ("noadu keep 5 adu", "noadu and adu: expected one of them"),
    ("nostrip strip", "nostrip and strip: expected one of them"),
    ("adu strip adu", "adu is given twice: expected it once"),
    ("nostrip nostrip", "nostrip is given twice: expected it once"),
    ("notify nonotify", "notify and nonotify: expected one of them"),
    ("exempt noexempt", "exempt and noexempt: expected one of them"),
    ("notify notify", "notify is given twice: expected it once"),
    ("match", f"match has no value: {FIELD}"),
    ("match colour", f"match colour: {FIELD}"),
    ("match 300ms", f"match 300ms: {FIELD}"),
    ("match mark", f"match: mark has no value: {MARK}"),
    ("match mark 300ms", f"match: mark 300ms: {MARK}"),
    ("match mark 1/0 300ms", f"match: mark 1/0: {MARK}"),
    ("match mark 2/1 300ms", f"match: mark 2/1: {MARK}"),
    ("match mark 0x100000000 1s", f"match: mark 0x100000000: {MARK}"),
    ("match dscp", f"match: dscp has no value: {DSCP}"),
    ("match dscp 64 1s", f"match: dscp 64: {DSCP}"),
    ("match dscp -1 1s", f"match: dscp -1: {DSCP}"),
    ("match dscp EF 1s", f"match: dscp EF: {DSCP}"),
    ("match dscp af44 1s", f"match: dscp af44: {DSCP}"),
    ("match priority", f"match: priority has no value: {PRIORITY}"),
    ("match priority 4294967296 1s", f"match: priority 4294967296: {PRIORITY}"),
    ("match mark 1", f"match: lifetime has no value: {LIFETIME}"),
    ("match mark 1 300", f"match: lifetime 300: {LIFETIME}"),
    ("match mark 1 3601s", f"match: lifetime 3601s: {LIFETIME}"),
    ("match mark 1 truncate", f"match: lifetime truncate: {LIFETIME}"),
    ("match mark 1 match dscp ef 1s", f"match: lifetime match: {LIFETIME}"),
    ("match mark 1 1s honor", f"unknown word \"honor\": {WORDS}"),
    ("match mark 1 1s truncate discard", f"unknown word \"discard\": {WORDS}"),
    ("match mark 1 1s importance", f"match: importance has no value: {IMPORTANCE}"),
    ("match mark 1 1s importance 8", f"match: importance 8: {IMPORTANCE}"),
    ("match mark 1 1s importance -1", f"match: importance -1: {IMPORTANCE}"),
    ("match mark 1 1s importance 1 discard", f"unknown word \"discard\": {WORDS}"),
    ("importance 3", f"unknown word \"importance\": {WORDS}"),
    ("match mark 1 1s 2s", f"unknown word \"2s\": {WORDS}"),
    ("match none match none", "match none: expected no other rule"),
    ("match none match mark 1 1s", "match none: expected no other rule"),
    ("match mark 1 1s match none", "match none: expected no other rule"),
    ("match mark 1 1s " * 33, "too many rules: expected at most 32"),
    ("limit match", f"limit match: {COUNT}"),
    ("limit 5 match mark 1 1s limit 6", "limit is given twice: expected it once"),
    ("adu limit", f"limit has no value: {COUNT}"),
    ("limits 5", f"unknown word \"limits\": {WORDS}"),
    ("lim 5", f"unknown word \"lim\": {WORDS}"),
    ("adu 1", f"unknown word \"1\": {WORDS}"),
    ("no adu", f"unknown word \"no\": {WORDS}"),
    ("nokeep", f"unknown word \"nokeep\": {WORDS}"),
    ("noad", f"unknown word \"noad\": {WORDS}"),
    ("onadu", f"unknown word \"onadu\": {WORDS}"),
    ("tify", f"unknown word \"tify\": {WORDS}"),
    ("nonoadu", f"unknown word \"nonoadu\": {WORDS}"),
]
NUMBERS = [name for name in tree.STATISTICS if name != "remaining"]
NOTHING = [0] * len(NUMBERS)


def message(options, counters, buckets, match=b""):
    """An RTM_NEWQDISC of an lpd, as the kernel would send it. `match` is the attribute that
    contains rules."""
    nested = b"".join(netlink.attr(kind, struct.pack(tree.OPTIONS[kind][1], value))
                      for kind, value in options.items()) + match
    app = b"".join(netlink.attr(tree.STATISTIC_NUMBER[name], struct.pack("=Q", value))
                   for name, value in zip(NUMBERS, counters))
    app += netlink.attr(tree.STATISTIC_NUMBER["remaining"],
                        struct.pack(f"={len(buckets)}Q", *buckets))
    stats = netlink.attr(tree.TCA_STATS_APP, app)
    body = struct.pack("=BxxxiIII", 0, 1, 0x10000, netlink.TC_H_ROOT, 1) + \
        netlink.attr(netlink.TCA_KIND, b"lpd\0") + \
        netlink.attr(netlink.TCA_OPTIONS, nested) + netlink.attr(netlink.TCA_STATS2, stats)
    return struct.pack("=IHHII", 16 + len(body), netlink.RTM_NEWQDISC, 0, 0, 0) + body


def printed(*arguments, **rules_too):
    """The options that `tc -s` prints for this message, and the lines of counters below them."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(message(*arguments, **rules_too))
        file.flush()
        done = tools.tc(f"-s monitor file {file.name}")
    tap.equal("exit status", done.returncode, 0)
    lines = done.stdout.splitlines()
    return lines[0].split(" root ")[1].removeprefix("refcnt 1 ").strip(), \
        [line for line in lines[1:] if line.startswith("  ")]


def options(**values):
    """All attributes by the kernel's numbers, with default values except for the given values."""
    default = {"limit": 1, "memory": 65536, "rate": 1, "delay": 0, "lifetime": 0, "stale": 0,
               "order": 0, "overflow": 0, "keep": 0, "adu": 0, "strip": 0, "notify": 0,
               "exempt": 0, "share": 50}
    return {kind: (default | values)[name] for kind, (name, _) in tree.OPTIONS.items()}


def test_refusals():
    """tc refuses each wrong word, value or combination with status 1. The message names the word,
    its value and the expected value."""
    for words, expected in REFUSED:
        done = tools.tc(f"qdisc add dev lo root lpd {words}")
        tap.equal(words, (done.returncode, done.stdout, done.stderr),
                  (1, "", f"lpd: {expected}\n"))


def test_without_privilege():
    """Without CAP_NET_ADMIN tc fails with the kernel's reason, and nothing changes."""
    tc.need("lpd")
    with netns.Netns() as ns:
        def kinds():
            return [qdisc.kind for qdisc in tree.Tree(netlink.Netlink(ns), "lo").qdiscs]

        before, add = kinds(), "tc qdisc add dev lo root lpd limit 5 share 0"
        done = ns.run(f"setpriv --bounding-set=-net_admin --inh-caps=-net_admin {add}",
                      check=False)
        tap.equal("refusal", (done.returncode, done.stdout, done.stderr),
                  (2, "", "RTNETLINK answers: Operation not permitted\n"))
        tap.equal("qdiscs", kinds(), before)
        ns.run(add)
        tap.equal("with CAP_NET_ADMIN", kinds(), ["lpd"])


def test_help():
    """The word help prints the usage on standard output, at any position. tc sends no request. Its
    exit status is 1, as with the help of tc's own qdiscs."""
    for words in ("lpd help", "lpd limit 5 help"):
        done = tools.tc(f"qdisc add dev lo root {words}")
        tap.equal(words, (done.returncode, done.stderr), (1, ""))
        tap.true("usage", done.stdout.startswith("Usage: ... lpd [limit PACKETS] "))
    tap.equal("status after tbf's help", tools.tc("qdisc add dev lo root tbf help").returncode, 1)


def test_help_in_a_batch():
    """In a batch, help counts as a failed command. The batch ends at this command, or continues if
    -force is given."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("qdisc add dev lo root lpd help\nqdisc add dev lo root lpd limit 0\n")
        file.flush()
        for option, failed in (("", [1]), ("-force ", [1, 2])):
            done = tools.tc(f"{option}-batch {file.name}")
            tap.equal(f"exit status {option}", done.returncode, 1)
            tap.equal(f"commands that failed {option}",
                      [line for line in done.stderr.splitlines() if "Command failed" in line],
                      [f"Command failed {file.name}:{number}" for number in failed])


def test_options_are_printed_as_typed():
    """tc prints the options in a form that it accepts as input."""
    cases = [
        (options(limit=100, memory=32 << 20, rate=3750, delay=300_000_000,
                 lifetime=5_000_000_000),
         "limit 100 memory 32mb order fifo overflow tail rate 30kbit delay 300ms stale honor "
         "keep 0 lifetime 5s noexempt noadu nostrip nonotify share 50"),
        (options(rate=0, stale=1, order=1, overflow=1, adu=1, notify=1, share=0),
         "limit 1 memory 64kb order edf overflow head rate unlimited delay 0 stale forward "
         "keep 0 lifetime none noexempt adu nostrip notify share 0"),
        (options(limit=1048576, memory=4294967295, rate=125_000_000_000,
                 delay=60_000_000_000, lifetime=3600_000_000_000, stale=2, overflow=2,
                 keep=65535, strip=1, notify=1, exempt=1, share=99),
         "limit 1048576 memory 4294967295b order fifo overflow stalest rate 1tbit delay 60s "
         "stale discard keep 65535b lifetime 3600s exempt noadu strip notify share 99"),
        (options(memory=65537, rate=1, delay=1, lifetime=1_500_000, stale=3, keep=1024, adu=1,
                 strip=1),
         "limit 1 memory 65537b order fifo overflow tail rate 8bit delay 1ns stale truncate "
         "keep 1kb lifetime 1500us noexempt adu strip nonotify share 50"),
        (options(rate=uapi.TC_LPD_LINK, delay=uapi.TC_LPD_LINK),
         "limit 1 memory 64kb order fifo overflow tail rate link delay link stale honor "
         "keep 0 lifetime none noexempt noadu nostrip nonotify share 50"),
    ]
    for given, expected in cases:
        line = printed(given, NOTHING, [0] * 20)[0]
        tap.equal("options", line, expected)
        done = tools.tc(f"qdisc add dev nodev root lpd {line}")
        tap.true(f"{line}: accepted again ({done.stderr.strip()})",
                 "Cannot find device" in done.stderr)


RULES = [
    (dict(mark=1, mask=0xff, lifetime=300_000_000), "match mark 0x1/0xff 300ms"),
    (dict(mark=0xcafe, lifetime=1), "match mark 0xcafe 1ns"),
    (dict(mark=0, mask=1 << 31, lifetime=0), "match mark 0x0/0x80000000 none"),
    (dict(dscp=46, lifetime=200_000_000, stale=3), "match dscp ef 200ms truncate"),
    (dict(dscp=34, lifetime=10**9, stale=1), "match dscp af41 1s forward"),
    (dict(dscp=63, lifetime=3600 * 10**9), "match dscp 63 3600s"),
    (dict(priority=6, lifetime=10**9), "match priority 6 1s"),
    (dict(priority=7, lifetime=0, importance=7), "match priority 7 none importance 7"),
    (dict(dscp=0, lifetime=10**9, stale=3, importance=1),
     "match dscp cs0 1s truncate importance 1"),
    (dict(priority=2**32 - 1, lifetime=1_500_000), "match priority 4294967295 1500us"),
]


def test_rules_are_printed_as_typed():
    """tc prints rules after the options, in a form that it accepts as input. If there are no rules,
    tc prints nothing about rules."""
    given = [rules.complete(**rule) for rule, _ in RULES]
    line = printed(options(), NOTHING, [0] * 20, match=rules.match(*given))[0]
    tap.equal("rules", line.partition(" share 50 ")[2], " ".join(words for _, words in RULES))
    done = tools.tc(f"qdisc add dev nodev root lpd {line}")
    tap.true(f"{line}: accepted again ({done.stderr.strip()})",
             "Cannot find device" in done.stderr)
    line = printed(options(), NOTHING, [0] * 20, match=rules.match())[0]
    tap.true(line, line.endswith(" share 50"))


def test_every_dscp_has_a_name():
    """tc prints each DSCP as a name or a number, and accepts the printed form as input. The names
    are those of RFC 2474, 2597, 3246, 5865 and 8622."""
    line = printed(options(), NOTHING, [0] * 20,
                   match=rules.match(*[rules.complete(dscp=dscp, lifetime=1)
                                       for dscp in range(64)]))[0]
    names = line.partition(" share 50 ")[2].replace("match dscp ", "").split(" 1ns")
    wanted = [str(dscp) for dscp in range(64)]
    for number in range(8):
        wanted[8 * number] = f"cs{number}"
    for number in range(1, 5):
        for drop in range(1, 4):
            wanted[8 * number + 2 * drop] = f"af{number}{drop}"
    wanted[46], wanted[44], wanted[1] = "ef", "va", "le"
    tap.equal("names", [name.strip() for name in names[:64]], wanted)
    for half in (wanted[:32], wanted[32:], ["be", "df"]):
        words = " ".join(f"match dscp {name} 1ns" for name in half)
        done = tools.tc(f"qdisc add dev nodev root lpd {words}")
        tap.true(done.stderr.strip(), "Cannot find device" in done.stderr)


def test_options_of_another_kernel():
    """tc shows values that it does not know by their numbers. The plugin does not show attributes
    that the kernel does not report."""
    line = printed(options(stale=4, order=9), NOTHING, [0] * 20)[0]
    tap.true(line, " order 9 " in line and " stale 4 " in line)
    older = {kind: value for kind, value in options().items() if kind < 8}
    tap.equal("without the newer options", printed(older, NOTHING, [0] * 20)[0],
              "limit 1 memory 64kb rate 8bit delay 0 stale honor lifetime none")


def test_counters():
    """tc prints all 64 bits of every counter once, under the counter's name."""
    values = {key: (i + 1) * 10_000_000_019 for i, key in enumerate(NUMBERS)}
    lines = printed(options(), values.values(), [0] * 20)[1]
    words = " ".join(lines).split()
    tap.equal("an empty histogram", words.pop(), "remaining")
    tap.equal("number of words", len(words), 2 * len(values))
    tap.equal("counters", {key: int(value) for key, value in zip(words[::2], words[1::2])},
              values)


def test_histogram():
    """tc prints each bucket that has packets with its upper bound, and the last bucket with its
    lower bound."""
    buckets = [0] * 20
    buckets[0], buckets[3], buckets[18], buckets[19] = 7, 1 << 40, 1, 2
    tap.equal("histogram", printed(options(), NOTHING, buckets)[1][-1],
              f"  remaining <1ms 7 <8ms {1 << 40} <262144ms 1 >=262144ms 2")
    tap.equal("a kernel with fewer buckets", printed(options(), NOTHING, [0, 1])[1][-1],
              "  remaining <2ms 1")


def test_counters_of_another_kernel():
    """If a kernel reports fewer counters, tc shows only these counters."""
    lines = printed(options(), [1, 2], [0] * 20)[1]
    tap.equal("counters", lines, ["  packets_in 1  packets_out 2", "  remaining"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
