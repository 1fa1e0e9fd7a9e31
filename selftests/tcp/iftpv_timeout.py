#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A timeout is to tcp_iftpv what it is to Reno: the threshold is half the window, and slow start
begins with one segment."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import iftpv, tap
from lib.tcp_info import LOSS, OPEN


def windows(algorithm):
    """The Info before a timeout, the one after it, and each window until all is repaired."""
    # F-RTO sends new segments to see whether the timeout was right
    with iftpv.Flow(algorithm, cwnd=20,
                    sysctls={"tcp_early_retrans": 0, "tcp_frto": 0}) as flow:
        following = flow.way.segments[-1].number + 1
        flow.way.lose.update(range(following, following + 100))
        before, timeout = flow.way.until("timeout", lambda info: info.ca_state == LOSS)
        flow.way.lose.clear()
        seen = [timeout.cwnd]
        flow.way.until("repair", lambda info: seen.append(info.cwnd) or info.ca_state == OPEN)
        return before, timeout, [b for a, b in zip(seen, seen[1:]) if b != a]


def test_as_reno():
    """Threshold, window and its growth by one with each acknowledgment are Reno's."""
    grown = {}
    for algorithm in ("reno", "iftpv"):
        before, timeout, grown[algorithm] = windows(algorithm)
        tap.equal(f"{algorithm}: window and threshold", (timeout.cwnd, timeout.ssthresh),
                  (1, before.cwnd // 2))
        tap.equal(f"{algorithm}: slow start", grown[algorithm][:timeout.ssthresh - 1],
                  list(range(2, timeout.ssthresh + 1)))
    tap.equal("windows until all is repaired", grown["iftpv"], grown["reno"])


def test_without_a_queue():
    """However small the backlog, and after random losses that kept the window."""
    with iftpv.Flow(cwnd=20) as flow:
        for _ in range(3):
            flow.random()
            flow.rounds(1)
        following = flow.way.segments[-1].number + 1
        flow.way.lose.update(range(following, following + 100))
        before, timeout = flow.way.until("timeout", lambda info: info.ca_state == LOSS)
        tap.within("backlog", iftpv.backlog(before), 0, 1)
        tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh), (1, before.cwnd // 2))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
