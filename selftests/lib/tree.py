# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the tree of qdiscs of a device over netlink. The module does not use tc, so tests can
compare the output of tc with the tree."""
import struct

from . import netlink, rules, tap, uapi, wait

TCA_STATS_BASIC, TCA_STATS_QUEUE, TCA_STATS_APP = 1, 3, 4
ROOT = netlink.TC_H_ROOT

FORMATS = {"limit": "=I", "memory": "=I", "rate": "=Q", "delay": "=Q", "lifetime": "=Q",
           "stale": "=B", "order": "=B", "overflow": "=B", "keep": "=I", "adu": "=B",
           "strip": "=B", "notify": "=B", "exempt": "=B", "share": "=I"}
# indexed by the attributes' numbers; the rules of TCA_LPD_MATCH are in rules.py
OPTIONS = {number: (name, FORMATS[name])
           for name, number in uapi.words("tca_lpd", "TCA_LPD_").items() if name != "match"}
STATISTIC_NUMBER = uapi.words("tca_lpd_stats", "TCA_LPD_STATS_")
STATISTIC = {number: name for name, number in STATISTIC_NUMBER.items()}
STATISTICS = list(STATISTIC_NUMBER)
# values that an lpd reports only if it has had a gate
GATE = [name for name in STATISTICS if name.startswith(("gate", "probe")) or name == "unsegmented"]
# values that an lpd reports only if it asks the device for its rate or delay
LINK = ["link_rate", "link_delay"]
GAUGES = ["queued", "gate", "gate_window", "gate_rate", "gate_delay", "gate_bytes", "gate_acked"]
# the paths of arriving packets with an option and a lifetime, which decide only what a packet costs
PATHS = ["fast", "slow_form", "slow_shared", "slow_order", "slow_config"]
# counters of events
COUNTERS = [name for name in STATISTICS
            if name not in ("remaining", "gate_closed_ns", *LINK, *GAUGES, *PATHS)]
# The causes for which a packet is dropped. The list contains each cause by name, so that the tests
# notice a missing cause.
STALE = ["stale_enqueue", "stale_dequeue", "stale_peek", "stale_purge", "stale_timer"]
CAUSES = [*STALE, "uncuttable", "adu", "overflow_limit", "overflow_memory", "nomem", "reset",
          "probe_overflow", "unsegmented", "class_drops"]
# The qdisc multiq does not count bytes when packets arrive, so drops of its children make its
# backlog negative. The qdisc taprio counts a packet before the child accepts it, even if the child
# then refuses the packet.
NO_BACKLOG, NO_SUMS = ("multiq",), ("taprio",)


class Qdisc:
    """One qdisc: kind, handle, parent, qlen, backlog, drops, packets, options, rules, counters."""

    def __init__(self, message):
        self.ifindex, self.handle, self.parent = struct.unpack_from("=4xiII", message)
        self.options = self.raw_options = self.app = b""
        self.kind, self.qlen, self.backlog, self.drops = "", 0, 0, 0
        for kind, data in netlink.attrs(message[20:]):
            if kind == netlink.TCA_KIND:
                self.kind = data.rstrip(b"\0").decode()
            elif kind == netlink.TCA_OPTIONS:
                self.raw_options = data
            elif kind == netlink.TCA_STATS2:
                self._statistics(data)
        if self.kind == "lpd":
            self.options = {OPTIONS[t][0]: struct.unpack(OPTIONS[t][1], data)[0]
                            for t, data in netlink.attrs(self.raw_options) if t in OPTIONS}
            self.rules = rules.read(dict(netlink.attrs(self.raw_options))[uapi.TCA_LPD_MATCH])
            self.counters = _counters(self.app)

    def _statistics(self, data):
        for kind, value in netlink.attrs(data):
            if kind == TCA_STATS_BASIC:
                self.bytes, self.packets = struct.unpack_from("=QI", value)
            elif kind == TCA_STATS_QUEUE:
                self.qlen, self.backlog, self.drops, self.requeues, self.overlimits = \
                    struct.unpack_from("=5I", value)
            elif kind == TCA_STATS_APP:
                self.app = value

    def __str__(self):
        return f"{self.kind} {self.handle >> 16:x}:"


def _counters(app):
    counters = dict.fromkeys(GATE, 0)
    for kind, data in netlink.attrs(app):
        name = STATISTIC.get(kind)
        if name == "remaining":
            counters[name] = list(struct.unpack(f"={len(data) // 8}Q", data))
        elif name:
            counters[name] = struct.unpack("=Q", data)[0]
    return counters


class Tree:
    """All qdiscs of one device, including default leaves."""

    def __init__(self, socket, device):
        body = struct.pack("=BxxxiIII", 0, 0, 0, 0, 0) + netlink.attr(netlink.TCA_DUMP_INVISIBLE)
        index = socket.ifindex(device)
        every = [Qdisc(message) for message in socket.dump(netlink.RTM_GETQDISC, body)]
        self.qdiscs = [q for q in every if q.ifindex == index]

    @property
    def root(self):
        return next(q for q in self.qdiscs if q.parent == ROOT)

    def by_handle(self, handle):
        return next(q for q in self.qdiscs if q.handle == handle)

    def lpd(self, number=0):
        """The lpd with the given number, in the order of the handles."""
        lpds = [q for q in self.qdiscs if q.kind == "lpd"]
        return sorted(lpds, key=lambda q: q.handle)[number]

    def below(self, parent):
        """The children of a qdisc."""
        return [q for q in self.qdiscs
                if q.parent != ROOT and q.parent >> 16 == parent.handle >> 16]

    def check(self):
        """Check that the counters of every lpd are consistent. Check that every parent counts
        exactly the packets that its children hold."""
        self.check_accounts()
        self.check_sums()
        return self

    def check_accounts(self):
        """Check the counters of each lpd, which are always consistent because lpd reads them under
        its lock."""
        for q in self.qdiscs:
            if q.kind == "lpd":
                check_account(q)

    def check_sums(self):
        """Check that the sums of each parent agree with the sums of its children. Check that each
        lpd's counters agree with the general counters of the qdisc. The kernel does not read all
        numbers at the same time."""
        for parent in self.qdiscs:
            children = self.below(parent)
            if children and parent.kind not in (*NO_SUMS, "lpd"):
                tap.equal(f"qlen of {parent}, compared with its children's", parent.qlen,
                          sum(q.qlen for q in children))
                if parent.kind not in NO_BACKLOG:
                    tap.equal(f"backlog of {parent}, compared with its children's", parent.backlog,
                              sum(q.backlog for q in children))
        for q in self.qdiscs:
            if q.kind == "lpd":
                tap.equal(f"{q}: queued, compared with qlen", q.counters["queued"], q.qlen)
                self._check_class(q)
                tap.equal(f"{q}: drops, compared with the causes", q.drops,
                          sum(q.counters[cause] for cause in CAUSES) - q.counters["reset"])


    def _check_class(self, lpd):
        """Check that an lpd counts the packets of its class in addition to its own packets."""
        held = self.below(lpd)
        own = lpd.qlen - sum(q.qlen for q in held)
        rest = lpd.backlog - sum(q.backlog for q in held)
        tap.true(f"{lpd}: own packets and bytes: {own}, {rest}",
                 own >= 0 and (own > 0) == (rest > 0))


def checked(socket, device, tries=100):
    """Check the tree of a device, and return it. The kernel reports the qdiscs one after the other,
    at different times. In real time wrong sums are an error only if all `tries` checks find wrong
    sums. Inconsistent counters of an lpd are always an error."""
    while True:
        found = Tree(socket, device)
        found.check_accounts()
        try:
            found.check_sums()
            return found
        except tap.Failed:
            tries -= 1
            if wait.virtual_time() or not tries:
                raise


def check_account(lpd):
    """Check that packets_in is the sum of packets_out, the drops for all causes, and the queued
    packets. Check that no packet with a path is counted as a packet without a lifetime, too."""
    counters = lpd.counters
    tap.equal(f"{lpd}: packets_in, compared with out + causes + queued", counters["packets_in"],
              counters["packets_out"] + sum(counters[c] for c in CAUSES) + counters["queued"])
    others = ("no_lifetime", "default_lifetime", "matched")
    offered = sum(counters[name] for name in (*PATHS, *others))
    tap.true(f"{lpd}: {offered} packets with and without a lifetime of {counters['packets_in']}",
             offered <= counters["packets_in"])
