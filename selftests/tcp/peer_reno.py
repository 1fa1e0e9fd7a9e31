#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The scripted peer and the path of the test library work as described. The test uses Linux's Reno,
because its windows are known in advance. Reno responds correctly and in time to each action of the
peer and the path."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, tap
from lib.peer import MS, S
from lib.tcp_info import CWR, DISORDER, LOSS, OPEN, RECOVERY

RTT = 100 * MS
EXACT = 5_000                   # ns: some ticks of the simulated clock


def reno(**more):
    return connection.Connection("reno", **more)


def at(what, segments, moment):
    """Check that these segments leave at the time `moment`."""
    for segment in segments:
        tap.within(f"{what}: when segment {segment.number} leaves", segment.when - moment, 0, EXACT)


def test_options():
    """The sender uses the options that the peer offers in the handshake."""
    for sack in (False, True):
        for timestamps in (False, True):
            with reno(sack=sack, timestamps=timestamps) as c:
                c.socket.expect("options", options=timestamps + 2 * sack + 4, mss=1000)
    with reno(sysctls={"tcp_ecn": 1}, ecn=True) as c:
        c.socket.expect("options", options=2 + 4 + 8)


def test_slow_start():
    """Ten segments leave together. When an acknowledgment arrives, TCP sends two more segments. The
    round-trip time is the same as in the script."""
    for timestamps in (False, True):
        with reno(timestamps=timestamps) as c:
            c.socket.write(100)
            first = c.peer.expect(*range(10))
            c.peer.expect_nothing(RTT - (c.peer.now - first[0].when))
            c.peer.ack(1, echo=first[0] if timestamps else None)
            at("after the first acknowledgment", c.peer.expect(10, 11), c.peer.now)
            tap.within("RTT, us", c.socket.expect("the first", cwnd=11).rtt, 100_000, 100_002)
            c.peer.ack(2, after=30 * MS, echo=first[1] if timestamps else None)
            at("after the second acknowledgment", c.peer.expect(12, 13), c.peer.now)
            tap.within("RTT, us",
                       c.socket.expect("the second", cwnd=12).rtt, 103_750, 103_752)


def test_congestion_avoidance():
    """The connection begins with the script's window and threshold. After acknowledgments of a
    whole window, the window grows by one segment."""
    with reno(cwnd=20, ssthresh=20) as c:
        c.socket.write(100)
        c.peer.expect(*range(20))
        c.peer.ack(19, after=RTT)
        c.socket.expect("all but one segment acknowledged", cwnd=20)
        c.peer.ack(20)
        c.socket.expect("all segments acknowledged", cwnd=21)


def test_sack():
    """The third segment that arrives after a missing segment starts recovery. TCP immediately sends
    the missing segment again and halves the window."""
    with reno(cwnd=20, ssthresh=20) as c:
        c.socket.write(40)
        c.peer.expect(*range(20))
        c.peer.sack((1, 2), after=RTT)
        c.socket.expect("one segment beyond the hole", ca_state=DISORDER, cwnd=20, sacked=1)
        at("limited transmit", c.peer.expect(20), c.peer.now)
        # if acknowledgments were less than a millisecond apart, TCP would wait for more data, to
        # make a GSO packet
        c.peer.sack((1, 3), after=2 * MS)
        c.peer.expect(21)
        c.peer.sack((1, 4), after=2 * MS)
        c.socket.expect("three segments beyond the hole",
                        ca_state=RECOVERY, ssthresh=10, sacked=3, retrans=1)
        at("fast retransmit", c.peer.expect(0), c.peer.now)
        c.peer.ack(22, after=RTT)
        # the window is half of the old window, plus one segment because a whole window of segments
        # was acknowledged
        c.socket.expect("all segments arrived",
                        ca_state=OPEN, cwnd=11, ssthresh=10, total_retrans=1)


def test_timeout():
    """If no answer arrives, TCP sends the first segment again after the timeout that the socket
    reports. The window is then one segment."""
    with reno(sysctls={"tcp_early_retrans": 0}) as c:
        c.socket.write(100)
        c.peer.expect(*range(10))
        rto = c.socket.info().rto * 1000
        sent = c.peer.now
        [again] = c.peer.expect(0)
        # the kernel rounds its timers up by at most an eighth
        tap.within("timeout, ns", again.when - sent, rto, rto * 1.125)
        c.socket.expect("after the timeout", ca_state=LOSS, cwnd=1, ssthresh=5)
        c.peer.expect_nothing(2 * rto - 10 * MS)


def test_dsack():
    """If DSACK reports that a segment arrived twice, the reduction of the window is undone."""
    with reno(cwnd=20, ssthresh=20) as c:
        c.socket.write(40)
        c.peer.expect(*range(20))
        c.peer.sack((1, 4), after=RTT)
        c.socket.expect("recovery", ca_state=RECOVERY, ssthresh=10)
        c.peer.ack(20, after=10 * MS)
        c.socket.expect("all segments arrived", ca_state=OPEN, cwnd=11, ssthresh=10)
        c.peer.ack(20, (0, 1), after=RTT)
        c.socket.expect("the first segment arrived twice", ca_state=OPEN, cwnd=20, ssthresh=20)


def test_ecn():
    """The echo of a congestion mark halves the window once. The receiver repeats the echo until a
    segment with CWR arrives."""
    with reno(cwnd=20, ssthresh=20, sysctls={"tcp_ecn": 1}, ecn=True) as c:
        c.socket.write(1000)
        way = c.path(RTT)
        way.mark.add(5)
        way.until("CWR", lambda info: info.ca_state == CWR)
        c.socket.expect("marked", ssthresh=10)
        way.run(RTT // 2)
        tap.true("the receiver repeats the echo before it sees CWR", way.receiver.marked)
        way.until("the end of the reduction", lambda info: info.ca_state == OPEN)
        c.socket.expect("reduced", cwnd=10, ssthresh=10, total_retrans=0)
        way.run(RTT)
        tap.true("the receiver has seen CWR", not way.receiver.marked)
        c.socket.expect("later", ssthresh=10)


def test_path():
    """On a path, all segments arrive eventually, even segments that are lost or delayed. The
    measured round-trip time is the round-trip time of the path."""
    for sack, timestamps in ((True, False), (True, True), (False, False)):
        with reno(cwnd=20, ssthresh=20, sack=sack, timestamps=timestamps) as c:
            c.socket.write(500)
            way = c.path(RTT)
            way.run(RTT * 3)
            tap.within("RTT, us", c.socket.info().rtt, 100_000, 100_100)
            way.lose.update({100: 1, 102: 2})
            way.late[150] = 30 * MS
            way.until("acknowledgment of all data", lambda info: info.bytes_acked == 500_001)
            tap.equal("received", way.receiver.next, 500)
            tap.equal("transmissions of the segment that was lost once", way.sent(100), 2)
            tap.equal("transmissions of the segment that was lost twice", way.sent(102), 3)


def test_bottleneck():
    """Segments leave a bottleneck one by one at its rate, and the queue at the bottleneck lengthens
    the round-trip time."""
    with reno(cwnd=20, ssthresh=20) as c:
        c.socket.write(500)
        way = c.path(RTT)
        way.spacing = 10 * MS
        way.run(2 * S)
        # the bottleneck needs 200 ms or more for a window
        info = c.socket.info()
        tap.within("RTT, us", info.rtt, (info.cwnd - 2) * 10_000, (info.cwnd + 1) * 10_000)
        tap.within("segments a second", way.segments[-1].number - way.segments[0].number,
                   2 * 100 - 10, 2 * 100 + 30)


def test_delayed_acknowledgments():
    """A receiver with delayed acknowledgments acknowledges every other segment immediately, and a
    single segment after the delay."""
    with reno() as c:
        way = c.path(RTT)
        way.delay = 40 * MS
        c.socket.write(1)
        way.until("acknowledgment of one segment", lambda info: info.unacked == 0)
        tap.within("RTT after 100 and 140 ms, us", c.socket.info().rtt, 104_999, 105_005)
        before = c.socket.info().segs_in
        c.socket.write(8)
        way.until("acknowledgment of eight segments", lambda info: info.unacked == 0)
        tap.equal("acknowledgments of eight segments", c.socket.info().segs_in - before, 4)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
