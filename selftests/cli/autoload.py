#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel loads our modules on demand. A request may create a qdisc or a device of our kind, or
set a default. Such a request loads the module if its sender has the necessary right. A request for
a generic netlink family loads nothing."""
# run.sh: all on vm-6.12: everything
import errno
import socket

from lib import arq, cell, child, genl, kmod, netlink, netns, tap, wait


def unload():
    """Unload all of our modules."""
    for name in reversed(kmod.OURS):
        wait.until(f"{name} unloads", lambda name=name: kmod.rmmod(name) in (0, errno.ENOENT))


def loaded():
    return [name for name in kmod.OURS if kmod.loaded(name)]


def as_nobody(function, own=True):
    """The answer to a request of the user `nobody`. If `own` is true, this user is root of a user
    namespace with its own network namespace."""
    def unprivileged():
        child.become_nobody()
        if own:
            child.enter_user_namespace()
        return function()
    return child.answer(unprivileged)


def asked(name):
    """The result of a request for the generic netlink family of this name."""
    try:
        genl.Family(child.Here(), name)
    except netlink.Refused as refused:
        return errno.errorcode[refused.code]
    return "found"


def test_families():
    """A request for a family loads no module, whether the user `nobody` or root sends the
    request."""
    with kmod.found_by_modprobe():
        unload()
        for name in ("xlo", "xlo_rto", "cellink"):
            for who, answer in (("nobody", as_nobody(lambda name=name: asked(name), False)),
                                ("root", asked(name))):
                tap.equal(f"{name}, by {who}", (answer, loaded()), ("ENOENT", []))


def test_kinds():
    """If root of a user namespace creates devices or a qdisc, the kernel loads the modules of these
    devices or of this qdisc, and no other module."""
    def device():
        cell.End(child.Here(), "cell0").create()
        return "made"

    def above():
        device()
        arq.End(child.Here(), "arq0").above("cell0")
        return "made"

    def queue():
        netlink.Netlink(child.Here()).qdisc("lo", netlink.NLM_F_CREATE, "lpd")
        return "made"
    with kmod.found_by_modprobe():
        for make, modules in ((device, ["cellink"]), (above, ["cellink", "arqlink"]),
                              (queue, ["sch_lpd"])):
            unload()
            tap.equal(make.__name__, (as_nobody(make), loaded()), ("made", modules))
        unload()


def test_congestion_control():
    """Root of a user namespace cannot load the congestion control by its name. Root can."""
    def use():
        with socket.socket() as sock:
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"iftpv")
            except OSError as error:
                return errno.errorcode[error.errno]
        return "used"
    with kmod.found_by_modprobe():
        unload()
        tap.equal("iftpv", (as_nobody(use), loaded()), ("ENOENT", []))
        with netns.Netns() as ns, ns.inside():
            tap.equal("by root", use(), "used")
        tap.equal("loaded", loaded(), ["tcp_iftpv"])
        unload()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
