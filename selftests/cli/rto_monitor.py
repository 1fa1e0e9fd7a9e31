#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink monitor prints each event of the module xlo_rto."""
# run.sh: needs: simulated time
# run.sh: once: what a command prints does not depend on the kernel
import json

from cli import xlo_monitor
from lib import hosts, icmp, kmod, packet as pkt, rto, tap
from lib.icmp import DROP, NATIVE
from lib.peer import MS
from tcp import rto_events, rto_ipv6


def test_moved():
    """The monitor prints each change of a setting, and each timeout that a message changes. It
    prints times in seconds and causes in words."""
    kmod.insmod("xlo")
    with rto.Flow() as flow, xlo_monitor.monitor(flow.right, "-j --count 5") as process:
        want, timeout = rto_events.moved(flow), flow.rto / MS
        flow.client.set(one_hop=0)
        rto_events.tell(flow)
        lines = [json.loads(line) for line in process.stdout]
        process.wait()
        tap.equal("events", [line["event"] for line in lines], ["rto_set"] + 4 * ["rto_moved"])
        tap.equal("settings", (lines[0]["accept"], lines[0]["one_hop"]), ("native", "off"))
        for line, (word, run, moment) in zip(lines[1:], want):
            tap.equal("cause, hosts", [line[key] for key in ("cause", "local", "local_port", "peer",
                                                             "peer_port")],
                      [word, pkt.TARGET4, 80, pkt.SOURCE4, 4000])
            for key, expected in (("rto_s", timeout), ("run_s", run), ("timeout_s", moment)):
                tap.within(f"{word}: {key}", 1000 * line[key] - expected, -2, 2)


def test_ipv6():
    """An event about an IPv6 connection has the connection's addresses."""
    kmod.insmod("xlo")
    with rto_ipv6.Flow() as flow, xlo_monitor.monitor(flow.right, "-j --count 1") as process:
        flow.say(0.8, icmp.message6(DROP, flow.packet, NATIVE, rto_ipv6.ROUTER))
        line = json.loads(process.stdout.readline())
        process.wait()
        tap.equal("cause, hosts", [line[key] for key in ("event", "cause", "local", "local_port",
                                                         "peer", "peer_port")],
                  ["rto_moved", "at_once", hosts.ADDRESSES["right"][1], flow.sock.getsockname()[1],
                   hosts.ADDRESSES["left"][1], rto_ipv6.PORT])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
