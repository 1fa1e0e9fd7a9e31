# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tc in a namespace."""
import functools
import json
import subprocess

from . import kmod, tap


def tc(ns, words, check=True):
    """Run `tc WORDS`."""
    return ns.run("tc " + words, check)


class Waiting:
    """A tc process in a namespace that waits for commands. (Under User-Mode Linux and in an
    emulated VM, starting a tc for each command takes a long time.) This tc remembers the index of
    each device."""

    # A word that is not a command of tc. The message of tc about this word marks the end of an
    # answer.
    END = "end"

    def __init__(self, ns):
        with ns.inside():
            self.process = subprocess.Popen(["tc", "-force", "-batch", "-"], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE)

    def run(self, lines):
        """Run the lines. Returns the messages of tc, and the number of lines that failed."""
        self.process.stdin.write("\n".join([*lines, self.END]) + "\n")
        self.process.stdin.flush()
        said, failed = [], 0
        while not (line := self.process.stderr.readline()).startswith(f'Object "{self.END}"'):
            tap.true(f"tc continues after {lines}", line)
            if line.startswith("Command failed"):
                failed += 1
            else:
                said.append(line)
        self.process.stderr.readline()
        return "".join(said), failed

    def do(self, *lines):
        """Run the lines. If one of these lines fails, the test fails."""
        said, failed = self.run(lines)
        if failed:
            raise tap.Failed(f"tc {lines}: {said.strip()}")

    def close(self):
        self.process.stdin.close()
        self.process.stderr.close()
        self.process.wait()


def refused(ns, words):
    """Run `tc WORDS`, and check that it fails. Returns the message of tc."""
    done = tc(ns, words, check=False)
    tap.true(f"tc {words} is refused", done.returncode != 0)
    tap.true(f"tc {words} says why", done.stderr.strip())
    return done.stderr.strip()


def show(ns, device):
    """The parsed output of `tc -s -j qdisc show`."""
    return json.loads(tc(ns, f"-s -j qdisc show dev {device}").stdout)


def need(*kinds):
    """Load the modules of the qdiscs that a test needs."""
    for kind in kinds:
        if kind == "lpd":
            kmod.insmod("sch_lpd")
            kmod.insmod("xlo_rto")      # for the option notify
        else:
            kmod.modprobe(f"sch_{kind}")


@functools.cache
def _plugin():
    """Whether tc has a plugin for lpd. The help text is part of the plugin, not of the kernel."""
    done = subprocess.run("tc qdisc add dev lo root lpd help".split(), capture_output=True,
                          text=True)
    return "Unknown qdisc" not in done.stderr


def need_plugin():
    """If tc has no plugin for lpd, skip the test."""
    if not _plugin():
        tap.skip("tc has no plugin for lpd: neither in $TC_LIB_DIR nor installed")
