#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel charges a namespace's configuration to the cgroup of the process that sets it. Without
the charge, a user could create many network namespaces and consume unlimited kernel memory."""
# run.sh: needs: memory cgroups
# run.sh: all on vm: everything
import errno
import os

from lib import cgroup, kmod, netns, tap, wait, xlo

NAMESPACES = 32
# 64 profiles of 48 bytes and 64 caps of 8 bytes (kmod/xlo/config.h)
CONFIG = 64 * 48 + 64 * 8
# bytes for each processor: the counters of the namespace and of the profiles
COUNTERS = (24 + 64) * 8


def test_charged():
    """The kernel charges the configurations of 32 namespaces to the cgroup of the process that sets
    them."""
    with cgroup.Memory("xlo") as group:
        namespaces = [netns.Netns() for _ in range(NAMESPACES)]
        clients = [xlo.Client(ns) for ns in namespaces]
        before = group.kernel()
        with group.inside():
            for client in clients:
                client.profile_add(profile_name="video", mark=1, mask=0xff, lifetime=300)
        wait.until("the configurations are charged",
                   lambda: group.kernel() - before >= NAMESPACES * CONFIG)
        tap.note(f"{(group.kernel() - before) // NAMESPACES} bytes a namespace")


def test_first_one_is_charged():
    """xlo allocates a configuration and counters on each processor for each existing namespace when
    it is loaded. The kernel charges this memory to the process that loads the module."""
    wait.until("xlo unloads", lambda: kmod.rmmod("xlo") in (0, errno.ENOENT))
    with cgroup.Memory("xlo") as group:
        namespaces = [netns.Netns() for _ in range(NAMESPACES)]
        slab, counters = group.kernel("slab"), group.kernel("percpu")
        with group.inside():
            kmod.insmod("xlo")
        wait.until("configurations are charged",
                   lambda: group.kernel("slab") - slab >= len(namespaces) * CONFIG)
        wait.until("counters are charged", lambda: group.kernel("percpu") - counters >=
                   len(namespaces) * COUNTERS * os.cpu_count())


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
