#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each congestion control does what a link's messages say: arqlink and xlo_rto at a router send them about
packets of freshlink's DCCP source, and the source's interface shows what it does then."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import time

from dccp import linked, undo, way, wire
from lib import sniff, tap, wait

MS, S, RTT = linked.MS, linked.S, linked.RTT
CCIDS = "2", "3", "iftp", "iftpv"
SOURCE = "--size 1000 --rate 1mbit --lifetime 2s"
EVERY = undo.EVERY              # of these packets
BEFORE, OUTAGE = 6 * S, 10 * S


class Link(linked.Linked):
    """The way, with a source whose packets are captured at its interface."""

    def __init__(self, words, **arq):
        super().__init__(**arq)
        self.wire = sniff.Sniffer(self.source, "s0", outgoing=True)
        self.got = self.listen()
        self.begin = time.monotonic_ns()
        self.sent = self.send(words)

    def till(self, time):
        """Wait until so long after the source was started."""
        wait.till(self.begin + time)

    def end(self):
        """Wait for the end. Returns the times at which packets left, since the source was started, and
        its summary."""
        sent = way.result(self.sent)
        way.result(self.got)
        tap.note({name: n for name, n in sent["causes"].items() if n} | sent["counters"])
        return [when - self.begin for when, _ in wire.data(self.wire)], sent


def link_up(ccid):
    """After an outage of 10 s, the first packet leaves within a round trip after the link is back, and
    packets leave as often as before within two."""
    with Link(f"--ccid {ccid} --duration 20s {SOURCE}") as w:
        w.till(BEFORE)
        w.cut()
        w.till(BEFORE + OUTAGE)
        w.cut(0)
        times, sent = w.end()
        tap.equal("LINK-UP", w.ends[0].counters()["link_ups"], 1)
    up = BEFORE + OUTAGE
    tap.within("packets in a second before", undo.count(times, BEFORE - S, BEFORE), 124, 126)
    tap.true("nearly none in the last 5 s", undo.count(times, up - 5 * S, up) < 10)
    tap.equal("LINK-UP that was believed", sent["causes"]["link_up"], 1)
    first = min(time for time in times if time >= up) - up
    tap.note(f"first {first / MS} ms after, back after {undo.back(times, up) / MS} ms")
    tap.within("the first packet", first, 0, RTT)
    tap.within("back", undo.back(times, up), 0, 2 * RTT)
    tap.within("packets in the next 2 s", undo.count(times, up + 2 * RTT, up + 2 * RTT + 2 * S), 249, 270)


if __name__ == "__main__":
    tap.run([(f"link_up:{ccid}", lambda ccid=ccid: link_up(ccid)) for ccid in CCIDS])
