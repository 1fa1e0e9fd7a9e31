#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The module loads and unloads any number of times, with queues created and removed in between. It
cannot be unloaded while a queue uses it."""
# run.sh: all on vm: load_* namespace_*
# run.sh: all on smp-debug: *_under_traffic in_use_* namespace_*
# run.sh: soak on smp-debug, 14400 s: everything
import errno
import subprocess

from lib import bench, kmod, packet as pkt, soak, tap, tc, wait
from net import lpd_change

ROUNDS = soak.amount(20, 500)
# Emulated machines take seconds for each.
UNDER_TRAFFIC = soak.amount(20 if wait.virtual_time() else 5, 500)


def unload(name="sch_lpd"):
    """A qdisc is freed after an RCU grace period; until then the module is in use."""
    wait.until(f"{name} unloads", lambda: not kmod.rmmod(name), step=0.02)


def test_load_and_unload_in_a_loop():
    for number in range(ROUNDS):
        with bench.Bench() as b:
            b.lpd(notify=1)
            b.plug()
            b.send(pkt.ipv4(pkt.xlo4(5), pkt.body(1, 20)),
                   pkt.ipv4(pkt.xlo4(20_000), pkt.body(2, 20)))
            if number % 2:
                b.netlink.remove_root("slip0")
        unload("sch_lpd" if number % 3 else "xlo_rto")
        tap.true("it is gone", not kmod.loaded("sch_lpd"))


def test_what_it_uses():
    """xlo_rto is loaded with it, and stays as long as it."""
    tc.need("lpd")
    unload("xlo_rto")
    tap.true("both are gone", not kmod.loaded("sch_lpd"))
    tc.need("lpd")
    tap.true("both are there", kmod.loaded("sch_lpd") and kmod.loaded("xlo_rto"))
    done = subprocess.run(["rmmod", "xlo_rto"], capture_output=True, text=True)
    tap.true("it stays", done.returncode and kmod.loaded("xlo_rto"))
    unload()


def test_load_and_unload_under_traffic():
    """Two senders send while a queue is created, changed and removed and the module is loaded and
    unloaded."""
    random = bench.seed()
    with bench.Bench() as b, lpd_change.Traffic(b) as traffic:
        for _ in range(UNDER_TRAFFIC):
            before = sum(traffic.sent)
            tc.need("lpd")
            b.lpd()
            while sum(traffic.sent) < before + 20:
                lpd_change.change_everything(b, random)
                b.tree()
                traffic.stop.wait(0.002)
            b.netlink.remove_root("slip0")
            unload()


def test_in_use_it_stays():
    with bench.Bench() as b:
        b.lpd()
        tap.equal("rmmod", kmod.rmmod("sch_lpd"), errno.EWOULDBLOCK)
        b.send(pkt.ipv4(pkt.xlo4(20_000), pkt.body(1, 20)))
        tap.equal("packets", b.numbers(), [1])
    unload()


def test_namespace_goes_with_packets_queued():
    """The namespace and its device end while packets wait and the timer is armed, and another's
    go on."""
    with bench.Bench() as other:
        other.lpd()
        with lpd_change.Traffic(other):
            for _ in range(UNDER_TRAFFIC):
                with bench.Bench() as b:
                    b.lpd(notify=1)
                    b.plug()
                    b.send(*[pkt.ipv4(pkt.xlo4(1 + number % 3), pkt.body(number, 20))
                             for number in range(300)])
                other.tree()
    unload()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
