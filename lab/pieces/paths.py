# SPDX-License-Identifier: GPL-2.0-or-later
"""The paths of packets through lpd: the fast path, and the causes for which packets do not take it. Only
packets with an option and a lifetime have a path (include/uapi/linux/pkt_sched_lpd.h)."""
FAST = "fast"
SLOW = ("slow_form", "slow_shared", "slow_order", "slow_config")
PATHS = (FAST, *SLOW)
LEAST = 0.95            # part of the packets that must take the fast path


def add(many):
    """The sum of the paths in several dictionaries of counters."""
    many = list(many)
    return {name: sum(counters[name] for counters in many) for name in PATHS}


def number(counters):
    """The number of packets with an option and a lifetime."""
    return sum(counters[name] for name in PATHS)


def part(counters):
    """The part of these packets that took the fast path; 0 without such packets."""
    return counters[FAST] / max(1, number(counters))


def describe(counters):
    """The part and the causes of the others as text: "0.900 of 10 packets (slow_order 1)"."""
    causes = ", ".join(f"{name} {counters[name]}" for name in SLOW if counters[name])
    return f"{part(counters):.3f} of {number(counters)} packets" + (f" ({causes})" if causes else "")
