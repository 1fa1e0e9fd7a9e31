#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""After a retransmission timeout tcp_iftpv does the same as Reno: the threshold is half the
window, and slow start begins with one segment."""
# run.sh: needs: simulated time
from lib import iftpv, tap
from lib.tcp_info import OPEN, RECOVERY


def windows(algorithm):
    """The Info before a timeout, the one after it, and each window until all is repaired."""
    # F-RTO sends new segments to see whether the timeout was right
    with iftpv.Flow(algorithm, cwnd=20,
                    sysctls={"tcp_early_retrans": 0, "tcp_frto": 0}) as flow:
        before, timeout = flow.silence()
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
    """However small the backlog, and also after random losses that kept the window."""
    with iftpv.Flow(cwnd=20) as flow:
        for _ in range(3):
            flow.random()
            flow.rounds(1)
        before, timeout = flow.silence()
        tap.within("backlog", iftpv.backlog(before), 0, 1)
        tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh), (1, before.cwnd // 2))


def test_in_a_recovery():
    """A timeout while a random loss is recovered from is one, too: half the window that the loss had
    left whole."""
    with iftpv.Flow(cwnd=20) as flow:
        lost = flow.way.segments[-1].number + 1
        # its retransmission is, too
        flow.way.lose[lost] = 2
        before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        tap.equal("threshold at the loss", verdict.ssthresh, before.cwnd)
        flow.way.under_way.clear()
        last, timeout = flow.silence()
        tap.equal("state before the timeout", last.ca_state, RECOVERY)
        tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh), (1, before.cwnd // 2))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
