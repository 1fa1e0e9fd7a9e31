#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink doctor finds the flowtable of nft that has a device, and no other flowtable."""
# run.sh: needs: flowtables
# run.sh: all on vm: everything
# run.sh: smoke on vm-7.2: everything
import json

from cli import tools
from lib import hosts, tap

TABLE = """table inet fw {
flowtable ft { hook ingress priority 0; devices = { %s }; }
}"""
# the advice against a flowtable in hardware
REMOVE = "delete flowtable inet fw ft { devices = { v0 }; }"


def flowtable(ns):
    """The finding about flowtables."""
    done = ns.run(f"{tools.FRESHLINK} doctor v0 -j")
    return next(line for line in map(json.loads, done.stdout.splitlines())
                if line.get("finding") == "flowtable")


def test_flowtable():
    """The finding names the flowtable with the device. A flowtable with another device does not
    count. The command that doctor advises against a flowtable in hardware removes the device.
    Without CAP_NET_ADMIN the finding has the reason."""
    with hosts.Hosts() as h:
        tap.equal("without a flowtable", flowtable(h.left)["state"], "none")
        h.left.run("nft -f -", stdin=TABLE % "lo")
        tap.equal("with another device", flowtable(h.left)["state"], "none")
        h.left.run("nft -f -", stdin="delete table inet fw")
        h.left.run("nft -f -", stdin=TABLE % "v0")
        found = flowtable(h.left)
        tap.equal("with the device", found["state"], "software")
        tap.true(found["text"], "flowtable ft of the table fw" in found["text"])
        h.left.run("nft -f -", stdin=REMOVE)
        tap.equal("after the advice", flowtable(h.left)["state"], "none")
        done = h.left.run("setpriv --bounding-set -all --inh-caps -all "
                          f"{tools.FRESHLINK} doctor v0")
        tap.true(done.stdout, "flowtable: Whether" in done.stdout and
                 "CAP_NET_ADMIN" in done.stdout.partition("flowtable:")[2])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
