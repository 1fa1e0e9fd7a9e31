#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel charges the queue of messages and the table of connections to the cgroup of the
process that switches on the messages. Without the charge, a user could create many network
namespaces and consume unlimited kernel memory."""
# run.sh: needs: memory cgroups
# run.sh: all on vm: everything
from lib import cgroup, netns, tap, wait, xlo
from lib.icmp import BOTH

NAMESPACES = 16
# the table of kmod/xlo_rto/inbox.c: 1024 connections of 56 bytes
TABLE = 1024 * 56
# bytes of struct xrto_settings (kmod/xlo_rto/config.h), and a number of settings that fills several
# pages
SETTINGS, MANY = 40, 256


def test_charged():
    """The kernel charges the tables of 16 namespaces to the cgroup that switches on the messages.
    The charge ends when the cgroup switches off the messages."""
    with cgroup.Memory("rto") as group:
        namespaces = [netns.Netns() for _ in range(NAMESPACES)]
        clients = [xlo.Client(ns, "xlo_rto") for ns in namespaces]
        before = group.kernel()
        with group.inside():
            for client in clients:
                client.set(accept=BOTH)
        wait.until("the tables are charged", lambda: group.kernel() - before >= NAMESPACES * TABLE)
        tap.note(f"{(group.kernel() - before) // NAMESPACES} bytes a namespace")
        for client in clients:
            client.set(accept=0)
        wait.until("the tables are no longer charged",
                   lambda: group.kernel() - before < NAMESPACES * TABLE // 2)


def test_settings_are_charged():
    """The kernel also charges the settings of a namespace that accepts no messages."""
    with cgroup.Memory("rto") as group:
        namespaces = [netns.Netns() for _ in range(MANY)]
        clients = [xlo.Client(ns, "xlo_rto") for ns in namespaces]
        before = group.kernel("slab")
        with group.inside():
            for client in clients:
                client.set(one_hop=1)
        wait.until("the settings are charged",
                   lambda: group.kernel("slab") - before >= MANY * SETTINGS)
        tap.note(f"{(group.kernel('slab') - before) // MANY} bytes a namespace")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
