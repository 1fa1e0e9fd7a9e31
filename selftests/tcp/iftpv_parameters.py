#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The module parameters of tcp_iftpv have the documented effects. `beta` is the backlog from which
on a loss means congestion. `ease` is the part of the window that remains after a random loss while
congestion rises. `base_window` is the time for which a round-trip time may be the base."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import iftpv, tap
from lib.iftpv import BASE, parameters
from lib.peer import S


def test_beta():
    """A backlog of six segments is congestion by default and with a beta of 5, but not with a beta
    of 7."""
    for values, divisor in (({}, 2), ({"beta": 5}, 2), ({"beta": 7}, 1)):
        with parameters(**values), iftpv.Flow(cwnd=40) as flow:
            window = flow.socket.info().cwnd + 3
            flow.way.rtt = round(BASE * window / (window - 6))
            flow.rounds(3)
            episode = flow.lose(0)
            tap.within("backlog", iftpv.backlog(episode.before), 5.5, 6.5)
            tap.equal(f"threshold with {values}", episode.verdict.ssthresh,
                      episode.before.cwnd // divisor)


def test_ease():
    """If the congestion loss rate has risen, a random loss leaves `ease` percent of the window."""
    for percent in (50, 65, 100):
        with parameters(ease=percent), iftpv.Flow(cwnd=80) as flow:
            flow.random()
            for lost in (1, 3):
                flow.rounds(1)
                flow.congestion(*range(lost))
                flow.rounds(1)
                episode = flow.random()
            tap.equal("threshold", episode.verdict.ssthresh, episode.before.cwnd * percent // 100)


def test_base_window():
    """If base_window is two seconds, the round-trip time of a longer path becomes the base after
    two seconds, but not after half a second."""
    with parameters(base_window=2000), iftpv.Flow() as flow:
        flow.way.rtt = 2 * BASE
        for pause, base in ((S // 2, BASE), (2 * S, 2 * BASE)):
            flow.way.run(pause)
            tap.within("base, us", flow.socket.vegas().min_rtt, base / 1000, base / 1000 * 1.01)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
