# SPDX-License-Identifier: GPL-2.0-or-later
"""The environment of most tests of lpd. A bench has a device whose frames the test reads one by one
(slip.py). A tree of qdiscs is attached to the device. The bench also has a port, which sends
packets through the tree, and reads the kernel's counters.

    port --> [ parents --> lpd ] --> slip0 ==wire==> read()"""
import os
import random
import struct
import time

from . import netlink, netns, packet as pkt, port, rules, slip, tap, tc, tree, uapi, wait

LPD_ATTRIBUTES = {name: number for number, (name, _) in tree.OPTIONS.items()}
HONOR, FORWARD = uapi.TC_LPD_STALE_HONOR, uapi.TC_LPD_STALE_FORWARD
DISCARD, TRUNCATE = uapi.TC_LPD_STALE_DISCARD, uapi.TC_LPD_STALE_TRUNCATE
FIFO, EDF = uapi.TC_LPD_ORDER_FIFO, uapi.TC_LPD_ORDER_EDF
TAIL, HEAD = uapi.TC_LPD_OVERFLOW_TAIL, uapi.TC_LPD_OVERFLOW_HEAD
STALEST, LEAST = uapi.TC_LPD_OVERFLOW_STALEST, uapi.TC_LPD_OVERFLOW_LEAST
MS = 10**6
PLUG = 0xffffffff
# A time within which the timer discards an expired packet, in simulated time. The timer pauses for
# at most 100 us. In real time the limit is unknown, so tests wait until the packet is discarded.
GRACE = MS


def seed():
    """Create a random generator, and print its seed. The environment variable FL_SEED=N repeats the
    run with the seed N."""
    value = int(os.environ.get("FL_SEED") or random.SystemRandom().randrange(2**32))
    tap.note(f"FL_SEED={value}")
    return random.Random(value)


def lpd_options(match=None, **values):
    """The attributes of options. `match` is a list of rules, see rules.py."""
    return [netlink.attr(LPD_ATTRIBUTES[name], struct.pack(tree.FORMATS[name], value))
            for name, value in values.items()] + \
        ([] if match is None else [rules.match(*match)])


class Moment:
    """The period in which the block ran, from `first` to `last`, in monotonic ns."""

    def __init__(self):
        self.first = time.monotonic_ns()
        self.last = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.last = time.monotonic_ns()


class Account:
    """The changes of lpd's counters since the last call of mark()."""

    def __init__(self):
        self.marks = {}

    def mark(self):
        """Begin to count changes."""
        qdiscs = self.tree().qdiscs
        self.marks = {q.handle: q.counters for q in qdiscs if q.kind == "lpd"}

    def expect(self, number=0, **wanted):
        """Check how much each counter of an lpd has risen since mark(). Counters that are not in
        `wanted` must not rise. The entry `stale` in `wanted` is the sum of all counters of stale
        packets."""
        lpd = self.tree().lpd(number)
        before = self.marks.get(lpd.handle, dict.fromkeys(tree.COUNTERS, 0))
        risen = {name: lpd.counters[name] - before[name] for name in tree.COUNTERS}
        if "stale" in wanted:
            risen["stale"] = sum(risen.pop(name) for name in tree.STALE)
        tap.equal("counters", {name: value for name, value in risen.items() if value},
                  {name: value for name, value in wanted.items() if value})


class Bench(Account):
    """A namespace with the device slip0. Queued packets stay in the queue until the test reads the
    wire. The device is always created anew. Namespaces are used again after a test has passed,
    because in each of them a tc may wait for commands."""

    # whether the bench changes more of its namespace than its device; a derived class says so
    changes_namespace = False
    # pairs of a namespace and its tc, or None
    _unused = []

    def __init__(self, mtu=1500):
        super().__init__()
        tc.need("lpd")
        fresh = self.changes_namespace or not self._unused
        self.ns, self.waiting = (netns.Netns(), None) if fresh else self._unused.pop()
        try:
            self.slip = slip.Slip(self.ns, "slip0", mtu)
        except BaseException:
            self._leave()
            raise
        self.netlink = netlink.Netlink(self.ns)
        self.port = port.Port(self.ns, "slip0")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.slip.close()
        if kind or self.changes_namespace:
            self._leave()
        else:
            self._unused.append((self.ns, self.waiting))

    def _leave(self):
        if self.waiting:
            self.waiting.close()
        self.ns.close()

    def tc(self, *lines, check=True):
        """Run `tc LINE` for each line. The word DEV in a line becomes "dev slip0". If a line fails
        and `check` is true, the test fails."""
        self.waiting = self.waiting or tc.Waiting(self.ns)
        lines = [line.replace("DEV", "dev slip0") for line in lines]
        if check:
            self.waiting.do(*lines)
        else:
            self.waiting.run(lines)

    def lpd(self, parent=tree.ROOT, handle=0x80010000, **options):
        """Create an lpd over netlink. The method does not use tc, because other tests check the
        plugin of tc. Without the option `share`, lpd has no class, because most tests are about
        lpd's own queue."""
        self.netlink.qdisc("slip0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                           *lpd_options(**{"share": 0} | options), parent=parent, handle=handle)
        self.mark()

    def change(self, parent=tree.ROOT, handle=0x80010000, **options):
        self.netlink.qdisc("slip0", 0, "lpd", *lpd_options(**options),
                           parent=parent, handle=handle)

    def tree(self):
        """Check every sum in the tree, and return the current tree."""
        return tree.checked(self.netlink, "slip0")

    def counters(self, number=0):
        return self.tree().lpd(number).counters

    def expect_queued(self, count, at):
        """Check that the queue holds `count` packets at the time `at` (monotonic ns). In real time
        the queue may contain `count` packets only later. The check waits for the time GRACE,
        because the timer may pause."""
        wait.till(at + GRACE)
        if wait.virtual_time():
            tap.equal("queued", self.tree().root.qlen, count)
        else:
            wait.until(f"{count} are left in the queue", lambda: self.tree().root.qlen == count)

    def plug(self):
        """Occupy the wire with a packet, the plug. All packets that are sent later wait in the
        queue."""
        self.port.send(pkt.ipv4(payload=pkt.body(PLUG, 20)))
        self.mark()

    def send(self, *packets):
        """Send packets. Returns a Moment, the period in which the packets were sent."""
        with Moment() as moment:
            for packet in packets:
                self.port.send(packet)
        return moment

    def release(self, seconds=1):
        """Read one frame from the wire, which releases the next packet from the queue. Returns the
        frame, the period of the release (a Moment), and whether a packet followed."""
        with Moment() as moment:
            frame = self.slip.read()
            follows = self.slip.next_is_there(seconds)
        return frame, moment, follows

    def open(self):
        """Read the wire until the queue and the wire are empty. Returns all packets except
        plugs."""
        frames = self.slip.drain(self.netlink)
        return [frame for frame in frames if pkt.number(frame) != PLUG]

    def numbers(self):
        """The numbers of the packets that open() returns."""
        return [pkt.number(frame) for frame in self.open()]
