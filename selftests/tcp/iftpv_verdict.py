#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If duplicate acknowledgments report a loss, tcp_iftpv compares the backlog with beta. tcp_iftpv
keeps its window if the backlog is below beta, and halves the window if the backlog is beta or more.
Further losses in the same recovery do not change the window."""
# run.sh: needs: simulated time
from lib import connection, iftpv, tap
from lib.iftpv import BASE, BETA
from lib.tcp_info import OPEN, RECOVERY


def judged(what, episode, window):
    """Check the thresholds at the verdict and after the recovery, and the window after the
    recovery."""
    tap.equal(f"{what}: thresholds and window", (episode.verdict.ssthresh, episode.after.ssthresh,
                                                 episode.after.cwnd), (window, window, window))


def test_random_loss_keeps():
    """Without a queue, each of several losses keeps the window."""
    with iftpv.Flow() as flow:
        for number in range(5):
            episode = flow.random()
            tap.within("backlog", iftpv.backlog(episode.before), 0, BETA / 3)
            judged(f"loss {number}", episode, episode.before.cwnd)
            flow.rounds(2)
        tap.equal("retransmissions", flow.socket.info().total_retrans, 5)


def test_congestion_halves():
    """If a queue doubles the round-trip time, a loss halves the window."""
    with iftpv.Flow() as flow:
        episode = flow.congestion()
        tap.within("backlog", iftpv.backlog(episode.before), 5 * BETA, 10 * BETA)
        judged("loss", episode, episode.before.cwnd // 2)


def test_whatever_the_receiver_offers():
    """The verdict is the same with and without SACK and time stamps."""
    for sack, timestamps in ((False, False), (False, True), (True, True)):
        for congested in (False, True):
            with iftpv.Flow(sack=sack, timestamps=timestamps) as flow:
                episode = flow.congestion() if congested else flow.random()
                judged(f"SACK {sack}, time stamps {timestamps}", episode,
                       episode.before.cwnd // (1 + congested))


def test_beta():
    """For any size of the window, tcp_iftpv classifies a loss as random if the backlog is a little
    below beta. A loss is classified as congestion if the backlog is a little above beta."""
    for cwnd in (10, 40, 100):
        for target in (0.85 * BETA, 1.15 * BETA):
            with iftpv.Flow(cwnd=cwnd) as flow:
                window = flow.socket.info().cwnd + 3
                flow.way.rtt = round(BASE * window / (window - target))
                flow.rounds(3)
                episode = flow.lose(0)
                seen = iftpv.backlog(episode.before)
                tap.within("backlog", seen, 0.75 * BETA, 1.25 * BETA)
                judged(f"backlog of {seen:.2f}", episode,
                       episode.before.cwnd // (1 if seen < BETA else 2))


def test_once_in_a_recovery():
    """If four segments of a window are lost, one of them twice, only the first loss reduces the
    window."""
    with iftpv.Flow() as flow:
        flow.way.rtt = 2 * BASE
        flow.rounds(3)
        thresholds, start = set(), flow.socket.info()
        following = flow.way.segments[-1].number + 1
        flow.way.lose.update({following + 3 * number: 1 + (number == 1) for number in range(4)})
        before, _ = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        flow.way.until("the end of the recovery", lambda info: thresholds.add(info.ssthresh) or
                       info.ca_state == OPEN)
        tap.equal("thresholds", thresholds, {before.cwnd // 2})
        flow.socket.expect("repaired", cwnd=before.cwnd // 2,
                           total_retrans=start.total_retrans + 5)


def flight(c, way, segments=None):
    """Send a window or this many segments, and wait until all are acknowledged."""
    c.socket.write(segments or c.socket.info().cwnd)
    way.until("the acknowledgment of the flight",
              lambda info: not info.unacked and not info.notsent_bytes)


def test_last_of_all():
    """A tail loss probe (RFC 8985) repairs the loss of the last segment. tcp_iftpv judges this loss
    at the next acknowledgment, in the same way as other losses."""
    for rtt, divisor in ((BASE, 1), (2 * BASE, 2)):
        with connection.Connection("iftpv", cwnd=20, ssthresh=20) as c:
            way = c.path(BASE)
            for way.rtt in (BASE, BASE, rtt, rtt, rtt):
                flight(c, way)
            last = way.receiver.next + c.socket.info().cwnd - 1
            way.lose[last] = 1
            flight(c, way)
            tap.equal("transmissions of the last segment", way.sent(last), 2)
            window = c.socket.info().cwnd // divisor
            flight(c, way, 1)
            c.socket.expect("after the next acknowledgment",
                            ca_state=OPEN, total_retrans=1, cwnd=window,
                            ssthresh=window)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
