#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In each kind of recovery, tcp_iftpv sends as many segments for each acknowledgment as Linux's
Reno with proportional rate reduction (RFC 6937). tcp_iftpv never sends all lost segments
together."""
# run.sh: needs: simulated time
from lib import connection, tap
from lib.peer import ECE, MS
from lib.tcp_info import CWR, DISORDER, LOSS, RECOVERY

RTT = 100 * MS
# RACK's timer: a quarter of the shortest round-trip time and 2 ms, rounded up by at most an eighth
REORDERING = RTT // 4 + 4 * MS
STEP = 11 * MS                  # time between acknowledgments, longer than a gap of iftpv


def numbers(c, duration=STEP):
    return [segment.number for segment in c.peer.seen(duration)]


def acknowledged(c, *acks, step=STEP):
    """Send these acknowledgments, each (upto, *blocks). Returns a list with the segments that are
    sent after each acknowledgment."""
    sent = []
    for upto, *blocks in acks:
        c.peer.ack(upto, *blocks)
        sent.append(numbers(c, step))
    return sent


def rack_timer(c):
    """Only the last of ten segments arrives. RACK's timer then marks nine segments as lost."""
    c.socket.write(100)
    c.peer.expect(*range(10))
    c.peer.sack((9, 10), after=RTT)
    limited = numbers(c, MS)
    c.socket.expect("before the timer", ca_state=DISORDER, lost=0)
    entry = numbers(c, REORDERING + 6 * STEP)
    # Reno's threshold is 5. iftpv keeps 10 after a random loss, so iftpv may send more segments
    # later.
    c.socket.expect("after the timer", ca_state=RECOVERY, lost=9, retrans=1)
    return [limited, entry, *acknowledged(c, (1, (9, 10)), (2, (9, 10)), step=3 * STEP)]


def loaded(c, marked=False):
    """Lose the first two segments of the second flight, which has the segments 40 to 80. A queue
    lengthens the round-trip time, so iftpv also classifies the loss as congestion."""
    c.socket.write(200)
    c.peer.expect(*range(40))
    c.peer.ack(40, after=RTT)
    c.peer.expect(*range(40, 81))
    c.peer.sack((42, 43), after=RTT + 40 * MS, flags=ECE * marked)


def arriving(c, first, last):
    """Let these segments arrive one by one. Returns a list with the segments that are sent after
    each arrival."""
    return acknowledged(c, *((40, (42, number + 1)) for number in range(first, last)))


def rack_timer_with_a_queue(c):
    """RACK's timer detects two lost segments. TCP halves the window while the other segments
    arrive."""
    loaded(c)
    sent = [numbers(c, MS), numbers(c, REORDERING)]
    c.socket.expect("after the timer", ca_state=RECOVERY, lost=2, ssthresh=20)
    return sent + arriving(c, 43, 63)


def rack_timer_after_a_mark(c):
    """RACK's timer finds two lost segments while TCP reduces the window because of an ECN mark."""
    loaded(c, marked=True)
    sent = [numbers(c, MS)]
    c.socket.expect("marked", ca_state=CWR, ssthresh=20)
    sent.append(numbers(c, REORDERING))
    c.socket.expect("after the timer", ca_state=RECOVERY, lost=2, ssthresh=20)
    return sent + arriving(c, 43, 63)


def third_segment(c):
    """Two segments are lost. The arrival of the third segment after the lost segments starts
    recovery."""
    loaded(c)
    sent = [numbers(c, MS)]
    sent += acknowledged(c, (40, (42, 44)), (40, (42, 45)))
    c.socket.expect("after the third segment", ca_state=RECOVERY, ssthresh=20)
    return sent + arriving(c, 45, 65)


def timeout(c):
    """All segments are lost. After the timeout, each acknowledgment lets the window grow by one
    segment. F-RTO is off, because a paced sender has no time for the second of F-RTO's two new
    segments."""
    c.socket.write(100)
    c.peer.expect(*range(10))
    sent = [numbers(c, 380 * MS)]
    c.socket.expect("after the timeout", ca_state=LOSS, cwnd=1)
    return sent + acknowledged(c, (1,), (2,), (3,), step=RTT)


def of(script, algorithm, **sysctls):
    cwnd = {} if script in (rack_timer, timeout) else {"cwnd": 40, "ssthresh": 40}
    with connection.Connection(algorithm, sysctls={"tcp_early_retrans": 0} | sysctls, **cwnd,
                               ecn=sysctls.get("tcp_ecn") == 1) as c:
        return script(c)


def compare(script, **sysctls):
    reno = of(script, "reno", **sysctls)
    tap.note(f"reno sends {reno}")
    tap.equal("iftpv", of(script, "iftpv", **sysctls), reno)
    return reno


def test_rack_timer():
    """If RACK's timer detects a random loss, iftpv sends the same segments as Reno."""
    tap.equal("reno", compare(rack_timer), [[10], [0], [1, 2], [3, 4]])


def test_rack_timer_with_a_queue():
    """If RACK's timer detects a congestion loss, iftpv sends the same segments as Reno."""
    tap.equal("reno at first", compare(rack_timer_with_a_queue)[:2], [[81], [40]])


def test_rack_timer_after_a_mark():
    """If RACK's timer detects a loss while a mark reduces the window, iftpv sends the same segments
    as Reno."""
    compare(rack_timer_after_a_mark, tcp_ecn=1)


def test_third_segment():
    """If the third segment after a missing segment starts recovery, iftpv sends the same segments
    as Reno."""
    compare(third_segment)


def test_third_segment_without_rack():
    """If RACK is off, iftpv also sends the same segments as Reno."""
    compare(third_segment, tcp_recovery=0)


def test_timeout():
    """After a timeout, iftpv sends the same segments as Reno."""
    tap.equal("reno", compare(timeout, tcp_frto=0)[0], [0])


def test_late_acknowledgment():
    """If an old acknowledgment reveals twelve lost segments, iftpv starts recovery and sends one of
    them. Linux's Reno sends all twelve segments together."""
    with connection.Connection("iftpv", cwnd=20, ssthresh=20) as c:
        c.socket.write(100)
        c.peer.expect(*range(20))
        c.peer.ack(5, after=RTT)
        tap.equal("new segments", numbers(c, 50 * MS), [20, 21, 22, 23, 24])
        c.peer.ack(4, (17, 20))
        tap.equal("segments that are sent again", numbers(c, RTT), [5])
        c.socket.expect("recovery", ca_state=RECOVERY, lost=12, retrans=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
