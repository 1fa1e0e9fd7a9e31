#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""After a handover to a longer path, tcp_iftpv forgets the least round-trip time when its time
window is over, so it takes a random loss for a random one again. Mainline's Veno takes it for
congestion for ever."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import iftpv, tap
from lib.iftpv import BASE
from lib.peer import S

LONGER = 3 * BASE
WINDOW = 10 * S


class Handover(iftpv.Flow):
    """A flow on a path that has just become longer. Its receiver's window keeps it from growing."""

    def __init__(self, algorithm="iftpv"):
        super().__init__(algorithm, cwnd=20)
        self.peer.window = 30
        self.way.rtt = LONGER

    def threshold(self):
        """Lose a segment: what part of the window is the threshold then?"""
        # what the receiver's window stops would be idle when the loss is repaired: a new beginning
        self.peer.window = 1000
        self.rounds(1)
        episode = self.lose(0)
        self.peer.window = 30
        self.rounds(3)
        return episode.verdict.ssthresh / episode.before.cwnd


def test_within_the_window():
    """Until then the longer round-trip time is a queue."""
    with Handover() as flow:
        flow.way.run(WINDOW - 3 * S)
        tap.within("base, us", flow.socket.vegas().min_rtt, BASE / 1000, BASE / 1000 * 1.01)
        tap.within("part", flow.threshold(), 0.48, 0.5)


def test_after_the_window():
    """From then on it is the base."""
    with Handover() as flow:
        flow.way.run(WINDOW + 1 * S)
        tap.within("base, us", flow.socket.vegas().min_rtt, LONGER / 1000, LONGER / 1000 * 1.01)
        for _ in range(2):
            tap.equal("part", flow.threshold(), 1)


def test_veno_never_forgets():
    """In the same place, and a minute later."""
    with Handover("veno") as flow:
        for pause in (WINDOW + 1 * S, 60 * S):
            flow.way.run(pause)
            tap.within("part", flow.threshold(), 0.48, 0.5)


def test_shorter_path():
    """A shorter path is the base at once."""
    with iftpv.Flow(cwnd=20) as flow:
        flow.way.rtt = BASE // 2
        flow.rounds(4)
        tap.within("base, us", flow.socket.vegas().min_rtt, BASE / 2000, BASE / 2000 * 1.01)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
