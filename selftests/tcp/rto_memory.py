#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What messages wait in, and what is remembered of connections, is charged to the cgroup of whoever
has messages accepted: who has a user namespace of his own can do so in any number of namespaces."""
import contextlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import cgroup, netns, tap, wait, xlo
from lib.icmp import BOTH

NAMESPACES = 16
# the table of kmod/xlo_rto/flow.h: 1024 connections of 56 bytes
TABLE = 1024 * 56


def charged(group):
    """The kernel's memory, bytes. It tells late."""
    with open(f"{group.path}/memory.stat") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("kernel "))


def join(path):
    with open(f"{path}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))


@contextlib.contextmanager
def inside(group):
    """This process is in the cgroup."""
    join(group.path)
    try:
        yield
    finally:
        join(cgroup.CGROUPS)


def need_memory_controller():
    with open(f"{cgroup.CGROUPS}/cgroup.controllers") as file:
        if "memory" not in file.read().split():
            tap.skip("this kernel has no memory cgroups")
    with open(f"{cgroup.CGROUPS}/cgroup.subtree_control", "w") as file:
        file.write("+memory")


def test_charged():
    """In each namespace, and until messages are not accepted any more."""
    with cgroup.Cgroup("rto") as group:
        need_memory_controller()
        namespaces = [netns.Netns() for _ in range(NAMESPACES)]
        clients = [xlo.Client(ns, "xlo_rto") for ns in namespaces]
        before = charged(group)
        with inside(group):
            for client in clients:
                client.set(accept=BOTH)
        wait.until("it is charged", lambda: charged(group) - before >= NAMESPACES * TABLE)
        tap.note(f"{(charged(group) - before) // NAMESPACES} bytes a namespace")
        for client in clients:
            client.set(accept=0)
        wait.until("it is not any more", lambda: charged(group) - before < NAMESPACES * TABLE // 2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
