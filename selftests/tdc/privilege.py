#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who administers a network namespace configures lpd in it, also inside a user namespace;
who does not is refused, may look, and changes nothing."""
import contextlib
import ctypes
import errno
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import bench, netlink, netns, tap, tc, tree

DEV, NOBODY = "lo", 65534
CLONE_NEWUSER = 0x10000000
CREATE = netlink.NLM_F_CREATE | netlink.NLM_F_EXCL


def as_child(function):
    """Run function in a process of its own; what it returns, as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = function()
        except Exception as error:
            answer = repr(error)
        os.write(writer, str(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


def attempt(socket, flags, *options):
    """The name of the error that a request ends with, or "done"."""
    try:
        socket.qdisc(DEV, flags, "lpd", *options)
    except netlink.Refused as refused:
        return errno.errorcode[refused.code]
    return "done"


def unprivileged(ns, flags, *options):
    """The same request by nobody, from within the namespace."""
    def become_nobody():
        netns.setns(ns.fd)
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        return attempt(netlink.Netlink(Here()), flags, *options)
    return as_child(become_nobody)


class Here(netns.Netns):
    """The namespace this process is in."""

    def __init__(self):
        self.fd = os.open(netns.SELF, os.O_RDONLY | os.O_CLOEXEC)

    def inside(self):
        return contextlib.nullcontext()


def test_nobody_may_not_add():
    tc.need("lpd")
    with netns.Netns() as ns:
        tap.equal("add", unprivileged(ns, CREATE), "EPERM")
        tap.equal("qdiscs", [q.kind for q in tree.Tree(netlink.Netlink(ns), DEV).qdiscs], [])


def test_nobody_may_not_change_but_look():
    tc.need("lpd")
    with netns.Netns() as ns:
        root = netlink.Netlink(ns)
        root.qdisc(DEV, CREATE, "lpd", *bench.lpd_options(limit=7))
        before = tree.Tree(root, DEV).root
        tap.equal("change", unprivileged(ns, 0, *bench.lpd_options(limit=9)), "EPERM")
        after = tree.Tree(root, DEV).root
        tap.equal("dump", (after.raw_options, after.app), (before.raw_options, before.app))


def test_owner_of_a_user_namespace_may():
    """CAP_NET_ADMIN of the namespace's owner is enough: a container configures its own."""
    tc.need("lpd")
    libc = ctypes.CDLL(None, use_errno=True)

    def in_a_user_namespace():
        if libc.unshare(CLONE_NEWUSER | netns.CLONE_NEWNET):
            return os.strerror(ctypes.get_errno())
        socket = netlink.Netlink(Here())
        first = attempt(socket, CREATE, *bench.lpd_options(limit=7))
        second = attempt(socket, 0, *bench.lpd_options(limit=8))
        return f"{first} {second} {tree.Tree(socket, DEV).root.options['limit']}"
    tap.equal("add, change, limit", as_child(in_a_user_namespace), "done done 8")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
