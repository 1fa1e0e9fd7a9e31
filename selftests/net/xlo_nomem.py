#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whichever allocation fails, a request is applied completely or not at all. This also holds for
the option that libfreshlink sets. If xlo has no memory to change a packet, the packet continues
unchanged and is counted."""
# run.sh: needs: fault injection
import errno
import re
import socket

from lib import faults, hosts, library, netns, packet as pkt, router, syn, tap, wait, xlo
from lib.sender import IPV6_HOPOPTS, Sender
from net import xlo_forward

COUNT, PERCENT = 200, 30


def configuration(ns):
    client = xlo.Client(ns)
    found = client.profile_get(), client.cap_get(), \
        {name: value for name, value in client.get().items() if name != "stats"}
    client.sock.close()
    return found


def all_or_nothing(ns, do, undo):
    """Repeat a request on new sockets. In the first attempt the first allocation fails, in the
    second attempt the second allocation, and so on. Check that each request is applied completely
    or not at all."""
    before, number, refused = configuration(ns), 1, 0
    do(xlo.Client(ns))
    after = configuration(ns)
    undo(xlo.Client(ns))
    tap.true("the request changes the configuration", before != after)
    while True:
        client = xlo.Client(ns)
        more = faults.nth(number, lambda client=client: do(client))
        client.sock.close()
        now = configuration(ns)
        tap.true(f"{now} is the configuration before or after the request", now in (before, after))
        if now == after:
            undo(xlo.Client(ns))
        else:
            refused += 1
        if not more:
            tap.note(f"{number - 1} allocations, {refused} of them needed")
            tap.true("some allocations are needed", refused > 0)
            return
        number += 1


PROFILE = {"profile_name": "p", "mark": 1, "mask": 0xff, "lifetime": 300}


def test_profile():
    """A profile is added completely or not at all. A profile is deleted completely or not at
    all."""
    faults.prepare()
    with netns.Netns() as ns:
        all_or_nothing(ns, lambda c: c.profile_add(**PROFILE), lambda c: c.profile_del("p"))
        xlo.Client(ns).profile_add(**PROFILE)
        all_or_nothing(ns, lambda c: c.profile_del("p"), lambda c: c.profile_add(**PROFILE))


def test_cap():
    """A cap is set completely or not at all."""
    faults.prepare()
    with netns.Netns() as ns:
        all_or_nothing(ns, lambda c: c.cap_set("lo", 9), lambda c: c.cap_del("lo"))


def test_settings():
    """Several settings are changed together or not at all."""
    faults.prepare()
    with netns.Netns() as ns:
        all_or_nothing(ns, lambda c: c.set(txtime=1, validate=1),
                       lambda c: c.set(txtime=0, validate=0))


def test_option_of_a_socket():
    """freshlink_socket_lifetime() sets the option of an IPv6 socket for both protocols or for
    none."""
    faults.prepare()
    lib, number, more = library.Library(), 1, True
    one, other = (library.Lifetime(library.RELATIVE, library.DISCARD, ms) for ms in (300, 400))
    with netns.Netns() as ns, ns.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
        def options(lifetime=None):
            if lifetime:
                lib.socket_lifetime(sock.fileno(), lifetime)
            return sock.getsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, 40), \
                sock.getsockopt(socket.IPPROTO_IPV6, IPV6_HOPOPTS, 40)
        after, before = options(other), options(one)
        while more:
            more = faults.nth(number, lambda: lib.socket_lifetime(sock.fileno(), other))
            tap.true(f"allocation {number} fails: both options are old or both are new",
                     options() in (before, after))
            options(one)
            number += 1
        tap.note(f"{number - 2} allocations")
        tap.true("the call makes allocations", number > 2)


def starved(r, packets):
    """Send the first two packets, and then all packets while allocations fail in the whole stack.
    Returns the packets that a sniffer saw behind the router, and the number of forwarded packets.
    The sniffer may miss packets, because its own allocations also fail."""
    for packet in packets[:2]:
        r.port.send(packet)
    r.account = xlo.Account(r.xlo)
    r.beyond.drain()
    r.router.run("nft -f -", stdin="table inet seen { chain forward { type filter hook forward "
                 "priority -300; counter; }; }")
    with faults.atomic(PERCENT):
        for packet in packets:
            r.port.send(packet)
    seen = re.search(r"packets (\d+)", r.router.run("nft list table inet seen").stdout)
    return router.ours(r.beyond.drain()), int(seen[1])


def risen(r, total, *names):
    """Wait until the counters together have risen by `total`. Returns the increase of each
    counter."""
    def values():
        now = r.xlo.stats()
        return [now[name] - r.account.before[name] for name in names]
    wait.until(f"{total} in {names}", lambda: sum(values()) >= total)
    tap.equal(f"sum of {names}", sum(values()), total)
    return values()


def test_forwarded_packet():
    """A forwarded packet is stamped if memory is available. Without memory, the packet continues
    unchanged and is counted."""
    with router.marking() as r:
        packets = [pkt.ipv4(b"", pkt.body(0, 50)), pkt.ipv6(None, pkt.body(1, 50))]
        allowed = [p for packet in packets
                   for p in (router.expected(packet), router.stamped.one_hop_less(packet))]
        found, forwarded = starved(r, packets * (COUNT // 2))
        tap.true("each packet is unchanged or changed completely", all(p in allowed for p in found))
        _, nomem = risen(r, forwarded, "stamped_forward", "nomem")
        tap.true("some packets are not stamped", nomem > 0)


def test_capped_packet():
    """An arriving packet is capped if memory is available. Without memory, the packet keeps its
    lifetime and is counted."""
    with router.Router() as r:
        r.xlo.cap_set("r0", 5)
        packets = [pkt.ipv4(pkt.xlo4(300), pkt.body(0, 50)),
                   pkt.ipv6(pkt.xlo6(300), pkt.body(1, 50))]
        found, _ = starved(r, packets * (COUNT // 2))
        tap.true("each packet is unchanged or changed completely",
                 all(pkt.lifetime(p) in (5, 300) for p in found))
        _, nomem = risen(r, COUNT, "capped", "nomem")
        tap.true("some packets are not capped", nomem > 0)


def test_syn_whose_mss_is_to_be_clamped():
    """The router lowers the MSS of a SYN if memory is available. Without memory, the SYN keeps its
    MSS and is counted. The test bridges the SYN, because xlo can write to a routed packet without
    an allocation."""
    with xlo_forward.bridging() as r, xlo_forward.bridge_netfilter(r):
        packets = [make(syn.SYN, syn.mss(1460)) for make in (syn.ipv4, syn.ipv6)]
        _, forwarded = starved(r, packets * (COUNT // 2))
        # xlo writes the MSS and the option into each packet separately
        clamped, *_, nomem = risen(r, 2 * forwarded, "mss_clamped", "stamped_forward", "nomem")
        tap.true("the MSS is lowered in some SYNs but not in all", 0 < clamped < forwarded)
        tap.true("some writes fail", nomem > 0)


def test_packet_of_ones_own():
    """A packet is stamped if memory is available. Without memory, sending fails, or the packet
    leaves unstamped and is counted."""
    faults.prepare()
    with Sender(lifetime=300) as s:
        for family in (socket.AF_INET, socket.AF_INET6):
            with s.socket(family) as sock:
                number, more = 1, True
                while more:
                    s.account = xlo.Account(s.xlo)
                    more = faults.nth(number, lambda sock=sock, family=family: sock.sendto(
                        b"x", (hosts.address("right", family), 5000)))
                    now = s.xlo.stats()
                    done = sum(now[name] - s.account.before[name]
                               for name in ("stamped_output", "nomem"))
                    tap.within(f"counted packets when allocation {number} fails", done, 0, 1)
                    number += 1
            tap.note(f"{number - 2} allocations")


def test_change_that_is_told():
    """A listener receives either the event about a change or a report that it has missed events."""
    faults.prepare()
    for do, undo, told in (
            (lambda c: c.profile_add(**PROFILE), lambda c: c.profile_del("p"), "profile_add"),
            (lambda c: c.cap_set("lo", 9), lambda c: c.cap_del("lo"), "cap_set"),
            (lambda c: c.set(txtime=1), lambda c: c.set(txtime=0), "set")):
        with netns.Netns() as ns:
            before, number, more, missed = configuration(ns), 1, True, 0
            while more:
                client, events = xlo.Client(ns), xlo.Events(ns)
                more = faults.nth(number, lambda client=client, do=do: do(client))
                heard = hear(events)
                if configuration(ns) == before:
                    tap.equal("event about a refused request", heard, None)
                else:
                    tap.true(f"{heard} is {told} or ENOBUFS", heard in (told, errno.ENOBUFS))
                    missed += heard == errno.ENOBUFS
                    undo(xlo.Client(ns))
                client.sock.close()
                events.sock.close()
                number += 1
            tap.true(f"some events {told} were missed", missed > 0)


def hear(events):
    """The name of the next event, the errno of a failed read, or None if there is no event."""
    try:
        event = events.next(0)
    except OSError as error:
        return error.errno
    return event and event[0]


def test_event():
    """The counter events_held counts an event that cannot be sent for lack of memory."""
    with netns.Netns() as ns:
        ns.link("lo", True)
        client = xlo.Client(ns)
        client.set(validate=1)
        events, account = xlo.Events(ns), xlo.Account(client)
        bad = pkt.xlo4(pkt.NONE + pkt.DAY_MS)
        with ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind(("127.0.0.1", 5000))
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bad)
            sock.connect(("127.0.0.1", 5000))
            sock.send(b"x")
            account.expect(malformed=1)
            tap.equal("event", events.next()[0], "packet")
            with faults.atomic(100):
                sock.send(b"x")
        account.expect(malformed=1, events_held=1)
        tap.equal("event", events.next(0), None)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
