#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One allocation fails while messages are switched on, queried or sent. The settings are then
either unchanged or exactly as requested. A listener that misses the event about a change receives a
report of the missed event. The kernel's leak detector finds no leak."""
# run.sh: needs: fault injection
import errno

from lib import faults, netns, packet as pkt, tap, xlo
from lib.icmp import BOTH, DISCARDED
from lib.rto import OFF


def test_every_allocation():
    """If one allocation of a request fails, the settings are either unchanged or exactly as
    requested. The next request works."""
    faults.prepare()
    with netns.Netns() as ns:
        sure = xlo.Client(ns, "xlo_rto")
        for what, request in (("set", lambda client: client.set(accept=BOTH)),
                              ("get", lambda client: client.get()),
                              ("notify", lambda client: client.do(
                                  "notify", code=DISCARDED, packet=pkt.ipv4()))):
            number = 1
            while fails(ns, number, request):
                tap.true(f"{what}, allocation {number}: a valid state",
                         sure.get()["accept"] in (0, BOTH))
                sure.set(accept=0)
                number += 1
            tap.note(f"{what}: {number - 1} allocations")
        sure.set(accept=BOTH)
        tap.equal("state in the end", sure.get()["accept"], BOTH)


def heard(events):
    """The event about a setting, "missed" for a report of a missed event, or None."""
    try:
        return events.next(0)
    except OSError as error:
        if error.errno != errno.ENOBUFS:
            raise
        return "missed"


def test_every_event():
    """If one allocation for an event fails, the listener receives the event or a report that it
    missed an event."""
    faults.prepare()
    with netns.Netns() as ns:
        sure, events, told = xlo.Client(ns, "xlo_rto"), xlo.Events(ns, "xlo_rto"), []
        number = 1
        while fails(ns, number, lambda client: client.set(one_hop=1)):
            told.append(heard(events))
            event = ("set", OFF | {"one_hop": 1})
            tap.true(f"allocation {number}: {told[-1]}", told[-1] in (
                (event, "missed") if sure.get()["one_hop"] else (None,)))
            sure.set(one_hop=0)
            tap.equal("the next event", heard(events), ("set", OFF))
            number += 1
        tap.true("an event was missed", "missed" in told)


def fails(ns, number, request):
    """Let allocation `number` of a request fail. Returns whether the request makes at least
    `number` allocations. Each request has its own socket, because the answer may be lost."""
    client = xlo.Client(ns, "xlo_rto")
    try:
        return faults.nth(number, lambda: request(client))
    finally:
        client.sock.close()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
