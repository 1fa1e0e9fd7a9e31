# SPDX-License-Identifier: GPL-2.0-or-later
"""What datagrams were worth on arrival: judged by the sender's time stamp, a lifetime and the time
of arrival, all on one clock."""
import bisect

from lib.cell import MS, S

from pieces import best


def held_by_link(arrivals, spikes, delay):
    """The packets that were the link's when a spike began, or that it took during one: the first
    to arrive after each, if it had been sent before the end. No queue could call them back."""
    times = [a.received for a in arrivals]
    held = set()
    for spike in spikes:
        first = bisect.bisect_right(times, spike.end + delay)
        if first < len(arrivals) and arrivals[first].sent < spike.end:
            held.add(arrivals[first])
    return held


def judge(arrivals, lifetime, held=()):
    """Numbers of packets by a lifetime in ns: valid came within it, stale later; held are those
    of the stale ones that are in `held`. late_ms is by how much the latest of the others was
    late."""
    late = {a: a.received - a.sent - lifetime for a in arrivals}
    stale = [a for a in arrivals if late[a] > 0]
    others = [late[a] for a in stale if a not in held]
    return {"arrived": len(arrivals), "valid": len(arrivals) - len(stale), "stale": len(stale),
            "held": len(stale) - len(others), "late_ms": max(others, default=0) / MS}


def delays(arrivals, shares):
    """The one-way delays, in s, that these shares of some packets do not exceed."""
    found = sorted((a.received - a.sent) / S for a in arrivals)
    return [found[min(len(found) - 1, int(len(found) * share))] for share in shares]


def most(path, sent, interval, lifetime, spikes, buffer=None):
    """How many of so many packets, one each interval, could be valid at best. Spikes count from
    the first packet; no more than the buffer wait in the router."""
    packets = [(number * interval + path.to_router, number * interval + lifetime - path.delay)
               for number in range(sent)]
    return best.in_time(packets, spikes, path.service, buffer)
