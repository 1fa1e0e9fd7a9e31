#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink trace load makes a cellink device follow the trace in a file, and ip shows this trace.
If a command fails, the message names the cause."""
# run.sh: once: what a command prints does not depend on the kernel
import json
import os
import tempfile

from cli import tools
from lib import cell, kmod, netns, tap, wait

MAX = 1 << 24
MB = 1 << 20


class Link:
    """A pair of cellinks in a namespace, and a file for a trace."""

    def __init__(self, words=""):
        kmod.insmod("cellink")
        self.ns = netns.Netns()
        self.ns.run(f"ip link add cell0 type cellink {words} peer name cell1")
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "trace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ns.close()
        self.folder.cleanup()

    def write(self, text):
        with open(self.path, "w") as file:
            file.write(text)

    def run(self, words, status=0, message=""):
        """Run freshlink trace, and check that the command ends with this status and message, and
        prints nothing else."""
        done = self.ns.run(f"{tools.FRESHLINK} trace {words}", check=False)
        command = " ".join(words.split()[:1])
        tap.equal(words, (done.returncode, done.stdout, done.stderr),
                  (status, "", f"freshlink trace {command}: {message}\n" if message else ""))

    def load(self, words="", status=0, message=""):
        self.run(f"load {self.path} --device cell0 {words}", status, message)

    def shown(self, device="cell0"):
        """The trace in ip's JSON, without its position."""
        told = json.loads(self.ns.run(f"ip -j -d link show {device}").stdout)[0]
        trace = {key.removeprefix("trace_"): value
                 for key, value in told["linkinfo"]["info_data"].items()
                 if key.startswith("trace_")}
        return trace, trace.pop("position", None)


def test_loaded_and_unloaded():
    """ip shows the loaded trace as the file and the options say, in JSON and in text, and no trace
    after unloading."""
    with Link() as link:
        link.write("0\n5\n5\n2000\n")
        tap.equal("before", link.shown(), ({}, None))
        link.load()
        tap.equal("defaults", link.shown()[0], {"lines": 4, "length": 2 * cell.S, "size": 1504,
                                                "once": "no", "start": 0})
        tap.equal("the other device", link.shown("cell1"), ({}, None))
        link.write("7\n20\n")
        link.load("--size 2kb --start 6ms --once")
        tap.equal("replaced", link.shown(), ({"lines": 2, "length": 20 * cell.MS, "size": 2048,
                                              "once": "yes", "start": 6 * cell.MS}, 6 * cell.MS))
        text = link.ns.run("ip -d link show cell0").stdout
        tap.true(text, "trace_lines 2 trace_length 20ms trace_size 2kb trace_once yes "
                 "trace_start 6ms trace_position 6ms " in text)
        link.run("unload cell0")
        tap.equal("unloaded", link.shown(), ({}, None))
        link.run("unload cell0", 1, "DEV cell0: the kernel refused it: cellink: the device follows "
                 "no such trace")


def test_turns():
    """A device follows a trace of turns between the states and a trace of opportunities at the same
    time. Each trace is loaded and unloaded separately."""
    with Link() as link:
        link.write("100\n250\n")
        link.load("--turns --start 5ms")
        link.write("7\n")
        link.load()
        data = json.loads(link.ns.run("ip -j -d link show cell0").stdout)[0]["linkinfo"]["info_data"]
        tap.equal("both", {key: value for key, value in data.items()
                           if key.startswith(("trace_", "turns_")) and "position" not in key},
                  {"trace_lines": 1, "trace_length": 7 * cell.MS, "trace_size": 1504,
                   "trace_once": "no", "trace_start": 0, "turns_lines": 2,
                   "turns_length": 250 * cell.MS, "turns_once": "no",
                   "turns_start": 5 * cell.MS})
        link.run("unload cell0 --turns")
        tap.equal("opportunities stay", link.shown()[0]["lines"], 1)
        link.run("unload cell0 --turns", 1, "DEV cell0: the kernel refused it: cellink: the device "
                 "follows no such trace")
        link.run("unload cell0")
        link.ns.run("ip link set cell0 type cellink good 1s bad 1s")
        link.load("--turns", 1, "--device cell0: the kernel refused it: cellink: the device has good "
                  "and bad: expected neither with turns")
        link.load("--turns --size 5", 2, "--size 5: expected without --turns")


def test_bad_files():
    """For a wrong line, trace load prints the same message as trace show, and the device keeps its
    old trace."""
    with Link() as link:
        link.write("3\n")
        link.load()
        for text, message in (
                ("1\nx\n", f"{link.path}:2: \"x\": expected a time in whole ms, from 0 to "
                 "4294967295"),
                ("5\n4\n", f"{link.path}:2: \"4\": expected no less than the 5 of the line before"),
                ("0\n", f"{link.path}:1: \"0\": expected a last line above 0, because the trace "
                 "repeats there"),
                ("", f"{link.path}: expected at least one line, a time in whole ms")):
            link.write(text)
            link.load("", 1, message)
        link.write("9\n")
        link.load("--start 9ms", 1, "--start 9ms: expected less than the trace's 9ms")
        tap.equal("length of the old trace", link.shown()[0]["length"], 3 * cell.MS)


def test_wrong_devices():
    """If the kernel refuses a device, the message contains the kernel's reason and the word of the
    command line."""
    with Link("rate 1mbit") as link:
        link.write("3\n")
        link.load("", 1, "--device cell0: the kernel refused it: cellink: the device has a rate: "
                  "expected none (unlimited) with a trace")
        link.run(f"load {link.path} --device lo", 1, "--device lo: the kernel refused it: cellink: "
                 "ifindex must be that of a cellink device in this namespace")
        link.run(f"load {link.path} --device nodev", 1, "nodev: no such network device")
        link.run("unload lo", 1, "DEV lo: the kernel refused it: cellink: ifindex must be that of "
                 "a cellink device in this namespace")


def test_most_lines():
    """A trace of 16777216 lines is accepted and shown. One more line is refused, and the device
    keeps its old trace."""
    with open("/proc/meminfo") as file:
        if int(file.readline().split()[1]) // 1024 < 400:
            tap.skip("less than 400 MB of memory: the trace takes 64 MB here and in the kernel")
    with Link() as link:
        link.write("1\n" * (MAX - 1) + "50\n")
        link.load("--once")
        tap.equal("shown", link.shown()[0]["lines"], MAX)
        with open(link.path, "a") as file:
            file.write("51\n")
        link.load("", 1, f"{link.path}:{MAX + 1}: expected at most {MAX} lines")
        tap.equal("length of the old trace", link.shown()[0]["length"], 50 * cell.MS)


def test_without_the_module():
    """If the module is not loaded, both commands report this."""
    with Link() as link:
        link.write("3\n")
        wait.until("cellink unloads", lambda: not kmod.loaded("cellink") or
                   not kmod.rmmod("cellink"))
        message = kmod.absence("cellink")
        link.run(f"load {link.path} --device lo", 1, message)
        link.run("unload lo", 1, message)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
