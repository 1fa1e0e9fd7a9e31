#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink probe asks Linux's own DCCP, which answers each Sync but does not tell how it arrived."""
# run.sh: needs: kernel DCCP
import json
import os
import socket
import subprocess
import tempfile

from dccp import way
from lib import bench, hosts, linux_dccp as linux, netlink, tap, tc, uapi

SERVICE = "SC:flnk"


def serve(listener):
    """A program of Linux that accepts one client, and waits until it is gone."""
    sock = linux.accepted(listener)
    try:
        while sock.recv(2000):
            pass
    except OSError:         # the client aborts its connection
        pass
    sock.close()
    return True


def probe(c, family, wanted, **options):
    """Probe the host on the right. With `options`, this host's queue is lpd."""
    if options:
        tc.need("lpd")
        netlink.Netlink(c.left.ns).qdisc(
            c.left.name, netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
            *bench.lpd_options(**options))
    listener = linux.listening(c.right.ns, family)
    there = c.run(c.right.ns, serve, listener)
    listener.close()
    with c.left.ns.inside(), tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [way.FRESHLINK, "probe", hosts.address("right", family), "--via", "dccp", "--carrier",
             "ip", "--kernel-silent", "--port", str(linux.PORT), "--service", SERVICE, "-j"],
            capture_output=True, text=True, check=False,
            env=os.environ | {"XDG_RUNTIME_DIR": folder})
    tap.equal(f"status ({done.stderr})", done.returncode, 0)
    report = json.loads(done.stdout)
    tap.note(report)
    tap.equal("via and verdict", (report["via"], report["verdict"]), ("ip", wanted))
    tap.equal("discarded here", report["here"] > 0, wanted == "discards")
    tap.equal("the server has seen the client", there.result(), True)


def test_linux():
    """Linux tolerates the option, and answers also what a queue has cut. That the queue of this host
    discards is known by its reports."""
    for family in (socket.AF_INET, socket.AF_INET6):
        for wanted, options in (("tolerates", {}),
                                ("tolerates", {"stale": uapi.TC_LPD_STALE_FORWARD}),
                                ("discards", {"stale": uapi.TC_LPD_STALE_HONOR}),
                                ("discards", {"stale": uapi.TC_LPD_STALE_DISCARD})):
            with linux.Cell() as c, linux.empty_log():
                probe(c, family, wanted, **options)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
