#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""While messages arrive and are sent, xlo_rto is switched on and off and unloaded, and its
namespaces are removed. The kernel does not crash, and each message is counted."""
# run.sh: all on vm-6.12: *unloaded
# run.sh: all on smp-debug: everything
# run.sh: soak on smp-debug, 7200 s: everything
import contextlib
import time

from lib import child, icmp, kmod, netlink, packet as pkt, port, soak, tap, wait, xlo
from lib.icmp import BOTH, DEFER, DROP, EXTENSION, LINK_UP, NATIVE
from lib.notice import Link, ipv4, segment
from tcp.rto_ipv6 import ROUTER, Flow

ROUNDS = soak.amount(10 if wait.virtual_time() else 5, 1000)
MOVED = ("shortened", "at_once", "link_up")     # counters of messages that have moved the timeout


def messages(flow):
    """A process that sends right messages about the flow's segment as fast as it can."""
    batches = [port.Batch([pkt.ethernet(icmp.message6(code, flow.packet, encoding, ROUTER))] * 16)
               for code in (DROP, DEFER, LINK_UP) for encoding in (NATIVE, EXTENSION)]
    flow.port.sock.bind(("v0", pkt.ETH_P_IPV6))

    def send():
        time.sleep(0.001)
        return sum(flow.port.send_batch(batch) for batch in batches)
    return child.Beside(send)


def test_switched():
    """xlo_rto is switched on and off repeatedly. Afterwards, each message that xlo_rto received is
    in one counter."""
    with Flow() as flow:
        with messages(flow) as sender:
            for _ in range(ROUNDS):
                flow.client.set(accept=0)
                flow.client.set(accept=BOTH)
                time.sleep(0.005)
        flow.client.set(accept=0)
        stats = flow.client.stats()
        tap.within("received", stats["received"], 1, sender.done)
        tap.equal("sum of the other counters",
                  sum(stats.values()) - stats["received"], stats["received"])


def test_unloaded():
    """xlo_rto unloads and loads while connections stay open and messages arrive."""
    with Flow() as flow:
        with messages(flow):
            for _ in range(ROUNDS):
                wait.until("xlo_rto unloads", lambda: not kmod.rmmod("xlo_rto"))
                xlo.Client(flow.right, "xlo_rto").set(accept=BOTH)
                time.sleep(0.005)
        stats = xlo.Client(flow.right, "xlo_rto").stats()
        tap.true("messages arrived", stats["received"])


def test_namespaces():
    """A namespace can be removed while it has a connection with a moved timeout and pending
    messages."""
    for _ in range(max(3, ROUNDS // 10)):
        with Flow() as flow, messages(flow):
            wait.until("a message moves the timeout",
                       lambda: sum(map(flow.client.stats().get, MOVED)), step=0.01)


def listening(ns):
    """A process that opens sockets, listens for events for a short time, and closes the sockets.
    The process closes some sockets before it has read all events. The value `done` is the number of
    events that the process has read."""
    def listen():
        time.sleep(0.001)
        # the netlink family may have a new number or may no longer exist
        with contextlib.suppress(netlink.Refused):
            all_events = [xlo.Events(ns, "xlo_rto", load=False) for _ in range(3)]
            time.sleep(0.002)
            heard = all_events[0].next(0)
            for events in all_events:
                events.sock.close()
            return heard is not None
        return 0
    return child.Beside(listen)


def test_heard():
    """Listeners start and stop while messages move timeouts and settings change."""
    with Flow() as flow:
        with messages(flow), listening(flow.right) as listener:
            for number in range(20 * ROUNDS):
                flow.client.set(one_hop=number % 2)
                time.sleep(0.001)
        tap.true("events were heard", listener.done)


def test_heard_unloaded():
    """xlo_rto unloads and loads while events are sent, even if there is a listener."""
    with Flow() as flow, messages(flow), listening(flow.right):
        for _ in range(ROUNDS):
            wait.until("xlo_rto unloads", lambda: not kmod.rmmod("xlo_rto"))
            client = xlo.Client(flow.right, "xlo_rto")
            for number in range(5):
                client.set(accept=BOTH, encoding=number % 2)
                time.sleep(0.001)


def notices(link):
    """A process that requests messages to many hosts. The value `done` is the number of accepted
    requests."""
    packets = [ipv4(segment(), source=f"203.0.113.{n}") for n in range(1, 201)]
    link.right.ip("route add 203.0.113.0/24 via 10.1.0.1 dev v1")

    def send():
        time.sleep(0.01)
        taken = 0
        # the netlink family may have a new number or may no longer exist
        with contextlib.suppress(netlink.Refused):
            client = xlo.Client(link.right, "xlo_rto", load=False)
            for packet in packets:
                client.do("notify", code=DROP, packet=packet)
                taken += 1
        return taken
    return child.Beside(send)


def settled(told):
    """The counters, if each requested message is in one of them, else None."""
    return told if told["asked"] == sum(told.values()) - told["asked"] else None


def test_sent():
    """Settings change while messages are sent, and each requested message is in one counter."""
    with Link() as link:
        with notices(link) as sender:
            for number in range(ROUNDS):
                link.client.set(key=bytes(16 * (number % 2)), encoding=number % 2)
                time.sleep(0.005)
        told = wait.until("no message is pending", lambda: settled(link.client.get()["notices"]))
        tap.within("sent", told["sent"], 1, sender.done)
        link.expect(**told)


def test_sent_unloaded():
    """xlo_rto unloads and loads while messages are pending."""
    with Link() as link, notices(link):
        for _ in range(ROUNDS):
            wait.until("some messages are sent", lambda: xlo.Client(link.right, "xlo_rto").get()
                       ["notices"]["sent"])
            wait.until("xlo_rto unloads", lambda: not kmod.rmmod("xlo_rto"))


def test_sent_from_namespaces():
    """A namespace can be removed while it has pending messages."""
    for _ in range(max(3, ROUNDS // 10)):
        with Link() as link, notices(link):
            wait.until("some messages are sent", lambda: link.account.risen().get("sent"))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
