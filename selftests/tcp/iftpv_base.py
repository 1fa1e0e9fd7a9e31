#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The base round-trip time of tcp_iftpv is the round-trip time of the path. Delayed acknowledgments
and retransmitted segments do not affect the base."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, iftpv, tap
from lib.iftpv import BASE
from lib.peer import MS


def base(flow_or_connection):
    return flow_or_connection.socket.vegas().min_rtt


def test_delayed_acknowledgments():
    """The receiver acknowledges every other segment immediately, and a single segment after 40 ms.
    The base does not change, and tcp_iftpv classifies a loss as random."""
    with iftpv.Flow() as flow:
        flow.way.delay = 40 * MS
        flow.rounds(5)
        tap.within("base, us", base(flow), BASE / 1000, BASE / 1000 + 100)
        episode = flow.lose(0)
        tap.equal("threshold", episode.verdict.ssthresh, episode.before.cwnd)


def test_delayed_from_the_beginning():
    """From the beginning, the receiver delays acknowledgments of single segments. The base comes
    from a pair of segments, because the receiver acknowledges a pair without delay."""
    with connection.Connection("iftpv", cwnd=10, ssthresh=10) as c:
        way = c.path()
        way.delay = 40 * MS
        for segments in (1, 1, 1, 2, 1, 1):
            c.socket.write(segments)
            way.until("acknowledgment", lambda info: not info.unacked)
        tap.within("base, us", base(c), BASE / 1000, BASE / 1000 + 100)


def test_short_segment():
    """tcp_iftpv takes no round-trip sample from a single short segment. The receiver may delay the
    acknowledgment of such a segment, and a slow link sends the segment faster than other
    segments."""
    with connection.Connection("iftpv", cwnd=10, ssthresh=10) as c:
        c.socket.write(2)
        c.peer.expect(0, 1)
        c.peer.ack(2, after=BASE)
        before = c.socket.vegas()
        for late in (40 * MS, -40 * MS):
            c.socket.sock.send(b"x")
            c.peer.expect_short(1)
            c.peer.ack(2, after=BASE + late)
            tap.equal("segments in flight", c.socket.info().unacked, 0)
            tap.equal("base and smoothed RTT", c.socket.vegas(), before)


def test_retransmission():
    """A segment that was sent twice gives no round-trip sample, even if a time stamp shows which
    transmission was acknowledged. In the test, the acknowledgment arrives 5 ms after the second
    transmission."""
    for timestamps, first in ((False, False), (True, True), (True, False)):
        with connection.Connection("iftpv", cwnd=20, ssthresh=20, timestamps=timestamps) as c:
            c.socket.write(100)
            sent = c.peer.expect(*range(20))
            c.peer.sack((1, 4), after=BASE - (c.peer.now - sent[0].when))
            again, = c.peer.expect(0)
            before = c.socket.vegas()
            c.peer.ack(20, after=5 * MS, echo=(sent[0] if first else again) if timestamps else None)
            tap.equal("base and smoothed RTT", c.socket.vegas(), before)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
