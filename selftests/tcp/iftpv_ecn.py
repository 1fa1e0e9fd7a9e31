#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An ECN mark makes tcp_iftpv halve its window, for any backlog. A mark is not a lost packet, so
the congestion loss rate does not change."""
# run.sh: needs: simulated time
from lib import iftpv, tap
from lib.iftpv import BASE
from lib.tcp_info import CWR, OPEN, RECOVERY


def marked(flow):
    """Mark the next segment. Returns the socket's Info before and after the reduction of the
    window."""
    flow.way.mark.add(flow.way.segments[-1].number + 1)
    before, verdict = flow.way.until("CWR", lambda info: info.ca_state == CWR)
    tap.equal("threshold at the beginning of the reduction", verdict.ssthresh, before.cwnd // 2)
    _, after = flow.way.until("the end of the reduction", lambda info: info.ca_state == OPEN)
    return before, after


def flow_with_ecn(algorithm="iftpv"):
    return iftpv.Flow(algorithm, cwnd=80, sysctls={"tcp_ecn": 1}, ecn=True)


def test_halves():
    """A mark halves the window once, and the next segment carries CWR."""
    with flow_with_ecn() as flow:
        before, after = marked(flow)
        tap.within("backlog", iftpv.backlog(before), 0, 1)
        half = before.cwnd // 2
        tap.equal("window and threshold", (after.cwnd, after.ssthresh), (half, half))
        flow.rounds(2)
        tap.true("the receiver has seen CWR", not flow.way.receiver.marked)
        flow.socket.expect("later", ssthresh=half, total_retrans=0)


def test_is_no_loss():
    """The congestion loss rate does not rise when the number of ECN marks between two random losses
    rises."""
    with flow_with_ecn() as flow:
        flow.random()
        for marks in (0, 1, 2):
            for _ in range(marks):
                flow.rounds(2)
                marked(flow)
            flow.rounds(2)
            episode = flow.random()
            tap.equal(f"threshold after {marks} marks", episode.verdict.ssthresh,
                      episode.before.cwnd)


def episode(flow, lose, mark):
    """Lose and mark segments. `lose` is {segment: number of losses}, and `mark` is a segment. The
    next segment that is sent has number 0. Returns the socket's Info before the recovery or
    reduction, and at its beginning."""
    following = flow.way.segments[-1].number + 1
    flow.way.lose.update({following + offset: times for offset, times in lose.items()})
    flow.way.mark.add(following + mark)
    return flow.way.until("episode", lambda info: info.ca_state in (CWR, RECOVERY))


def thresholds(flow, lose, mark):
    """Lose and mark segments. Returns each threshold until 500 segments later, as a fraction of the
    former window, such as "1/2"."""
    before, info = episode(flow, lose, mark)
    seen, end = [info.ssthresh], info.bytes_acked + 500 * 1000

    def done(info):
        if info.ssthresh != seen[-1]:
            seen.append(info.ssthresh)
        return info.bytes_acked > end

    flow.way.until("some windows later", done)
    flow.socket.expect("some windows later", ca_state=OPEN)
    tap.true("the receiver has seen CWR", not flow.way.receiver.marked)
    parts = {before.cwnd // part: f"1/{part}" for part in (1, 2, 4, 8)}
    return [parts.get(threshold, threshold) for threshold in seen]


def flow_with_queue(queue):
    """A flow on a path where a queue adds `queue` ns to the round-trip time."""
    flow = flow_with_ecn()
    flow.way.rtt = BASE + queue
    flow.rounds(3)
    return flow


def test_in_a_recovery():
    """A loss and a mark in one window of data reduce the window only once (RFC 3168, section
    6.1.2). If the loss did not reduce the window, the mark halves the window. If the loss halved
    the window, the mark does not reduce it again. Linux halves Reno's window a second time, because
    the segment that ends the recovery was sent before CWR."""
    for queue, wanted in ((0, ["1/1", "1/2"]), (BASE, ["1/2"])):
        with flow_with_queue(queue) as flow:
            tap.equal("thresholds", thresholds(flow, {0: 1}, mark=20), wanted)
    with flow_with_ecn("reno") as flow:
        tap.equal("Reno's thresholds", thresholds(flow, {0: 1}, mark=20), ["1/2", "1/4"])


def test_late_in_a_recovery():
    """A segment that was sent after the discovery of the loss belongs to the next window of data. A
    mark on this segment halves the window once, even if the loss has already halved the window."""
    for queue, wanted in ((0, ["1/1", "1/2"]), (BASE, ["1/2", "1/4"])):
        with flow_with_queue(queue) as flow:
            tap.equal("thresholds", thresholds(flow, {0: 2}, mark=100), wanted)


def test_after_a_recovery():
    """A later mark halves the window again, even a mark on the segment that carries CWR for the
    earlier mark."""
    with flow_with_ecn() as flow:
        before, _ = episode(flow, {0: 1}, mark=20)
        flow.way.until("CWR", lambda info: info.ca_state == CWR)
        last = flow.way.segments[-1].number
        flow.way.mark.update(range(last + 1, last + 4))
        flow.way.until("another reduction", lambda info: info.ssthresh == before.cwnd // 4)
    with flow_with_ecn() as flow:
        flow.congestion()
        marked(flow)


def test_before_a_loss():
    """A mark halves the window. A loss in the same window of data does not reduce the window again,
    with or without a queue."""
    for queue in (0, BASE):
        with flow_with_queue(queue) as flow:
            tap.equal("thresholds", thresholds(flow, {5: 1, 30: 1}, mark=0), ["1/2"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
