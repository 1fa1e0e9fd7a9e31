#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A user who creates a pair of devices needs CAP_NET_ADMIN in the namespaces of both ends. The way
in which the request names the namespaces does not matter. A refused request leaves no device
behind."""
# run.sh: all on vm-6.12: everything
import contextlib
import errno
import os
import signal

from lib import cell, child, kmod, netlink, netns, tap

RTM_NEWNSID, NETNSA_NSID, NETNSA_FD = 88, 1, 3
IFLA_NET_NS_PID, IFLA_LINK_NETNSID, IFLA_TARGET_NETNSID = 19, 37, 46
NSID = 7


def created(*data, more=b""):
    """Try to create a pair with cell0 in this namespace. Returns the error's name, or "done" for a
    success."""
    try:
        cell.End(child.Here(), "cell0").create(*data, more=more)
    except netlink.Refused as refused:
        return errno.errorcode[refused.code]
    return "done"


def ends(ns):
    """The cellink devices in a namespace."""
    return [name for name in ("cell0", "cell1") if netlink.Netlink(ns).link(name)]


def numbered(ns):
    """Give a number (nsid) to another namespace. Returns the number, which is valid in our
    namespace."""
    route = netlink.Netlink(child.Here())
    route.request(RTM_NEWNSID, 0, bytes(4) + netlink.attr(NETNSA_NSID, netlink.u32(NSID)) +
                  netlink.attr(NETNSA_FD, netlink.u32(ns.fd)))
    return netlink.u32(NSID)


def as_root_of_a_user_namespace(function):
    """Run a function as the user `nobody` in a user namespace that has its own network namespace.
    Returns the function's answer."""
    def unprivileged():
        child.become_nobody()
        child.enter_user_namespace()
        return function()
    kmod.insmod("cellink")
    return child.answer(unprivileged)


def peer(attribute, value):
    """A peer with a name and one more attribute."""
    return cell.peer("cell1", more=netlink.attr(attribute, value))


def test_peer_elsewhere():
    """The kernel refuses a peer in a namespace of another owner. A file descriptor or a process can
    name the namespace."""
    with netns.Netns() as foreign:
        for what, attempt in (
                ("descriptor", lambda: peer(netlink.IFLA_NET_NS_FD, netlink.u32(foreign.fd))),
                ("process", lambda: peer(IFLA_NET_NS_PID, netlink.u32(1)))):
            tap.equal(what, as_root_of_a_user_namespace(
                lambda attempt=attempt: (created(attempt()), ends(child.Here()))),
                      str(("EPERM", [])))
            tap.equal(f"{what}: devices in the other namespace", ends(foreign), [])
        tap.equal("devices in the first namespace", ends(netns.First()), [])


def test_peer_by_number():
    """A namespace number in the peer's attributes does not move the peer. The peer stays in the
    namespace of its creator, or the kernel refuses the request."""
    with netns.Netns() as foreign:
        told = as_root_of_a_user_namespace(
            lambda: created(peer(IFLA_TARGET_NETNSID, numbered(foreign))))
        tap.true(f"{told} is a permitted result", told in ("done", "EPERM", "EINVAL"))
        tap.equal("devices in the other namespace", ends(foreign), [])


def test_both_elsewhere():
    """If the request itself names another namespace, the kernel's core refuses the request, with
    and without a peer."""
    with netns.Netns() as foreign:
        for what, more in (
                ("descriptor", lambda: netlink.attr(netlink.IFLA_NET_NS_FD,
                                                    netlink.u32(foreign.fd))),
                ("target", lambda: netlink.attr(IFLA_TARGET_NETNSID, numbered(foreign))),
                ("link", lambda: netlink.attr(IFLA_LINK_NETNSID, numbered(foreign)))):
            for data in ((), (cell.peer("cell1"),)):
                tap.equal(what, as_root_of_a_user_namespace(
                    lambda more=more, data=data: (created(*data, more=more()),
                                                  ends(child.Here()))), str(("EPERM", [])))
        tap.equal("devices in the other namespace", ends(foreign), [])


def test_moved_elsewhere():
    """The kernel refuses to move an existing end to a namespace of another owner."""
    with netns.Netns() as foreign:
        def move():
            created(cell.peer("cell1"))
            try:
                netlink.Netlink(child.Here()).move("cell1", foreign, "cell1")
            except netlink.Refused as refused:
                return errno.errorcode[refused.code], ends(child.Here())
            return "done"
        tap.equal("result of the move",
                  as_root_of_a_user_namespace(move), str(("EPERM", ["cell0", "cell1"])))
        tap.equal("devices in the other namespace", ends(foreign), [])


def test_deleted_by_nobody():
    """An unprivileged user may not delete a pair."""
    kmod.insmod("cellink")
    with netns.Netns() as ns:
        cell.End(ns, "cell0").create(cell.peer("cell1"))

        def delete():
            netns.setns(ns.fd)
            child.become_nobody()
            try:
                netlink.Netlink(child.Here()).delete("cell0")
            except netlink.Refused as refused:
                return errno.errorcode[refused.code]
            return "done"
        tap.equal("result of the deletion", child.answer(delete), "EPERM")
        tap.equal("devices", ends(ns), ["cell0", "cell1"])


def test_deleted_from_either_end():
    """A container's root may delete the container's end of a pair. The kernel then also deletes the
    other end in a namespace of another owner."""
    kmod.insmod("cellink")
    with container() as pid, netns.Netns() as ns:
        cell.End(ns, "cell0").create(peer(IFLA_NET_NS_PID, netlink.u32(pid)))

        def delete():
            enter(pid)
            netlink.Netlink(child.Here()).delete("cell1")
            return ends(child.Here())
        tap.equal("devices of the container", child.answer(delete), "[]")
        tap.equal("devices outside", ends(ns), [])


def enter(pid):
    """Become root of a container."""
    # open both files first, because the container's root may no longer access the process
    with open(f"/proc/{pid}/ns/user") as user, open(f"/proc/{pid}/ns/net") as net:
        netns.setns(user.fileno(), child.CLONE_NEWUSER)
        netns.setns(net.fileno())


def test_own_namespaces():
    """Root of a user namespace may create pairs between the network namespaces that belong to it. A
    file descriptor or a process can name the peer's namespace."""
    def own():
        other = netns.Netns()
        found = []
        for where in ((netlink.IFLA_NET_NS_FD, netlink.u32(other.fd)),
                      (IFLA_NET_NS_PID, netlink.u32(os.getpid()))):
            done = created(peer(*where))
            found.append((done, ends(child.Here()), ends(other)))
            netlink.Netlink(child.Here()).delete("cell0")
        return found
    tap.equal("results and devices", as_root_of_a_user_namespace(own), str(
        [("done", ["cell0"], ["cell1"]), ("done", ["cell0", "cell1"], [])]))


@contextlib.contextmanager
def container():
    """Start a process of the user `nobody` in its own namespaces. Yields the process id."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        child.become_nobody()
        child.enter_user_namespace()
        os.write(writer, b" ")
        signal.pause()
    os.read(reader, 1)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_root_reaches_containers():
    """The system's root may create a peer in a container. In the container's network namespace, the
    system's root may create a peer outside the container."""
    kmod.insmod("cellink")
    with container() as pid, netns.Netns() as ns:
        def inward():
            netns.setns(ns.fd)
            return created(peer(IFLA_NET_NS_PID, netlink.u32(pid))), ends(child.Here())

        def outward():
            netns.setns(os.open(f"/proc/{pid}/ns/net", os.O_RDONLY))
            before = ends(child.Here())
            netlink.Netlink(child.Here()).delete("cell1")
            done = created(peer(netlink.IFLA_NET_NS_FD, netlink.u32(ns.fd)))
            return before, done, ends(child.Here())
        tap.equal("peer in the container", child.answer(inward), str(("done", ["cell0"])))
        tap.equal("peer outside of the container",
                  child.answer(outward), str((["cell1"], "done", ["cell0"])))
        tap.equal("devices outside", ends(ns), ["cell1"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
