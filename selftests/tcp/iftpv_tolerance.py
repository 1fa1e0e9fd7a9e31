#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Most parts of tcp_iftpv's parameter loss_tolerance take effect only if there is evidence that
losses are random. The part STRICT takes effect only without this evidence."""
# run.sh: needs: simulated time
# run.sh: all on lab-6.1 lab-6.12: floor start gaps mark (the rest is arithmetic)
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import connection, iftpv, tap
from lib.iftpv import BASE, parameters
from lib.tcp_info import CWR, INFINITE, LOSS, OPEN, RECOVERY

FLOOR, BETA, GROWTH, START, GAPS, COUNT, STRICT = (1 << bit for bit in range(7))
ALL = 127
QUEUE = BASE // 4               # a fifth of the longer round trip, and a fifth of the window


def tolerating(parts):
    return parameters(loss_tolerance=parts)


def queue_loss(flow, *offsets):
    """Lose a segment while a fifth of the window waits in a queue. The queue is empty
    afterwards."""
    flow.way.rtt = BASE + QUEUE
    flow.rounds(3)
    episode = flow.lose(*offsets or (0,))
    flow.way.rtt = BASE
    flow.rounds(3)
    return episode


def test_floor():
    """With the part FLOOR, a congestion loss after a random loss leaves n - B, the window minus the
    backlog. Without the part FLOOR or without the random loss, a congestion loss leaves half of the
    window."""
    for parts, randoms, floored in ((FLOOR, 1, True), (FLOOR, 0, False), (ALL - FLOOR, 1, False)):
        with tolerating(parts), iftpv.Flow() as flow:
            for _ in range(randoms):
                flow.random()
            episode = queue_loss(flow)
            n, waiting = episode.before.cwnd, iftpv.backlog(episode.before)
            tap.within("backlog", waiting, 7, n / 4)
            wanted = (n - waiting - 1.2, n - waiting + 0.2) if floored else (n // 2, n // 2)
            tap.within(f"parts {parts}, {randoms} random losses: threshold",
                       episode.verdict.ssthresh, *wanted)
            tap.equal("window", episode.after.cwnd, episode.verdict.ssthresh)


def test_evidence_ends():
    """Congestion losses are evidence against random losses. After several congestion losses, a loss
    halves the window again."""
    with tolerating(FLOOR), iftpv.Flow(cwnd=60) as flow:
        flow.random()
        parts = []
        for _ in range(4):
            flow.rounds(8)
            episode = queue_loss(flow)
            parts.append(episode.after.cwnd / episode.before.cwnd)
        tap.within("part of the window left at first", parts[0], 0.75, 0.85)
        tap.within("part of the window left in the end", parts[-1], 0.45, 0.5)


def test_beta():
    """With the part BETA and a window of 100 packets, a backlog of eight packets is not congestion.
    A backlog of sixteen packets is congestion."""
    for parts, target, divisor in ((BETA, 8, 1), (ALL - BETA - FLOOR, 8, 2), (BETA, 16, 2)):
        with tolerating(parts), iftpv.Flow(cwnd=100) as flow:
            window = flow.socket.info().cwnd + 3
            flow.way.rtt = round(BASE * window / (window - target))
            flow.rounds(3)
            episode = flow.lose(0)
            tap.within("backlog", iftpv.backlog(episode.before), target - 2, target + 2)
            tap.equal(f"parts {parts}, backlog {target}: threshold", episode.verdict.ssthresh,
                      episode.before.cwnd // divisor)


def test_growth():
    """With the part GROWTH, the window grows by one packet in each round trip of the recovery from
    a random loss. The recovery takes five round trips, because the segment is lost five times."""
    for parts, least, most in ((GROWTH, 4, 7), (GROWTH | GAPS, 4, 7), (ALL - GROWTH, 0, 0)):
        with tolerating(parts), iftpv.Flow() as flow:
            flow.way.lose[flow.way.segments[-1].number + 1] = 5
            before, _ = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
            start = flow.peer.now
            _, after = flow.way.until("the end of the recovery", lambda info: info.ca_state == OPEN)
            tap.within("round trips", (flow.peer.now - start) / BASE, 5, 6.5)
            tap.within(f"parts {parts}: growth", after.cwnd - before.cwnd, least, most)


def slow_start(parts):
    """Lose a segment in slow start. Returns the socket's Info at the beginning and at the end of
    the recovery."""
    with tolerating(parts), connection.Connection("iftpv", BASE, cwnd=10) as c:
        way = c.path(BASE)
        c.socket.write(20_000)
        way.lose[way.receiver.next + 30] = 1
        _, verdict = way.until("recovery", lambda info: info.ca_state == RECOVERY)
        _, after = way.until("the end of the recovery", lambda info: info.ca_state == OPEN)
        if parts & START:
            way.run(2 * BASE)
            later = c.socket.info().cwnd
            tap.within("growth in two round trips", later / after.cwnd, 2, 4.2)
            way.rtt = 2 * BASE
            _, info = way.until("a queue ends slow start", lambda info: info.ssthresh < INFINITE)
            tap.equal("threshold", info.ssthresh, info.cwnd)
            tap.within("backlog", iftpv.backlog(info), 3, info.cwnd)
        return verdict, after


def test_start():
    """With the part START, a random loss does not end slow start, but a queue ends it. The part
    GROWTH does not change this result. Without the part START, the loss ends slow start."""
    for parts in (START, START | GROWTH, ALL):
        verdict, after = slow_start(parts)
        tap.equal(f"parts {parts}: threshold", after.ssthresh, INFINITE)
        tap.true("with GROWTH the window grows in the recovery",
                 after.cwnd > verdict.ssthresh or parts == START)
    verdict, after = slow_start(ALL - START - GROWTH)
    tap.equal("threshold without the part START", after.ssthresh, verdict.ssthresh)


def test_gaps():
    """Half of the window is lost. With the part GAPS, TCP sends a whole window of segments in the
    next round trip, with a gap between every two segments. With proportional rate reduction, TCP
    sends fewer segments."""
    sent = {}
    for parts in (GAPS, ALL - GAPS - GROWTH):
        with tolerating(parts), iftpv.Flow() as flow:
            following = flow.way.segments[-1].number + 1
            flow.way.lose.update({following + number: 1 for number in range(20)})
            _, verdict = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
            start = len(flow.way.segments)
            flow.rounds(1)
            times = [segment.when for segment in flow.way.segments[start:]]
            sent[parts] = len(times) / verdict.ssthresh
            shortest = min(b - a for a, b in zip(times, times[1:]))
            if parts == GAPS:
                gap = BASE / verdict.ssthresh
                # the first segment is late, so the second segment may follow half a gap earlier
                tap.within("shortest gap", shortest, 0.45 * gap, 1.05 * gap)
    tap.within("sent in a round trip, as a part of the window", sent[GAPS], 0.9, 1.1)
    tap.within("the same with rate reduction", sent[ALL - GAPS - GROWTH], 0, 0.8)


def test_count():
    """With the part COUNT, losses that leave n - B do not increase the congestion loss rate."""
    for parts, eased in ((FLOOR | COUNT, False), (FLOOR, True)):
        with tolerating(parts), iftpv.Flow(cwnd=80) as flow:
            flow.random()
            for lost in (1, 3):
                flow.rounds(1)
                episode = queue_loss(flow, *range(lost))
                tap.true("the window is not halved", episode.after.cwnd > episode.before.cwnd * 0.7)
                flow.rounds(1)
                episode = flow.random()
            tap.equal(f"parts {parts}: threshold", episode.verdict.ssthresh,
                      episode.before.cwnd * 4 // 5 if eased else episode.before.cwnd)


def test_strict():
    """A full queue may contain fewer than beta packets. With the part STRICT and without evidence
    of random losses, a loss at such a queue halves the window. In all other cases, the loss keeps
    the window."""
    for parts, randoms, divisor in ((STRICT, 0, 2), (ALL, 0, 2), (STRICT, 1, 1), (ALL - STRICT, 0, 1)):
        with tolerating(parts), iftpv.Flow(cwnd=10) as flow:
            for _ in range(randoms):
                flow.random()
            flow.way.rtt = round(BASE * 1.2)
            flow.rounds(4)
            episode = flow.lose(0)
            tap.within("backlog", iftpv.backlog(episode.before), 1.2, iftpv.BETA - 0.2)
            tap.equal(f"parts {parts}, {randoms} random losses: threshold",
                      episode.verdict.ssthresh, episode.before.cwnd // divisor)


def test_mark_alone():
    """A congestion mark halves the window even if a loss would leave n - B."""
    with tolerating(ALL), iftpv.Flow(cwnd=80, sysctls={"tcp_ecn": 1}, ecn=True) as flow:
        flow.random()
        flow.way.rtt = BASE + QUEUE
        flow.rounds(3)
        flow.way.mark.add(flow.way.segments[-1].number + 1)
        before, marked = flow.way.until("CWR", lambda info: info.ca_state == CWR)
        tap.equal("threshold", marked.ssthresh, before.cwnd // 2)


def test_mark():
    """A congestion mark halves a window that a loss has kept or has reduced to n - B."""
    for parts, queue in ((ALL, 0), (ALL, QUEUE), (FLOOR, QUEUE)):
        with tolerating(parts), iftpv.Flow(cwnd=80, sysctls={"tcp_ecn": 1}, ecn=True) as flow:
            flow.random()
            flow.way.rtt = BASE + queue
            flow.rounds(3)
            following = flow.way.segments[-1].number + 1
            flow.way.lose[following] = 1
            flow.way.mark.add(following + 20)
            before, _ = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
            _, marked = flow.way.until("mark", lambda info: info.ssthresh < before.cwnd * 0.6)
            tap.within("threshold", marked.ssthresh, before.cwnd // 2, before.cwnd // 2 + 1)
            _, after = flow.way.until("the end of the recovery", lambda info: info.ca_state == OPEN)
            tap.equal("window", after.cwnd, marked.ssthresh)


def test_timeout():
    """A loss keeps the window or reduces the window to n - B. A timeout during the recovery from
    this loss sets the threshold to half of the window before the loss. Slow start begins with one
    packet."""
    for parts, queue in ((ALL, 0), (ALL, QUEUE), (FLOOR, QUEUE)):
        with tolerating(parts), iftpv.Flow() as flow:
            flow.random()
            flow.way.rtt = BASE + queue
            flow.rounds(3)
            following = flow.way.segments[-1].number + 1
            flow.way.lose.update({following + offset: 99 for offset in (0, *range(11, 400))})
            before, _ = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
            _, info = flow.way.until("timeout", lambda info: info.ca_state == LOSS)
            tap.within("threshold", info.ssthresh, before.cwnd // 2, before.cwnd // 2 + 1)
            tap.equal("window", info.cwnd, 1)


def test_growth_and_pace():
    """In a recovery, the window may grow beyond its size before the loss. The gap is then R/(n+1)
    for the present window n."""
    with tolerating(GROWTH | GAPS), iftpv.Flow(cwnd=10) as flow:
        flow.way.lose[flow.way.segments[-1].number + 1] = 6
        before, _ = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        _, info = flow.way.until("growth", lambda info: info.cwnd == before.cwnd + 4)
        tap.equal("state", info.ca_state, RECOVERY)
        rate = info.mss * 10**6 * (info.cwnd + 1) / (BASE / 1000)
        tap.within("rate", info.pacing_rate, 0.97 * rate, 1.03 * rate)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
