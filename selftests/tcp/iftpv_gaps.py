#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tcp_iftpv sends segments one by one, with the gaps of the paper (ElAarag, Hogg, equations 1 to
3). The gap is R/(2n) in slow start, R/(n+1) in congestion avoidance, and R/n' after a loss. R is
the round-trip time, n the window, and n' the window after a loss. A gap is the time from the start
of one segment to the start of the next segment. On the wire, gaps are right within 5 %."""
# run.sh: needs: simulated time
# run.sh: all on lab-6.1 lab-6.12: super_packets (the rest is arithmetic)
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, iftpv, tap
from lib.iftpv import BASE
from lib.peer import MS, S
from lib.tcp_info import OPEN, RECOVERY

MSS = 1000


def flight(c, way, count):
    """Write `count` segments in one call to a connection with no segment in flight. Returns the
    gaps between the segments without the first gap, because TCP's core shortens the gap after a
    late segment by up to a half."""
    start = len(way.segments)
    c.socket.write(count)
    way.until("a flight", lambda info: len(way.segments) == start + count and not info.unacked)
    return gaps(way.segments[start:])[1:]


def gaps(segments):
    """The gaps between these segments, in ns."""
    times = [segment.when for segment in segments]
    return [after - before for before, after in zip(times, times[1:])]


def spaced(what, seen, rate, gap):
    """Check that these gaps, in ns, and the pacing rate agree with the formula."""
    tap.within(f"{what}: shortest gap", min(seen), 0.95 * gap, 1.05 * gap)
    tap.within(f"{what}: longest gap", max(seen), 0.95 * gap, 1.05 * gap)
    tap.within(f"{what}: rate", rate, 0.95 * MSS * S / gap, 1.05 * MSS * S / gap)


def test_slow_start():
    """In slow start the gaps are R/(2n), for small and large windows n."""
    with connection.Connection("iftpv", cwnd=10) as c:
        way = c.path(BASE)
        # the core does not pace the first ten segments
        flight(c, way, 10)
        for window in (20, 40, 80):
            info = c.socket.expect("slow start", cwnd=window)
            spaced(f"n = {window}", flight(c, way, window), info.pacing_rate, BASE / (2 * window))


def test_congestion_avoidance():
    """In congestion avoidance the gaps are R/(n+1)."""
    for cwnd in (4, 20, 60):
        with connection.Connection("iftpv", cwnd=cwnd, ssthresh=cwnd) as c:
            way = c.path(BASE)
            for number in range(6):
                info = c.socket.info()
                tap.within("window", info.cwnd, cwnd, cwnd + number)
                seen = flight(c, way, info.cwnd)
                if number > 2:
                    spaced(f"n = {info.cwnd}", seen, info.pacing_rate, BASE / (info.cwnd + 1))


def test_super_packets():
    """Segments that are due within the same millisecond leave as one GSO packet. The gaps between
    GSO packets are R/(n+1) for each segment in them."""
    rtt, cwnd = 50 * MS, 200
    with connection.Connection("iftpv", rtt, cwnd=cwnd, ssthresh=cwnd) as c:
        way = c.path(rtt)
        way.spacing = 1_000
        for _ in range(4):
            start, window = len(way.segments), c.socket.info().cwnd
            flight(c, way, window)
        segments = way.segments[start:]
        heads = [0] + [number + 1 for number, gap in enumerate(gaps(segments)) if gap > MS // 10]
        seen = [(segments[b].when - segments[a].when) / (b - a) for a, b in zip(heads, heads[1:])]
        sizes = [b - a for a, b in zip(heads, heads[1:])]
        tap.within("segments in a GSO packet", max(sizes), 3, 4)
        spaced("GSO packets", seen[1:], c.socket.info().pacing_rate, rtt / (window + 1))


def test_no_pairs():
    """If acknowledgments arrive one by one, segments also leave one by one, during slow start and
    afterwards."""
    # if gaps were below half a millisecond, the core would make a GSO packet each millisecond
    for rtt in (100 * MS, 300 * MS):
        with connection.Connection("iftpv", rtt, cwnd=10, ssthresh=100) as c:
            c.socket.write(5000)
            way = c.path(rtt)
            way.run(12 * rtt)
            tap.true("slow start is over", c.socket.info().cwnd > 100)
            # to make up for a delay, the core may shorten a gap by half
            tap.within("shortest gap, ns", min(gaps(way.segments[10:])),
                       rtt / (2 * 100) / 2 * 0.95, rtt)


def test_rate_in_recovery():
    """During recovery, the pacing rate belongs to the window after the recovery. This window is n
    after a random loss and n/2 after congestion."""
    for rtt, divisor in ((BASE, 1), (2 * BASE, 2)):
        with iftpv.Flow() as flow:
            flow.way.rtt = rtt
            flow.rounds(4)
            flow.way.lose[flow.way.segments[-1].number + 1] = 1
            before, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
            tap.equal("threshold", verdict.ssthresh, before.cwnd // divisor)
            rates = {verdict.pacing_rate * verdict.rtt}
            flow.way.until("the end of the recovery", lambda info: info.ca_state == OPEN or
                           rates.add(info.pacing_rate * info.rtt))
            for rate in rates:
                tap.within("n' in the rate", rate / MSS / 10**6, 0.95 * verdict.ssthresh,
                           1.05 * verdict.ssthresh)


def test_burst_in_recovery():
    """If one acknowledgment in recovery allows many segments, the segments leave with gaps of
    R/n'."""
    for rtt, divisor in ((BASE, 1), (2 * BASE, 2)):
        with connection.Connection("iftpv", cwnd=20, ssthresh=20) as c:
            way = c.path(BASE)
            for way.rtt in (BASE, BASE, BASE, rtt, rtt, rtt):
                flight(c, way, c.socket.info().cwnd)
            window, first = c.socket.info().cwnd, way.receiver.next
            c.socket.write(100)
            c.peer.expect(*range(first, first + window))
            c.peer.sack((first + 1, first + window), after=rtt)
            c.socket.expect("recovery", ca_state=RECOVERY, ssthresh=window // divisor)
            # use the socket's own value, because the round-trip times of the acknowledged segments
            # differ
            smoothed = c.socket.vegas().rtt * 1000
            tap.within("smoothed RTT, ns", smoothed, rtt * 0.99, rtt * 1.2)
            left = window // divisor
            # TCP may send as many segments as have arrived, up to the new window. One of these
            # segments is the retransmission.
            count = min(left, window - 1)
            seen = gaps(c.peer.expect(first, *range(first + window, first + window + count - 1)))
            seen.pop(0)
            spaced(f"n' = {left}", seen, c.socket.info().pacing_rate, smoothed / left)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
