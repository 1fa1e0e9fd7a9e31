#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of lpd's tables is charged to the cgroup of the process that configures lpd. The
tables have only as many entries as packets fit into `memory`. If the cgroup's memory limit is too
low, a change is refused and the queue does not change."""
# run.sh: needs: memory cgroups
# run.sh: all on vm: everything
import errno

from lib import bench, cgroup, netlink, packet as pkt, tap, tc, wait

MB = 1 << 20
LIMIT, MEMORY = 1 << 20, (1 << 32) - 1      # the largest values
CLASSES = 16
# All sizes are in bytes. For each order, PACKET has the size of a packet's entry and of its slot
# (sch_lpd/order.h), and CALENDARS the number of calendars (sch_lpd/calendar.h). LEAST is the
# minimum that `memory` counts for a packet, SKB_TRUESIZE(0). DATAGRAMS and FLOWS are the sizes of
# the tables in adu.h and order.h, and RULE is the size of a rule in match.h. RANK is the size of a
# rank in rank.h.
PACKET = {bench.FIFO: 56, bench.EDF: 56 + 40}
CALENDARS = {bench.FIFO: 1, bench.EDF: 3}
BUCKET, MOST_BUCKETS = 8, 1 << 18
LEAST = 576
DATAGRAMS, FLOWS, RULE, RANK = 512 * 88, 1024 * 32, 24, 40


def tables(order, packets):
    """The size of the order's tables."""
    buckets = 1 << (packets // 8 * 5).bit_length() - 1
    return packets * PACKET[order] + CALENDARS[order] * min(buckets, MOST_BUCKETS) * BUCKET


def vmalloced():
    """The size of the large tables in bytes. The module sch_lpd makes no other large
    allocations."""
    with open("/proc/vmallocinfo") as file:
        return sum(int(line.split()[1]) for line in file if "[sch_lpd]" in line)


def charged_by(group, b, size, **options):
    """Create many lpds, and check that at least `size` bytes are charged for each."""
    before = group.kernel()
    b.tc(f"qdisc replace DEV root handle 1: prio bands {CLASSES}")
    with group.inside():
        for number in range(1, CLASSES + 1):
            b.lpd(parent=0x10000 + number, handle=0x80010000 + (number << 16), **options)
    wait.until("the memory is charged", lambda: group.kernel() - before >= CLASSES * size)
    tap.note(f"{sorted(options)}: {(group.kernel() - before) // CLASSES} bytes each")
    b.tc("qdisc del DEV root")
    wait.until("the memory is no longer charged", lambda: group.kernel() - before < size)


def test_each_table_is_charged():
    """The tables of an lpd with the default limit are charged while the lpd exists."""
    tc.need("prio")
    with cgroup.Memory("lpd") as group, bench.Bench() as b:
        charged_by(group, b, tables(bench.FIFO, 1000), adu=0)
        charged_by(group, b, tables(bench.FIFO, 1000) + DATAGRAMS, adu=1)
        charged_by(group, b, tables(bench.EDF, 1000) + FLOWS, adu=0, order=bench.EDF)
        charged_by(group, b, tables(bench.EDF, 1000) + 1000 * RANK + FLOWS, adu=0, order=bench.EDF,
                   overflow=bench.LEAST)
        # the tables of an lpd for one packet are smaller than the rules
        charged_by(group, b, 32 * RULE, adu=0, limit=1, match=[dict(dscp=1, lifetime=1)] * 32)


def test_largest_tables_are_charged():
    """The largest possible tables are charged to the cgroup of the process that requests them with
    a change."""
    with cgroup.Memory("lpd") as group, bench.Bench() as b:
        for order in PACKET:
            size = tables(order, LIMIT)
            b.lpd(order=order)
            before = group.used()
            with group.inside():
                b.change(limit=LIMIT, memory=MEMORY)
            allocated, charged = vmalloced(), group.used() - before
            tap.note(f"order {order}: {allocated} bytes allocated, {charged} charged")
            tap.true("the tables have an entry for each packet", allocated >= size)
            tap.true("the tables are charged", charged >= size)
            b.netlink.remove_root("slip0")
            wait.until("the memory is no longer charged", lambda: group.used() - before < MB)


def test_no_larger_than_memory_can_fill():
    """Even with the largest limit and order edf, the tables are small compared with `memory`."""
    with cgroup.Memory("lpd") as group, bench.Bench() as b:
        for memory in (65536, 32 * MB, 128 * MB):
            before = group.used()
            with group.inside():
                b.lpd(limit=LIMIT, memory=memory, order=bench.EDF)
            size = max(group.used() - before, vmalloced())
            tap.note(f"memory {memory}: {size} bytes")
            # The allocator may double the tables, and each CPU reserves some memory in advance.
            tap.within("bytes", size, tables(bench.EDF, memory // LEAST), memory * 2 // 5 + MB)
            b.netlink.remove_root("slip0")


def test_refused_without_room():
    """If the tables would exceed the cgroup's limit, the request is refused. No process is killed,
    and the queue does not change."""
    with cgroup.Memory("lpd") as group, bench.Bench() as b:
        b.lpd(limit=10)
        b.plug()
        b.send(*[pkt.ipv4(pkt.xlo4(20_000), pkt.body(number, 20)) for number in range(5)])
        before = b.tree().root.options
        group.limit(32 * MB)
        with group.inside():
            for handle in (0x80010000, 0x80020000):         # first a change, then a new lpd
                try:
                    b.lpd(handle=handle, limit=LIMIT, memory=MEMORY, order=bench.EDF)
                except netlink.Refused as refused:
                    tap.equal("error", (refused.code, refused.text), (
                        errno.ENOMEM, "lpd: no memory for the tables that limit, memory, order, "
                        "overflow, adu and share ask for"))
                else:
                    raise tap.Failed("tables of 102 MB fit into 32 MB")
        tap.equal("killed processes", group.killed(), 0)
        tap.equal("options", b.tree().root.options, before)
        tap.equal("packets", b.numbers(), list(range(5)))
        b.expect(packets_in=5, packets_out=5, rewritten=5)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
