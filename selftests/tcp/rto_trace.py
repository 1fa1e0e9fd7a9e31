#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tracepoint xlo_rto:xrto_decision shows the effect of each accepted message and the reasons
for it. The values are the timeout a, the elapsed time b, the verdict, the state, and the new time
of the timer. All times agree with the paper's table within 2 ms."""
# run.sh: needs: simulated time
import re

from lib import rto, tap
from lib.icmp import DEFER, DROP
from lib.peer import MS
from lib.trace import Trace

LINE = re.compile(r"sport=(\d+) dport=(\d+) event=(\w+) rto=(\d+) run=(\d+) verdict=(\w+) "
                  r"state=(\w+) timeout=(\d+)")
# message, its time, verdict, state, new time (0: unchanged); times are fractions of the timeout
STORY = [(DROP, 0.1, "in_flight", "normal", 0),
         (DROP, 0.3, "shortened", "premature", 0.55),
         (DEFER, 0.44, "cancelled", "waiting", 1.25),
         (DEFER, 0.7, "defer_again", "waiting", 0),
         (DEFER, 1.1, "extended", "extended", 1.5),
         (DEFER, 1.24, "extended", "extended", 1.75),
         (DEFER, 1.38, "extended", "extended", 2),
         (DEFER, 1.52, "defer_most", "extended", 0),
         (DROP, 1.7, "back", "premature", 1.7)]


def test_a_story():
    """The tracepoint shows each message of one timeout with its verdict. STORY contains seven of
    the eleven verdicts."""
    with rto.Flow() as flow, Trace("xlo_rto/xrto_decision") as trace:
        timeout = flow.rto // MS
        for code, part, *_ in STORY:
            flow.say(code, part)
        flow.times_out(1.7, 1.7)
        lines = [LINE.search(line) for line in trace.lines()]
        tap.equal("verdicts", [line[6] for line in lines], [verdict for _, _, verdict, *_ in STORY])
        for line, (code, part, verdict, state, moment) in zip(lines, STORY):
            tap.equal(verdict, line.group(1, 2, 3, 7),
                      ("80", "4000", "drop" if code == DROP else "defer", state))
            tap.within(f"{verdict}: a", int(line[4]), timeout - 1, timeout)
            tap.within(f"{verdict}: b", int(line[5]) - part * timeout, -1, 1)
            tap.within(f"{verdict}: timeout", int(line[8]) - moment * timeout, -2, 2)


def test_others():
    """The tracepoint shows three of the other verdicts."""
    for told, part, since, verdicts in (
            ([(DEFER, 0.5), (DROP, 0.8)], 0.8, 0.8, ["defer_normal", "at_once"]),
            ([(DROP, 0.3), (DROP, 0.44)], 0.55, 0.3, ["shortened", "drop_again"])):
        with rto.Flow() as flow, Trace("xlo_rto/xrto_decision") as trace:
            for code, moment in told:
                flow.say(code, moment)
            flow.times_out(part, since)
            tap.equal("verdicts", [LINE.search(line)[6] for line in trace.lines()], verdicts)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
