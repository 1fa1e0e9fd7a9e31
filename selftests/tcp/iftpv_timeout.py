#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""After a retransmission timeout, tcp_iftpv does the same as Reno. The threshold becomes half the
window, and slow start begins with one segment."""
# run.sh: needs: simulated time
from lib import iftpv, tap
from lib.tcp_info import OPEN, RECOVERY


def windows(algorithm):
    """Cause a timeout. Returns the socket's Info before and after the timeout, and each window
    until all losses are repaired."""
    # F-RTO is off, because it would send new segments
    with iftpv.Flow(algorithm, cwnd=20,
                    sysctls={"tcp_early_retrans": 0, "tcp_frto": 0}) as flow:
        before, timeout = flow.silence()
        seen = [timeout.cwnd]
        flow.way.until("repair", lambda info: seen.append(info.cwnd) or info.ca_state == OPEN)
        return before, timeout, [b for a, b in zip(seen, seen[1:]) if b != a]


def test_as_reno():
    """After a timeout, threshold and window are the same as Reno's. The window grows by one segment
    with each acknowledgment, like Reno's window."""
    grown = {}
    for algorithm in ("reno", "iftpv"):
        before, timeout, grown[algorithm] = windows(algorithm)
        tap.equal(f"{algorithm}: window and threshold", (timeout.cwnd, timeout.ssthresh),
                  (1, before.cwnd // 2))
        tap.equal(f"{algorithm}: slow start", grown[algorithm][:timeout.ssthresh - 1],
                  list(range(2, timeout.ssthresh + 1)))
    tap.equal("windows until all losses are repaired", grown["iftpv"], grown["reno"])


def test_without_a_queue():
    """A timeout sets the threshold to half the window, even if there is no backlog and earlier
    random losses kept the window."""
    with iftpv.Flow(cwnd=20) as flow:
        for _ in range(3):
            flow.random()
            flow.rounds(1)
        before, timeout = flow.silence()
        tap.within("backlog", iftpv.backlog(before), 0, 1)
        tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh), (1, before.cwnd // 2))


def test_in_a_recovery():
    """A random loss keeps the window. A timeout during the recovery from this loss sets the
    threshold to half the window."""
    with iftpv.Flow(cwnd=20) as flow:
        lost = flow.way.segments[-1].number + 1
        # the retransmission is also lost
        flow.way.lose[lost] = 2
        before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        tap.equal("threshold at the loss", verdict.ssthresh, before.cwnd)
        flow.way.under_way.clear()
        last, timeout = flow.silence()
        tap.equal("state before the timeout", last.ca_state, RECOVERY)
        tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh), (1, before.cwnd // 2))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
