# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench of most tests: a device whose wire the test holds (slip.py), a tree of qdiscs on it, a
port that sends through this tree, and the kernel's own counters.

    port --> [ parents --> lpd ] --> slip0 ==wire==> read()"""
import os
import random
import struct
import time

from . import netlink, netns, packet as pkt, port, slip, tap, tc, tree, uapi, wait

LPD_ATTRIBUTES = {name: number for number, (name, _) in tree.OPTIONS.items()}
HONOR, FORWARD = uapi.TC_LPD_STALE_HONOR, uapi.TC_LPD_STALE_FORWARD
DISCARD, TRUNCATE = uapi.TC_LPD_STALE_DISCARD, uapi.TC_LPD_STALE_TRUNCATE
FIFO, EDF = uapi.TC_LPD_ORDER_FIFO, uapi.TC_LPD_ORDER_EDF
TAIL, HEAD = uapi.TC_LPD_OVERFLOW_TAIL, uapi.TC_LPD_OVERFLOW_HEAD
STALEST = uapi.TC_LPD_OVERFLOW_STALEST
MS = 10**6
PLUG = 0xffffffff
# The time between an expiry and the purge, in simulated time: the timer's own gap of 100 us. In
# real time it is unknown, so tests wait for the purge.
GRACE = MS


def seed():
    """A random generator whose seed is printed. FL_SEED=N in the environment repeats the run with
    the seed N."""
    value = int(os.environ.get("FL_SEED") or random.SystemRandom().randrange(2**32))
    tap.note(f"FL_SEED={value}")
    return random.Random(value)


def lpd_options(**values):
    return [netlink.attr(LPD_ATTRIBUTES[name], struct.pack(tree.FORMATS[name], value))
            for name, value in values.items()]


class Moment:
    """When something happened (monotonic ns): no earlier than `first`, no later than `last`."""

    def __init__(self):
        self.first = time.monotonic_ns()
        self.last = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.last = time.monotonic_ns()


class Account:
    """The changes of the counters of the lpds in tree() since mark()."""

    def __init__(self):
        self.marks = {}

    def mark(self):
        """Count from here on."""
        qdiscs = self.tree().qdiscs
        self.marks = {q.handle: q.counters for q in qdiscs if q.kind == "lpd"}

    def expect(self, number=0, **wanted):
        """Since mark() these counters rose by this much, and no other counter rose. `stale` is the
        sum of all causes of staleness."""
        lpd = self.tree().lpd(number)
        before = self.marks.get(lpd.handle, dict.fromkeys(tree.COUNTERS, 0))
        risen = {name: lpd.counters[name] - before[name] for name in tree.COUNTERS}
        if "stale" in wanted:
            risen["stale"] = sum(risen.pop(name) for name in tree.STALE)
        tap.equal("counters", {name: value for name, value in risen.items() if value},
                  {name: value for name, value in wanted.items() if value})


class Bench(Account):
    """A namespace with slip0. Packets that are queued there stay until the wire is read."""

    def __init__(self, mtu=1500):
        super().__init__()
        tc.need("lpd")
        self.ns = netns.Netns()
        try:
            self.slip = slip.Slip(self.ns, "slip0", mtu)
        except BaseException:
            self.ns.close()
            raise
        self.netlink = netlink.Netlink(self.ns)
        self.port = port.Port(self.ns, "slip0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.slip.close()
        self.ns.close()

    def tc(self, *lines):
        """Run `tc LINE` for each line, with DEV for the device, all in one process."""
        batch = "\n".join(lines).replace("DEV", "dev slip0")
        self.ns.run("tc -batch -", stdin=batch)

    def lpd(self, parent=tree.ROOT, handle=0x80010000, **options):
        """Create an lpd by netlink, without tc, because other tests cover the plugin."""
        self.netlink.qdisc("slip0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                           *lpd_options(**options), parent=parent, handle=handle)
        self.mark()

    def change(self, parent=tree.ROOT, handle=0x80010000, **options):
        self.netlink.qdisc("slip0", 0, "lpd", *lpd_options(**options),
                           parent=parent, handle=handle)

    def tree(self):
        """The qdiscs as they are now, after a check of every sum."""
        return tree.checked(self.netlink, "slip0")

    def counters(self, number=0):
        return self.tree().lpd(number).counters

    def expect_queued(self, count, at):
        """At this moment (monotonic ns), or soon afterwards in real time, the queue holds this many
        packets. The check comes later by GRACE, because the timer may pause."""
        wait.till(at + GRACE)
        if wait.virtual_time():
            tap.equal("queued", self.tree().root.qlen, count)
        else:
            wait.until(f"{count} are left in the queue", lambda: self.tree().root.qlen == count)

    def plug(self):
        """Occupy the wire, so packets sent from now on wait in the queue."""
        self.port.send(pkt.ipv4(payload=pkt.body(PLUG, 20)))
        self.mark()

    def send(self, *packets):
        """Send packets. Returns the moment when they were sent."""
        with Moment() as moment:
            for packet in packets:
                self.port.send(packet)
        return moment

    def release(self, seconds=1):
        """Take one frame off the wire, which releases the next packet from the queue. Returns the
        frame, the moment of the release, and whether there was a next packet."""
        with Moment() as moment:
            frame = self.slip.read()
            follows = self.slip.next_is_there(seconds)
        return frame, moment, follows

    def open(self):
        """Read the wire until nothing is left. Returns the packets except plugs."""
        frames = self.slip.drain(self.netlink)
        return [frame for frame in frames if pkt.number(frame) != PLUG]

    def numbers(self):
        """The numbers of the packets that open() returns."""
        return [pkt.number(frame) for frame in self.open()]
