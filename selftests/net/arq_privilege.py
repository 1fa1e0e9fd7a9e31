#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Only a user with CAP_NET_ADMIN in the network namespace creates, changes or deletes a device. A
user who has no rights in the namespace of a lower device gets no device above it."""
# run.sh: all on vm-6.12: everything
import errno
import os

from lib import arq, arq_device, cell, child, kmod, netlink, netns, tap

RTM_NEWNSID, NETNSA_NSID, NETNSA_FD = 88, 1, 3
IFLA_LINK_NETNSID = 37
NSID = 7


def outcome(function):
    """Call a function. Returns "done", or the name of the error."""
    try:
        function()
    except netlink.Refused as refused:
        return errno.errorcode[refused.code]
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"


def nobody_in(ns, function):
    """Run a function as the user `nobody` in a namespace."""
    def unprivileged():
        netns.setns(ns.fd)
        child.become_nobody()
        return function()
    return child.answer(unprivileged)


def root_of_a_user_namespace(function):
    """Run a function as root of a new user namespace, which has its own network namespace."""
    def unprivileged():
        child.become_nobody()
        child.enter_user_namespace()
        return function()
    return child.answer(unprivileged)


def lower(device):
    """Make a namespace with a device for below."""
    if os.geteuid():
        tap.skip("making network namespaces needs root")
    kmod.insmod("arqlink")
    ns = netns.Netns()
    ns.ip(f"link add {device} type veth peer name far0")
    return ns


def here():
    return arq_device.Device(child.Here(), "arq0")


def test_nobody():
    """An unprivileged user can read a device, and cannot create, change, stop or delete one."""
    with lower("low0") as ns:
        tap.equal("creation", nobody_in(ns, lambda: outcome(lambda: here().above("low0"))), "EPERM")
        device = arq_device.Device(ns, "arq0")
        tap.equal("arq0 after the refusal", device.netlink.link("arq0"), None)
        device.above("low0", attempts=5)
        device.up()
        for what, attempt in (("change", lambda: here().change(attempts=6)),
                              ("down", lambda: here().up(False)),
                              ("deletion", lambda: here().netlink.delete("arq0"))):
            tap.equal(what, nobody_in(ns, lambda attempt=attempt: outcome(attempt)), "EPERM")
        tap.equal("settings", nobody_in(ns, lambda: here().settings()["attempts"]), "5")
        tap.equal("attempts", device.settings()["attempts"], 5)


def test_own_namespace():
    """Root of a user namespace creates, changes and deletes a device in its own network
    namespace."""
    for module in "cellink", "arqlink":
        kmod.insmod(module)

    def own():
        cell.End(child.Here(), "cell0").create(cell.peer("cell1"))
        device = here()
        device.above("cell0", attempts=5)
        device.change(attempts=6)
        told = device.settings()["attempts"]
        device.netlink.delete("arq0")
        return told, device.netlink.link("arq0")
    tap.equal("attempts, and the device afterwards", root_of_a_user_namespace(own),
              str((6, None)))


def test_foreign_lower_device():
    """Root of a user namespace cannot put a device above a lower device of a namespace of another
    owner."""
    with lower("low0") as foreign:
        index = netlink.u32(netlink.Netlink(foreign).ifindex("low0"))

        def attempt():
            route = netlink.Netlink(child.Here())
            route.request(RTM_NEWNSID, 0, bytes(4) + netlink.attr(NETNSA_NSID, netlink.u32(NSID)) +
                          netlink.attr(NETNSA_FD, netlink.u32(foreign.fd)))
            more = netlink.attr(arq.IFLA_LINK, index) + \
                netlink.attr(IFLA_LINK_NETNSID, netlink.u32(NSID))
            return outcome(lambda: here().create(more=more))
        tap.equal("result", root_of_a_user_namespace(attempt), "EPERM")
        # nothing is above the lower device, otherwise the kernel would refuse this
        arq_device.Device(foreign, "arq0").above("low0")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
