#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each congestion control does what a link's messages say: arqlink and xlo_rto in a router send
them about packets of freshlink's DCCP source, and the source's interface shows what it does then."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import socket
import time

from dccp import linked, undo, way, wire
from lib import sniff, tap, wait

MS, S, RTT = linked.MS, linked.S, linked.RTT
CCIDS = "2", "3", "iftp", "iftpv"
SOURCE = "--size 1000 --rate 1mbit --lifetime 2s"
RTO_MIN = 200 * MS              # a timeout is at least so much longer than a round trip
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
        """Wait for the end. Returns when packets left, since the source was started, and its
        summary."""
        sent = way.result(self.sent)
        way.result(self.got)
        tap.note({name: n for name, n in sent["causes"].items() if n} | sent["counters"])
        return [when - self.begin for when, _ in wire.data(self.wire)], sent


def link_up(ccid):
    """After an outage of 10 s, the first packet leaves within a round trip after the link is back,
    and packets leave as often as before within two."""
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
    even = up + 2 * RTT
    tap.within("packets in the next 2 s", undo.count(times, even, even + 2 * S), 249, 270)


def timeout_passed(ccid, defers):
    """Acknowledgments stop. Returns the time from the last one until the sender sends again."""
    with Link(f"--ccid {ccid} --size 1000 --lifetime 2s", timeout=100 * MS) as w:
        heard = sniff.Sniffer(w.source, "s0")
        w.till(600 * MS)
        if defers:
            # so that each packet arrives with its last attempt
            w.ends[0].change(attempts=1)
        w.router.run("nft -f -", stdin="table ip deaf { chain forward { type filter hook forward "
                     "priority 0; iifname arq0 drop; }; }")
        w.till(2 * S)
        w.sent.kill()
        frames = heard.drain()
        kinds = {frame.packet[9] for frame in frames}
        tap.equal("messages", socket.IPPROTO_ICMP in kinds, defers)
        last = max(frame.when for frame in frames if frame.packet[9] == socket.IPPROTO_UDP)
        return min(when for when, _ in wire.data(w.wire) if when > last + RTT) - last


def defer(ccid):
    """DEFER moves the timeout by a quarter three times. Those that follow move nothing."""
    for defers in False, True:
        due = (RTT + RTO_MIN) * 7 // 4 if defers else RTT + RTO_MIN
        passed = timeout_passed(ccid, defers)
        tap.note(f"{passed / MS} ms")
        tap.within("timeout", passed, due, due + MS // 10)


def drop(ccid):
    """A packet that the link gives up is lost, which is known to be random. IFTPV keeps its window,
    and IFTP halves it."""
    words = f"--ccid {ccid} --duration 4s {SOURCE}"
    with Link(words, flush=0, attempts=2, timeout=30 * MS) as w:
        w.till(3 * S)
        w.cell.change(loss=10**6)
        # for both attempts of one packet
        w.till(3 * S + 38 * MS)
        w.cell.change(loss=0)
        _, sent = w.end()
        tap.equal("DROP", w.ends[0].counters()["drops"], 1)
    causes = sent["causes"]
    tap.equal("given up and missing", (causes["given_up"], causes["missing"]), (1, 0))
    tap.equal("lost", sent["fates"]["lost"], 1)
    if ccid == "3":
        tap.true("a loss event", sent["loss_event_rate"] > 0)
    elif ccid != "2":
        tap.equal("verdicts", {name: n for name, n in sent["verdicts"].items() if n},
                  {"keep" if ccid == "iftpv" else "halve": 1})


if __name__ == "__main__":
    # the gap of CCID 3 shows its nofeedback timer only where no window stops it: see ccid3_test
    tap.run([(f"{test.__name__}:{ccid}", lambda test=test, ccid=ccid: test(ccid))
             for test in (drop, defer, link_up) for ccid in CCIDS if (test, ccid) != (defer, "3")])
