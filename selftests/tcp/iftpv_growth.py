#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The window of tcp_iftpv grows by one segment in a round trip, except where a parameter or a
pause says otherwise."""
# run.sh: needs: simulated time
# run.sh: all on lab-6.1 lab-7.2: unused pause (the rest is arithmetic)
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, iftpv, tap
from lib.iftpv import BASE, parameters
from lib.tcp_info import OPEN


def growth(rounds=12, queue=0, **values):
    """The window, in segments, after this many round trips, the last of them with a queue that
    lengthens it by this time."""
    with parameters(**values), iftpv.Flow(cwnd=40) as flow:
        flow.way.rtt = BASE + queue
        flow.rounds(6)
        before = flow.socket.info().cwnd
        flow.rounds(rounds)
        return flow.socket.info().cwnd - before


def test_of_one_flow():
    tap.within("growth", growth(), 11, 13)


def test_of_two_flows():
    """With scale 200 twice as fast, and at a loss it gives a quarter."""
    tap.within("growth", growth(scale=200), 22, 26)
    with parameters(scale=200), iftpv.Flow(cwnd=40) as flow:
        episode = flow.congestion()
        tap.equal("window", episode.after.cwnd, episode.before.cwnd * 3 // 4)


def test_as_veno():
    """With a queue half as fast, if that is wanted; without one as ever."""
    tap.within("growth with a queue", growth(queue=BASE), 11, 13)
    tap.within("the same as Veno", growth(queue=BASE, veno_growth=1), 5, 7)
    tap.within("without a queue as Veno", growth(veno_growth=1), 11, 13)


def test_unused():
    """A window that is not used up stays as it is."""
    with connection.Connection("iftpv", BASE, cwnd=40, ssthresh=40) as c:
        way = c.path(BASE)
        for _ in range(20):
            c.socket.write(20)
            way.run(BASE)
        c.socket.expect("window", cwnd=40)


def paused(algorithm, initial, enabled):
    """The Info after all data has been acknowledged, and after a pause of two and a half timeouts.
    The connection begins with this many segments."""
    with connection.Connection(algorithm, BASE, cwnd=initial, ssthresh=80,
                               sysctls={"tcp_slow_start_after_idle": enabled}) as c:
        c.socket.write(600)
        way = c.path(BASE)
        way.until("all is acknowledged", lambda info: info.bytes_acked == 600_001)
        before = c.socket.info()
        tap.equal("state", before.ca_state, OPEN)
        way.run(round(2.5 * before.rto) * 1000)
        c.socket.write(1)
        way.run(BASE // 2)
        return before, c.socket.info()


def test_pause():
    """It is halved for each retransmission timeout that went by, as Reno's, but not below what a
    connection begins with, unless the sysctl is off; and the rate with it."""
    for enabled, initial in ((1, 10), (1, 40), (0, 10)):
        for algorithm in ("reno", "iftpv"):
            before, after = paused(algorithm, initial, enabled)
            wanted = max(before.cwnd // 4, initial) if enabled else before.cwnd
            tap.equal(f"{algorithm}'s window", after.cwnd, wanted)
        rate = after.mss * 10**6 * (2 * after.cwnd if enabled else after.cwnd + 1) / after.rtt
        tap.within("rate", after.pacing_rate, 0.95 * rate, 1.05 * rate)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
