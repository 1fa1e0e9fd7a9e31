# SPDX-License-Identifier: GPL-2.0-or-later
"""Two namespaces with a device pair between them, and freshlink running in them."""
import json
import os
import subprocess

from cli import tools
from lib import netns, tap, wait

ADDRESSES = {"left": ("10.1.0.1", "fd01::1"), "right": ("10.1.0.2", "fd01::2")}


class Pair:
    """left:v0 --- v1:right, addresses and neighbours set, so that nothing but the
    traffic under test is on the wire."""

    def __init__(self):
        if os.geteuid():
            tap.skip("making network namespaces needs root")
        self.left, self.right = netns.Netns(), netns.Netns()
        self.running = []
        netns.veth(self.left, "v0", self.right, "v1")
        for ns, device, name, other, mac in (
                (self.left, "v0", "left", "right", "02:00:00:00:00:02"),
                (self.right, "v1", "right", "left", "02:00:00:00:00:01")):
            ns.sysctl(f"net.ipv6.conf.{device}.disable_ipv6", 0)
            ns.sysctl(f"net.ipv6.conf.{device}.router_solicitations", 0)
            for address, prefix in zip(ADDRESSES[name], (24, 64)):
                nodad = " nodad" * (":" in address)
                ns.run(f"ip address add {address}/{prefix} dev {device}{nodad}")
            for address in ADDRESSES[other]:
                ns.run(f"ip neighbour replace {address} lladdr {mac} dev {device}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()
        self.left.close()
        self.right.close()

    def start(self, ns, words, *more):
        """Start freshlink in a namespace."""
        with ns.inside():
            process = subprocess.Popen([tools.FRESHLINK, *words.split(), *more],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def sink(self, words):
        """Start a sink on the right and wait until it receives."""
        process = self.start(self.right, f"traffic sink -j {words}")
        tap.equal("the sink", process.stderr.readline(), "receiving on port 5001\n")
        return process

    def source(self, words):
        """Run a source on the left; its summary comes back."""
        done = self.left.run(f"{tools.FRESHLINK} traffic source -j {words}")
        return json.loads(done.stdout)


def result(process, status=0):
    """Wait for a process; its parsed output comes back."""
    out, err = process.communicate(timeout=120)
    tap.equal(f"exit status ({err.strip()})", process.returncode, status)
    return [json.loads(line) for line in out.splitlines()]


def root_qdisc(ns, device):
    """The root qdisc as tc shows it, without its counters."""
    done = ns.run(f"tc -j qdisc show dev {device} root")
    return json.loads(done.stdout)


def settled(what, predicate):
    return wait.until(what, predicate, seconds=20)
