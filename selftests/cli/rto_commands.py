#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink's commands for the module xlo_rto set exactly the given values. The commands show
exactly the values that the kernel has, as text and as JSON."""
# run.sh: once: what a command prints does not depend on the kernel
import json
import os
import struct
import tempfile

from cli import tools
from cli.namespace import command_of, freshlink, namespace
from lib import icmp, kmod, netns, tap, uapi, wait, xlo
from lib.notice import LEFT4, LEFT6, SEQ, TSVAL, Link, ipv4, ipv6, segment

COUNTERS = list(uapi.words("xrto_stats", "XRTO_STATS_"))
NOTICES = list(uapi.words("xrto_notices", "XRTO_NOTICES_"))
KEY = "000102030405060708090a0b0c0d0eff"
NUMBERS = {"accept": ["none", "native", "extension", "both"], "one_hop": ["off", "on"],
           "encoding": ["native", "extension"], "early": ["rtt", "quarter"]}


def test_settings():
    """rto set changes only the settings that the command names. rto show prints the settings by
    name, and all counters."""
    with netns.Netns() as ns:
        client = xlo.Client(ns, "xlo_rto")
        want = {"accept": "none", "one_hop": "off", "encoding": "native", "early": "rtt",
                "key": "none"}
        for words, changed in (("--one-hop on", {"one_hop": "on"}),
                               ("--accept native", {"accept": "native"}),
                               ("--encoding extension", {"encoding": "extension"}),
                               ("--early quarter", {"early": "quarter"}),
                               ("--accept both --one-hop off", {"accept": "both", "one_hop": "off"}),
                               ("--accept extension", {"accept": "extension"}),
                               ("--accept none", {"accept": "none"})):
            tap.equal(f"output of {words}", freshlink(ns, f"rto set {words}"), "")
            want |= changed
            shown = json.loads(freshlink(ns, "rto show -j"))
            tap.equal("shown", shown, want | {name: 0 for name in COUNTERS} |
                      {"notices": {name: 0 for name in NOTICES}})
            got = client.get()
            tap.equal("set", {name: words[got[name]] for name, words in NUMBERS.items()} |
                      {"key": "none"}, want)
        text, notices = (part.split() for part in
                         freshlink(ns, "rto show").split("\nnotices "))
        tap.equal("text", dict(zip(text[::2], text[1::2])),
                  want | {name: "0" for name in COUNTERS})
        tap.equal("notices", dict(zip(notices[::2], notices[1::2])),
                  {name: "0" for name in NOTICES})


def test_key():
    """rto set --key FILE sets the key in a file, and refuses a file that contains no key or more
    than one key. --key none deletes the key. (The test rto_token checks the effect of the key.)"""
    with netns.Netns() as ns, tempfile.TemporaryDirectory() as folder:
        client = xlo.Client(ns, "xlo_rto")
        path = os.path.join(folder, "key")
        wrong = f"--key {path}: expected a file with exactly 32 hexadecimal digits"
        for text, status, error in ((f"{KEY}\n", 0, ""), (KEY.upper(), 0, ""),
                                    (KEY[1:], 1, wrong), (f"{KEY}0", 1, wrong),
                                    (f"{KEY[:-1]}g", 1, wrong), (f"{KEY}g", 1, wrong),
                                    (f"{KEY}\n{KEY}\n", 1, wrong), (f"{KEY}\0", 1, wrong),
                                    ("", 1, wrong)):
            client.set(key=b"")
            with open(path, "w") as file:
                file.write(text)
            freshlink(ns, f"rto set --key {path}", status, error)
            shown = json.loads(freshlink(ns, "rto show -j"))["key"]
            tap.equal(f"after {text!r}", (shown, client.get()["keyed"]),
                      ("none", 0) if status else ("set", 1))
        client.set(key=bytes(16))
        freshlink(ns, f"rto set --key {path}.not", 1,
                  f"--key {path}.not: expected a file that can be read: No such file or directory")
        os.chmod(path, 0)
        refused = ns.run(f"setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all "
                         f"{tools.FRESHLINK} rto set --key {path}", check=False)
        tap.equal("a file that may not be read", (refused.returncode, refused.stderr),
                  (1, f"freshlink rto set: --key {path}: expected a file that can be read: "
                   "Permission denied\n"))
        tap.equal("the key is still set", client.get()["keyed"], 1)
        freshlink(ns, "rto set --key none")
        tap.equal("the key is deleted", client.get()["keyed"], 0)


def test_key_as_typed():
    """The key's bytes are the typed digits in order, and the kernel makes the token with them."""
    with Link() as link, tempfile.TemporaryDirectory() as folder:
        path, packet = os.path.join(folder, "key"), os.path.join(folder, "packet")
        with open(path, "w") as file:
            file.write(f"{KEY}\n")
        with open(packet, "wb") as file:
            file.write(ipv4(segment()))
        freshlink(link.right, f"rto set --key {path}")
        freshlink(link.right, f"notify {LEFT4} drop --packet {packet}")
        tap.equal("token", struct.unpack_from("!I", link.told()[0], 24)[0],
                  icmp.token(bytes.fromhex(KEY), icmp.DROP, SEQ, TSVAL))


def test_notify():
    """notify gives the kernel a packet from a file or from standard input. notify refuses a packet
    of another host, and shows the kernel's refusals."""
    with Link() as link, tempfile.TemporaryDirectory() as folder:
        # error messages show a long name completely
        path = os.path.join(folder, 200 * "x")
        for packet, source in ((ipv4(segment()), LEFT4), (ipv6(segment()), LEFT6)):
            with open(path, "wb") as file:
                file.write(packet)
            freshlink(link.right, f"notify {source} drop --packet {path}")
            tap.true("the packet is quoted", packet[:80] in link.told()[0])
        link.right.run(["sh", "-c", f"{tools.FRESHLINK} notify fd01:0:0::1 discarded --packet - "
                        f"< {path}"])
        tap.equal("code", link.told()[0][40:42], bytes([icmp.TYPE6, icmp.DISCARDED]))
        freshlink(link.right, f"notify fd01::9 drop --packet {path}", 1,
                  f"--packet {path}: expected a packet from fd01::9, this one is from {LEFT6}")
        freshlink(link.right, f"notify {LEFT6} defer --packet {path}", 1,
                  f"--packet {path}: the kernel refused it: xlo_rto: packet must carry the "
                  "cross-layer option: code is defer, or packet is not TCP")
        link.expect(asked=4, sent=3, no_option=1)


def test_status():
    """If the module is loaded, freshlink status prints the same as rto show, also without the module
    xlo. If the module is not loaded, freshlink status does not load it."""
    with namespace() as ns:
        xlo.Client(ns, "xlo_rto")
        freshlink(ns, "rto set --accept native")
        shown = json.loads(freshlink(ns, "rto show -j"))
        tap.equal("as JSON", json.loads(freshlink(ns, "status -j"))["rto"], shown)
        tap.equal("in text", freshlink(ns, "status").split("\nrto ")[1],
                  freshlink(ns, "rto show"))
        wait.until("xlo unloads", lambda: not kmod.rmmod("xlo"))
        tap.equal("without xlo, as JSON", json.loads(freshlink(ns, "status -j")), {"rto": shown})
        tap.equal("without xlo, in text", freshlink(ns, "status"),
                  "rto " + freshlink(ns, "rto show"))
        kmod.insmod("xlo")
        # the kernel may still be destroying lpds of earlier tests, which use xlo_rto
        wait.until("xlo_rto unloads", lambda: not kmod.rmmod("xlo_rto"))
        tap.true("status has no rto", "rto" not in json.loads(freshlink(ns, "status -j")))
        tap.true("not loaded", not kmod.loaded("xlo_rto"))


def test_without_privilege():
    """Without CAP_NET_ADMIN the commands show settings but no counters. The commands refuse changes
    and messages, and name the missing capability."""
    with namespace() as ns, tempfile.NamedTemporaryFile() as file:
        def without(words):
            done = ns.run("setpriv --bounding-set=-net_admin --inh-caps=-net_admin "
                          f"{tools.FRESHLINK} {words}", check=False)
            return done.returncode, done.stdout, done.stderr

        xlo.Client(ns, "xlo_rto")
        settings = {name: words[0] for name, words in NUMBERS.items()} | {"key": "none"}
        status, out, err = without("rto show -j")
        tap.equal("settings", (status, json.loads(out), err), (0, settings, ""))
        tap.equal("status", json.loads(without("status -j")[1])["rto"], settings)
        file.write(ipv4(segment()))
        file.flush()
        for words in ("rto set --accept both", f"notify {LEFT4} drop --packet {file.name}",
                      "set --txtime on"):
            tap.equal(words, without(words), (1, "", f"freshlink {command_of(words)}: needs "
                                              f"CAP_NET_ADMIN{tools.LACKS}\n"))


def test_nothing_to_set():
    """rto set without an option is a wrong command line."""
    with netns.Netns() as ns:
        freshlink(ns, "rto set", 2, "nothing to set: expected --accept, --one-hop, --encoding, --early or --key")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
