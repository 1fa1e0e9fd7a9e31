#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets with random lifetimes and sizes are sent over a link that can carry only two thirds of
them. No packet leaves the queue after its deadline. If `rate` and `delay` are set, no packet
arrives more than 1 ms after its deadline. Without `rate` and `delay` many packets arrive later.
Every packet that arrived at the queue is sent or counted as dropped.

The test itself acts as the link, in simulated time. The test reads a frame from the wire when the
transmission time of the frame has passed. The read releases the next frame from the queue. A packet
capture reports when each frame left the queue.

    port --> [ tbf --> ] lpd --> slip0 ==== 1 Mbyte/s, 20 ms ====> here"""
# run.sh: needs: simulated time
# run.sh: once: very many packets
# run.sh: soak on lab, 14400 s: everything
import array
import fcntl
import struct
import termios
import time

from lib import bench, packet as pkt, parents, sniff, soak, tap, tree, wait

MS = bench.MS
COUNT = soak.amount(3000, 250_000)      # in a soak, eight tests with 250,000 packets each
RATE, DELAY = 10**6, 20 * MS            # byte/s, ns
SIZES = (8, 1400)                       # bytes of payload
LIFETIMES = (1, 700)                    # ms, about the time that a full queue needs to drain
BURST, LOAD = 20, 1.5
ORDERS = {"fifo": bench.FIFO, "edf": bench.EDF}
TREES = {"root": parents.PARENTS["root"],
         "tbf": parents.Parent("tbf", "qdisc add DEV root handle 1: tbf rate 8mbit burst 1600 "
                               "limit 16mb", sibling=False)}
NEVER = 1 << 62


class Wire:
    """The frame that is on the wire. `left` is the time when the frame left the queue, and
    `through` the time when its last byte has been sent."""

    def __init__(self, b):
        self.slip, self.left, self.through = b.slip, None, NEVER
        self.sniffer = sniff.Sniffer(b.ns, "slip0", outgoing=True, header=0)

    def look(self, until):
        """Wait for a frame to leave the queue, at most until the time `until`."""
        if self.left is None and self.slip.next_is_there(max(0, until - time.monotonic_ns()) / 1e9):
            self.left = self.sniffer.drain()[0].when
            size, = struct.unpack("=i", fcntl.ioctl(self.slip.wire, termios.FIONREAD, bytes(4)))
            self.through = self.left + size * 10**9 // RATE

    def take(self):
        """Remove the frame from the wire. Returns the frame, the time when the frame left the
        queue, and the time when the frame arrives at the far end."""
        frame, left = self.slip.read(), self.left
        self.left, self.through = None, NEVER
        return frame, left, time.monotonic_ns() + DELAY


class Run:
    """One run of the test. `deadlines` contains the deadline of each sent packet. `seen` contains
    the number of each packet that arrived, the time when it left the queue and the time when it
    arrived."""

    def __init__(self, b, random):
        self.b, self.random, self.wire = b, random, Wire(b)
        self.deadlines, self.seen = array.array("q"), []

    def send(self):
        """Send an IPv4 or IPv6 packet. One in three packets has an absolute deadline (a time of
        day)."""
        ms, kind = self.random.randrange(*LIFETIMES), self.random.randrange(3)
        body = pkt.body(len(self.deadlines), self.random.randrange(*SIZES))
        if kind == 2:
            moment = time.time_ns() // MS + ms
            self.b.port.send(pkt.ipv4(pkt.xlo4(pkt.NONE + (moment % pkt.DAY_MS or
                                                           pkt.DAY_MS - 1)), body))
            self.deadlines.append(moment * MS - self.wire.sniffer.offset)
            return
        self.b.port.send(pkt.ipv6(pkt.xlo6(ms), body) if kind else pkt.ipv4(pkt.xlo4(ms), body))
        # by now the packet has arrived at the queue
        self.deadlines.append(time.monotonic_ns() + ms * MS)

    def take(self):
        frame, left, arrived = self.wire.take()
        self.seen.append((pkt.number(frame), left, arrived))

    def go(self):
        """Send all packets in bursts, and run the link until the queue and the wire are empty."""
        mean = sum(SIZES) / 2 + 44
        pause, due = int(BURST * mean * 10**9 / RATE / LOAD), time.monotonic_ns()
        while due < NEVER or not self.b.slip.idle(self.b.netlink):
            # the driver fetches the next frame in less than 1 ms
            self.wire.look(min(due, time.monotonic_ns() + MS))
            following = min(due, self.wire.through)
            if following < NEVER and (self.wire.left is not None or following == due):
                wait.till(following)
            if self.wire.through <= time.monotonic_ns():
                self.take()
            elif due <= time.monotonic_ns():
                for _ in range(min(BURST, COUNT - len(self.deadlines))):
                    self.send()
                due = due + pause if len(self.deadlines) < COUNT else NEVER


def late(run):
    """Return how late the latest packet left and how late the latest packet arrived, in ns. The
    third result is the number of packets that arrived late."""
    leaving = max(left - run.deadlines[number] for number, left, _ in run.seen)
    arriving = [arrived - run.deadlines[number] for number, _, arrived in run.seen]
    return leaving, max(arriving), sum(ns > MS for ns in arriving)


def account(run):
    """Check that every packet was sent, or was counted by exactly one cause of drops."""
    counters = run.b.tree().lpd().counters
    tap.equal("packets in", counters["packets_in"], COUNT)
    tap.equal("packets out", counters["packets_out"], len(run.seen))
    tap.equal("different packets that arrived",
              len({number for number, _, _ in run.seen}), len(run.seen))
    lost = sum(counters[cause] for cause in tree.CAUSES)
    tap.equal("packets not sent", COUNT - len(run.seen), lost)
    stale = sum(counters[cause] for cause in tree.STALE)
    tap.equal("stale and overflowing packets", stale + counters["overflow_limit"], lost)
    tap.true("many packets are stale", stale > COUNT / 20)
    carried = len(run.seen) / COUNT
    tap.within("part of all packets that arrived", carried, 0.5, 0.8)


def none_late(place, order, link):
    """Run the traffic and check that no packet is late. If `link` is true, lpd knows the `rate` and
    `delay` of the link."""
    random = bench.seed()
    with bench.Bench() as b:
        TREES[place].build(b, order=order, **{"rate": RATE, "delay": DELAY} if link else {})
        run = Run(b, random)
        run.go()
        leaving, arriving, many = late(run)
        tap.note(f"{COUNT} packets, {len(run.seen)} arrived; at the latest they left "
                 f"{leaving / MS} and arrived {arriving / MS} ms after their deadlines; "
                 f"{many} arrived late")
        tap.true("no packet left after its deadline", leaving <= 0)
        if link:
            tap.equal("packets that arrived more than 1 ms late", many, 0)
        else:
            tap.true("without `rate` and `delay` many packets arrive late", many > COUNT / 100)
        account(run)


if __name__ == "__main__":
    tap.run([(f"{place}:{order}:{'link' if link else 'queue'}",
              lambda place=place, order=order, link=link: none_late(place, ORDERS[order], link))
             for place in TREES for order in ORDERS for link in (False, True)])
