# SPDX-License-Identifier: GPL-2.0-or-later
"""The queues under test, as lines for tc. {limit} is the buffer in packets, {size} what a full
packet takes there, {rate} the link's, {delay} its delay in ms; the k-th line is the parent of the
next."""

LPD = "lpd limit {limit} rate {rate} delay {delay}ms"
# Floyd's advice of 1997: from one threshold to three times as much, up to one packet in ten, and
# an average over about the time that a queue between them takes.
RED = "red limit {bytes} min {quarter} max {three} avpkt {size} burst {burst} " \
    "bandwidth {rate} probability 0.1"

QUEUES = {
    "drop-tail": ["pfifo limit {limit}"],
    "LPD": [LPD],
    "LPD-head": [LPD + " overflow head"],
    "LPD-EDF": [LPD + " order edf"],
    "RED": [RED],
    "RED+LPD": [RED, LPD],
    # what is on by default, or advised, today, as it comes but for the buffer
    "CoDel": ["codel limit {limit}"],
    "fq_codel": ["fq_codel limit {limit}"],
    "CAKE": ["cake unlimited"],
    # one age for all packets, whatever they are: LPD's lifetime for those that say none
    "age limit": [LPD + " lifetime {age}ms"],
}
AGE_MS = 3000


def lines(queue, limit, size, rate, delay, age=AGE_MS):
    """What tc needs to be told to put a queue on a device called "cell"; rate in bit/s or 0 for
    none, delay and age in ms. CAKE knows no limit in packets."""
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
    """Does it? What comes through another one can be judged by any lifetime afterwards."""
    return queue.startswith("LPD") or queue.endswith("+LPD")
