#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""After a handover to a longer path, tcp_iftpv replaces its base round-trip time when base_window
is over. tcp_iftpv then recognizes random losses again. Linux's Veno always classifies random losses
on the longer path as congestion."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import iftpv, tap
from lib.iftpv import BASE
from lib.peer import S

LONGER = 3 * BASE
WINDOW = 10 * S


class Handover(iftpv.Flow):
    """A flow on a path that has just become longer. The receive window limits the growth of the
    sender's window."""

    def __init__(self, algorithm="iftpv"):
        super().__init__(algorithm, cwnd=20)
        self.peer.window = 30
        self.way.rtt = LONGER

    def threshold(self):
        """Lose a segment. Returns the threshold as a fraction of the window before the loss."""
        # with a limited receive window, the flow would be idle after the repair and start again
        self.peer.window = 1000
        self.rounds(1)
        episode = self.lose(0)
        self.peer.window = 30
        self.rounds(3)
        return episode.verdict.ssthresh / episode.before.cwnd


def test_within_the_window():
    """Before base_window is over, the longer round-trip time looks like a queue, and a loss halves
    the window."""
    with Handover() as flow:
        flow.way.run(WINDOW - 3 * S)
        tap.within("base, us", flow.socket.vegas().min_rtt, BASE / 1000, BASE / 1000 * 1.01)
        tap.within("threshold / window", flow.threshold(), 0.48, 0.5)


def test_after_the_window():
    """After base_window, the longer round-trip time is the base, and a random loss keeps the
    window."""
    with Handover() as flow:
        flow.way.run(WINDOW + 1 * S)
        tap.within("base, us", flow.socket.vegas().min_rtt, LONGER / 1000, LONGER / 1000 * 1.01)
        for _ in range(2):
            tap.equal("threshold / window", flow.threshold(), 1)


def test_veno_never_forgets():
    """Veno still halves the window at a random loss after base_window, and a minute later."""
    with Handover("veno") as flow:
        for pause in (WINDOW + 1 * S, 60 * S):
            flow.way.run(pause)
            tap.within("threshold / window", flow.threshold(), 0.48, 0.5)


def test_shorter_path():
    """The round-trip time of a shorter path immediately becomes the base."""
    with iftpv.Flow(cwnd=20) as flow:
        flow.way.rtt = BASE // 2
        flow.rounds(4)
        tap.within("base, us", flow.socket.vegas().min_rtt, BASE / 2000, BASE / 2000 * 1.01)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
