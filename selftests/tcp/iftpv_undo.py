#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a retransmission was unnecessary, tcp_iftpv restores its window and threshold."""
# run.sh: needs: simulated time
from lib import iftpv, tap
from lib.iftpv import BASE
from lib.peer import MS
from lib.tcp_info import LOSS, OPEN, RECOVERY


def late(flow, by):
    """Delay a segment by `by` ns, so that TCP sends it again. A queue on the path makes the loss
    look like congestion, so the window is halved. Returns the segment's number and the socket's
    Info before the recovery."""
    flow.way.rtt = 2 * BASE
    flow.rounds(3)
    number = flow.way.segments[-1].number + 1
    flow.way.late[number] = by
    before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
    tap.equal("threshold", verdict.ssthresh, before.cwnd // 2)
    return number, before


def restored(flow, before, what):
    """Wait until the threshold has its former value again, and check window and state."""
    _, info = flow.way.until(what, lambda info: info.ssthresh == before.ssthresh)
    tap.equal(f"{what}: window", info.cwnd, before.cwnd)
    tap.equal(f"{what}: state", info.ca_state, OPEN)


def test_dsack():
    """The window is restored when DSACK reports that the receiver received the segment twice."""
    with iftpv.Flow() as flow:
        number, before = late(flow, 100 * MS)
        restored(flow, before, "DSACK")
        tap.equal("transmissions", flow.way.sent(number), 2)
        [_, again] = [s for s in flow.way.segments if s.number == number]
        tap.within("time since the second transmission arrived, ns", flow.peer.now - again.when,
                   flow.way.rtt, flow.way.rtt + 20 * MS)


def test_timestamps():
    """The window is restored when the receiver echoes the time stamp of the first transmission
    (Eifel, RFC 4015). At that time, an acknowledgment of the second transmission cannot have
    arrived yet."""
    with iftpv.Flow(timestamps=True) as flow:
        number, before = late(flow, 100 * MS)
        restored(flow, before, "Eifel")
        [_, again] = [s for s in flow.way.segments if s.number == number]
        tap.within("time since the second transmission left, ns", flow.peer.now - again.when, 0,
                   flow.way.rtt - 20 * MS)


def test_frto():
    """The window is restored when acknowledgments after a timeout cover segments that were not sent
    again (F-RTO, RFC 5682)."""
    for timestamps in (False, True):
        with iftpv.Flow(timestamps=timestamps) as flow:
            # delay all segments in flight
            flow.way.last += 800 * MS
            before, timeout = flow.way.until("timeout", lambda info: info.ca_state == LOSS)
            tap.equal("window and threshold", (timeout.cwnd, timeout.ssthresh),
                      (1, before.cwnd // 2))
            restored(flow, before, "F-RTO")


def test_rates():
    """If a reduction of the window is undone, the loss that caused it does not count as congestion.
    At the next random loss, the congestion loss rate has not risen."""
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
