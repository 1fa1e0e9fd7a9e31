#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A congestion mark (ECN) is congestion whatever the backlog is: tcp_iftpv halves its window. It is
no lost packet: the congestion loss rate knows nothing of it."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import iftpv, tap
from lib.tcp_info import CWR, OPEN, RECOVERY


def marked(flow):
    """The next segment gets a mark: the Info before the reduction that follows, and at its end."""
    flow.way.mark.add(flow.way.segments[-1].number + 1)
    before, verdict = flow.way.until("CWR", lambda info: info.ca_state == CWR)
    tap.equal("threshold at once", verdict.ssthresh, before.cwnd // 2)
    _, after = flow.way.until("its end", lambda info: info.ca_state == OPEN)
    return before, after


def flow_with_ecn():
    return iftpv.Flow(cwnd=80, sysctls={"tcp_ecn": 1}, ecn=True)


def test_halves():
    """Once for a mark, and the segment after it says CWR."""
    with flow_with_ecn() as flow:
        before, after = marked(flow)
        tap.within("backlog", iftpv.backlog(before), 0, 1)
        half = before.cwnd // 2
        tap.equal("window and threshold", (after.cwnd, after.ssthresh), (half, half))
        flow.rounds(2)
        tap.true("the receiver has seen CWR", not flow.way.receiver.marked)
        flow.socket.expect("later", ssthresh=half, total_retrans=0)


def test_is_no_loss():
    """More marks from one random loss to the next do not make the congestion loss rate rise."""
    with flow_with_ecn() as flow:
        flow.random()
        for marks in (0, 1, 2):
            for _ in range(marks):
                flow.rounds(2)
                marked(flow)
            flow.rounds(2)
            episode = flow.random()
            tap.equal(f"threshold after {marks} marks", episode.verdict.ssthresh,
                      episode.before.cwnd)


def test_in_a_recovery():
    """While a random loss is recovered from a mark halves the window that the loss left whole."""
    with flow_with_ecn() as flow:
        lost = flow.way.segments[-1].number + 1
        flow.way.lose[lost] = 1
        flow.way.mark.add(lost + 20)
        before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        tap.equal("threshold at the loss", verdict.ssthresh, before.cwnd)
        _, info = flow.way.until("the mark", lambda info: info.ssthresh != before.cwnd)
        tap.equal("state and threshold", (info.ca_state, info.ssthresh),
                  (RECOVERY, before.cwnd // 2))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
