#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""When memory runs out, whichever allocation it hits, a request is applied whole or not at
all, a failed creation leaves nothing behind, and a packet that cannot be written to is dropped
and counted. Needs a kernel with fault injection (failslab)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import bench, kmod, netlink, netns, packet as pkt, port, tap, tc, tree

FAILSLAB, FAIL_NTH = "/sys/kernel/debug/failslab", "/proc/thread-self/fail-nth"
DEV = "lo"
LONG = 20_000


def prepare():
    """Let allocations that may wait fail too; the n-th of a task is chosen by fail_nth()."""
    if not os.path.isdir(FAILSLAB) or not os.path.exists(FAIL_NTH):
        tap.skip("the kernel has no failslab")
    for name, value in (("ignore-gfp-wait", "N"), ("cache-filter", "N"), ("verbose", "0")):
        with open(f"{FAILSLAB}/{name}", "w") as file:
            file.write(value)


def fail_nth(number, function):
    """Run function with its number-th allocation failing; False once it has no so many."""
    fd = os.open(FAIL_NTH, os.O_RDWR)
    try:
        os.write(fd, str(number).encode())
        try:
            function()
        except (OSError, netlink.Refused):
            pass
        left = int(os.pread(fd, 20, 0))
        os.pwrite(fd, b"0", 0)
        return left == 0
    finally:
        os.close(fd)


def request(ns, device, number, flags, options):
    """A request whose number-th allocation fails; False if it has no so many. The socket is
    its own: an answer that got lost must not reach the next request."""
    socket = netlink.Netlink(ns)
    try:
        return fail_nth(number, lambda: socket.qdisc(device, flags, "lpd",
                                                     *bench.lpd_options(**options)))
    finally:
        socket.sock.close()


def test_creation():
    """Either there is a whole lpd afterwards or none."""
    prepare()
    tc.need("lpd")
    wanted = {"limit": 3, "memory": 70_000, "rate": 5, "delay": 6, "lifetime": 7, "stale": 1,
              "order": bench.EDF, "overflow": bench.HEAD, "keep": 8, "adu": 1, "strip": 1}
    with netns.Netns() as ns:
        ns.link(DEV, True)
        number, outcomes = 1, 0
        while request(ns, DEV, number, netlink.NLM_F_CREATE, wanted):
            number += 1
            look = netlink.Netlink(ns)
            there = [q for q in tree.Tree(look, DEV).qdiscs if q.kind == "lpd"]
            if there:
                tap.equal("options", there[0].options, wanted)
                look.remove_root(DEV)
            else:
                outcomes += 1
            look.sock.close()
        tap.note(f"{number - 1} allocations, {outcomes} of them needed")
        tap.true("some were needed", outcomes > 2)


def test_change():
    """Either all options are the new ones or all are the old ones; no packet is lost."""
    prepare()
    old = {"limit": 10, "memory": 70_000, "rate": 0, "delay": 0, "lifetime": 7, "stale": 1,
           "order": bench.FIFO, "overflow": bench.TAIL, "keep": 0, "adu": 0, "strip": 0}
    new = {"limit": 2000, "memory": 80_000, "rate": 10**9, "delay": 1, "lifetime": 8, "stale": 2,
           "order": bench.EDF, "overflow": bench.STALEST, "keep": 9, "adu": 1, "strip": 1}
    with bench.Bench() as b:
        b.lpd(**old)
        b.plug()
        b.send(*[pkt.ipv4(pkt.xlo4(LONG), pkt.body(number, 20)) for number in range(5)])
        number, refused = 1, 0
        while request(b.ns, "slip0", number, 0, new):
            number += 1
            options = b.tree().root.options
            tap.true(f"{options} is one or the other", options in (old, new))
            refused += options == old
            b.change(**old)
        tap.note(f"{number - 1} allocations, {refused} of them needed")
        tap.true("some were needed", refused > 0)
        tap.equal("packets", b.numbers(), [0, 1, 2, 3, 4])


def test_packet_that_cannot_be_written():
    """A copy that a tap shares needs memory of its own before its lifetime is rewritten."""
    prepare()
    kmod.modprobe("act_mirred")
    kmod.modprobe("dummy")
    with bench.Bench() as b:
        b.lpd()
        b.ns.run("ip link add from0 type dummy")
        b.ns.link("from0", True)
        b.ns.run("tc qdisc add dev from0 clsact")
        b.ns.run("tc filter add dev from0 egress matchall action mirred egress mirror dev slip0")
        source = port.Port(b.ns, "from0", ethernet=True)
        b.plug()
        packet = pkt.ipv4(pkt.xlo4(LONG), pkt.body(1, 20))
        for number in range(1, 20):
            fail_nth(number, lambda: source.send(packet))
            b.tree()
        counters = b.counters()
        tap.true("nomem", counters["nomem"] > 0)
        queued = b.tree().root.qlen
        tap.equal("packets", [pkt.number(frame[14:]) for frame in b.open()], [1] * queued)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
