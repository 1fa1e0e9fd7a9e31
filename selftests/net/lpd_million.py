#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Even if very many packets expire at the same time, the queue never stalls. Each dequeue and each
run of the timer discards a limited number of packets, a batch. Fresh packets between stale packets
leave when the device dequeues. Soon afterwards all stale packets are discarded.

A soak test sends a million packets with the same deadline, and a fresh packet after each tenth of
them. The test sends fewer packets with order edf and outside of soak tests. On hosts that need a
thousand times as long for a packet, the test also sends fewer packets."""
# run.sh: all on lab-debug: nothing (very many packets)
# run.sh: soak on lab vm host, 3600 s: everything
import collections
import os
import re
import time

from lib import bench, packet as pkt, soak, tap, wait
from lib.trace import TRACING, Trace

MS = bench.MS
COUNT = {"lab": soak.amount(100_000, 1_000_000),
         "lab-debug": 100_000}.get(os.environ.get("FL_MACHINE"), 5000)
LIMIT, MEMORY = 1_048_576, 2**32 - 1
LONG, FRESH, TENTHS = 60_000, 9000, 10
# DEQUEUE and TIMER: packets that a dequeue and a run of the timer may discard. GAP: ns between two
# runs (sch_lpd/qdisc.c).
DEQUEUE, TIMER, GAP = 64, 256, 100_000
AHEAD = 10_000 if COUNT > 5000 else 4000       # ms to send all packets


def fill(b, count):
    """Fill the queue. Returns the common deadline of all short-lived packets."""
    deadline = time.monotonic_ns() + AHEAD * MS
    lifetime = pkt.absolute(AHEAD, time.time())
    doomed = pkt.ipv4(pkt.xlo4(lifetime), pkt.body(1, 20))
    for number in range(TENTHS):
        b.port.flood(doomed, count // TENTHS)
        b.send(pkt.ipv4(pkt.xlo4(LONG), pkt.body(FRESH + number, 20)))
    tap.true("all packets are sent before the deadline", time.monotonic_ns() < deadline)
    return deadline


def longest_wait(b):
    """Let the fresh packets leave. Returns the longest time in ns between two
    consecutive packets."""
    longest = 0
    for _ in range(TENTHS):
        start = time.monotonic_ns()
        b.release(60)
        longest = max(longest, time.monotonic_ns() - start)
    return longest


def largest_batches(trace):
    """Return the largest number of packets that one dequeue discarded, and the largest number that
    one run of the timer discarded. The trace has an event at the end of each dequeue. The trace has
    no event for a run of the timer. In simulated time, all discards of one run have the same time
    stamp."""
    batches, dequeues = {"dequeue": collections.Counter(), "timer": collections.Counter()}, 0
    for line in trace.lines():
        dequeues += ": qdisc_dequeue: " in line
        found = re.search(r" ([0-9.]+): lpd_expire: .* cause=(dequeue|timer)", line)
        if found:
            batches[found[2]][dequeues if found[2] == "dequeue" else found[1]] += 1
    return [max(counts.values(), default=0) for counts in batches.values()]


class Slowest:
    """Measures the longest call of a function with ftrace. The result is None if the kernel's
    ftrace cannot measure functions."""

    def __init__(self, function):
        self.function = function

    def __enter__(self):
        try:
            for name, value in (("set_graph_function", self.function), ("max_graph_depth", "1"),
                                ("current_tracer", "function_graph")):
                self._write(name, value)
        except OSError:
            self.function = None
        return self

    @staticmethod
    def _write(name, value):
        with open(f"{TRACING}/{name}", "w") as file:
            file.write(value)

    def microseconds(self):
        if not self.function:
            return None
        with open(f"{TRACING}/trace") as file:
            times = re.findall(r"([0-9.]+) us +\|  " + self.function, file.read())
        return max(map(float, times), default=None)

    def __exit__(self, *_):
        if self.function:
            self._write("current_tracer", "nop")
            self._write("set_graph_function", "")


def all_at_once(order, count):
    with bench.Bench() as b, Trace("lpd/lpd_expire") as trace, \
            Slowest("lpd_dequeue") as slowest:
        trace.clock("mono", 1 << 16)
        trace.also("qdisc/qdisc_dequeue")
        b.lpd(limit=LIMIT, memory=MEMORY, order=order)
        b.plug()
        deadline = fill(b, count)
        tap.equal("queued", b.tree().root.qlen, count + TENTHS)
        wait.till(deadline + MS)
        longest = longest_wait(b)
        wait.until("an empty queue", lambda: b.tree().root.qlen == 0, 60)
        tap.note(f"{count} packets: the longest wait for a fresh one took {longest / MS:.3f} ms")
        if (us := slowest.microseconds()) is not None:
            tap.note(f"the longest dequeue took {us} us")
        if wait.virtual_time():
            dequeue, timer = largest_batches(trace)
            tap.note(f"the longest dequeue discarded {dequeue} packets, the timer {timer}")
            tap.within("discarded by a dequeue", dequeue, 1, DEQUEUE)
            tap.within("discarded by the timer", timer, 1, TIMER)
            # The timer discards a batch every 100 us, and dequeues discard further packets.
            tap.within("longest wait, ns", longest, 0, count // TIMER * GAP + MS)
        b.expect(packets_in=count + TENTHS, packets_out=TENTHS, stale=count, rewritten=TENTHS)


def test_fifo():
    """With order fifo, stale packets are discarded in batches, and fresh packets leave in time."""
    all_at_once(0, COUNT)


def test_edf():
    """With order edf, the fresh packets are last because they have the latest deadlines. The fresh
    packets leave without a stall when all stale packets are discarded."""
    all_at_once(1, COUNT // 5)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
