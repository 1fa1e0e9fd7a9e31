#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sch_lpd loads and unloads any number of times, with queues created and removed in between. It
stays loaded while a queue exists. It works without xlo_rto, which stays loaded while a queue has
the option notify."""
# run.sh: all on vm: load_* namespace_*
# run.sh: all on smp-debug: *_under_traffic in_use_* namespace_*
# run.sh: soak on smp-debug, 14400 s: everything
import errno

from lib import bench, kmod, netlink, packet as pkt, soak, tap, tc, wait
from net import lpd_change

ROUNDS = soak.amount(20, 500)
# Emulated machines need seconds for each round.
UNDER_TRAFFIC = soak.amount(20 if wait.virtual_time() else 5, 500)


def unload(name="sch_lpd"):
    """Unload a module. It stays in use until a deleted qdisc is freed after an RCU grace period."""
    wait.until(f"{name} unloads", lambda: not kmod.rmmod(name), step=0.02)


def test_load_and_unload_in_a_loop():
    """sch_lpd loads and unloads again and again, also after a queue was removed with packets in
    it."""
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
    """The error and text by which a request is refused."""
    try:
        request(**options)
    except netlink.Refused as error:
        return error.code, error.text
    raise tap.Failed(f"the request was accepted: {options}")


def test_without_xlo_rto():
    """sch_lpd loads and works without xlo_rto. Only a request with notify is refused, which leaves
    the queue unchanged."""
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
    """xlo_rto stays loaded while a queue has notify, however often notify is set. Afterwards
    xlo_rto unloads, and sch_lpd stays. Loaded again, xlo_rto sends messages again."""
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
    """Queues are created, changed and removed, and the module is loaded and unloaded, while two
    senders send."""
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
    """sch_lpd cannot be unloaded while a queue exists."""
    with bench.Bench() as b:
        b.lpd()
        tap.equal("rmmod", kmod.rmmod("sch_lpd"), errno.EWOULDBLOCK)
        b.send(pkt.ipv4(pkt.xlo4(20_000), pkt.body(1, 20)))
        tap.equal("packets", b.numbers(), [1])
    unload()


def test_namespace_goes_with_packets_queued():
    """A namespace ends with its device while packets wait and the timer is armed. A queue in
    another namespace keeps working."""
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
