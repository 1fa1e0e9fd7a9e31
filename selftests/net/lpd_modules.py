#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The module sch_lpd can be loaded and unloaded many times, while queues are created and removed in
between. The module cannot be unloaded while a queue exists. The module sch_lpd works without the
module xlo_rto. While a queue has the option notify, xlo_rto cannot be unloaded."""
# run.sh: all on vm: load_* namespace_*
# run.sh: all on smp-debug: *_under_traffic in_use_* namespace_*
# run.sh: soak on smp-debug, 14400 s: everything
import errno

from lib import bench, kmod, netlink, packet as pkt, soak, tap, tc, wait
from net import lpd_change

ROUNDS = soak.amount(20, 500)
# Emulated VMs need seconds for each round.
UNDER_TRAFFIC = soak.amount(20 if wait.virtual_time() else 5, 500)


def unload(name="sch_lpd"):
    """Unload a module, and repeat the attempt until it succeeds. A deleted qdisc uses the module
    until it is freed after an RCU grace period."""
    wait.until(f"{name} unloads", lambda: not kmod.rmmod(name), step=0.02)


def test_load_and_unload_in_a_loop():
    """Load and unload sch_lpd many times, also after a queue with packets was removed."""
    for number in range(ROUNDS):
        with bench.Bench() as b:
            b.lpd(notify=1)
            b.plug()
            b.send(pkt.ipv4(pkt.xlo4(5), pkt.body(1, 20)),
                   pkt.ipv4(pkt.xlo4(20_000), pkt.body(2, 20)))
            if number % 2:
                b.netlink.remove_root("slip0")
        unload()
        if number % 3 == 0:
            unload("xlo_rto")
        tap.true("sch_lpd is unloaded", not kmod.loaded("sch_lpd"))


def refused(request, **options):
    """The error number and the text with which the kernel refuses a request."""
    try:
        request(**options)
    except netlink.Refused as error:
        return error.code, error.text
    raise tap.Failed(f"the request was accepted: {options}")


def test_without_xlo_rto():
    """The module sch_lpd can be loaded without xlo_rto, and its queues work. Only a request with
    notify is refused. The refused request does not change the queue."""
    missing = errno.ENOENT, "lpd: notify: module xlo_rto is not loaded"
    with bench.Bench() as b:
        unload()
        unload("xlo_rto")
        kmod.insmod("sch_lpd")
        tap.true("xlo_rto is not loaded", not kmod.loaded("xlo_rto"))
        tap.equal("a new queue with notify", refused(b.lpd, notify=1), missing)
        b.lpd()
        before = b.tree().root.options
        tap.equal("notify", before["notify"], 0)
        tap.equal("a change to notify", refused(b.change, limit=7, order=1, notify=1), missing)
        tap.equal("options", b.tree().root.options, before)
        b.plug()
        b.send(pkt.ipv4(pkt.xlo4(0, pkt.DISCARD), pkt.body(1, 20)),
               pkt.ipv4(pkt.xlo4(20_000), pkt.body(2, 20)))
        b.expect(packets_in=2, stale_enqueue=1)
        tap.true("xlo_rto is not loaded", not kmod.loaded("xlo_rto"))
    unload()


def test_xlo_rto_in_use_stays():
    """While a queue has notify, xlo_rto cannot be unloaded, even if notify was set several times.
    When no queue has notify, xlo_rto can be unloaded while sch_lpd stays loaded. After xlo_rto is
    loaded again, messages are sent again."""
    with bench.Bench() as b:
        b.lpd(notify=1)
        for number in range(2):
            b.change(notify=1, limit=100 + number)
            tap.equal("error", refused(b.change, notify=1, limit=0)[0], errno.ERANGE)
            tap.equal("rmmod", kmod.rmmod("xlo_rto"), errno.EWOULDBLOCK)
            b.change(notify=0)
            unload("xlo_rto")
            b.change(limit=100 - number)
            kmod.insmod("xlo_rto")
            b.change(notify=1)
        b.plug()
        b.send(pkt.ipv4(pkt.xlo4(0, pkt.DISCARD), pkt.body(1, 20)))
        b.expect(packets_in=1, stale_enqueue=1, notified=1)
        tap.equal("rmmod", kmod.rmmod("xlo_rto"), errno.EWOULDBLOCK)
        b.netlink.remove_root("slip0")
        unload("xlo_rto")
        tap.true("sch_lpd stays", kmod.loaded("sch_lpd"))
    unload()


def test_load_and_unload_under_traffic():
    """While two senders send, queues are created, changed and removed, and the module is loaded and
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
    """The module sch_lpd cannot be unloaded while a queue exists."""
    with bench.Bench() as b:
        b.lpd()
        tap.equal("rmmod", kmod.rmmod("sch_lpd"), errno.EWOULDBLOCK)
        b.send(pkt.ipv4(pkt.xlo4(20_000), pkt.body(1, 20)))
        tap.equal("packets", b.numbers(), [1])
    unload()


def test_namespace_goes_with_packets_queued():
    """A namespace and its device are removed while packets are queued and the timer is armed. A
    queue in another namespace continues to work."""
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
