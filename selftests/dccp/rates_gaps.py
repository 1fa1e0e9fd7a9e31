#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""IFTP and IFTPV send the n packets of a round trip R at even gaps of R/n, from first bit to first bit,
as the sink's interface shows: in each phase, and after each verdict (ElAarag and Hogg, sections 3 and 4).
R is 100 ms, so all gaps are known beforehand."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import time

from dccp import way, wire
from lib import cell, sniff, tap

MS, S, US = cell.MS, cell.S, cell.US
R = 100 * MS
SLOW_START = [2, 4, 8, 16, 32]
LARGEST = 50
IN_8, IN_41 = 10, 380           # numbers of packets that are sent while the window is 8, and 41
QUEUE = 20 * MS
HEADERS = range(4, 16)          # words that a header of DCCP may have
# Elapsed Time, which is taken out of measured round-trip times, is in units of 10 us.
SLACK = 10 * US


class Gaps(way.Way):
    """The way with a round-trip time of R, and a source that sends as fast as it may."""

    def __init__(self, words):
        super().__init__(back={"delay": R // 2}, delay=R // 2)
        self.sniffer, self.seen = sniff.Sniffer(self.sink, "cell1"), []
        self.got = self.listen()
        self.sent = self.send(f"--size 1000 {words}")

    def gaps(self):
        """The gaps between the packets so far. A gap in which packets were lost is divided."""
        self.seen += wire.data(self.sniffer)
        return [(end - start) / (last - first)
                for (start, first), (end, last) in zip(self.seen, self.seen[1:])]

    def lose(self, first, count=1):
        """Let the router lose packets by their numbers."""
        last = first + count - 1
        rules = (f"@th,{8 * 12},8 {words} @th,{8 * (8 + 4 * words + wire.SEQUENCE)},32 "
                 f"{first}-{last} drop;" for words in HEADERS)
        self.router.run("nft -f -", stdin="table ip lose { chain forward { type filter hook forward "
                        f"priority 0; {' '.join(rules)} }}; }}")

    def lose_soon(self, count):
        """Let the router lose packets of the next round trips, and wait until the source knows. Returns
        the number of gaps before."""
        gaps = self.gaps()
        self.lose(self.seen[-1][1] + LARGEST, count)
        time.sleep(1)
        return len(gaps)

    def late(self, delay):
        """Packets take longer by `delay` from now on, as behind a queue. Wait until the source has
        its smoothed round-trip time again."""
        self.cell.change(delay=R // 2 + delay)
        time.sleep(2)

    def end(self, **verdicts):
        """Wait for the end of the source, which has had these verdicts and no other."""
        sent = way.result(self.sent)
        way.result(self.got)
        tap.equal("verdicts", {name: n for name, n in sent["verdicts"].items() if n}, verdicts)


def windows(gaps, rtt=R):
    """The windows that gaps are of, one after the other, each with its gaps."""
    found = []
    for gap in gaps:
        n = round(rtt / gap)
        if not found or found[-1][0] != n:
            found.append((n, []))
        found[-1][1].append(gap)
    tap.note(f"windows and numbers of gaps: {[(n, len(gaps)) for n, gaps in found]}")
    return found


def even(n, gaps, rtt=R):
    """Check that each gap is R/n."""
    for gap in min(gaps), max(gaps):
        tap.within(f"gap of {n}", gap, rtt / n - SLACK, rtt / n + SLACK)


def grows(found, expected):
    """Check that the source had these windows one after the other, and each for a round trip, which
    begins and ends with an acknowledgment of two packets."""
    tap.equal("windows", [n for n, _ in found], expected)
    for n, gaps in found:
        tap.within(f"gaps of {n}", len(gaps), n - 2, n + 2)
        even(n, gaps)


def stays(n, gaps, before=0):
    """Check that the source had a window for two round trips, and before that for some gaps at
    most."""
    tap.within(f"gaps of {n}", len(gaps), 2 * n - 2, 2 * n + 2 + before)
    even(n, gaps)


def since(found, n):
    """The windows from the first n of a round trip on."""
    while found and (found[0][0] != n or len(found[0][1]) < n):
        found = found[1:]
    tap.true(f"a round trip with a window of {n}", found)
    return found


def test_phases():
    """The window doubles up to 32, grows by one up to 50, and stays there. The gaps stay even."""
    for ccid in "iftp", "iftpv":
        with Gaps(f"--ccid {ccid} --duration 6s") as w:
            w.end()
            *growth, (largest, gaps) = since(windows(w.gaps()), 2)
            grows(growth, SLOW_START + list(range(33, LARGEST)))
            tap.equal("largest window", largest, LARGEST)
            tap.true("3 s with it", len(gaps) > 3 * S // R * LARGEST)
            even(LARGEST, gaps)


def with_loss(ccid, number, **verdicts):
    """Lose a packet. Returns the windows."""
    with Gaps(f"--ccid {ccid} --duration 4s") as w:
        w.lose(number)
        w.end(**verdicts)
        return windows(w.gaps())


def test_halved():
    """IFTP halves its window for a loss, and grows by one packet a round trip from the second one on.
    The loss of a packet of the window 41 is known at 42. Then the source waits for half a round trip,
    until the new window has room."""
    found = with_loss("iftp", IN_41, halve=1)
    grows(found[:13], SLOW_START + list(range(33, 41)))
    (_, halved), *growth = since(found, 21)
    stays(21, halved)
    grows(growth[:15], list(range(22, 37)))
    pause = max(gap for n, gaps in found[13:] for gap in gaps)
    tap.within("pause", pause, R / 2 - R / 21, R / 2 + R / 21)


def test_kept():
    """IFTPV without a queue keeps its window. It does not grow in that round trip, and goes on in its
    phase. The loss of a packet of the window 8 is known at 16."""
    for number, kept, later in (IN_41, 42, range(43, LARGEST)), (IN_8, 16, range(32, LARGEST)):
        found = since(with_loss("iftpv", number, keep=1), kept)
        stays(*found[0], before=kept)
        grows(found[1:1 + len(later)], list(later))


def test_backlog():
    """Behind a queue of 20 ms, of 17 packets B = 17 * 20 / 120 = 2.8 wait, so IFTPV keeps the window.
    Of 19, 3.2 wait, and it becomes 9."""
    for window, verdict in (17, "keep"), (19, "halve"):
        with Gaps(f"--ccid iftpv --window {window} --duration 7s") as w:
            time.sleep(2)
            w.late(QUEUE)
            at = w.lose_soon(1)
            w.end(**{verdict: 1})
            gaps = w.gaps()[at:]
        if verdict == "keep":
            even(window, gaps, R + QUEUE)
        else:
            (_, halved), (_, longer), *_ = since(windows(gaps, R + QUEUE), 9)
            # after the pause, the first gaps make up for a millisecond at most
            tap.within("first gaps", sum(halved[:2]), 2 * (R + QUEUE) / 9 - MS,
                       2 * (R + QUEUE) / 9 + SLACK)
            even(9, halved[2:], R + QUEUE)
            even(10, longer, R + QUEUE)


def third(first, second, **verdicts):
    """Lose packets at random three times with a window of 20, and so many to congestion in between.
    Returns the windows since the last loss."""
    with Gaps("--ccid iftpv --window 20 --duration 17s") as w:
        time.sleep(2)
        for count in first, second:
            w.lose_soon(1)
            w.late(R // 2)
            w.lose_soon(count)
            w.late(0)
        at = w.lose_soon(1)
        w.end(**verdicts)
        return windows(w.gaps()[at:])


def test_eased():
    """If two packets are lost to congestion between two random losses, and then five, IFTPV's window
    becomes 4/5 of it. It stays if five are lost and then two."""
    found = third(2, 5, keep=2, ease=1, halve=2)
    (_, eased), *growth = since(found, 16)
    stays(16, eased)
    grows(growth[:3], [17, 18, 19])
    for n, gaps in third(5, 2, keep=3, halve=2):
        tap.equal("window", n, 20)
        even(20, gaps)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
