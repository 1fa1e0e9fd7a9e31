#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Only listeners that may configure the namespace receive events of xlo_rto. A process that joined
the multicast group by its number before the module was loaded receives no events. At that time, the
kernel could not check the process's permission."""
# run.sh: all on vm-6.12: everything
import contextlib
import errno
import os
import socket

from lib import child, genl, icmp, kmod, netlink, netns, rto, tap, wait, xlo
from lib.icmp import DROP, NATIVE
from tcp.rto_ipv6 import ROUTER, Flow


def unload():
    wait.until("xlo_rto unloads", lambda: kmod.rmmod("xlo_rto") in (0, errno.ENOENT))


def join(sock, group):
    """Join a multicast group. Returns the errno, or 0 for a success."""
    try:
        sock.setsockopt(netlink.SOL_NETLINK, xlo.NETLINK_ADD_MEMBERSHIP, group)
    except OSError as error:
        return error.errno
    return 0


def join_all(sock):
    """Try to join every multicast group. A family that is registered later may get the number of
    such a group."""
    sock.bind((0, 0))
    group = 1
    while (error := join(sock, group)) != errno.EINVAL:
        tap.true(f"group {group}: error {error}", error in (0, errno.EPERM))
        group += 1
    tap.true(f"there are {group - 1} groups", group > 64)


def bind_to_all(sock):
    """Join the 32 groups that fit into the address of bind()."""
    groups = 0
    for bit in range(32):
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, netlink.NETLINK_GENERIC) as attempt, \
                contextlib.suppress(PermissionError):
            attempt.bind((0, 1 << bit))
            groups |= 1 << bit
    sock.bind((0, groups))


def opened_by_nobody(ns, prepare):
    """Let the user `nobody` open a socket in a namespace and call prepare(sock). Returns the
    socket."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)

    def as_nobody():
        netns.setns(ns.fd)
        child.become_nobody()
        sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, netlink.NETLINK_GENERIC)
        prepare(sock)
        socket.send_fds(there, [b" "], [sock.fileno()])
        return "done"
    tap.equal("result of user nobody", child.answer(as_nobody), "done")
    return socket.socket(fileno=socket.recv_fds(here, 1, 1)[1][0])


def heard(sock):
    """The events that a socket has received, without events about new families. A report of missed
    events is included."""
    found = []
    while True:
        try:
            data = sock.recv(1 << 16, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return found
        except OSError as error:
            data = f"....{error}".encode()
        if netlink.number(data[4:6]) != genl.GENL_ID_CTRL:
            found.append(data)


def test_joined_before_the_module():
    """A socket of the user `nobody` that joined the group before the module was loaded receives no
    event."""
    flow = Flow()
    unload()
    nobodies = [opened_by_nobody(flow.right, join) for join in (join_all, bind_to_all)]
    events = xlo.Events(flow.right, "xlo_rto")
    with flow:
        # no later, because xlo_rto refuses the message when TCP has sent the segment again
        flow.say(0.3, icmp.message6(DROP, flow.packet, NATIVE, ROUTER))
        tap.equal("events of the privileged listener",
                  [events.next()[0] for _ in range(2)], ["set", "moved"])
        tap.equal("events of the other sockets", [heard(sock) for sock in nobodies], [[], []])


def test_socket_of_nobody():
    """A socket that the user `nobody` opened receives no event, even if root joins the group with
    this socket. The socket may not be used for a `listen` request."""
    with netns.Netns() as ns:
        client = xlo.Client(ns, "xlo_rto")
        sock = opened_by_nobody(ns, lambda sock: sock.bind((0, 0)))
        tap.equal("error when root joins", join(sock, client.groups["events"]), 0)
        listener = xlo.Client(ns, "xlo_rto")
        listener.sock = sock
        try:
            listener.do("listen")
            told = "done"
        except netlink.Refused as refused:
            told = errno.errorcode[refused.code]
        tap.equal("result of the request to listen", told, "EPERM")
        client.set(one_hop=1)
        tap.equal("events", heard(sock), [])


def attempt(client, operation, **values):
    """The name of the error that a request causes, or "done" for a success."""
    try:
        client.do(operation, **values)
    except netlink.Refused as refused:
        return errno.errorcode[refused.code]
    return "done"


def test_nobody_may_not_set_nor_send():
    """The user `nobody` cannot change settings or request messages. Root of a user namespace that
    does not own the network namespace also cannot change settings or request messages."""
    with netns.Netns() as ns:
        client = xlo.Client(ns, "xlo_rto")
        client.set(accept=NATIVE)
        before = client.get()
        for become in (child.become_nobody, lambda: child.enter_user_namespace(0)):
            def unprivileged(become=become):
                netns.setns(ns.fd)
                become()
                own = xlo.Client(child.Here(), "xlo_rto")
                return attempt(own, "set", accept=0), \
                    attempt(own, "notify", code=DROP, packet=bytes(40))
            tap.equal("results of set and notify",
                      child.answer(unprivileged), str(("EPERM", "EPERM")))
        tap.equal("settings and counters", client.get(), before)
        tap.equal("error of the same request by root",
                  attempt(client, "notify", code=DROP, packet=bytes(40)), "EINVAL")


def test_own_namespace():
    """Root of a user namespace receives the events of its own network namespace."""
    kmod.insmod("xlo_rto")

    def in_a_user_namespace():
        child.become_nobody()
        child.enter_user_namespace()
        events = xlo.Events(child.Here(), "xlo_rto")
        xlo.Client(child.Here(), "xlo_rto").set(one_hop=1)
        return events.next()
    tap.equal("event", child.answer(in_a_user_namespace), str(("set", rto.OFF | {"one_hop": 1})))


def test_each_hears_once():
    """Each socket receives an event once, even if the socket requests the events twice. On kernels
    where the number of listeners is limited, a closed socket makes space for another listener."""
    with netns.Netns() as ns:
        client = xlo.Client(ns, "xlo_rto")
        for _ in range(3):
            listeners = [xlo.Events(ns, "xlo_rto") for _ in range(xlo.LISTENERS)]
            listeners[0].do("listen")
            client.set(one_hop=1)
            for events in listeners:
                tap.equal("events", (events.next(), events.next(0)),
                          (("set", rto.OFF | {"one_hop": 1}), None))
            if xlo.ASKING:
                tap.equal("refusal of one listener too many", full(ns), (
                    errno.EBUSY, "xlo_rto: 8 sockets listen in this namespace: close one first"))
            for events in listeners:
                events.sock.close()


def full(ns):
    """The error and the message of the refusal of another listener, or None."""
    try:
        xlo.Events(ns, "xlo_rto")
    except netlink.Refused as refused:
        return refused.code, refused.text
    return None


def test_told_what_it_missed():
    """A slow reader receives as many events as its buffer can contain, and a report that it missed
    other events. After the report, the reader receives events again."""
    with netns.Netns() as ns:
        client, events = xlo.Client(ns, "xlo_rto"), xlo.Events(ns, "xlo_rto")
        events.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 20_000)
        for number in range(100):
            client.set(one_hop=number % 2)
        found = heard(events.sock)
        lost = [data for data in found if data.startswith(b"....")]
        tap.equal("reports of missed events", [os.strerror(errno.ENOBUFS) in data.decode()
                                               for data in lost], [True])
        tap.within("events", len(found), 2, 100)
        client.set(one_hop=1)
        tap.equal("events afterwards", len(heard(events.sock)), 1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
