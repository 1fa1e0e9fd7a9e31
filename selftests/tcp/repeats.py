#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With `lifetime repeats`, only segments that the retransmission timer sends again have a lifetime.
The lifetime is the timeout that starts with the transmission, even after acknowledgments that
changed the timer or its back-off. A scripted peer receives the segments."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, rto, tap
from lib.peer import MS, S
from lib.segments import ACK, FIN
from lib.tcp_info import LOSS, OPEN, RECOVERY

RTT = 100 * MS
# the paper's sender also has no time stamps
PAPER = {"tcp_frto": 0, "tcp_early_retrans": 0}


def repeats(sysctls=None, **more):
    return connection.Connection("reno", sysctls=sysctls, stamped="repeats", **more)


def bare(*parts):
    """Check that these segments carry no option."""
    for segment in (s for part in parts for s in part):
        tap.equal(f"lifetime of segment {segment.number}", segment.lifetime, None)


def timed_out(c, number, timeout):
    """Check that the next segment has this number and this lifetime in ms."""
    [again] = c.peer.expect(number, within=120 * S)
    tap.equal(f"lifetime of segment {number}", again.lifetime, timeout)
    return again


def comes_when_over(c, number, before, timeout):
    """Check that the next segment has this number and this lifetime in ms. The segment must arrive
    as soon as the lifetime of the copy `before` is over."""
    again = timed_out(c, number, timeout)
    over = before.lifetime * MS
    tap.within("time since the copy before, ms",
               (again.when - before.when) / MS, before.lifetime - 1,
               (over + rto.granularity(over)) / MS)
    return again


def timeout_of(c):
    """The timeout that TCP reports, in ms."""
    return c.socket.info().rto // 1000


def test_timeouts():
    """If no segment is acknowledged, the timer sends the first segment again with lifetimes of two,
    four and eight times the timeout. Each copy leaves when the lifetime of the last copy is over.
    After an acknowledgment, no segment carries the option."""
    with repeats(PAPER) as c:
        c.socket.write(12)
        bare(c.peer.expect(*range(10)))
        timeout = timeout_of(c)
        again = timed_out(c, 0, 2 * timeout)
        again = comes_when_over(c, 0, again, 4 * timeout)
        comes_when_over(c, 0, again, 8 * timeout)
        c.peer.ack(10, after=RTT)
        bare(c.peer.expect(10, 11))
        c.peer.ack(12, after=RTT)
        c.socket.write(5)
        bare(c.peer.expect(12, 13, 14))


def test_go_back():
    """After a timeout, acknowledgments make TCP send segments without a lifetime. The
    acknowledgments also restart the timer, and the segments that the timer then sends have a
    lifetime again. The timer's back-off remains, because a segment that was sent twice gives no
    round-trip sample (RFC 6298 section 3)."""
    with repeats(PAPER) as c:
        c.socket.write(10)
        bare(c.peer.expect(*range(10)))
        timeout = timeout_of(c)
        timed_out(c, 0, 2 * timeout)
        c.peer.ack(1, after=RTT)
        bare(c.peer.expect(1, 2))
        c.peer.ack(2, after=RTT)
        bare(c.peer.expect(3, 4))
        c.socket.expect("before the next timeout", ca_state=LOSS, retransmits=0, backoff=1)
        tap.equal("timeout", timeout_of(c), 2 * timeout)
        again = timed_out(c, 2, 4 * timeout)
        comes_when_over(c, 2, again, 8 * timeout)


def test_clocked_by_sack():
    """Shortly before a timeout, TCP sends new segments. If a SACK of one of these segments arrives
    after the timeout, TCP sends the second segment again. This copy carries no option, although
    only a SACK has arrived."""
    with repeats(PAPER, cwnd=20) as c:
        c.socket.write(10)
        bare(c.peer.expect(*range(10)))
        timeout = timeout_of(c)
        c.peer.expect_nothing((timeout - 50) * MS)
        c.socket.write(3)
        bare(c.peer.expect(10, 11, 12))
        timed_out(c, 0, 2 * timeout)
        c.peer.sack((10, 11), after=10 * MS)
        bare(c.peer.expect(1))
        c.socket.expect("still nothing new acknowledged", ca_state=LOSS, retransmits=1)


def test_measured_again():
    """An acknowledgment of data that was sent once ends the back-off. The next back-off begins with
    the newly measured timeout."""
    with repeats(PAPER) as c:
        c.socket.write(20)
        c.peer.expect(*range(10))
        timed_out(c, 0, 2 * timeout_of(c))
        c.peer.ack(10, after=RTT)
        bare(c.peer.expect(*range(10, 15)))
        c.peer.ack(15, after=RTT)
        bare(c.peer.expect(*range(15, 20)))
        c.socket.expect("measured", backoff=0)
        timed_out(c, 15, 2 * timeout_of(c))


def test_fast_retransmit():
    """A fast retransmission carries no option. Either the third segment after a missing segment or
    RACK's timer (RFC 8985) causes the fast retransmission."""
    with repeats(cwnd=20, ssthresh=20) as c:
        c.socket.write(40)
        bare(c.peer.expect(*range(20)))
        c.peer.sack((1, 4), after=RTT)
        c.socket.expect("three segments beyond the hole", ca_state=RECOVERY)
        bare(c.peer.expect(0))
    with repeats() as c:
        c.socket.write(10)
        c.peer.expect(*range(10))
        c.peer.sack((9, 10), after=RTT)
        [again] = c.peer.seen(RTT)
        tap.equal("segment that RACK's timer sends again", again.number, 0)
        bare([again])


def test_probe():
    """A tail loss probe carries no option. The retransmission at the following timeout carries the
    option."""
    with repeats() as c:
        c.socket.write(1)
        bare(c.peer.expect(0))
        bare(c.peer.expect(0))
        c.socket.expect("probe", ca_state=OPEN, retransmits=0)
        timed_out(c, 0, 2 * timeout_of(c))


def test_path_mtu():
    """If a router reports that segments are too large, TCP sends the data again in smaller segments
    without the option."""
    with repeats(PAPER) as c:
        c.socket.write(10)
        [first, *_] = c.peer.expect(*range(10))
        c.peer.too_big(first, 800)
        again = c.peer.next(RTT)
        tap.equal("first byte of the next segment", again.sequence, first.sequence)
        tap.true("the next segment is smaller", 0 < again.payload < first.payload)
        tap.equal("lifetime", again.lifetime, None)


def test_closed_window():
    """Probes of a closed window carry no option, although the timer sends them."""
    with repeats(PAPER) as c:
        c.socket.write(10)
        c.peer.expect(*range(10))
        c.peer.window = 0
        c.peer.ack(1, after=RTT)
        for _ in range(3):
            bare(c.peer.expect(1, within=120 * S))
        c.socket.expect("no retransmissions", retransmits=0)


def test_fin():
    """A FIN that the timer sends again carries the option."""
    with repeats(PAPER) as c:
        timeout = timeout_of(c)
        c.socket.close()
        fins = [c.peer.next(20 * S) for _ in range(3)]
        tap.equal("flags and data", {(fin.flags, fin.payload) for fin in fins}, {(FIN | ACK, 0)})
        tap.equal("lifetimes", [fin.lifetime for fin in fins], [None, 2 * timeout, 4 * timeout])


def test_rto_backs_off_the_same():
    """With `lifetime rto` each segment carries the timeout that is pending when it is sent.
    Segments that the timer sends carry the same lifetimes as with `lifetime repeats`."""
    with connection.Connection("reno", sysctls=PAPER, stamped="rto") as c:
        c.socket.write(10)
        timeout = timeout_of(c)
        for segment in c.peer.expect(*range(10)):
            tap.equal("lifetime at first", segment.lifetime, timeout)
        timed_out(c, 0, 2 * timeout)
        c.peer.ack(1, after=RTT)
        for segment in c.peer.expect(1, 2):
            tap.equal("lifetime of the next segments", segment.lifetime, 2 * timeout)
        again = timed_out(c, 1, 4 * timeout)
        comes_when_over(c, 1, again, 8 * timeout)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
