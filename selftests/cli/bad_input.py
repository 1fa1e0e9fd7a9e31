#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink refuses every wrong command line and does nothing. The message names the word, its
value and the expected value. The exit status is as documented."""
# run.sh: once: what a command prints does not depend on the kernel
import tempfile

from cli import tools
from lib import tap

RATE = "expected a rate in bit, kbit, mbit, gbit or tbit from "
TIME = "expected a time in s, ms, us or ns from "
TIMES = "expected two times MIN,MAX in s, ms, us or ns from "
HALF_DAY = "0 to 43200s in whole ms"
MARK = "expected VALUE[/MASK], decimal or 0x and up to 32 bits, with a MASK that is not 0 and " \
    "has all bits of VALUE"

SOURCE_WORDS = "expected one of --port --rate --size --count --duration --on --off --law " \
    "--lifetime --lifetime-random --via --stale --reorder --slow --clock --seed -j help"

EVERY_COMMAND = "expected one of profile add, profile del, profile show, cap set, cap del, " \
    "set, status, monitor, top, export, rto set, rto show, notify, apply, save, send, recv, traffic source, traffic sink, " \
    "traffic nrt, traffic tcp-sink, traffic web, traffic web-server, traffic dccp-source, " \
    "traffic dccp-sink, emulate, trace show, " \
    "trace cut, trace make, trace load, trace unload, trace log, pace, doctor, reflect, " \
    "probe, help"

# command line, exit status, text after "freshlink" on standard error
COMMANDS = [(words, 2, f": unknown command \"{words}\": {EVERY_COMMAND}")
            for words in ("bogus", "traffic", "bogus help", "traffic bogus", "profile",
                          "profile bogus", "cap", "cap show", "rto", "rto del", "statu", "trace",
                          "trace draw")]

SOURCE = [
    ("", 2, "HOST is missing: expected it before the options"),
    ("192.0.2.1 --rate 5", 2, f"--rate 5: {RATE}8bit to 10gbit"),
    ("192.0.2.1 --rate 1bit", 2, f"--rate 1bit: {RATE}8bit to 10gbit"),
    ("192.0.2.1 --rate 30kbps", 2, f"--rate 30kbps: {RATE}8bit to 10gbit"),
    ("192.0.2.1 --rate -5kbit", 2, f"--rate -5kbit: {RATE}8bit to 10gbit"),
    ("192.0.2.1 --rate 0x5kbit", 2, f"--rate 0x5kbit: {RATE}8bit to 10gbit"),
    ("192.0.2.1 --rate nan", 2, f"--rate nan: {RATE}8bit to 10gbit"),
    ("192.0.2.1 --size 51", 2,
     "--size 51: expected a size in b, kb, mb or gb from 52b to 65535b"),
    ("192.0.2.1 --count 0", 2, "--count 0: expected a number of packets from 1 to 268435456"),
    ("192.0.2.1 --count 1.5", 2, "--count 1.5: expected a number of packets from 1 to 268435456"),
    ("192.0.2.1 --count 99999999999999999999", 2,
     "--count 99999999999999999999: expected a number of packets from 1 to 268435456"),
    ("192.0.2.1 --port 65536", 2, "--port 65536: expected a whole number from 1 to 65535"),
    ("192.0.2.1 --duration 10", 2, f"--duration 10: {TIME}1ns to 31536000s"),
    ("192.0.2.1 --on 1s", 2, "--on without --off: expected both or none"),
    ("192.0.2.1 --off 1s", 2, "--off without --on: expected both or none"),
    ("192.0.2.1 --law x", 2, "--law x: expected one of exponential, constant"),
    ("192.0.2.1 --lifetime 65535ms", 2,
     "--lifetime 65535ms: expected at most 65534ms with --clock relative"),
    ("192.0.2.1 --lifetime 900us", 2, f"--lifetime 900us: {TIME}{HALF_DAY}"),
    ("192.0.2.1 --lifetime-random 1ms,1.5ms", 2,
     f"--lifetime-random 1ms,1.5ms: {TIMES}{HALF_DAY}"),
    ("192.0.2.1 --lifetime 1e-5000s", 2, f"--lifetime 1e-5000s: {TIME}{HALF_DAY}"),
    ("192.0.2.1 --seed 18446744073709551616", 2, "--seed 18446744073709551616: expected a "
     "whole number from 0 to 9223372036854775807"),
    ("192.0.2.1 --lifetime-random 1s,66s", 2,
     "--lifetime-random 1s,66s: expected at most 65534ms with --clock relative"),
    ("192.0.2.1 --lifetime 50000s --clock utc", 2,
     f"--lifetime 50000s: {TIME}{HALF_DAY}"),
    ("192.0.2.1 --lifetime-random 5s,1s", 2, f"--lifetime-random 5s,1s: {TIMES}{HALF_DAY}"),
    ("192.0.2.1 --lifetime-random 5s", 2, f"--lifetime-random 5s: {TIMES}{HALF_DAY}"),
    ("192.0.2.1 --lifetime 1s --lifetime-random 1s,2s", 2,
     "--lifetime and --lifetime-random: expected one of them"),
    ("192.0.2.1 --via ip", 2, "--via ip: expected one of option, txtime"),
    ("192.0.2.1 --via txtime", 2,
     "--via txtime: expected with --lifetime or --lifetime-random"),
    *((f"192.0.2.1 --via txtime --lifetime 1s {word}", 2,
       f"{word.split()[0]}: expected without --via txtime")
      for word in ("--stale discard", "--reorder 0", "--slow", "--clock relative")),
    ("192.0.2.1 --via txtime --lifetime 66s", 2,
     "--lifetime 66s: expected at most 65534ms with --clock relative"),
    ("192.0.2.1 --via txtime --lifetime 1s --size 59", 2,
     "--size 59: expected at least 60 for these packets"),
    ("192.0.2.1 --stale drop", 2, "--stale drop: expected one of forward, discard, truncate"),
    ("192.0.2.1 --reorder 256", 2, "--reorder 256: expected a number of packets from 0 to 255"),
    ("192.0.2.1 --rate 1mbit --rate 2mbit", 2, "--rate is given twice: expected it once"),
    ("192.0.2.1 192.0.2.2", 2, f"unknown word \"192.0.2.2\": {SOURCE_WORDS}"),
    ("192.0.2.1 --bogus", 2, f"unknown word \"--bogus\": {SOURCE_WORDS}"),
    ("192.0.2.1 --rates=5kbit", 2, f"unknown word \"--rates=5kbit\": {SOURCE_WORDS}"),
    ("192.0.2.1 -j=1", 2, f"unknown word \"-j=1\": {SOURCE_WORDS}"),
    ("192.0.2.1 --slow=yes", 2, f"unknown word \"--slow=yes\": {SOURCE_WORDS}"),
    ("192.0.2.1 --rate=", 2, f"--rate : {RATE}8bit to 10gbit"),
    ("192.0.2.1 --size 52 --lifetime 5s", 2,
     "--size 52: expected at least 60 for these packets"),
    ("::1 --size 52", 2, "--size 52: expected at least 72 for these packets"),
    ("::1 --size 87 --slow", 2, "--size 87: expected at least 88 for these packets"),
    ("300.0.2.1", 1, "HOST 300.0.2.1: expected an address or a known name: "),
]

SINK = [
    ("--port 0", 2, "--port 0: expected a whole number from 1 to 65535"),
    ("--idle 5", 2, f"--idle 5: {TIME}1ns to 31536000s"),
    ("--log", 2, "--log has no value: expected FILE"),
    ("--log /nowhere/log", 1, "--log /nowhere/log: expected a file that can be written: "
     "No such file or directory"),
    ("--log /dev/full --idle 1s", 1, "--log /dev/full: expected a file that can be written: "
     "No space left on device"),
    ("x", 2, "unknown word \"x\": expected one of --port --log --count --duration --idle -j "
     "help"),
]

NRT = [
    ("", 2, "HOST is missing: expected it before the options"),
    *((f"192.0.2.1 --{word} {value}", 2, f"--{word} {value}: {what}")
      for word, values, what in (
          ("port", "0 65536 x", "expected a whole number from 1 to 65535"),
          ("sessions", "0 1000001 1.5 -1", "expected a number of sessions from 1 to 1000000"),
          ("calls", "0 1000001 2.5 5s", "expected a whole number from 1 to 1000000"),
          ("datagrams", "0 1000001 0.5", "expected a whole number from 1 to 1000000"),
          ("reading", "412 -1s 86401s inf", f"{TIME}0 to 86400s"),
          ("gap", "62.5 86400.1s 0x1s", f"{TIME}0 to 86400s"),
          ("alpha", "0 0.499999 100.000001 1,1 nan x 1.1b", "expected a number from 0.5 to 100"),
          ("least", "0 0.999999 1048576.000001 81.5b -81",
           "expected a number of bytes from 1 to 1048576"),
          ("cutoff", "0 1048577 2mb x", "expected a size in b, kb, mb or gb from 1b to 1mb"),
          ("seed", "-1 9223372036854775808 1.5",
           "expected a whole number from 0 to 9223372036854775807"))
      for value in values.split()),
    ("192.0.2.1 --least 66666.000001", 2,
     "--least 66666.000001: expected at most --cutoff 66666b"),
    ("192.0.2.1 --cutoff 81", 2, "--least 81.5: expected at most --cutoff 81b"),
    ("192.0.2.1 --log", 2, "--log has no value: expected FILE"),
    ("192.0.2.1 --log /nowhere/log", 1, "--log /nowhere/log: expected a file that can be "
     "written: No such file or directory"),
    ("192.0.2.1 --log /dev/full", 1, "--log /dev/full: expected a file that can be written: "
     "No space left on device"),
    ("192.0.2.1 --calls 5 --calls 5", 2, "--calls is given twice: expected it once"),
    ("192.0.2.1 192.0.2.2", 2, "unknown word \"192.0.2.2\": expected one of --port --sessions "
     "--calls --reading --datagrams --gap --alpha --least --cutoff --seed --log -j help"),
    ("300.0.2.1", 1, "HOST 300.0.2.1: expected an address or a known name: "),
]

# the options that both commands of DCCP have
DCCP = [
    *((f"--ccid {value}", 2, f"--ccid {value}: expected one of 2, 3, iftp, iftpv")
      for value in ("1", "4", "256", "x")),
    *((f"--service {value}", 2, f"--service {value}: expected four characters, SC: and up to "
       "four, SC= and a number, or SC=x and a hexadecimal number")
      for value in ("fln", "video", "SC:", "SC:video", "SC=4294967296", "SC=x", "SC=-1")),
    ("--carrier tcp", 2, "--carrier tcp: expected one of udp, ip"),
    ("--port 0", 2, "--port 0: expected a whole number from 1 to 65535"),
    ("--udp-port 65536", 2, "--udp-port 65536: expected a whole number from 1 to 65535"),
]

# what may be damaged, of the commands that send, with the name of what has --size
NEEDS_NO_UDP = ": the checksum of UDP covers everything, expected --no-udp-checksum or --carrier ip"


def partial(what):
    """Wrong command lines with a sensitive part."""
    return [
        ("127.0.0.1 --sensitive 40", 2, f"--sensitive 40{NEEDS_NO_UDP}"),
        ("127.0.0.1 --sensitive 1001 --carrier ip", 2,
         f"--sensitive 1001: expected at most the 1000 bytes of a {what}"),
        ("127.0.0.1 --sensitive 101 --size 100 --no-udp-checksum", 2,
         f"--sensitive 101: expected at most the 100 bytes of a {what}"),
        ("127.0.0.1 --no-udp-checksum --carrier ip", 2,
         "--no-udp-checksum: expected --carrier udp"),
    ]


# what only CCID 3 has, of the commands that send
UNDO = [
    ("127.0.0.1 --undo yes", 2, "--undo yes: expected one of auto, off, on"),
    ("127.0.0.1 --undo on", 2, "--undo on: expected --ccid 3"),
    ("127.0.0.1 --undo on --ccid 2", 2, "--undo on: expected --ccid 3"),
    ("127.0.0.1 --forgive all", 2, "--forgive all: expected one of nothing, stale"),
    ("127.0.0.1 --forgive stale", 2, "--forgive stale: expected --ccid 3"),
    ("127.0.0.1 --forgive stale --ccid 2", 2, "--forgive stale: expected --ccid 3"),
]

DCCP_SOURCE = [
    ("", 2, "HOST is missing: expected it before the options"),
    *((f"127.0.0.1 {words}", status, message) for words, status, message in DCCP),
    ("127.0.0.1 --size 23", 2,
     "--size 23: expected a size in b, kb, mb or gb from 24b to 9000b"),
    ("127.0.0.1 --size 9001", 2,
     "--size 9001: expected a size in b, kb, mb or gb from 24b to 9000b"),
    ("127.0.0.1 --mtu 575", 2, "--mtu 575: expected a size in b, kb, mb or gb from 576b to 9kb"),
    ("127.0.0.1 --lifetime 0", 2, f"--lifetime 0: {TIME}1ms to 43200s in whole ms"),
    ("127.0.0.1 --lifetime 1.5ms", 2, f"--lifetime 1.5ms: {TIME}1ms to 43200s in whole ms"),
    ("127.0.0.1 --stale drop", 2, "--stale drop: expected one of forward, discard, truncate"),
    ("127.0.0.1 --coverage 1", 2,
     "--coverage 1: UDP covers everything, expected --carrier ip"),
    ("127.0.0.1 --coverage 1 --sensitive 1 --carrier ip", 2,
     "--coverage 1: expected one of --coverage and --sensitive"),
    *partial("packet"),
    *UNDO,
    ("127.0.0.1 --via xlo", 2, "--via xlo: expected one of auto, off, txtime, option"),
    ("127.0.0.1 --rate 5", 2, f"--rate 5: {RATE}8bit to 10gbit"),
    ("127.0.0.1 127.0.0.2", 2, "unknown word \"127.0.0.2\": expected one of --port --udp-port "
     "--carrier --kernel-silent --service --ccid --undo --forgive --coverage --rate --size --mtu "
     "--count --duration --lifetime --stale --via --scale --window --tolerance --causes --sensitive "
     "--no-udp-checksum --log -j help"),
    ("127.0.0.1 --scale 2", 2, "--scale 2: expected iftp or iftpv as congestion control"),
    ("127.0.0.1 --window 60 --ccid 3", 2, "--window 60: expected iftp or iftpv as congestion control"),
    ("127.0.0.1 --tolerance 128 --ccid iftpv", 2,
     "--tolerance 128: expected a whole number from 0 to 127"),
    ("300.0.2.1", 1, "HOST 300.0.2.1: expected an address or a known name: "),
]

ENCRYPTED = "what is encrypted must not be damaged at all, expected no --sensitive, " \
    "--damaged deliver or --no-udp-checksum"
FIXED = "expected --rate with --control fixed, without --ccid"
SEND = [
    ("127.0.0.1 --control fixed", 2, f"--control fixed: {FIXED}"),
    ("127.0.0.1 --rate 1mbit", 2, f"--control feasible --rate: {FIXED}"),
    ("127.0.0.1 --control fixed --rate 1mbit --ccid 2", 2, f"--control fixed --rate: {FIXED}"),
    ("127.0.0.1 --control fixed --rate 5", 2, f"--rate 5: {RATE}8bit to 10gbit"),
    *partial("message"),
    *UNDO,
    ("127.0.0.1 --lifetimes auto --sensitive 1 --carrier ip", 2, "--lifetimes auto: expected no "
     "--sensitive, whose option says that damage is tolerable"),
    ("127.0.0.1 --lifetimes off", 2, "--lifetimes off: expected one of on, auto"),
    ("127.0.0.1 --sensitive 1 --carrier ip --psk x", 2, f"--psk: {ENCRYPTED}"),
    ("127.0.0.1 --no-udp-checksum --ca x", 2, f"--ca: {ENCRYPTED}"),
]

RECV = [
    ("--damaged keep", 2, "--damaged keep: expected one of drop, deliver"),
    ("--no-udp-checksum --carrier ip", 2, "--no-udp-checksum: expected --carrier udp"),
    ("--damaged deliver --psk x", 2, f"--psk: {ENCRYPTED}"),
    ("--no-udp-checksum --cert x --key x", 2, f"--cert: {ENCRYPTED}"),
]

DCCP_SINK = [
    *DCCP,
    ("--connections 0", 2, "--connections 0: expected a whole number from 1 to 1000000"),
    ("--idle 5", 2, f"--idle 5: {TIME}1ns to 31536000s"),
    ("--log /nowhere/log", 1, "--log /nowhere/log: expected a file that can be written: "
     "No such file or directory"),
    ("x", 2, "unknown word \"x\": expected one of --port --udp-port --carrier --kernel-silent "
     "--service --ccid --coverage --no-udp-checksum --connections --log --duration --idle -j "
     "help"),
    ("--no-udp-checksum --carrier ip", 2, "--no-udp-checksum: expected --carrier udp"),
]

TCP_SINK = [
    ("--port 65536", 2, "--port 65536: expected a whole number from 1 to 65535"),
    ("--sessions 0", 2,
     "--sessions 0: expected a number of sessions from 1 to 9223372036854775807"),
    ("--duration 10", 2, f"--duration 10: {TIME}1ns to 31536000s"),
    ("--idle 0", 2, f"--idle 0: {TIME}1ns to 31536000s"),
    ("x", 2, "unknown word \"x\": expected one of --port --sessions --duration --idle -j help"),
]

WEB = [
    ("", 2, "HOST is missing: expected it before the options"),
    *((f"192.0.2.1 --{word} {value}", 2, f"--{word} {value}: {what}")
      for word, values, what in (
          ("port", "0 65536 x", "expected a whole number from 1 to 65535"),
          ("transactions", "0 9223372036854775808 1.5 -1",
           "expected a number of transactions from 1 to 9223372036854775807"),
          ("duration", "0 10 -1s", f"{TIME}1ns to 31536000s"),
          ("idle", "0 31536001s", f"{TIME}1ns to 31536000s"),
          ("files", "x 1 al", "expected one of all, embedded"),
          ("connect", "x 1 fil", "expected one of once, file"),
          ("seed", "-1 9223372036854775808 1.5",
           "expected a whole number from 0 to 9223372036854775807"))
      for value in values.split()),
    ("192.0.2.1 --log /nowhere/log", 1, "--log /nowhere/log: expected a file that can be "
     "written: No such file or directory"),
    ("192.0.2.1 192.0.2.2", 2, "unknown word \"192.0.2.2\": expected one of --port "
     "--transactions --duration --idle --files --connect --seed --log -j help"),
    ("300.0.2.1", 1, "HOST 300.0.2.1: expected an address or a known name: "),
]

EMULATE = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("nodev --rate 5", 2, f"--rate 5: {RATE}800bit to 10gbit"),
    ("nodev --spike 30s", 2, "--spike 30s: expected shorter than --period 30s"),
    ("nodev --spike 3s --period 2.5s", 2, "--spike 3s: expected shorter than --period 2.5s"),
    ("nodev --period 5s", 2, "--period 5s: expected longer than --spike 10s"),
    ("nodev --period 10s", 2, "--period 10s: expected longer than --spike 10s"),
    ("nodev --jitter 11s", 2, "--jitter 11s: expected at most --spike 10s"),
    ("nodev --spike 1s --jitter 1001ms", 2, "--jitter 1001ms: expected at most --spike 1s"),
    ("nodev --loss 1", 2, "--loss 1: expected a percentage with its % from 0 to 100%"),
    ("nodev --loss 101%", 2, "--loss 101%: expected a percentage with its % from 0 to 100%"),
    ("nodev --delay 1s", 2, "--delay 1s: expected with --far"),
    ("nodev --loss 1%", 2, "--loss 1%: expected with --far"),
    ("nodev --schedule x --period 5s", 2, "--schedule x: expected without --period 5s"),
    ("nodev --schedule x --first 0", 2, "--schedule x: expected without --first 0"),
    ("nodev --mode x", 2, "--mode x: expected one of tbf, netem, cellink"),
    ("nodev --mode netem --child pfifo limit 5", 2,
     "--child pfifo: expected without --mode netem"),
    ("nodev --child", 2, "--child has no value: expected KIND [WORD VALUE]..."),
    ("nodev --child red", 2, "--child red: expected one of lpd pfifo bfifo fq_codel"),
    ("nodev --child lpd limit 0", 2, "--child lpd: limit 0: expected a number of packets from "
     "1 to 1048576"),
    ("nodev --child lpd stale cut", 2,
     "--child lpd: stale cut: expected one of honor, forward, discard, truncate"),
    ("nodev --child lpd match dscp 64 1s", 2, "--child lpd: match: dscp 64: expected a number from 0 "
     "to 63 or a name such as ef, af41 or cs5"),
    ("nodev --child lpd order edf adu noadu", 2,
     "--child lpd: adu and noadu: expected one of them"),
    ("nodev --child pfifo limit", 2,
     "--child pfifo: limit has no value: expected a number of packets from 1 to 4294967295"),
    ("nodev --schedule /nowhere/file", 1, "--schedule /nowhere/file: expected a file that can "
     "be read: No such file or directory"),
    ("nodev", 1, "nodev: no such network device"),
    ("lo", 1, "lo: expected an Ethernet device (veth is one)"),
    ("lo --mode cellink", 1, "lo: expected a cellink device, made with \"ip link add type cellink\""),
    ("lo --mode cellink --far x", 2, "--far x: expected without --mode cellink"),
    ("nodev --arq lives", 2, "--arq lives: expected with --far"),
    ("nodev --arq lives --far x --mode tbf", 2, "--arq lives: expected without --mode tbf"),
    ("nodev --arq lives --far x --replace", 2, "--arq lives: expected without --replace"),
    ("nodev --arq timer --far x", 2, "--arq: timer has no value: expected one of fixed, adaptive"),
    ("lo --far x --arq", 2, "--arq has no value: expected WORDS"),
    ("lo --mode netem --far @nowhere", 1, "--far @nowhere: expected DEV[@NETNS]"),
    ("lo --mode netem --far x@", 1, "--far x@: expected DEV[@NETNS]"),
    ("lo --mode netem --far x@nowhere", 1, "--far x@nowhere: expected a network namespace, by "
     "its \"ip netns\" name or its path: nowhere: No such file or directory"),
]

WHOLE_MS = f"{TIME}1ms to 4294967295ms in whole ms"
NO_FILE = "/nowhere/x: expected a file that can be read: No such file or directory"

TRACE_SHOW = [
    ("", 2, "FILE is missing: expected it before the options"),
    ("x --size 0", 2, "--size 0: expected a size in b, kb, mb or gb from 1b to 65535b"),
    ("x --window 0", 2, f"--window 0: {WHOLE_MS}"),
    ("x --window 1500us", 2, f"--window 1500us: {WHOLE_MS}"),
    ("x --window 4294967296ms", 2, f"--window 4294967296ms: {WHOLE_MS}"),
    ("x --gap 5", 2, f"--gap 5: {TIME}0 to 4294967295ms in whole ms"),
    ("x y", 2, "unknown word \"y\": expected one of --size --window --gap -j help"),
    ("/nowhere/x", 1, NO_FILE),
    ("/proc", 1, "/proc: expected a file that can be read: Is a directory"),
]

TRACE_CUT = [
    ("", 2, "FILE is missing: expected it before the options"),
    ("x --start -1s", 2, f"--start -1s: {TIME}0 to 4294967295ms in whole ms"),
    ("x --length 0", 2, f"--length 0: {WHOLE_MS}"),
    *((f"x --keep {share}", 2, f"--keep {share}: expected a percentage with its % from 1% to 100%")
      for share in ("50", "0%", "0.99%", "100.1%")),
    ("x --output", 2, "--output has no value: expected FILE"),
    ("/nowhere/x --output /nowhere/y", 1, NO_FILE),
]

STATE_RATE = f"{RATE}8bit to 10gbit, or 0"
STATE_TIME = f"{TIME}1ms to 3600s"

TRACE_MAKE = [
    ("", 2, "--kind is missing: expected --kind constant|poisson|markov|handover"),
    ("x", 2, "unknown word \"x\": expected one of --kind --rate --states --outage --seed "
     "--duration --size --output help"),
    ("--kind web", 2, "--kind web: expected one of constant, poisson, markov, handover"),
    ("--kind constant --rate 0", 2, f"--rate 0: {RATE}8bit to 10gbit"),
    ("--kind constant --rate 11gbit", 2, f"--rate 11gbit: {RATE}8bit to 10gbit"),
    ("--kind constant --duration 0", 2, f"--duration 0: {WHOLE_MS}"),
    ("--kind constant --size 65536", 2,
     "--size 65536: expected a size in b, kb, mb or gb from 1b to 65535b"),
    ("--kind poisson --seed -1", 2,
     "--seed -1: expected a whole number from 0 to 9223372036854775807"),
    ("--kind handover --outage 2s,1s", 2, f"--outage 2s,1s: {TIMES}0 to 3600s"),
    ("--kind handover --outage 0,3601s", 2, f"--outage 0,3601s: {TIMES}0 to 3600s"),
    *((f"--kind {kind} {word} {value}", 2, f"{word} {value}: expected without --kind {kind}")
      for kind, word, value in (
          ("constant", "--seed", "1"), ("constant", "--states", "x"),
          ("poisson", "--outage", "0,0"), ("markov", "--rate", "1mbit"),
          ("handover", "--rate", "1mbit"))),
    ("--kind markov", 2, "--kind markov: expected with --states"),
    ("--kind markov --states 0:1s,1mbit:1s --outage 0,0", 2,
     "--outage 0,0: expected without --kind markov"),
    ("--kind handover --states 1mbit:1s", 2, "--kind handover: expected with --outage"),
    ("--kind handover --outage 0,0", 2, "--kind handover: expected with --states"),
    *((f"--kind markov --states {states}", 2, f"--states {message}") for states, message in (
        ("1mbit", "1mbit: expected RATE:TIME"), ("1mbit:1s,", ": expected RATE:TIME"),
        (",1mbit:1s", ": expected RATE:TIME"), ("1:1s", f"1: {STATE_RATE}"),
        ("0:1s,:1s", f": {STATE_RATE}"), ("0:1s,11gbit:1s", f"11gbit: {STATE_RATE}"),
        ("1mbit:", f": {STATE_TIME}"), ("1mbit:999us", f"999us: {STATE_TIME}"),
        ("1mbit:1s,0:3601s", f"3601s: {STATE_TIME}"), ("1mbit:1s:1s", f"1s:1s: {STATE_TIME}"),
        ("1mbit:1s", "1mbit:1s: expected at least two with --kind markov"),
        (",".join(17 * ["0:1s"]), f"{','.join(17 * ['0:1s'])}: expected at most 16 states"))),
    ("--kind constant --duration 999us", 2, f"--duration 999us: {WHOLE_MS}"),
    ("--kind constant --rate 8bit", 1,
     "the trace has no opportunity: expected a longer --duration or higher rates"),
    ("--kind markov --states 0:1s,0:1s", 1,
     "the trace has no opportunity: expected a longer --duration or higher rates"),
    ("--kind constant --output /nowhere/x", 1, "--output /nowhere/x: expected a file that can be "
     "written: No such file or directory"),
    ("--kind constant --output /dev/full", 1, "--output /dev/full: could not be written whole"),
]

TRACE_LOAD = [
    ("", 2, "FILE is missing: expected it before the options"),
    ("x", 2, "--device is missing: expected --device DEV"),
    ("x --device", 2, "--device has no value: expected DEV"),
    ("x --device lo --size 0", 2,
     "--size 0: expected a size in b, kb, mb or gb from 1b to 65535b"),
    ("x --device lo --size 65536", 2,
     "--size 65536: expected a size in b, kb, mb or gb from 1b to 65535b"),
    ("x --device lo --start 1500us", 2,
     f"--start 1500us: {TIME}0 to 4294967295ms in whole ms"),
    ("x --device lo --once --once", 2, "--once is given twice: expected it once"),
    ("x --device lo y", 2, "unknown word \"y\": expected one of --device --size --start --once "
     "--turns help"),
    ("x --device lo --size 5 --turns", 2, "--size 5: expected without --turns"),
    ("/nowhere/x --device lo", 1, "/nowhere/x: expected a file that can be read: No such file or "
     "directory"),
]

TRACE_UNLOAD = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("nodev", 1, "nodev: no such network device"),
    ("lo --once", 2, "unknown word \"--once\": expected one of --turns help"),
]

TRACE_LOG = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("nodev", 1, "nodev: no such network device"),
    ("lo", 1, "lo: expected a cellink device"),
    ("lo --duration 0", 2, f"--duration 0: {TIME}1ns to 31536000s"),
    ("lo --output /nowhere/x", 1, "lo: expected a cellink device"),
    ("lo -j", 2, "unknown word \"-j\": expected one of --duration --output help"),
]

GOOD_MARK = "x --mark 1 --lifetime 1s"

PROFILE_ADD = [
    ("", 2, "NAME is missing: expected it before the options"),
    ("x", 2, "--mark is missing: expected --mark VALUE[/MASK]"),
    ("x --mark 1", 2, "--lifetime is missing: expected --lifetime TIME|rto|repeats"),
    ("x --lifetime rto", 2, "--mark is missing: expected --mark VALUE[/MASK]"),
    *((f"x --lifetime 1s --mark {mark}", 2, f"--mark {mark}: {MARK}") for mark in (
        "x", "-1", "+1", "1.0", "1s", "0x", "0xg", "0x100000000", "4294967296",
        "99999999999999999999999", "1/", "/1", "1/0", "0/0", "5/3", "0x10/0xf", "1/1/1",
        "1/0x100000000", "1/-1")),
    ("x --mark", 2, f"--mark has no value: {MARK}"),
    ("x --mark=", 2, f"--mark : {MARK}"),
    *((f"x --mark 1 --lifetime {time}", 2, f"--lifetime {time}: {TIME}{HALF_DAY}, or rto or repeats")
      for time in ("5", "1500us", "43200001ms", "-1s", "RTO", "none",
                   "18446744073709551615ns")),
    (f"{GOOD_MARK} --reorder 256", 2,
     "--reorder 256: expected a number of packets from 0 to 255"),
    (f"{GOOD_MARK} --stale reserved", 2,
     "--stale reserved: expected one of forward, discard, truncate"),
    (f"{GOOD_MARK} --clock local", 2, "--clock local: expected one of relative, utc"),
    (f"{GOOD_MARK} --path all", 2, "--path all: expected one of output, forward, both"),
    (f"{GOOD_MARK} --slow --slow", 2, "--slow is given twice: expected it once"),
    (f"{GOOD_MARK} y", 2, "unknown word \"y\": expected one of --mark --lifetime --reorder "
     "--stale --slow --corrupt-ok --clock --path help"),
    ("32-characters-are-one-more-than-31 --mark 1 --lifetime 1s", 2,
     "NAME 32-characters-are-one-more-than-31: expected 1 to 31 visible ASCII characters"),
    ("a\x01b --mark 1 --lifetime 1s", 2, "NAME a\\x01b: expected 1 to 31 visible ASCII characters"),
]

PROFILE_DEL = [
    ("", 2, "NAME is missing: expected it before the options"),
    ("x y", 2, "unknown word \"y\": expected one of help"),
    ("a\x7f", 2, "NAME a\\x7f: expected 1 to 31 visible ASCII characters"),
    ("\u00e9", 2, "NAME \\xc3\\xa9: expected 1 to 31 visible ASCII characters"),
]

PROFILE_SHOW = [("x", 2, "unknown word \"x\": expected one of -j help")]

CAP_SET = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("lo", 2, "--lifetime is missing: expected --lifetime TIME"),
    *((f"lo --lifetime {time}", 2, f"--lifetime {time}: {TIME}1ms to 43200s in whole ms")
      for time in ("0", "900us", "1001us", "43201s", "rto")),
    ("nodev --lifetime 1s", 1, "nodev: no such network device"),
    ("if --lifetime 1s", 1, "if: no such network device"),
    ("if0 --lifetime 1s", 1, "if0: no such network device"),
    ("if4294967296 --lifetime 1s", 1, "if4294967296: no such network device"),
]

CAP_DEL = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("nodev", 1, "nodev: no such network device"),
    ("lo --lifetime 1s", 2, "unknown word \"--lifetime\": expected one of help"),
]

SET = [
    ("", 2, "nothing to set: expected --txtime or --validate"),
    ("--txtime yes", 2, "--txtime yes: expected one of off, on"),
    ("--validate", 2, "--validate has no value: expected one of off, on"),
    ("txtime on", 2, "unknown word \"txtime\": expected one of --txtime --validate help"),
]

RTO_SET = [
    ("", 2, "nothing to set: expected --accept, --one-hop, --encoding, --early or --key"),
    ("--accept yes", 2, "--accept yes: expected one of none, native, extension, both"),
    ("--accept", 2, "--accept has no value: expected one of none, native, extension, both"),
    ("--one-hop 1", 2, "--one-hop 1: expected one of off, on"),
    ("--encoding both", 2, "--encoding both: expected one of native, extension"),
    ("--key", 2, "--key has no value: expected FILE"),
    ("--key /no/such/file", 1,
     "--key /no/such/file: expected a file that can be read: No such file or directory"),
    ("--key /", 1, "--key /: expected a file that can be read: Is a directory"),
    ("one-hop on", 2, "unknown word \"one-hop\": expected one of --accept --one-hop --encoding "
     "--early --key help"),
]

CODE = "expected drop|defer|discarded|link-up after HOST"
NOTIFY = [
    ("", 2, "HOST is missing: expected it before the options"),
    ("--packet x", 2, "HOST is missing: expected it before the options"),
    ("192.0.2.1", 2, f"CODE is missing: {CODE}"),
    ("192.0.2.1 --packet x", 2, f"CODE is missing: {CODE}"),
    ("192.0.2.1 lost", 2, "CODE lost: expected one of drop, defer, discarded, link-up"),
    ("192.0.2.1 drop", 2, "--packet is missing: expected --packet FILE"),
    ("192.0.2.1 drop defer", 2, "unknown word \"defer\": expected one of --packet help"),
    ("192.0.2.1 drop --packet /no/such/file", 1,
     "--packet /no/such/file: expected a file that can be read: No such file or directory"),
    ("192.0.2.1 drop --packet /", 1,
     "--packet /: expected a file that can be read: Is a directory"),
    ("host drop --packet /dev/null", 1, "HOST host: expected an IPv4 or IPv6 address"),
    ("192.0.2.256 drop --packet /dev/null", 1,
     "HOST 192.0.2.256: expected an IPv4 or IPv6 address"),
    ("192.0.2.1 drop --packet /dev/null", 1,
     "--packet /dev/null: expected an IP packet, from its IP header on"),
]

PREFIX = "expected a prefix such as 192.0.2.0/24 or 2001:db8::/32, with no bit set behind its length"
REFLECT_WORDS = "expected one of --port --allow --key --limit -j help"

PACE = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("nodev", 2, "--reflector is missing: expected --reflector HOST[,HOST] or --show"),
    ("nodev --echo -j", 2, "--reflector is missing: expected --reflector HOST[,HOST] or --show"),
    ("nodev --show", 1, "nodev: no such network device"),
    ("nodev --reflector 192.0.2.1", 1, "nodev: no such network device"),
    ("nodev --reflector ,", 1, "--reflector ,: expected one to 8 hosts, separated by commas"),
    ("nodev --reflector 192.0.2.1,", 1,
     "--reflector 192.0.2.1,: expected one to 8 hosts, separated by commas"),
    ("nodev --reflector " + ",".join(["192.0.2.1"] * 9), 1,
     f"--reflector {','.join(['192.0.2.1'] * 9)}: expected one to 8 hosts, separated by commas"),
    ("nodev --reflector 192.0.2.1,2001:db8::1", 1, "--reflector 192.0.2.1,2001:db8::1: expected "
     "addresses of the same family, IPv4 or IPv6"),
    ("nodev --reflector 192.0.2.1 --port 0", 2, "--port 0: expected a whole number from 1 to 65535"),
    ("nodev --reflector 192.0.2.1 --port 65536", 2,
     "--port 65536: expected a whole number from 1 to 65535"),
    ("nodev --reflector 192.0.2.1 --target 0", 2, f"--target 0: {TIME}1ms to 1s"),
    ("nodev --reflector 192.0.2.1 --target 1001ms", 2, f"--target 1001ms: {TIME}1ms to 1s"),
    ("nodev --reflector 192.0.2.1 --give-up 999ms", 2, f"--give-up 999ms: {TIME}1s to 86400s"),
    ("nodev --reflector 192.0.2.1 --give-up 86401s", 2, f"--give-up 86401s: {TIME}1s to 86400s"),
    ("nodev --reflector 192.0.2.1 --key /dev/null", 1, "--key /dev/null: expected a file "
     "with an even number of hexadecimal digits from 32 to 128"),
    ("nodev other --reflector 192.0.2.1", 2, "unknown word \"other\": expected one of --reflector "
     "--port --key --echo --target --give-up --duration --show -j help"),
]

DOCTOR = [
    ("", 2, "DEV is missing: expected it before the options"),
    ("nodev", 1, "nodev: no such network device"),
    ("lo --reflector ,", 1, "--reflector ,: expected one to 8 hosts, separated by commas"),
    ("lo --reflector 192.0.2.1,192.0.2.2", 1, "--reflector 192.0.2.1,192.0.2.2: expected one host"),
    ("lo --reflector 192.0.2.1 --port 0", 2, "--port 0: expected a whole number from 1 to 65535"),
    ("lo --reflector 192.0.2.1 --key /dev/null", 1, "--key /dev/null: expected a file "
     "with an even number of hexadecimal digits from 32 to 128"),
    ("lo other", 2, "unknown word \"other\": expected one of --reflector --port --key -j help"),
]

REFLECT = [
    ("", 2, "--allow or --key is missing: expected at least one of them"),
    ("--port 861 --limit 5 -j", 2, "--allow or --key is missing: expected at least one of them"),
    *((f"--allow {value}", 1, f"--allow {value}: {PREFIX}")
      for value in ("x", "192.0.2.0/33", "192.0.2.1/24", "2001:db8::/129", "2001:db8::1/64",
                    "192.0.2.0/24,198.51.100.0/24", "localhost")),
    ("--allow 192.0.2.0/24 --allow x --allow y", 1, f"--allow x: {PREFIX}"),
    ("--allow", 2, "--allow has no value: expected PREFIX"),
    ("--allow=", 2, "--allow : expected PREFIX"),
    ("--key /nowhere/x", 1, f"--key {NO_FILE}"),
    ("--key /proc", 1, "--key /proc: expected a file that can be read: Is a directory"),
    ("--key /dev/null", 1, "--key /dev/null: expected a file with an even number of hexadecimal "
     "digits from 32 to 128"),
    ("--key x --key y", 2, "--key is given twice: expected it once"),
    *((f"--allow ::1 --port {value}", 2,
       f"--port {value}: expected a whole number from 1 to 1023")
      for value in ("0", "1024", "65536", "x")),
    *((f"--allow ::1 --limit {value}", 2,
       f"--limit {value}: expected a number of packets from 1 to 100000")
      for value in ("0", "100001", "1.5", "-1", "5s")),
    ("192.0.2.1", 2, f"unknown word \"192.0.2.1\": {REFLECT_WORDS}"),
    ("--deny ::1", 2, f"unknown word \"--deny\": {REFLECT_WORDS}"),
]

PROBE = [
    ("", 2, "HOST is missing: expected an address or a name"),
    ("-j", 2, "HOST is missing: expected an address or a name"),
    ("--list --forget", 2, "--list and --forget: expected one of them"),
    ("192.0.2.1 --list", 2, "HOST 192.0.2.1: expected no host with --list"),
    *((f"{host} {words}".strip(), 1, f"HOST {host}: it is a group: expected a single host")
      for host in ("224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1", "ff0e::7")
      for words in ("", "--forget")),
    *((host, 1, f"HOST {host}: it is this host: expected another one")
      for host in ("127.0.0.1", "127.255.255.254", "0.0.0.0", "::", "::1")),
    ("192.0.2.256", 1, "HOST 192.0.2.256: expected an address or a known name: "),
    ("192.0.2.1 --via tcp", 2, "--via tcp: expected one of any, dccp, icmp"),
    ("192.0.2.1 --port 0", 2, "--port 0: expected a whole number from 1 to 65535"),
    ("192.0.2.1 --service fivec", 2, "--service fivec: expected four characters, SC: and up to "
     "four, SC= and a number, or SC=x and a hexadecimal number"),
]

TOP = [
    ("lo lo", 2, "unknown word \"lo\": expected one of --delay --sample --flows --batch --count help"),
    ("--delay 99ms", 2, f"--delay 99ms: {TIME}100ms to 3600s"),
    ("lo --delay 3601s", 2, f"--delay 3601s: {TIME}100ms to 3600s"),
    ("--sample 0", 2, "--sample 0: expected a number of packets from 1 to 1000000"),
    ("--flows 257", 2, "--flows 257: expected a number of flows from 0 to 256"),
    ("--count 0", 2, "--count 0: expected a number of looks from 1 to 9223372036854775807"),
    ("", 1, "expected a terminal, or --batch"),
    ("nodev", 1, "nodev: no such network device"),
]

WHERE = "expected a path that begins with /, a port from 1 to 65535, or an address and a port such as " \
    "192.0.2.1:9099 or [2001:db8::1]:9099"

EXPORT = [
    ("", 2, "--prometheus is missing: expected --prometheus"),
    ("--prometheus x", 2, "unknown word \"x\": expected one of --prometheus --textfile --every --listen help"),
    ("--prometheus --textfile", 2, "--textfile has no value: expected FILE"),
    ("--prometheus --textfile x --every 999ms", 2, f"--every 999ms: {TIME}1s to 86400s"),
    ("--prometheus --textfile x --every 86401s", 2, f"--every 86401s: {TIME}1s to 86400s"),
    ("--prometheus --every 1s", 2, "--every without --textfile: expected both"),
    ("--prometheus --listen 1 --textfile x", 2, "--listen with --textfile: expected one of them"),
    *((f"--prometheus --listen {where}", 2, f"--listen {where}: {WHERE}")
      for where in ("x", "0", "65536", ":9099", "localhost:9099", "::1:9099", "[::1]", "127.0.0.1", "*:1",
                    "/" + 108 * "a")),
]

MONITOR = [
    ("--count 0", 2,
     "--count 0: expected a number of events from 1 to 9223372036854775807"),
    ("--duration 10", 2, f"--duration 10: {TIME}1ns to 31536000s"),
    ("--event", 2, "unknown word \"--event\": expected one of --duration --count --packets -j help"),
    ("events", 2, "FLOW events: expected with --packets"),
]


def check(command, cases):
    """Each command line ends with its status and message, and prints nothing on standard output."""
    for words, status, message in cases:
        done = tools.freshlink(f"{command} {words}")
        who = f"freshlink {command}: " if command else "freshlink"
        tap.equal(f"exit status of {command} {words}", done.returncode, status)
        tap.equal(f"standard output of {command} {words}", done.stdout, "")
        got = done.stderr.rstrip("\n")
        if message.endswith(" ") and got.startswith(who + message):
            continue
        tap.equal(f"message of {command} {words}", got, who + message)


def test_commands():
    """freshlink refuses an unknown command, and its message lists all commands."""
    check("", COMMANDS)


def test_source():
    """freshlink traffic source refuses each wrong command line."""
    check("traffic source", SOURCE)


def test_send():
    """freshlink send and recv refuse a fixed rate that is not complete, and protection of a part that
    does not go with the rest."""
    check("send", SEND)
    check("recv", RECV)


def test_sink():
    """freshlink traffic sink, tcp-sink and web-server refuse each wrong command line."""
    check("traffic sink", SINK)
    check("traffic tcp-sink", TCP_SINK)
    check("traffic web-server", TCP_SINK)


def test_nrt():
    """freshlink traffic nrt refuses each wrong command line."""
    check("traffic nrt", NRT)


def test_web():
    """freshlink traffic web refuses each wrong command line."""
    check("traffic web", WEB)


def test_dccp():
    """freshlink traffic dccp-source and dccp-sink refuse each wrong command line."""
    check("traffic dccp-source", DCCP_SOURCE)
    check("traffic dccp-sink", DCCP_SINK)


def test_emulate():
    """freshlink emulate refuses each wrong command line."""
    check("emulate", EMULATE)


def test_trace():
    """The commands of freshlink trace refuse each wrong command line."""
    for command, cases in (("show", TRACE_SHOW), ("cut", TRACE_CUT), ("make", TRACE_MAKE),
                           ("load", TRACE_LOAD), ("unload", TRACE_UNLOAD), ("log", TRACE_LOG)):
        check(f"trace {command}", cases)


def test_xlo():
    """The commands for the module xlo refuse each wrong command line, also if the module is not
    loaded."""
    for command, cases in (("profile add", PROFILE_ADD), ("profile del", PROFILE_DEL),
                           ("profile show", PROFILE_SHOW), ("cap set", CAP_SET),
                           ("cap del", CAP_DEL), ("set", SET), ("status", PROFILE_SHOW),
                           ("monitor", MONITOR), ("top", TOP), ("export", EXPORT)):
        check(command, cases)
    # names that a line of words cannot contain
    for name, shown in (("", ""), ("a b", "a b"), ("a\tb", "a\\x09b")):
        done = tools.run(tools.FRESHLINK, "profile", "add", name, *GOOD_MARK.split()[1:])
        tap.equal(f"name {name!r}", (done.returncode, done.stdout, done.stderr),
                  (2, "", f"freshlink profile add: NAME {shown}: expected 1 to 31 visible "
                   "ASCII characters\n"))


def test_rto():
    """The commands for the module xlo_rto refuse each wrong command line, also if the module is not
    loaded."""
    check("rto set", RTO_SET)
    check("rto show", PROFILE_SHOW)
    check("notify", NOTIFY)


KINDS = "expected one of set, profile add, cap set, rto set, link, qdisc, pace"
LINK = '"link NAME link DEV type arqlink [OPTION]..."'
NO_DEVICE = "expected the name of a network device, 1 to 15 characters without / and :"

# a wrong line of a file of configuration, and the message after "FILE:LINE: "
LINES = [
    ("bogus", f'unknown words "bogus": {KINDS}'),
    ("profile del x", f'unknown words "profile del": {KINDS}'),
    ("rto show", f'unknown words "rto show": {KINDS}'),
    ("set", "set: nothing to set: expected --txtime or --validate"),
    ("set --txtime yes", "set: --txtime yes: expected one of off, on"),
    ("rto set", "rto set: nothing to set: expected --accept, --one-hop, --encoding, --early or --key"),
    ("profile add x --mark 1", "profile add: --lifetime is missing: expected --lifetime "
     "TIME|rto|repeats"),
    ("profile add x --mark 1 --lifetime 300mss", f"profile add: --lifetime 300mss: {TIME}{HALF_DAY}, "
     "or rto or repeats"),
    ("profile add '' --mark 1 --lifetime 1s", "profile add: NAME : expected 1 to 31 visible ASCII "
     "characters"),
    ("cap set", "cap set: DEV is missing: expected it before the options"),
    *((f"cap set {name} --lifetime 1s", f"cap set: DEV {name.strip(chr(39))}: {NO_DEVICE}")
      for name in ("a/b", "a:b", ".", "..", "sixteen-letters-", "'a b'", "''")),
    ("link", f"link: the line ends too early: expected {LINK}"),
    ("link arq0 on wwan0", f"link: on: expected link, as in {LINK}"),
    ("link arq0 link wwan0 type vlan", f"link: vlan: expected arqlink, as in {LINK}"),
    ("link a/b link wwan0 type arqlink", f"link: DEV a/b: {NO_DEVICE}"),
    ("link arq0 link a/b type arqlink", f"link: DEV a/b: {NO_DEVICE}"),
    ("link arq0 link wwan0 type arqlink window 0", "link: window 0: expected a number of frames from "
     "1 to 4096"),
    ("qdisc wwan0 parent 1: lpd",
     'qdisc: parent: expected root, as in "qdisc DEV root lpd [OPTION]..."'),
    ("qdisc wwan0 root fq", 'qdisc: fq: expected lpd, as in "qdisc DEV root lpd [OPTION]..."'),
    ("qdisc wwan0 root lpd limit 0", "qdisc: limit 0: expected a number of packets from 1 to 1048576"),
    ("qdisc wwan0 root lpd strip nostrip", "qdisc: strip and nostrip: expected one of them"),
    ("pace wwan0", "pace: --reflector is missing: expected --reflector HOST[,HOST] or --show"),
    ("pace wwan0 --show", "pace: --show: expected no such option, because a unit runs the command"),
    ("pace wwan0 --reflector h -j", "pace: -j: expected no such option, because a unit runs the command"),
    ("pace wwan0 --reflector 'a b'",
     "pace: a b: expected only letters, digits and _./:,@+=-, which a unit can have"),
    ('cap set "wwan0', '"wwan0: expected a closing quote'),
    ("cap set wwan0 \\", "\\: expected quotes around a backslash, and a whole statement on the line"),
    ("cap set wwan0\r", "\\x0d: expected no control characters"),
    ("cap set w\u00e9", "\\xc3: expected ASCII characters"),
    ("cap set w\0", "\\x00: expected no control characters"),
]
# two lines about the same object, and its name in the message
TWICE = [
    ("set --txtime on", "set --validate on", "set: "),
    ("set --txtime on", "set --txtime on --validate off", "set: "),
    ("rto set --accept both", "rto set --accept both --key /a", "rto set: "),
    ("rto set --key /a", "rto set --key /b", "rto set: "),
    ("cap set v0 --lifetime 1s", "cap set v0 --lifetime 2s", "cap set: v0 "),
    ("link a0 link v0 type arqlink", "link a0 link v1 type arqlink", "link: a0 "),
    ("qdisc v0 root lpd", "qdisc v0 root lpd match mark 1 1s", "qdisc: v0 "),
    ("qdisc v0 root lpd strip", "qdisc v0 root lpd", "qdisc: v0 "),
    ("profile add x --mark 1 --lifetime 1s", "profile add x --mark 1 --lifetime 1s --slow",
     "profile add: x "),
    ("pace v0 --reflector h", "pace v0 --reflector g", "pace: v0 "),
]


def test_files_of_configuration():
    """freshlink apply refuses a file with any wrong line. The message has the file, the line, the word and
    what was expected. All wrong lines are reported."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a.conf"
        with open(path, "w", newline="") as file:
            file.write("# comment\n\n" + "".join(f"{line}\n" for line, _ in LINES))
        done = tools.freshlink("apply", path, "--check")
        tap.equal("status and output", (done.returncode, done.stdout), (2, ""))
        said = done.stderr.splitlines()
        for number, (line, message) in enumerate(LINES, 3):
            tap.equal(line, said[number - 3], f"freshlink apply: {path}:{number}: {message}")
        tap.equal("messages", len(said), len(LINES))
        for first, line, name in TWICE:
            with open(path, "w") as file:
                file.write(f"{first}\n{line}")
            tap.equal(f"{first}, {line}", tools.freshlink("apply", path).stderr,
                      f"freshlink apply: {path}:2: {name}is also set at {path}:1: expected once\n")
    check("apply", [("--device", 2, "--device has no value: expected DEV"),
                    ("--check=1", 2, 'unknown word "--check=1": expected one of --check --device -j help')])
    check("save", [("x", 2, 'unknown word "x": expected one of help')])


def test_pace():
    """pace refuses each wrong command line."""
    check("pace", PACE)


def test_doctor():
    """doctor refuses each wrong command line."""
    check("doctor", DOCTOR)


def test_reflect():
    """reflect refuses each wrong command line, and each command line that does not restrict the
    sources."""
    check("reflect", REFLECT)


def test_probe():
    """freshlink probe refuses groups, this host, and options that exclude each other."""
    check("probe", PROBE)


def schedule(text):
    """The message about a schedule with these bytes, and the name of its file."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        done = tools.freshlink("emulate nodev --schedule", file.name)
        tap.equal("exit status", done.returncode, 1)
        return done.stderr, file.name


def test_schedule_file():
    """The message about a wrong line of a schedule names the line's number. A spike must start
    after the end of the previous spike."""
    wrong = [("10s 5s\n12s 1s\n", 2, "12s 1s"), ("# spikes\n\n10s\n", 3, "10s"),
             ("10 5s\n", 1, "10 5s"), ("1s 1s 1s\n", 1, "1s 1s 1s"), ("1s 0s\n", 1, "1s 0s"),
             ("0 1s\n3000000000s 1s\n", 2, "3000000000s 1s"),
             (f"10s 5s # {'x' * 300} 30s 10s\n12s 1s\n", 2, "12s 1s")]
    for text, line, shown in wrong:
        said, name = schedule(text.encode())
        tap.equal("message", said, f"freshlink emulate: {name}:{line}: \"{shown}\": expected START "
                  "LENGTH, for example \"30s 10s\", with START after the end of the previous spike\n")
    said, name = schedule(b"")
    tap.equal("an empty one", said, f"freshlink emulate: {name}: expected at least one line of "
              "START LENGTH\n")
    done = tools.freshlink("emulate nodev --schedule /proc")
    tap.equal("a directory", done.stderr, "freshlink emulate: --schedule /proc: expected a file "
              "that can be read: Is a directory\n")


def test_schedule_with_a_nul_byte():
    """A schedule's line with a NUL byte is refused. freshlink never treats the part before the NUL
    byte as the whole line."""
    for line, text in ((2, b"1s 1s\n30s 10s\0 # later\n"), (1, b"30s 10s # \0\n"), (1, b"\0"),
                       (3, b"\n\n\0\n")):
        said, name = schedule(text)
        tap.equal(text, said, f"freshlink emulate: {name}:{line}: expected text, without a NUL "
                  "byte\n")


def test_help_anywhere():
    """The word "help" prints the help, also after other words."""
    for command, words in (("emulate", "lo help"), ("emulate", "lo --rate 1mbit --help"),
                           ("trace make", "--kind help"),
                           ("traffic source", "-h"), ("profile add", "x --mark help"),
                           ("profile del", "-h"), ("set", "--txtime on help")):
        done = tools.freshlink(f"{command} {words}")
        tap.equal(words, (done.returncode, done.stdout),
                  (0, tools.freshlink(f"{command} help").stdout))
    for command in ("traffic", "trace", "profile", "cap", "rto"):
        tap.equal(f"{command} help", tools.freshlink(f"{command} help").stdout,
                  tools.freshlink("help").stdout)


def test_help_says_what_is_needed():
    """The first line of help shows the operand and the required options. "[OPTION]..." stands for
    all other options."""
    for command, usage in (
            ("profile add", "profile add NAME --mark VALUE[/MASK] --lifetime TIME|rto|repeats "
             "[OPTION]..."), ("profile del", "profile del NAME"),
            ("trace make", "trace make --kind constant|poisson|markov|handover [OPTION]..."),
            ("cap set", "cap set DEV --lifetime TIME"), ("set", "set [OPTION]..."),
            ("notify", "notify HOST drop|defer|discarded|link-up --packet FILE")):
        tap.equal(command, tools.freshlink(f"{command} help").stdout.splitlines()[0],
                  f"Usage: freshlink {usage}")


def test_standard_output_is_full():
    """If the output cannot be written, a message reports this and the exit status is 1."""
    for words in ("help", "emulate help", "traffic sink --duration 1ms",
                  "trace make --kind constant"):
        done = tools.run("sh", "-c", f"{tools.FRESHLINK} {words} > /dev/full")
        tap.equal(f"status of {words}", done.returncode, 1)
        tap.equal(f"message of {words}", done.stderr.splitlines()[-1],
                  "freshlink: standard output could not be written whole")


def test_no_command_shows_the_commands():
    """Without a command, freshlink prints the list of commands on standard error and ends with
    status 2."""
    done = tools.freshlink("")
    tap.equal("status", done.returncode, 2)
    tap.equal("standard output", done.stdout, "")
    tap.equal("same as help", done.stderr, tools.freshlink("help").stdout)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
