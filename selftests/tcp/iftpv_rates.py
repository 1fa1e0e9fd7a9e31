#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a loss is random and the congestion loss rate has risen, tcp_iftpv leaves four fifths of the
window. The congestion loss rate is the number of packets that congestion lost between two random
losses, divided by the time between these losses."""
# run.sh: needs: simulated time
# run.sh: once: arithmetic
from lib import iftpv, tap


def rated(*congestion, pauses=()):
    """Lose a segment at random. For each number in `congestion`, lose this many segments by
    congestion, pause for some round trips, and lose another segment at random. Returns whether the
    last random loss keeps the window or leaves four fifths of it."""
    with iftpv.Flow(cwnd=80) as flow:
        flow.random()
        for lost, pause in zip(congestion, pauses or [1] * len(congestion)):
            flow.rounds(1)
            if lost:
                episode = flow.congestion(*range(lost))
                tap.equal("window after congestion", episode.after.cwnd, episode.before.cwnd // 2)
            flow.rounds(pause)
            episode = flow.random()
            tap.within("backlog at a random loss", iftpv.backlog(episode.before), 0, 2)
        window = episode.before.cwnd
        got = {window: "kept", window * 4 // 5: "4/5"}.get(episode.after.ssthresh)
        tap.equal("threshold and window", episode.after.ssthresh, episode.after.cwnd)
        return got or (window, episode.after.ssthresh)


def test_more_losses():
    """If congestion loses more segments in about the same time, the rate has risen."""
    tap.equal("verdict", rated(1, 3), "4/5")


def test_fewer_losses():
    """If congestion loses fewer segments in about the same time, the rate has fallen."""
    tap.equal("verdict", rated(3, 1), "kept")


def test_shorter_time():
    """If congestion loses the same number of segments in a shorter time, the rate has risen."""
    tap.equal("verdict", rated(2, 2, pauses=(40, 1)), "4/5")


def test_longer_time():
    """If congestion loses the same number of segments in a longer time, the rate has fallen."""
    tap.equal("verdict", rated(2, 2, pauses=(1, 40)), "kept")


def test_risen_from_nothing():
    """The rate rises from 0 if a congestion loss follows an interval without congestion losses."""
    tap.equal("verdict", rated(0, 1), "4/5")


def test_none_at_all():
    """If congestion loses no segment, both rates are 0, and a random loss keeps the window."""
    tap.equal("verdict", rated(0, 0), "kept")


def test_two_newest_count():
    """A rise of the rate affects only one random loss. If no congestion follows, the rate has
    fallen at the next random loss."""
    tap.equal("verdict", rated(1, 3, 0), "kept")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
