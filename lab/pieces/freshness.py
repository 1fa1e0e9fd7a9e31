# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether datagrams were still valid on arrival, judged by the sender's time stamp, a lifetime and the
time of arrival, all on one clock."""
import bisect

from lib.cell import MS, S

from pieces import best


def held_by_link(arrivals, spikes, delay):
    """The packets that the link held when a spike began, or accepted during a spike. This is the first
    packet to arrive after each spike, if it was sent before the spike's end. No queue could call these
    packets back."""
    times = [a.received for a in arrivals]
    held = set()
    for spike in spikes:
        first = bisect.bisect_right(times, spike.end + delay)
        if first < len(arrivals) and arrivals[first].sent < spike.end:
            held.add(arrivals[first])
    return held


def judge(arrivals, lifetime, held=()):
    """Numbers of packets: valid packets arrived within the lifetime (in ns), stale packets later. The
    result's held counts the stale packets that are in `held`; late_ms is the largest delay of the other
    packets beyond the lifetime."""
    late = {a: a.received - a.sent - lifetime for a in arrivals}
    stale = [a for a in arrivals if late[a] > 0]
    others = [late[a] for a in stale if a not in held]
    return {"arrived": len(arrivals), "valid": len(arrivals) - len(stale), "stale": len(stale),
            "held": len(stale) - len(others), "late_ms": max(others, default=0) / MS}


def delays(arrivals, shares):
    """For each share: the one-way delay in s that this share of the packets does not exceed."""
    found = sorted((a.received - a.sent) / S for a in arrivals)
    return [found[min(len(found) - 1, int(len(found) * share))] for share in shares]


def most(path, sent, interval, lifetime, spikes, buffer=None):
    """How many packets could be valid at best, if `sent` packets are sent, one in each interval. Spikes
    count from the first packet. At most `buffer` packets wait in the router."""
    packets = [(number * interval + path.to_router, number * interval + lifetime - path.delay)
               for number in range(sent)]
    return best.in_time(packets, spikes, path.service, buffer)
