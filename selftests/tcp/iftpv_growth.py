#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In each round trip, tcp_iftpv's window grows by one segment. A pause and some parameters change
the window's growth."""
# run.sh: needs: simulated time
# run.sh: all on lab-6.1 lab-6.12: unused pause (the rest is arithmetic)
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, iftpv, tap
from lib.iftpv import BASE, parameters
from lib.tcp_info import OPEN


def growth(rounds=12, queue=0, **values):
    """Returns the number of segments by which the window grows during `rounds` round trips. A queue
    lengthens each round trip by `queue` ns."""
    with parameters(**values), iftpv.Flow(cwnd=40) as flow:
        flow.way.rtt = BASE + queue
        flow.rounds(6)
        before = flow.socket.info().cwnd
        flow.rounds(rounds)
        return flow.socket.info().cwnd - before


def test_of_one_flow():
    """The window grows by one segment in a round trip."""
    tap.within("growth", growth(), 11, 13)


def test_of_two_flows():
    """With scale 200, the window grows twice as fast, and congestion reduces it by a quarter."""
    tap.within("growth", growth(scale=200), 22, 26)
    with parameters(scale=200), iftpv.Flow(cwnd=40) as flow:
        episode = flow.congestion()
        tap.equal("window", episode.after.cwnd, episode.before.cwnd * 3 // 4)


def test_as_veno():
    """With veno_growth, the window grows half as fast while a queue exists. Without a queue, the
    window grows at its normal rate."""
    tap.within("growth with a queue", growth(queue=BASE), 11, 13)
    tap.within("growth with a queue and veno_growth", growth(queue=BASE, veno_growth=1), 5, 7)
    tap.within("growth with veno_growth, without a queue", growth(veno_growth=1), 11, 13)


def test_unused():
    """A window that is not fully used does not grow."""
    with connection.Connection("iftpv", BASE, cwnd=40, ssthresh=40) as c:
        way = c.path(BASE)
        for _ in range(20):
            c.socket.write(20)
            way.run(BASE)
        c.socket.expect("window", cwnd=40)


def paused(algorithm, initial, enabled):
    """Start with a window of `initial` segments, send, and pause for two and a half timeouts.
    Returns the socket's Info before and after the pause."""
    with connection.Connection(algorithm, BASE, cwnd=initial, ssthresh=80,
                               sysctls={"tcp_slow_start_after_idle": enabled}) as c:
        c.socket.write(600)
        way = c.path(BASE)
        way.until("all data is acknowledged", lambda info: info.bytes_acked == 600_001)
        before = c.socket.info()
        tap.equal("state", before.ca_state, OPEN)
        way.run(round(2.5 * before.rto) * 1000)
        c.socket.write(1)
        way.run(BASE // 2)
        return before, c.socket.info()


def test_pause():
    """After a pause, iftpv and Reno halve the window for each retransmission timeout that has
    passed. The window stays at least as large as the initial window. The pacing rate follows the
    window. If the sysctl tcp_slow_start_after_idle is off, the window stays unchanged."""
    for enabled, initial in ((1, 10), (1, 40), (0, 10)):
        for algorithm in ("reno", "iftpv"):
            before, after = paused(algorithm, initial, enabled)
            wanted = max(before.cwnd // 4, initial) if enabled else before.cwnd
            tap.equal(f"{algorithm}'s window", after.cwnd, wanted)
        rate = after.mss * 10**6 * (2 * after.cwnd if enabled else after.cwnd + 1) / after.rtt
        tap.within("rate", after.pacing_rate, 0.95 * rate, 1.05 * rate)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
