#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tcp_iftpv may classify a loss as random although acknowledgments later in the recovery show
congestion. In this case tcp_iftpv halves the window once."""
# run.sh: needs: simulated time
from lib import iftpv, tap
from lib.tcp_info import LOSS, OPEN, RECOVERY


def recovery(flow, *more):
    """Lose the next segment and the segments whose distances from the next segment are in `more`.
    All transmissions of these segments are lost. tcp_iftpv classifies the loss as random and keeps
    the window. Returns the socket's Info before the recovery."""
    following = flow.way.segments[-1].number + 1
    flow.way.lose.update({following + offset: 99 for offset in (0, *more)})
    before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
    tap.equal("threshold in recovery", verdict.ssthresh, before.cwnd)
    return before


def test_timeout():
    """If a timeout ends the recovery, the threshold is half of the window before the recovery."""
    with iftpv.Flow() as flow:
        before = recovery(flow, *range(11, 400))
        _, info = flow.way.until("timeout", lambda info: info.ca_state == LOSS)
        tap.equal("threshold", info.ssthresh, before.cwnd // 2)
        tap.equal("window", info.cwnd, 1)


def test_mark():
    """A congestion mark on data in flight halves the window once."""
    with iftpv.Flow(cwnd=80, sysctls={"tcp_ecn": 1}, ecn=True) as flow:
        following = flow.way.segments[-1].number + 1
        flow.way.mark.add(following + 20)
        before = recovery(flow)
        flow.way.until("mark", lambda info: info.ssthresh < before.cwnd)
        flow.way.lose.clear()
        flow.socket.expect("after the mark", ca_state=RECOVERY, ssthresh=before.cwnd // 2)
        _, after = flow.way.until("the end of the recovery", lambda info: info.ca_state == OPEN)
        tap.equal("window and threshold", (after.cwnd, after.ssthresh), (before.cwnd // 2,) * 2)


def test_smaller_mtu():
    """If a router reports that segments are too large for a link, TCP sends all segments again.
    tcp_iftpv keeps the window, because the report does not show congestion."""
    with iftpv.Flow() as flow:
        before = recovery(flow)
        flow.peer.too_big(flow.way.segments[-1], 800)
        flow.socket.expect("all segments are sent again", ca_state=LOSS, ssthresh=before.cwnd)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
