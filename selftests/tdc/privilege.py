#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The administrator of a network namespace may configure lpd in this namespace, also inside a user
namespace. The requests of other users to change lpd are refused and change nothing."""
# run.sh: all on vm-6.12: everything
import errno

from lib import bench, child, netlink, netns, tap, tc, tree

DEV = "lo"
CREATE = netlink.NLM_F_CREATE | netlink.NLM_F_EXCL


def attempt(socket, flags, *options):
    """The name of the error with which a request ends, or "done"."""
    try:
        socket.qdisc(DEV, flags, "lpd", *options)
    except netlink.Refused as refused:
        return errno.errorcode[refused.code]
    return "done"


def unprivileged(ns, flags, *options):
    """Does the same as attempt(), as the user `nobody` within the namespace."""
    def as_nobody():
        netns.setns(ns.fd)
        child.become_nobody()
        return attempt(netlink.Netlink(child.Here()), flags, *options)
    return child.answer(as_nobody)


def test_nobody_may_not_add():
    """A request of the user `nobody` to add lpd is refused, and changes nothing."""
    tc.need("lpd")
    with netns.Netns() as ns:
        tap.equal("add", unprivileged(ns, CREATE), "EPERM")
        tap.equal("qdiscs", [q.kind for q in tree.Tree(netlink.Netlink(ns), DEV).qdiscs], [])


def test_nobody_may_not_change_but_look():
    """A request of the user `nobody` to change lpd is refused, and changes nothing."""
    tc.need("lpd")
    with netns.Netns() as ns:
        root = netlink.Netlink(ns)
        root.qdisc(DEV, CREATE, "lpd", *bench.lpd_options(limit=7))
        before = tree.Tree(root, DEV).root
        tap.equal("change", unprivileged(ns, 0, *bench.lpd_options(limit=9)), "EPERM")
        after = tree.Tree(root, DEV).root
        tap.equal("dump", (after.raw_options, after.app), (before.raw_options, before.app))


def test_owner_of_a_user_namespace_may():
    """CAP_NET_ADMIN in the user namespace that owns the network namespace is enough, so a container
    may configure its own network namespace."""
    tc.need("lpd")

    def in_a_user_namespace():
        child.enter_user_namespace()
        socket = netlink.Netlink(child.Here())
        first = attempt(socket, CREATE, *bench.lpd_options(limit=7))
        second = attempt(socket, 0, *bench.lpd_options(limit=8))
        return f"{first} {second} {tree.Tree(socket, DEV).root.options['limit']}"
    tap.equal("results of add and change, and the limit",
              child.answer(in_a_user_namespace), "done done 8")


def test_root_of_a_user_namespace_may_not_elsewhere():
    """Root of a user namespace may not configure lpd in another network namespace."""
    tc.need("lpd")
    with netns.Netns() as ns:
        root = netlink.Netlink(ns)
        root.qdisc(DEV, CREATE, "lpd", *bench.lpd_options(limit=7))

        def in_somebody_elses():
            netns.setns(ns.fd)
            child.enter_user_namespace(0)
            socket = netlink.Netlink(child.Here())
            return f"{attempt(socket, 0, *bench.lpd_options(limit=8))} " \
                f"{attempt(socket, netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE)}"
        tap.equal("results of change and replace", child.answer(in_somebody_elses), "EPERM EPERM")
        tap.equal("limit", tree.Tree(root, DEV).root.options["limit"], 7)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
