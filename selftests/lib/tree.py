# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree of qdiscs of a device as the kernel reports it over netlink. It is read without tc, so
the output of tc can be compared with it."""
import struct

from . import netlink, tap, uapi, wait

TCA_STATS_BASIC, TCA_STATS_QUEUE, TCA_STATS_APP = 1, 3, 4
ROOT = netlink.TC_H_ROOT

FORMATS = {"limit": "=I", "memory": "=I", "rate": "=Q", "delay": "=Q", "lifetime": "=Q",
           "stale": "=B", "order": "=B", "overflow": "=B", "keep": "=I", "adu": "=B",
           "strip": "=B", "notify": "=B", "exempt": "=B"}
# by the attributes' numbers
OPTIONS = {number: (name, FORMATS[name])
           for name, number in uapi.words("tca_lpd", "TCA_LPD_").items()}
STATISTIC_NUMBER = uapi.words("tca_lpd_stats", "TCA_LPD_STATS_")
STATISTIC = {number: name for name, number in STATISTIC_NUMBER.items()}
STATISTICS = list(STATISTIC_NUMBER)
COUNTERS = [name for name in STATISTICS if name not in ("remaining", "queued")]
# Why a packet that came in did not leave. The causes are listed by name, because the account is
# under test.
STALE = ["stale_enqueue", "stale_dequeue", "stale_peek", "stale_purge", "stale_timer"]
CAUSES = [*STALE, "uncuttable", "adu", "overflow_limit", "overflow_memory", "nomem", "reset"]
# multiq does not count bytes when packets arrive, so drops of its children make its backlog
# negative. taprio counts a packet before its child accepts it, and keeps it counted if the child
# refuses it.
NO_BACKLOG, NO_SUMS = ("multiq",), ("taprio",)


class Qdisc:
    """One qdisc: kind, handle, parent, qlen, backlog, drops, packets, options, counters."""

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
    counters = {}
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
        """The number-th lpd of the device, by handle."""
        lpds = [q for q in self.qdiscs if q.kind == "lpd"]
        return sorted(lpds, key=lambda q: q.handle)[number]

    def below(self, parent):
        """The children of a qdisc."""
        return [q for q in self.qdiscs
                if q.parent != ROOT and q.parent >> 16 == parent.handle >> 16]

    def check(self):
        """Every lpd's account is consistent, and every parent holds exactly what its children
        hold."""
        self.check_accounts()
        self.check_sums()
        return self

    def check_accounts(self):
        """Each lpd reads its counters under its lock, so they are consistent at any moment."""
        for q in self.qdiscs:
            if q.kind == "lpd":
                check_account(q)

    def check_sums(self):
        """Check that numbers agree which the kernel reads at different moments: those of a parent
        and its children, and those of an lpd and of the kernel's general counters for this
        qdisc."""
        for parent in self.qdiscs:
            children = self.below(parent)
            if children and parent.kind not in NO_SUMS:
                tap.equal(f"qlen of {parent}, compared with its children's", parent.qlen,
                          sum(q.qlen for q in children))
                if parent.kind not in NO_BACKLOG:
                    tap.equal(f"backlog of {parent}, compared with its children's", parent.backlog,
                              sum(q.backlog for q in children))
        for q in self.qdiscs:
            if q.kind == "lpd":
                tap.equal(f"{q}: queued, compared with qlen", q.counters["queued"], q.qlen)
                tap.equal(f"{q}: drops, compared with the causes", q.drops,
                          sum(q.counters[cause] for cause in CAUSES) - q.counters["reset"])


def checked(socket, device, tries=100):
    """The tree of a device after a check. The kernel reports one qdisc after the other, each at its
    own moment. If time passes in between, sums that do not match count only if they never match. An
    inconsistent account counts at once."""
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
    """packets in = packets out + all causes + queued packets."""
    counters = lpd.counters
    tap.equal(f"{lpd}: packets_in, compared with out + causes + queued", counters["packets_in"],
              counters["packets_out"] + sum(counters[c] for c in CAUSES) + counters["queued"])
