# SPDX-License-Identifier: GPL-2.0-or-later
"""The queues under test, as lines for tc. {limit} is the buffer in packets. {size} is the number of
bytes that the queue counts for a full packet. {rate} is the link's rate, and {delay} is the link's
delay in ms. Each line is the parent of the next line."""

# As in the papers, packets without a lifetime are in the same queue (share 0).
LPD = "lpd limit {limit} rate {rate} delay {delay}ms share 0"
# RED with Floyd's parameters of 1997. The upper threshold is three times the lower threshold, and the
# probability of a drop rises to 0.1. The averaging time is about the time to fill the queue from the
# lower to the upper threshold.
RED = "red limit {bytes} min {quarter} max {three} avpkt {size} burst {burst} " \
    "bandwidth {rate} probability 0.1"

QUEUES = {
    "drop-tail": ["pfifo limit {limit}"],
    "LPD": [LPD],
    "LPD-head": [LPD + " overflow head"],
    "LPD-EDF": [LPD + " order edf"],
    # If the queue is full of headers, the oldest headers are dropped. The sink needs 24 bytes to
    # identify the packet.
    "LPD-headers": [LPD + " stale truncate keep 24 overflow head"],
    # Only packets that ask for it are cut. DCCP in UDP needs 64 bytes for its header.
    "LPD-cut": [LPD + " keep 64"],
    "LPD-strip": [LPD + " strip"],
    # A link of the rate for each flow, behind one buffer. The queue sends a packet when its transmission
    # begins, so the channel needs no rate of its own.
    "links": ["fq limit {limit} flow_limit {limit} maxrate {rate} low_rate_threshold {rate} "
              "orphan_mask 0xffffffff"],
    "RED": [RED],
    "RED+LPD": [RED, LPD],
    # queues that are defaults or recommended today, with their default settings except the buffer
    "CoDel": ["codel limit {limit}"],
    "fq_codel": ["fq_codel limit {limit}"],
    "CAKE": ["cake unlimited"],
    # the same maximum age for all packets: LPD's lifetime for packets without a lifetime
    "age limit": [LPD + " lifetime {age}ms"],
}
AGE_MS = 3000


def lines(queue, limit, size, rate, delay, age=AGE_MS):
    """Return the lines for tc that add a queue to the device "cell". The rate is in bit/s, and 0 means
    unlimited. Delay and age are in ms. CAKE has no limit in packets."""
    limit = limit or 0
    words = {"limit": limit, "size": size, "rate": f"{rate}bit" if rate else "unlimited",
             "delay": delay, "age": age,
             "bytes": limit * size, "quarter": limit * size // 4, "three": limit * size * 3 // 4,
             "burst": max(1, limit * 5 // 12)}
    found = []
    for level, line in enumerate(QUEUES[queue], 1):
        where = "root" if level == 1 else f"parent {level - 1}:1"
        found.append(f"qdisc add dev cell {where} handle {level}: {line.format(**words)}")
    return found


def looks_at_lifetimes(queue):
    """Return whether the queue reads lifetimes. If the queue does not, the analysis can later judge
    the same packets by any lifetime."""
    return queue.startswith("LPD") or queue.endswith("+LPD")
