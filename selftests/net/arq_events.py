#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that listen hear what happens to each packet of an arqlink device: its result, how often
it was sent, its age and its remaining lifetime."""
# run.sh: needs: simulated time
import socket
import time

from lib import arq, arq_device, child, netlink, netns, packet as pkt, tap, uapi, xlo
from lib.arq_frame import BYPASS, MS, SKIP
from lib.arq_peer import PRECISION, Scripted, packet
from tcp import rto_privilege

STEP = 100 * MS
FIXED = {"timer": arq_device.FIXED, "timeout": STEP}
FAILING = FIXED | {"attempts": 2, "window": 2, "ring": 10**5}


def events(ns):
    """A listener to the events for which a link should react."""
    return xlo.Events(ns, "arqlink", spec="arqlink-events")


def packets(ns):
    """A listener to the event of each packet that ends."""
    return xlo.Events(ns, "arqlink", spec="arqlink-events", group="packets",
                      listen="listen_packets")


def near(what, got, want):
    tap.within(what, got, want, want + 10 * PRECISION)


def ended(heard, result, frames, transmissions, attempts, age):
    """Check that the next event is about a packet that has ended like this. Returns the event."""
    name, event = heard.next()
    tap.equal("event", name, "packet")
    tap.equal("how the packet ended",
              (arq.COUNTERS[event["result"]], event["frames"], event["transmissions"],
               event["attempts"]), (result, frames, transmissions, attempts))
    near(f"age of {event}", event["age"], age)
    return event


def nothing(heard):
    tap.equal("event although none is expected", heard.next(0), None)


def test_acknowledged():
    """The event of a packet has its device, its length, its first 64 bytes, and how often it was
    sent: at the first attempt, and after a loss."""
    with Scripted(**FIXED) as test:
        heard = packets(test.ns)
        for number, attempts in enumerate((1, 2, 5)):
            test.send(number)
            test.peer.data(*[number] * attempts)
            test.peer.ack(number + 1, after=10 * MS)
            event = ended(heard, "sent", 1, attempts, attempts, (attempts - 1) * STEP + 10 * MS)
            tap.equal("device, length, protocol and bytes",
                      (event["ifindex"], event["length"], event["protocol"], event["packet"]),
                      (heard.ifindex("arq0"), 100, pkt.ETH_P_IP, packet(number, 100)[:64]))
            tap.true("no lifetime", "left" not in event)
        nothing(heard)


def test_pieces():
    """The event of a packet of several frames has the transmissions of all frames, and of the frame
    that was sent most often."""
    with Scripted(frame=100, window=10, **FIXED) as test:
        heard = packets(test.ns)
        test.send(0, 300)
        test.peer.data(0, 1, 2)
        test.peer.nack((1, 1), after=10 * MS)
        test.peer.data(1)
        test.peer.ack(1, after=10 * MS)
        test.peer.nack((1, 1), after=20 * MS)
        test.peer.data(1)
        test.peer.ack(3, after=10 * MS)
        event = ended(heard, "sent", 3, 5, 3, 50 * MS)
        tap.equal("length", event["length"], 300)


def test_packed():
    """Each packet of a frame that packets share has an event, which counts the frame."""
    with Scripted(pack=1, window=1, frame=500, **FIXED) as test:
        heard = packets(test.ns)
        for number in range(3):
            test.send(number, 60)
        test.peer.data(0)
        test.peer.ack(1, after=10 * MS)
        test.peer.data(1, 1)
        test.peer.ack(2, after=10 * MS)
        for number, (attempts, age) in enumerate(((1, 10 * MS), (2, STEP + 20 * MS),
                                                  (2, STEP + 20 * MS))):
            name, event = heard.next()
            tap.equal("event", (name, event["packet"], event["frames"], event["transmissions"],
                                event["attempts"]),
                      ("packet", packet(number, 60), 1, attempts, attempts))
            tap.within("age", event["age"], age - 10 * PRECISION, age + 10 * PRECISION)
        nothing(heard)


def test_causes():
    """A packet that is given up has its cause: its lifetime, the option "attempts", or the option
    "persist". The remaining lifetime is that at the end."""
    for values, lifetime, result, attempts, age in (
            ({}, 250, "late", 3, 250 * MS), ({"attempts": 2}, 0, "attempts", 2, 2 * STEP),
            ({"attempts": 2}, 900, "attempts", 2, 2 * STEP),
            ({"persist": 150 * MS}, 0, "persist", 2, 2 * STEP)):
        with Scripted(**values, **FIXED) as test:
            heard = packets(test.ns)
            test.send(0, options=pkt.xlo4(lifetime) if lifetime else b"")
            test.peer.data(*[0] * attempts)
            test.peer.expect(SKIP)
            event = ended(heard, result, 1, attempts, attempts, age)
            if lifetime:
                tap.within("lifetime", event["left"], lifetime * MS - age - 10 * PRECISION,
                           lifetime * MS - age)
            else:
                tap.true("no lifetime", "left" not in event)


def test_not_sent():
    """A packet that was never sent has no frames: one whose lifetime has ended, one that the device
    did not accept, and those that waited when the device went down."""
    with Scripted(window=1, **FIXED) as test:
        heard = packets(test.ns)
        test.send(0, options=pkt.xlo4(0))
        tap.true("lifetime", ended(heard, "expired", 0, 0, 0, 0)["left"] < 0)
        test.send(1)
        test.send(2)
        test.peer.data(0)
        start = test.peer.now
        time.sleep(0.05)
        test.device.up(False)
        age = time.monotonic_ns() - start
        for frames in (1, 0):
            _, event = heard.next()
            tap.equal("result and frames", (arq.COUNTERS[event["result"]], event["frames"],
                                            event["transmissions"]), ("purged", frames, frames))
            tap.within("age", event["age"], 50 * MS, age + 100 * PRECISION)
        nothing(heard)


def test_bypass():
    """A packet of the class "bypass" is one transmission, or none if the device goes down first."""
    with Scripted(bypass_dscp=1, **FIXED) as test:
        heard = packets(test.ns)
        test.send(0)
        test.peer.expect(BYPASS)
        ended(heard, "bypassed", 1, 1, 1, 0)
        test.device.change(rate=1)
        test.send(1)
        test.send(2)
        _, event = heard.next()
        tap.equal("result", arq.COUNTERS[event["result"]], "bypassed")
        test.device.up(False)
        _, event = heard.next()
        tap.equal("result and frames", (arq.COUNTERS[event["result"]], event["frames"],
                                        event["transmissions"]), ("purged", 0, 0))


def test_packets_that_are_not_ip():
    """The event of a packet of another protocol has this protocol. A packet with a VLAN tag is
    shown from its IP header on."""
    with Scripted(**FIXED) as test:
        heard = packets(test.ns)
        arp = b"\xff" * 6 + arq_device.UPPER[0] + b"\x08\x06" + bytes(range(46))
        inner = packet(0, 100)
        tagged = pkt.ethernet(inner)[:12] + b"\x81\x00\x00\x05" + pkt.ethernet(inner)[12:]
        for number, (data, outer, protocol, want) in enumerate((
                (arp, pkt.ETH_P_ARP, pkt.ETH_P_ARP, arp[14:]),
                (tagged, 0x8100, pkt.ETH_P_IP, inner))):
            with test.ns.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as sock:
                sock.bind(("arq0", outer))
                sock.send(data)
            test.peer.data(number)
            test.peer.ack(number + 1)
            event = ended(heard, "sent", 1, 1, 1, 0)
            tap.equal("protocol, length and bytes",
                      (event["protocol"], event["length"], event["packet"]),
                      (protocol, len(want), want[:64]))


def test_flush():
    """When a packet fails, the events follow in this order: the failed packet, with its bytes, each
    packet that is flushed, and their number."""
    with Scripted(flush=uapi.ARQLINK_FLUSH_YES, backlog=0, **FAILING) as test:
        heard, ends = events(test.ns), packets(test.ns)
        for number in range(5):
            test.send(number)
        test.peer.data(0, 1, 0, 1)
        test.peer.expect(SKIP, oldest=2)
        name, event = heard.next()
        tap.equal("event", (name, event["packet"], event["attempts"]),
                  ("drop", packet(0, 100)[:64], 2))
        tap.equal("event", heard.next(), ("flush", {"ifindex": heard.ifindex("arq0"),
                                                    "packets": 4}))
        nothing(heard)
        told = [ends.next()[1] for _ in range(5)]
        tap.equal("results and transmissions",
                  [(arq.COUNTERS[event["result"]], event["transmissions"]) for event in told],
                  [("flushed", 2), *[("flushed", 0)] * 3, ("attempts", 2)])


def test_probe():
    """The packet that goes on after a flush is not flushed, and its arrival is an event."""
    with Scripted(flush=uapi.ARQLINK_FLUSH_PROBE, backlog=0, **FAILING) as test:
        heard = events(test.ns)
        test.send(0)
        test.peer.data(0, 0, 0)
        test.peer.ack(1, after=10 * MS)
        tap.equal("events", [heard.next()[0] for _ in range(3)], ["drop", "flush", "link_up"])
        nothing(heard)


def test_recovered():
    """A packet whose last attempt arrives is an event. A packet that arrives earlier is not."""
    with Scripted(backlog=0, **FAILING) as test:
        heard = events(test.ns)
        for number, attempts in enumerate((1, 2, 1)):
            test.send(number)
            test.peer.data(*[number] * attempts)
            test.peer.ack(number + 1, after=10 * MS)
            test.device.expect(sent=number + 1)
        name, event = heard.next()
        tap.equal("event", (name, event["packet"], event["attempts"], event["transmissions"]),
                  ("recover", packet(1, 100)[:64], 2, 2))
        nothing(heard)


def test_backlog():
    """A packet that finds `backlog` - 1 other packets is an event, with the number of packets."""
    with Scripted(backlog=3, **FAILING) as test:
        heard = events(test.ns)
        for number in range(5):
            test.send(number)
        for number in (2, 3, 4):
            name, event = heard.next()
            tap.equal("event", (name, event["packets"], event["packet"], event["frames"]),
                      ("backlog", number + 1, packet(number, 100)[:64], 0))
        nothing(heard)


def test_other_namespace():
    """A listener in another network namespace hears nothing."""
    with Scripted(**FIXED) as test:
        other = netns.Netns()
        here, there = packets(test.ns), packets(other)
        test.send(0)
        test.peer.data(0)
        test.peer.ack(1)
        ended(here, "sent", 1, 1, 1, 0)
        nothing(there)
        other.close()


def test_groups():
    """A listener to one group does not hear the events of the other."""
    with Scripted(backlog=1, **FIXED) as test:
        heard, ends = events(test.ns), packets(test.ns)
        test.send(0)
        test.peer.data(0)
        test.peer.ack(1)
        tap.equal("event", heard.next()[0], "backlog")
        nothing(heard)
        tap.equal("event", ends.next()[0], "packet")
        nothing(ends)


def test_privilege():
    """An unprivileged socket can join none of the groups."""
    with Scripted(**FIXED) as test:
        def as_nobody():
            netns.setns(test.ns.fd)
            child.become_nobody()
            client = xlo.Client(child.Here(), "arqlink", spec="arqlink-events")
            for number in client.groups.values():
                try:
                    client.sock.setsockopt(netlink.SOL_NETLINK, xlo.NETLINK_ADD_MEMBERSHIP, number)
                    return "joined"
                except PermissionError:
                    pass
            return sorted(client.groups)
        tap.equal("groups that refuse", child.answer(as_nobody), "['events', 'packets']")


def test_socket_of_nobody():
    """A socket that the user `nobody` opened receives no event, even if root has joined the group
    with this socket."""
    with Scripted(**FIXED) as test:
        heard = packets(test.ns)
        sock = rto_privilege.opened_by_nobody(test.ns, lambda sock: sock.bind((0, 0)))
        tap.equal("error when root joins", rto_privilege.join(sock, heard.groups["packets"]), 0)
        test.send(0)
        test.peer.data(0)
        test.peer.ack(1)
        ended(heard, "sent", 1, 1, 1, 0)
        tap.equal("events", rto_privilege.heard(sock), [])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
