# SPDX-License-Identifier: GPL-2.0-or-later
"""Decides whether datagrams were still valid on arrival, by the sender's time stamp, a lifetime and the
time of arrival on the same clock."""
import bisect

from lib.cell import MS, S

from pieces import best


def held_by_link(arrivals, spikes, delay):
    """Return the packets that were on the link when a spike began, or that the link accepted during a
    spike. For each spike this packet is the first packet that arrives after the spike, if it was
    sent before the spike's end. No queue could discard these packets."""
    times = [a.received for a in arrivals]
    held = set()
    for spike in spikes:
        first = bisect.bisect_right(times, spike.end + delay)
        if first < len(arrivals) and arrivals[first].sent < spike.end:
            held.add(arrivals[first])
    return held


def judge(arrivals, lifetime, held=()):
    """Count the packets. Valid packets arrived within the lifetime (in ns), and stale packets arrived
    later. The result "held" is the number of stale packets that are in `held`. The result "late_ms"
    is the largest delay beyond the lifetime, among the stale packets that are not in `held`."""
    late = {a: a.received - a.sent - lifetime for a in arrivals}
    stale = [a for a in arrivals if late[a] > 0]
    others = [late[a] for a in stale if a not in held]
    return {"arrived": len(arrivals), "valid": len(arrivals) - len(stale), "stale": len(stale),
            "held": len(stale) - len(others), "late_ms": max(others, default=0) / MS}


def delays(arrivals, shares):
    """For each share, return the one-way delay in s that this share of the packets does not exceed."""
    found = sorted((a.received - a.sent) / S for a in arrivals)
    return [found[min(len(found) - 1, int(len(found) * share))] for share in shares]


def most(path, sent, interval, lifetime, spikes, buffer=None):
    """Return the largest number of packets that can be valid, if `sent` packets are sent, one in each
    interval. The times of spikes are relative to the first packet. At most `buffer` packets are
    queued in the router."""
    packets = [(number * interval + path.to_router, number * interval + lifetime - path.delay)
               for number in range(sent)]
    return best.in_time(packets, spikes, path.service, buffer)
