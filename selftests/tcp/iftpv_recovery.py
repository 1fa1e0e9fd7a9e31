#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tcp_iftpv repairs a loss as well as TCP's core does for Veno. For the same losses on the same
path, tcp_iftpv needs at most as many retransmissions as Veno. tcp_iftpv also needs at most as many
round trips as Veno, apart from the gaps between segments."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
from lib import iftpv, tap
from lib.iftpv import BASE
from lib.tcp_info import OPEN, RECOVERY

# {segment, counted from the next segment that is sent: how often the segment is lost}
PATTERNS = {
    "one": {0: 1},
    "two": {0: 1, 1: 1},
    "every_other_of_ten": {number: 1 for number in range(0, 10, 2)},
    "a_third_of_the_window": {number: 1 for number in range(0, 39, 3)},
    "half_the_window_at_once": {number: 1 for number in range(20)},
    "the_end_of_the_window": {number: 1 for number in range(35, 40)},
    "one_lost_again": {0: 2},
    "three_lost_again": {0: 2, 5: 2, 10: 2},
    "lost_three_times": {0: 3},
}


def repair(algorithm, pattern, rtt):
    """Lose segments. Returns the number of round trips from the last lost segment to the
    acknowledgment of all lost segments, the number of retransmissions, and the threshold
    afterwards."""
    with iftpv.Flow(algorithm) as flow:
        flow.way.rtt = rtt
        flow.rounds(3)
        following = flow.way.segments[-1].number + 1
        last = following + max(pattern)
        flow.way.lose.update({following + offset: times for offset, times in pattern.items()})
        flow.way.until("the last lost segment", lambda _: flow.way.segments[-1].number == last)
        start = flow.way.segments[-1].when
        _, info = flow.way.until("repair", lambda info: info.bytes_acked > (last + 1) * 1000 and
                                 info.ca_state == OPEN)
        return (flow.peer.now - start) / rtt, info.total_retrans, info.ssthresh


def compare(name, rtt):
    """Check that iftpv repairs these losses as fast as Veno does. Veno sends all permitted
    retransmissions together. iftpv may take longer by the gaps between its retransmissions and
    between the three segments that reveal the loss."""
    pattern = PATTERNS[name]
    rounds, retransmissions, window = repair("iftpv", pattern, rtt)
    veno_rounds, veno_retransmissions, _ = repair("veno", pattern, rtt)
    tap.note(f"{name}, {rtt // 10**6} ms: round trips {rounds:.2f}, veno {veno_rounds:.2f}; "
             f"retransmissions {retransmissions}, veno {veno_retransmissions}")
    tap.within("round trips", rounds, 0, veno_rounds + (retransmissions + 3) / window)
    tap.within("retransmissions", retransmissions, 0, veno_retransmissions)


def proportional(rtt, divisor):
    """Check proportional rate reduction (RFC 6937). During recovery, the ratio of sent segments to
    arriving segments is the ratio of the new window to the old window. At the end of the recovery,
    at most the new window is in flight."""
    with iftpv.Flow() as flow:
        flow.way.rtt = rtt
        flow.rounds(3)
        flow.way.lose[flow.way.segments[-1].number + 1] = 1
        before, _ = flow.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        start, window = len(flow.way.segments), before.cwnd // divisor
        last, _ = flow.way.until("the end of the recovery", lambda info: info.ca_state == OPEN)
        sent = len(flow.way.segments) - start
        # three segments that reveal the loss arrived before the recovery
        tap.within("segments sent in recovery", sent, window - 3, window)
        under_way = last.unacked - last.sacked - last.lost + last.retrans
        tap.within("segments in flight at the end of the recovery", under_way, window - 1, window)


def cases():
    for rtt, what in ((BASE, "random"), (2 * BASE, "congestion")):
        for name in PATTERNS:
            yield f"{what}:{name}", lambda n=name, r=rtt: compare(n, r)
    yield "random:proportional", lambda: proportional(BASE, 1)
    yield "congestion:proportional", lambda: proportional(2 * BASE, 2)


if __name__ == "__main__":
    tap.run(list(cases()))
