#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Listeners receive exactly one event each time a message moves a timeout, and one event for each
change of settings."""
# run.sh: needs: simulated time
import socket

from lib import child, hosts, icmp, netlink, netns, packet as pkt, rto, tap, xlo
from lib.icmp import DEFER, DROP, NATIVE
from lib.peer import MS
from tcp import rto_ipv6

# message, its time, counter (0: ignored), new time; times are fractions of the timeout
STORY = [(DROP, 0.1, 0, 0), (DROP, 0.3, "shortened", 0.55), (DROP, 0.44, 0, 0),
         (DEFER, 0.5, "cancelled", 1.25), (DEFER, 1.1, "extended", 1.5), (DROP, 1.3, "back", 1.3)]


def tell(flow):
    """Let the messages of STORY arrive."""
    for code, part, *_ in STORY:
        flow.say(code, part)
    flow.times_out(1.3, 1.3)


def moved(flow):
    """The expected events as (counter, time of the message in ms, new timeout in ms)."""
    return [(word, part * flow.rto / MS, moment * flow.rto / MS)
            for _, part, word, moment in STORY if word]


def test_moved():
    """Each message that moves the timeout causes one event. An ignored message causes no event."""
    with rto.Flow() as flow:
        events, want, timeout = xlo.Events(flow.right, "xlo_rto"), moved(flow), flow.rto / MS
        counters = [counter["name"].replace("-", "_")
                    for counter in flow.client.spec.sets["stats"].values()]
        tell(flow)
        for word, run, moment in want:
            name, values = events.next(1)
            tap.equal("event", (name, counters[values["cause"] - 1]), ("moved", word))
            for what, got, expected in (("rto", values["rto"], timeout),
                                        ("run", values["run"], run),
                                        ("timeout", values["timeout"], moment)):
                tap.within(f"{word}: {what}", got - expected, -2, 2)
            tap.equal("connection", [values[key] for key in
                                     ("local", "local_port", "peer", "peer_port")],
                      [socket.inet_aton(pkt.TARGET4), 80, socket.inet_aton(pkt.SOURCE4), 4000])
        tap.equal("further event", events.next(0.1), None)


def test_ipv6():
    """The event contains both addresses and ports of an IPv6 connection."""
    with rto_ipv6.Flow() as flow:
        events = xlo.Events(flow.right, "xlo_rto")
        flow.say(0.8, icmp.message6(DROP, flow.packet, NATIVE, rto_ipv6.ROUTER))
        flow.times_out(0.8, 0.8)
        name, values = events.next(1)
        tap.equal("connection", [name, *(values[key] for key in (
            "local", "local_port", "peer", "peer_port"))],
                  ["moved", socket.inet_pton(socket.AF_INET6, hosts.ADDRESSES["right"][1]),
                   flow.sock.getsockname()[1],
                   socket.inet_pton(socket.AF_INET6, hosts.ADDRESSES["left"][1]), rto_ipv6.PORT])


def test_settings():
    """Each accepted change of settings causes an event."""
    with rto.Flow(accept=0) as flow:
        events = xlo.Events(flow.right, "xlo_rto")
        flow.client.set(accept=3, early=0)
        flow.client.set(one_hop=1)
        flow.client.set(key=bytes(16), encoding=1)
        want = dict(rto.OFF)
        for changed in ({"accept": 3}, {"one_hop": 1}, {"keyed": 1, "encoding": 1}):
            want |= changed
            tap.equal("event", events.next(1), ("set", want))


def test_privilege():
    """An unprivileged user can read the settings, but cannot read counters and receives no
    events."""
    with rto.Flow() as flow:
        def as_nobody():
            netns.setns(flow.right.fd)
            child.become_nobody()
            client = xlo.Client(child.Here(), "xlo_rto")
            try:
                client.sock.setsockopt(netlink.SOL_NETLINK, xlo.NETLINK_ADD_MEMBERSHIP,
                                       client.groups["events"])
                heard = "joined"
            except PermissionError:
                heard = "refused"
            return sorted(client.get()), heard
        tap.equal("what an unprivileged user reads, and result of joining", child.answer(as_nobody),
                  str((["accept", "early", "encoding", "keyed", "one_hop"], "refused")))
        tap.true("root also reads the counters", {"stats", "notices"} < set(flow.client.get()))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
