#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ip's plugin for arqlink creates, changes and shows a device. The plugin refuses every wrong word
before it sends a request to the kernel. It accepts the options as it prints them."""
import json
import re

from cli import tools
from lib import arq, kmod, netns, tap

FRAME = "expected a size in b, kb, mb or gb from 64b to 9000b"
WINDOW = "expected a number of frames from 1 to 4096"
TIMEOUT = "expected a time in s, ms, us or ns from 1ms to 60s"
ADDRESS = "expected ADDRESS, a unicast address such as 02:00:00:00:00:01; or none"
MARK = "expected VALUE[/MASK], decimal or 0x and up to 32 bits, with a MASK that is not 0 and has " \
    "all bits of VALUE; or none"
DSCPS = "expected DSCP[,DSCP]..., each a number from 0 to 63 or a name such as ef, af41 or cs5; " \
    "or none"
FACTOR = "expected a number from 0 to 100"
WORDS = "expected one of remote frame window timer timeout floor mean_factor deviation_factor " \
    "gains variance clock reject ack_delay attempts persist lifetime rate below ring bypass_mark " \
    "bypass_dscp reliable_mark reliable_dscp copies " \
    "flush notify backlog ceiling estimate order pack help"
REFUSED = [
    *((f"remote {wrong}", f"remote {wrong}: {ADDRESS}")
      for wrong in ("00:00:00:00:00:00", "01:00:00:00:00:01", "ff:ff:ff:ff:ff:ff", "2:0:0:0:0",
                    "2:0:0:0:0:1:2", "02:00:00:00:00:1g", "002:0:0:0:0:1", "-2:0:0:0:0:1",
                    "2::0:0:0:1", "any")),
    ("remote", f"remote has no value: {ADDRESS}"),
    ("frame 63", f"frame 63: {FRAME}"),
    ("frame 9001b", f"frame 9001b: {FRAME}"),
    ("window 0", f"window 0: {WINDOW}"),
    ("window 8 window 8", "window is given twice: expected it once"),
    ("timer no", "timer no: expected one of fixed, adaptive"),
    ("timeout 999us", f"timeout 999us: {TIMEOUT}"),
    ("floor 0", f"floor 0: {TIMEOUT}"),
    *((f"mean_factor {wrong}", f"mean_factor {wrong}: {FACTOR}")
      for wrong in ("100.001", "0.0001", "-1", "1x", "nan")),
    ("deviation_factor 101", f"deviation_factor 101: {FACTOR}"),
    ("gains 1/8", "gains 1/8: expected one of standard, fast, slow"),
    ("variance no", "variance no: expected one of absolute, signed"),
    ("clock utc", "clock utc: expected one of queued, sent"),
    ("reject all", "reject all: expected one of multi, single, never"),
    ("ack_delay 1001ms", "ack_delay 1001ms: expected a time in s, ms, us or ns from 0 to 1s"),
    ("attempts 65536", "attempts 65536: expected a whole number from 1 to 65535, or unlimited"),
    ("persist 2h", "persist 2h: expected a time in s, ms, us or ns from 1ns to 3600s, or unlimited"),
    ("lifetime 5", "lifetime 5: expected a time in s, ms, us or ns from 1ns to 3600s, or none"),
    ("rate 7bit", "rate 7bit: expected a rate in bit, kbit, mbit, gbit or tbit from 8bit to 1tbit, "
     "or unlimited"),
    ("below 4097", "below 4097: expected a number of frames from 1 to 4096"),
    ("ring 0", "ring 0: expected a size in b, kb, mb or gb from 1b to 1gb"),
    *((f"bypass_mark {wrong}", f"bypass_mark {wrong}: {MARK}")
      for wrong in ("0x100000000", "3/1", "0/0", "1/", "mark")),
    *((f"reliable_dscp {wrong}", f"reliable_dscp {wrong}: {DSCPS}")
      for wrong in ("64", "ef,", ",ef", "ef,,ef", "ef, af41", "EF", "none,ef", "1.5",
                    "0000000000000000000001")),
    ("copies maybe", "copies maybe: expected one of no, yes"),
    ("flush all", "flush all: expected one of no, yes, probe"),
    ("notify 1", "notify 1: expected one of no, yes"),
    ("backlog 65536", "backlog 65536: expected a number of packets from 1 to 65535, or never"),
    ("ceiling 61s", f"ceiling 61s: {TIMEOUT}"),
    ("estimate no", "estimate no: expected one of ack, stamp"),
    ("order lifo", "order lifo: expected one of fifo, fair"),
    ("pack 1", "pack 1: expected one of no, yes"),
    ("attempt 5", f"unknown word \"attempt\": {WORDS}"),
]
REFUSED = [(words, text.replace("ef, af41: expected DSCP", "ef,: expected DSCP"))
           for words, text in REFUSED]
TYPED = "remote 02:0a:00:00:00:ff frame 300b window 16 timer fixed timeout 1500ms floor 20ms " \
    "mean_factor 2.125 deviation_factor 0.001 gains slow variance signed clock sent reject never " \
    "ack_delay 0 attempts 7 persist 2s lifetime 300ms rate 1500kbit below 9 ring 64kb " \
    "bypass_mark 0x1/0xff bypass_dscp cs0,10,ef,63 reliable_mark 0x80000000 reliable_dscp 2 " \
    "copies yes flush probe notify no backlog never ceiling 2s estimate stamp order fair pack yes"
SHOWN = TYPED.replace("cs0,10,ef", "cs0,af11,ef")
CLEARED = "remote none attempts unlimited persist unlimited lifetime none rate unlimited " \
    "bypass_mark none bypass_dscp none reliable_mark none reliable_dscp none"
IN_JSON = {"remote": "02:0a:00:00:00:ff", "frame": 300, "window": 16, "timer": "fixed",
           "timeout": 1500 * arq.MS, "floor": 20 * arq.MS, "mean_factor": 2125,
           "deviation_factor": 1, "gains": "slow", "variance": "signed", "clock": "sent",
           "reject": "never", "ack_delay": 0, "attempts": 7, "persist": 2 * arq.S,
           "lifetime": 300 * arq.MS, "rate": 187_500, "below": 9, "ring": 65536,
           "bypass_mark": {"mark": 1, "mask": 255}, "bypass_dscp": [0, 10, 46, 63],
           "reliable_mark": {"mark": 1 << 31, "mask": 0xffffffff}, "reliable_dscp": [2],
           "copies": "yes", "flush": "probe", "notify": "no", "backlog": 0,
           "ceiling": 2 * arq.S, "estimate": "stamp", "order": "fair", "pack": "yes"}
NONE_IN_JSON = {"remote": "none", "attempts": 0, "persist": 0, "lifetime": 0, "rate": 0,
                "bypass_mark": {"mark": 0, "mask": 0}, "bypass_dscp": [],
                "reliable_mark": {"mark": 0, "mask": 0}, "reliable_dscp": []}


def links():
    """A namespace with two lower devices."""
    kmod.insmod("arqlink")
    ns = netns.Netns()
    netns.veth(ns, "v0", ns, "v1")
    return ns


def info(ns, device):
    [link] = json.loads(ns.run(f"ip -s -d -j link show {device}").stdout)
    tap.equal("kind", link["linkinfo"]["info_kind"], "arqlink")
    return link["linkinfo"]


def shown(ns, device):
    """The options that ip prints, as text."""
    text = ns.run(f"ip -d link show {device}").stdout
    return re.search(r"^ +arqlink (.*?) addrgenmode", text, re.M)[1]


def test_refusals():
    """ip refuses each wrong word or value. The message names the word, its value and the expected
    value."""
    for words, expected in REFUSED:
        done = tools.ip(f"link add link lo name arq0 type arqlink {words}")
        tap.true(f"{words} fails", done.returncode)
        tap.equal(words, done.stderr, f"arqlink: {expected}\n")


def test_help():
    """The word help prints the usage on standard output. ip sends no request. Its exit status is 1,
    as with the help of ip's own kinds of devices."""
    done = tools.ip("link add link lo name arq0 type arqlink window 7 help")
    tap.equal("help", (done.returncode, done.stderr), (1, ""))
    for text in (done.stdout, tools.ip("link help arqlink").stdout):
        tap.true(text, text.startswith("Usage: ... arqlink [remote ADDRESS] [frame BYTES] "))
        tap.true(text, text.endswith("See ip-arqlink(8).\n"))


def test_made_changed_and_shown():
    """ip shows a device with the typed options, as text and as JSON. A change keeps the options that
    are not named."""
    with links() as ns:
        ns.run(f"ip link add link v0 name arq0 type arqlink {TYPED}")
        tap.equal("text", shown(ns, "arq0"), SHOWN)
        tap.equal("JSON", info(ns, "arq0")["info_data"], IN_JSON)
        ns.run(f"ip link set arq0 type arqlink {CLEARED}")
        tap.equal("JSON without words", info(ns, "arq0")["info_data"], IN_JSON | NONE_IN_JSON)
        text = shown(ns, "arq0")
        for pair in re.findall(r"\S+ \S+", CLEARED):
            tap.true(f"{pair}: {text}", pair in text)


def test_defaults():
    """A device without options has the defaults of the help."""
    defaults = re.findall(r"^  (?:(\w+) \S+(?:\n)? +.*\(default (\S+)\))$",
                          tools.ip("link help arqlink").stdout, re.M)
    with links() as ns:
        ns.run("ip link add link v0 name arq0 type arqlink")
        tap.equal("options", shown(ns, "arq0"), " ".join(map(" ".join, defaults)))


def test_shown_is_accepted():
    """ip accepts the options in the form in which it shows them."""
    with links() as ns:
        for options in ("", TYPED):
            ns.run(f"ip link add link v0 name arq0 type arqlink {options}")
            ns.run(f"ip link add link v1 name arq1 type arqlink {shown(ns, 'arq0')}")
            tap.equal("arq1", info(ns, "arq1")["info_data"], info(ns, "arq0")["info_data"])
            ns.run("ip link del arq0")
            ns.run("ip link del arq1")


def test_counters():
    """With -s, ip shows every counter, as text and as JSON."""
    with links() as ns:
        ns.run("ip link add link v0 name arq0 type arqlink")
        tap.equal("JSON", sorted(info(ns, "arq0")["info_xstats"]), sorted(arq.COUNTERS.values()))
        text = ns.run("ip -s -d link show arq0").stdout
        listed = text.partition(shown(ns, "arq0"))[2].partition("addrgenmode")[0]
        tap.equal("text", sorted(re.findall(r"  (\w+) -?\d+", listed)),
                  sorted(arq.COUNTERS.values()))
        tap.true(text, "  packets_in 0  sent 0  sent_bytes 0  bypassed 0  held 0\n  expired 0 " in
                 text)
        tap.true(text, "  srtt 0  srttvar 0\n" in text)


def test_help_in_a_batch():
    """In a batch, help counts as a failed command. The batch ends at this command, or continues if
    -force is given."""
    tools.help_fails_in_a_batch("arqlink", "window 0")


def test_kernel_refuses():
    """If the kernel refuses a device, ip shows the kernel's message."""
    with links() as ns:
        done = ns.run("ip link add name arq0 type arqlink", check=False)
        tap.true(done.stderr, "Error: arqlink: link is missing: expected the lower device" in
                 done.stderr)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
