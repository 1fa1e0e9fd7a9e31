#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection may change to tcp_iftpv at any time, and a socket may be used for another
connection. tcp_iftpv starts from the present state of the connection and uses no earlier
measurements."""
# run.sh: needs: simulated time
from lib import connection, iftpv, kmod, tap
from lib.iftpv import BASE
from lib.tcp_info import OPEN, RECOVERY


def packets(info):
    """The number of packets in a round trip at the pacing rate."""
    return info.pacing_rate * info.rtt / info.mss / 10**6


def recovery(way, socket):
    """Lose the next segment, and change to iftpv during the recovery. Returns the socket's Info
    before the recovery."""
    way.lose[way.segments[-1].number + 1] = 1
    before, _ = way.until("recovery", lambda info: info.ca_state == RECOVERY)
    kmod.insmod("tcp_iftpv")
    socket.control("iftpv")
    return before


def test_from_reno():
    """A change from Reno to iftpv keeps window and threshold. iftpv then measures the path anew."""
    kmod.insmod("tcp_iftpv")
    with iftpv.Flow("reno") as flow:
        before = flow.socket.info()
        flow.socket.control("iftpv")
        info = flow.socket.expect("changed", cwnd=before.cwnd, ssthresh=before.ssthresh)
        tap.within("packets in a round trip", packets(info), 0.95 * (info.cwnd + 1),
                   1.05 * (info.cwnd + 1))
        tap.equal("number of samples, base",
                  (flow.socket.vegas().enabled, flow.socket.vegas().min_rtt), (0, 0))
        flow.rounds(2)
        tap.within("base, us", flow.socket.vegas().min_rtt, BASE / 1000, BASE / 1000 + 100)
        episode = flow.random()
        tap.equal("threshold", episode.verdict.ssthresh, episode.before.cwnd)


def test_in_a_recovery():
    """If Reno is in recovery at the change, its threshold becomes the window, and the gaps follow
    from this window."""
    with iftpv.Flow("reno") as flow:
        before = recovery(flow.way, flow.socket)
        half, rates = before.cwnd // 2, set()
        _, after = flow.way.until("the end of the recovery", lambda info: info.ca_state == OPEN or
                                  rates.add(packets(info)))
        tap.equal("window and threshold", (after.cwnd, after.ssthresh), (half, half))
        tap.within("packets in a round trip", min(rates), 0.95 * half, 1.05 * half)
        tap.within("packets in a round trip", max(rates), 0.95 * half, 1.05 * half)


def test_in_a_recovery_without_a_threshold():
    """If BBR is in recovery at the change, the gaps follow from BBR's former window, because BBR
    has no threshold."""
    with connection.Connection("bbr", BASE, cwnd=20) as c:
        c.socket.write(5000)
        way = c.path(BASE)
        way.run(3 * BASE)
        before = recovery(way, c.socket)
        tap.within("packets in a round trip", packets(c.socket.info()), 0.95 * before.cwnd,
                   1.05 * before.cwnd)


def test_used_again():
    """After a disconnect, the socket's next connection measures a new base and has no congestion
    loss rates."""
    with iftpv.Flow() as flow:
        flow.random()
        flow.congestion()
        flow.socket.disconnect()
        flow.peer.forget()
        flow.socket.connect()
        flow.peer.accept(3 * BASE)
        tap.equal("number of samples, base",
                  (flow.socket.vegas().enabled, flow.socket.vegas().min_rtt), (0, 0))
        flow.way = flow.path(3 * BASE)
        flow.socket.write(5000)
        flow.rounds(4)
        tap.within("base, us", flow.socket.vegas().min_rtt, 3 * BASE / 1000, 3 * BASE / 1000 + 100)
        for _ in range(2):
            episode = flow.random()
            tap.equal("threshold", episode.verdict.ssthresh, episode.before.cwnd)
            flow.rounds(1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
