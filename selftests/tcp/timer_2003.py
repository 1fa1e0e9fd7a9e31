#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's senders of 2003 have the retransmission timer and the formula of RFC 2988. The timer
takes one sample in a round trip or, in reno_1323 or with time stamps, one sample from each
acknowledgment of new data. Segments that were sent twice give no sample. Each acknowledgment of new
data restarts the timer. Each expiry doubles the timeout until the next sample."""
# run.sh: needs: simulated time
from lib import connection, kunit, tap
from lib.peer import MS, S
from lib.tcp_info import LOSS, OPEN

TICK = 2 * MS               # the timer counts in ms and rounds up
WHEEL = 1 / 8               # how late the kernel's timers may fire, as a fraction of the timeout
# as in the lab: no F-RTO, no loss probes, no RACK
SYSCTLS = {"tcp_frto": 0, "tcp_early_retrans": 0, "tcp_recovery": 0}


class Timer:
    """The timer of RFC 2988, section 2, in ns."""

    def __init__(self, first):
        self.srtt, self.rttvar = first, first / 2

    def sample(self, r):
        self.rttvar = 3 / 4 * self.rttvar + 1 / 4 * abs(self.srtt - r)
        self.srtt = 7 / 8 * self.srtt + 1 / 8 * r

    @property
    def rto(self):
        return max(S, self.srtt + 4 * self.rttvar)


def sender(name="reno_2003", rtt=S, **more):
    return connection.Connection(name, rtt=rtt, cwnd=4, sysctls=SYSCTLS, **more)


def check(what, c, expected):
    tap.within(f"{what}: timeout, ns", c.socket.info().rto * 1000 - expected, -TICK, TICK)


def test_computed():
    """The formula passes the KUnit test of the lab's module."""
    kunit.all_pass("rfc2988_test")


def test_handshake():
    """The SYN gives the first sample, so the first timeout is three round trips, at least 1 s."""
    for name in ("reno_2003", "reno_1323", "eifel_cc"):
        for rtt in (100 * MS, 800 * MS):
            with sender(name, rtt) as c:
                check(f"{name}, {rtt // MS} ms", c, max(S, 3 * rtt))


def test_samples():
    """The sender times the first segment that leaves after the last sample. Acknowledgments of
    segments before the timed segment give no sample."""
    for sack in (False, True):
        timer = Timer(S)
        with sender(sack=sack) as c:
            c.socket.write(100)
            first = c.peer.expect(0, 1, 2, 3)[0].when
            c.peer.ack(1, after=1400 * MS)
            timer.sample(c.peer.now - first)
            check("after the first segment", c, timer.rto)
            timed = c.peer.expect(4, 5)[0].when
            c.peer.ack(3, after=2 * S)
            check("after segments that are not timed", c, timer.rto)
            c.peer.expect(6, 7, 8, 9)
            c.peer.ack(5, after=500 * MS)
            timer.sample(c.peer.now - timed)
            check("after the next segment that was timed", c, timer.rto)


def test_each_sample():
    """With time stamps, and always in reno_1323, each acknowledgment of new data gives a sample.
    The sample comes from the last segment that the acknowledgment covers. Data that only a SACK
    acknowledges gives no sample."""
    for name, timestamps in (("reno_1323", False), ("reno_2003", True), ("eifel_cc", True)):
        timer = Timer(S)
        with sender(name, timestamps=timestamps) as c:
            c.socket.write(100)
            segments = c.peer.expect(0, 1, 2, 3)
            for upto, after in ((1, 1400 * MS), (3, 500 * MS)):
                c.peer.ack(upto, after=after, echo=segments[upto - 1] if timestamps else None)
                timer.sample(c.peer.now - segments[upto - 1].when)
                check(f"{name}, upto {upto}", c, timer.rto)
                segments += c.peer.receive(c.peer.now + MS), c.peer.receive(c.peer.now + MS)
            c.peer.sack((4, 5), after=200 * MS)
            check(f"{name}, SACK", c, timer.rto)


def test_expiry():
    """An acknowledgment of new data restarts the timer. When the timer expires, the timeout
    doubles. After an acknowledgment of retransmitted data, the timeout stays doubled until data
    that was sent once is acknowledged."""
    timer = Timer(S)
    with sender() as c:
        c.socket.write(100)
        first = c.peer.expect(0, 1, 2, 3)[0].when
        c.peer.ack(1, after=S)
        timer.sample(c.peer.now - first)
        started = c.peer.now
        c.peer.expect(4, 5)
        for doubled in (1, 2):
            again = c.peer.expect(1, within=8 * S)[0].when
            tap.within("time of the expiry, ns", again - started, doubled * timer.rto - TICK,
                       doubled * timer.rto * (1 + WHEEL))
            started = again
        c.socket.expect("after two expiries", ca_state=LOSS, cwnd=1)
        c.peer.ack(2, after=S)
        check("retransmitted data is acknowledged", c, 4 * timer.rto)
        c.peer.expect(2, 3)
        c.peer.ack(6, after=S)
        check("all old data is acknowledged", c, 4 * timer.rto)
        new = c.peer.expect(6, 7, 8, 9)[0].when
        c.peer.ack(7, after=S)
        timer.sample(c.peer.now - new)
        check("new data is acknowledged", c, timer.rto)
        c.socket.expect("at the end", ca_state=OPEN)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
