#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tracepoint tcp_iftpv:iftpv_loss shows the verdict on each loss and the reasons for it. The
reasons are the backlog, the two newest congestion loss rates, and the window before and after the
loss. Windows are exact, and times are right within 20 us."""
# run.sh: needs: simulated time
import re

from lib import iftpv, tap
from lib.trace import Trace

LINE = re.compile(r"backlog=([\d.]+) previous=(\d+)/(\d+)us current=(\d+)/(\d+)us before=(\d+) "
                  r"after=(\d+) verdict=(\w+)")
EXACT = 20                      # us


class Event:
    """One line of the trace."""

    def __init__(self, line):
        found = LINE.search(line)
        self.backlog, self.verdict = float(found[1]), found[8]
        self.previous, self.current = (int(found[2]), int(found[3])), (int(found[4]), int(found[5]))
        self.windows = int(found[6]), int(found[7])


def events(trace):
    return [Event(line) for line in trace.lines()]


def rate(what, got, lost, first, second):
    """Check a rate. The rate has `lost` losses between two random losses at the times `first` and
    `second`, in ns."""
    tap.equal(f"{what}: lost", got[0], lost)
    tap.within(f"{what}: us", got[1] - (second - first) // 1000, -EXACT, EXACT)


def test_each_loss():
    """The tracepoint shows the verdict, windows, backlog and rates of each random and each
    congestion loss."""
    with iftpv.Flow(cwnd=80) as flow, Trace("tcp_iftpv/iftpv_loss") as trace:
        episodes = [flow.random(), flow.congestion(0, 1), flow.random(), flow.congestion(0, 2, 4),
                    flow.random()]
        seen = events(trace)
        tap.equal("verdicts", [event.verdict for event in seen],
                  ["keep", "halve", "keep", "halve", "ease"])
        for event, episode in zip(seen, episodes):
            tap.equal("windows", event.windows, (episode.before.cwnd, episode.verdict.ssthresh))
            tap.within("backlog", event.backlog - iftpv.backlog(episode.before), -0.1, 0.1)
        tap.equal("no rates at first", (seen[0].previous, seen[0].current), ((0, 0), (0, 0)))
        times = [episode.when for episode in episodes]
        for event in seen[2:4]:
            tap.equal("previous rate", event.previous, (0, 0))
            rate("current rate", event.current, 2, times[0], times[2])
        rate("previous rate", seen[4].previous, 2, times[0], times[2])
        rate("current rate", seen[4].current, 3, times[2], times[4])


def test_timeout():
    """A timeout causes an event with the verdict "timeout"."""
    with iftpv.Flow(cwnd=20) as flow, Trace("tcp_iftpv/iftpv_loss") as trace:
        before, timeout = flow.silence()
        [event] = events(trace)
        tap.equal("event", (event.verdict, event.windows), ("timeout", (before.cwnd, timeout.cwnd)))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
