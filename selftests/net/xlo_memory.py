#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A namespace's configuration is charged to the cgroup of whoever sets it: who has a user namespace
of his own can do so in any number of namespaces."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import cgroup, netns, tap, wait, xlo

NAMESPACES = 32
# 64 profiles of 48 bytes and 64 caps of 8 (kmod/xlo/config.h)
CONFIG = 64 * 48 + 64 * 8


def test_charged():
    with cgroup.Memory("xlo") as group:
        namespaces = [netns.Netns() for _ in range(NAMESPACES)]
        clients = [xlo.Client(ns) for ns in namespaces]
        before = group.kernel()
        with group.inside():
            for client in clients:
                client.profile_add(profile_name="video", mark=1, mask=0xff, lifetime=300)
        wait.until("it is charged", lambda: group.kernel() - before >= NAMESPACES * CONFIG)
        tap.note(f"{(group.kernel() - before) // NAMESPACES} bytes a namespace")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
