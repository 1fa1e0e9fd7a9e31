#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""However many packets expire at the same instant, the queue never stalls. No dequeue and no run of
the timer discards more than its batch. Fresh packets between the stale ones leave as soon as the
device asks. The stale ones are gone a moment later.

A soak has a million packets with one deadline, and a fresh packet after each tenth of them. There
are fewer with order edf, in the checks, and on machines that need a thousand times as long for a
packet."""
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
# packets that a dequeue and a run of the timer discard; ns between two runs (sch_lpd/qdisc.c)
DEQUEUE, TIMER, GAP = 64, 256, 100_000
AHEAD = 10_000 if COUNT > 5000 else 4000       # ms to send all packets


def fill(b, count):
    """Fill the queue. Returns the moment when all packets but the fresh ones are stale."""
    deadline = time.monotonic_ns() + AHEAD * MS
    lifetime = pkt.absolute(AHEAD, time.time())
    doomed = pkt.ipv4(pkt.xlo4(lifetime), pkt.body(1, 20))
    for number in range(TENTHS):
        b.port.flood(doomed, count // TENTHS)
        b.send(pkt.ipv4(pkt.xlo4(LONG), pkt.body(FRESH + number, 20)))
    tap.true("all packets are sent before the deadline", time.monotonic_ns() < deadline)
    return deadline


def longest_wait(b):
    """Let the fresh packets leave. Returns the longest time from one to the next, in ns."""
    longest = 0
    for _ in range(TENTHS):
        start = time.monotonic_ns()
        b.release(60)
        longest = max(longest, time.monotonic_ns() - start)
    return longest


def largest_batches(trace):
    """The largest number of packets that one dequeue, and one run of the timer, discarded. The core
    reports the end of each dequeue, and two may end at the same time. It does not report runs of
    the timer, but in simulated time the clock does not move during a run."""
    batches, dequeues = {"dequeue": collections.Counter(), "timer": collections.Counter()}, 0
    for line in trace.lines():
        dequeues += ": qdisc_dequeue: " in line
        found = re.search(r" ([0-9.]+): lpd_expire: .* cause=(dequeue|timer)", line)
        if found:
            batches[found[2]][dequeues if found[2] == "dequeue" else found[1]] += 1
    return [max(counts.values(), default=0) for counts in batches.values()]


class Slowest:
    """The longest single call of a function as ftrace measures it. None if ftrace cannot."""

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
            # the timer discards a batch every 100 us, and dequeues discard more
            tap.within("longest wait, ns", longest, 0, count // TIMER * GAP + MS)
        b.expect(packets_in=count + TENTHS, packets_out=TENTHS, stale=count, rewritten=TENTHS)


def test_fifo():
    """With order fifo, stale packets are discarded in batches and fresh ones leave in time."""
    all_at_once(0, COUNT)


def test_edf():
    """With order edf, fresh packets have the latest deadlines, so they leave after all stale
    packets are gone, without a stall."""
    all_at_once(1, COUNT // 5)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
