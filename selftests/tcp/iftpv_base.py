#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The base round-trip time of tcp_iftpv is the path's: neither what a receiver delays nor what came
of a segment that was sent twice gets into it."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import connection, iftpv, tap
from lib.iftpv import BASE
from lib.peer import MS


def base(flow_or_connection):
    return flow_or_connection.socket.vegas().min_rtt


def test_delayed_acknowledgments():
    """Every other segment is acknowledged, a lone one after 40 ms: the base stays, and a loss is
    random."""
    with iftpv.Flow() as flow:
        flow.way.delay = 40 * MS
        flow.rounds(5)
        tap.within("base, us", base(flow), BASE / 1000, BASE / 1000 + 100)
        episode = flow.lose(0)
        tap.equal("threshold", episode.verdict.ssthresh, episode.before.cwnd)


def test_delayed_from_the_beginning():
    """Where each sample is late by the delay but those of pairs, these are the base."""
    with connection.Connection("iftpv", cwnd=10, ssthresh=10) as c:
        way = c.path()
        way.delay = 40 * MS
        for segments in (1, 1, 1, 2, 1, 1):
            c.socket.write(segments)
            way.until("acknowledgment", lambda info: not info.unacked)
        tap.within("base, us", base(c), BASE / 1000, BASE / 1000 + 100)


def test_retransmission():
    """The first transmission's acknowledgment comes 5 ms after the second one: no sample."""
    for timestamps in (False, True):
        with connection.Connection("iftpv", cwnd=20, ssthresh=20, timestamps=timestamps) as c:
            c.socket.write(100)
            sent = c.peer.expect(*range(20))
            c.peer.sack((1, 4), after=BASE - (c.peer.now - sent[0].when))
            c.peer.expect(0)
            c.peer.ack(20, after=5 * MS, echo=sent[0] if timestamps else None)
            # the script's clock and the sender's are read a tick apart
            tap.within("base, us", base(c), BASE / 1000 - 1, BASE / 1000 + 100)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
