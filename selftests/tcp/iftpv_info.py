#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection that uses tcp_iftpv reports its backlog and both round-trip times in TCP_CC_INFO.
The tool ss shows values that follow from this report."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
import re

from lib import iftpv, tap
from lib.iftpv import BASE

QUEUE = BASE // 4


def flow_with_queue():
    flow = iftpv.Flow()
    flow.way.rtt = BASE + QUEUE
    flow.rounds(8)
    return flow


def test_cc_info():
    """TCP_CC_INFO says whether a sample exists. TCP_CC_INFO contains the backlog B in whole
    packets, and RTTactual and RTTbase in us."""
    with flow_with_queue() as flow:
        says, window = flow.socket.vegas(), flow.socket.info().cwnd
        tap.equal("whether there is a sample", says.enabled, 1)
        tap.within("RTTbase, us", says.min_rtt, BASE / 1000, BASE / 1000 + 100)
        tap.within("RTTactual, us", says.rtt, (BASE + QUEUE) / 1000 * 0.99,
                   (BASE + QUEUE) / 1000 * 1.01)
        tap.equal("B", says.rtt_count, int(window * (says.rtt - says.min_rtt) / says.rtt))
        tap.within("B", says.rtt_count, 7, 11)


def test_ss():
    """ss shows the window, the threshold and the pacing rate. The field "send" is the window
    divided by RTTactual, even if the receiver delays acknowledgments."""
    with flow_with_queue() as flow:
        flow.way.delay = 40 * 10**6
        flow.rounds(4)
        info, says = flow.socket.info(), flow.socket.vegas()
        shown = flow.right.run("ss -tinO").stdout
        tap.true(f"iftpv in {shown!r}", " iftpv " in shown)
        for name, wanted in (("cwnd:", info.cwnd), ("ssthresh:", info.ssthresh),
                             ("pacing_rate ", 8 * info.pacing_rate),
                             ("send ", 8 * 10**6 * info.cwnd * info.mss // says.rtt)):
            found = re.search(rf"\b{name}(\d+)", shown)
            tap.true(f"{name!r} in {shown!r}", found)
            tap.within(name, int(found[1]), wanted * 0.9999, wanted * 1.0001)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
