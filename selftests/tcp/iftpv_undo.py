#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a retransmission turns out to be needless, tcp_iftpv restores window and threshold."""
# run.sh: needs: simulated time
from lib import iftpv, tap
from lib.iftpv import BASE
from lib.peer import MS
from lib.tcp_info import LOSS, OPEN, RECOVERY


def late(flow, by):
    """A segment comes so late that it is sent again, with a queue on the path, so that the window
    is halved; its number and the Info before."""
    flow.way.rtt = 2 * BASE
    flow.rounds(3)
    number = flow.way.segments[-1].number + 1
    flow.way.late[number] = by
    before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
    tap.equal("threshold", verdict.ssthresh, before.cwnd // 2)
    return number, before


def restored(flow, before, what):
    """Until window and threshold are what they were."""
    _, info = flow.way.until(what, lambda info: info.ssthresh == before.ssthresh)
    tap.equal(f"{what}: window", info.cwnd, before.cwnd)
    tap.equal(f"{what}: state", info.ca_state, OPEN)


def test_dsack():
    """The receiver has had the segment twice, and says so by DSACK."""
    with iftpv.Flow() as flow:
        number, before = late(flow, 100 * MS)
        restored(flow, before, "DSACK")
        tap.equal("transmissions", flow.way.sent(number), 2)
        [_, again] = [s for s in flow.way.segments if s.number == number]
        tap.within("after the second came, ns", flow.peer.now - again.when,
                   flow.way.rtt, flow.way.rtt + 20 * MS)


def test_timestamps():
    """The time stamp that comes back is the first transmission's: known before the second one
    arrives (Eifel, RFC 4015)."""
    with iftpv.Flow(timestamps=True) as flow:
        number, before = late(flow, 100 * MS)
        restored(flow, before, "Eifel")
        [_, again] = [s for s in flow.way.segments if s.number == number]
        tap.within("after the second left, ns", flow.peer.now - again.when, 0,
                   flow.way.rtt - 20 * MS)


def test_frto():
    """After a timeout acknowledgments come of what was never sent again (RFC 5682)."""
    for timestamps in (False, True):
        with iftpv.Flow(timestamps=timestamps) as flow:
            # everything under way waits so long
            flow.way.last += 800 * MS
            before, timeout = flow.way.until("timeout", lambda info: info.ca_state == LOSS)
            tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh),
                      (1, before.cwnd // 2))
            restored(flow, before, "F-RTO")


def test_rates():
    """A loss that was undone was no congestion: at the next random loss the congestion loss rate
    has not risen."""
    with iftpv.Flow() as flow:
        for _ in range(2):
            flow.random()
            flow.rounds(1)
        _, before = late(flow, 100 * MS)
        restored(flow, before, "DSACK")
        flow.way.rtt = BASE
        flow.rounds(5)
        episode = flow.random()
        tap.equal("threshold", episode.verdict.ssthresh, episode.before.cwnd)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
