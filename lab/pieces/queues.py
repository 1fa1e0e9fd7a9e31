# SPDX-License-Identifier: GPL-2.0-or-later
"""The queues under test, as lines for tc. {limit} is the buffer in packets, {size} the bytes that the
queue counts for a full packet, {rate} the link's rate, {delay} the link's delay in ms. Each line is the
parent of the next line."""

LPD = "lpd limit {limit} rate {rate} delay {delay}ms"
# Floyd's advice of 1997: the upper threshold is three times the lower one, the probability of a drop
# rises to one in ten, and the average covers about the time of a queue between the thresholds.
RED = "red limit {bytes} min {quarter} max {three} avpkt {size} burst {burst} " \
    "bandwidth {rate} probability 0.1"

QUEUES = {
    "drop-tail": ["pfifo limit {limit}"],
    "LPD": [LPD],
    "LPD-head": [LPD + " overflow head"],
    "LPD-EDF": [LPD + " order edf"],
    # If the queue is full of headers, the oldest leave. 24 bytes name the packet to the sink.
    "LPD-headers": [LPD + " stale truncate keep 24 overflow head"],
    "LPD-strip": [LPD + " strip"],
    "RED": [RED],
    "RED+LPD": [RED, LPD],
    # today's defaults and recommendations, with their default settings except the buffer
    "CoDel": ["codel limit {limit}"],
    "fq_codel": ["fq_codel limit {limit}"],
    "CAKE": ["cake unlimited"],
    # one maximal age for all packets: LPD's lifetime for packets that carry none
    "age limit": [LPD + " lifetime {age}ms"],
}
AGE_MS = 3000


def lines(queue, limit, size, rate, delay, age=AGE_MS):
    """The lines for tc that put a queue on the device "cell". The rate is in bit/s, 0 for unlimited;
    delay and age are in ms. CAKE has no limit in packets."""
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
    """Whether the queue reads lifetimes. Packets that pass another queue can be judged by any lifetime
    afterwards."""
    return queue.startswith("LPD") or queue.endswith("+LPD")
