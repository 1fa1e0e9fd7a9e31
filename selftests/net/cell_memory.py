#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel charges a trace's memory to the cgroup of the process that uploads the trace. If the
cgroup's limit is too small, cellink refuses the upload, and the kernel kills no process."""
# run.sh: needs: memory cgroups
# run.sh: all on vm: everything
import errno

from lib import cell, cgroup, cpu, netlink, netns, tap, wait

COUNT = 1 << 24                             # the largest possible count
SIZE = 4 * COUNT


def test_charged():
    """The kernel charges the memory from the first request until the upload ends."""
    with cgroup.Memory("cell") as group, netns.Netns() as ns:
        traces, before = cell.Traces(ns), group.used()
        with group.inside():
            traces.do("trace_start", count=COUNT)
        tap.true("the memory is charged", group.used() - before >= SIZE)
        traces.do("trace_start", count=1)
        wait.until("the memory is no longer charged", lambda: group.used() - before < SIZE // 2)


def test_refused_without_room():
    """If the trace does not fit into the cgroup's limit, cellink refuses the upload. After that, the
    process can use the memory up to the limit at once, and the kernel kills no process."""
    with cgroup.Memory("cell") as group, netns.Netns() as ns:
        traces = cell.Traces(ns)
        group.limit(SIZE // 2)
        with group.inside(), cpu.alone():
            try:
                traces.do("trace_start", count=COUNT)
            except netlink.Refused as refused:
                tap.equal("error", (refused.code, refused.text),
                          (errno.ENOMEM, "cellink: not enough memory for so many opportunities"))
            else:
                raise tap.Failed("64 MB fit into 32 MB")
            filled = b"\1" * (SIZE // 8)
            del filled
        tap.equal("killed processes", group.killed(), 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
