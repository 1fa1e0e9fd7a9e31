# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP flow on a path with losses. The module also computes the backlog, from which tcp_iftpv
decides the cause of a loss."""
import collections
import contextlib

from . import connection, kmod, tap
from .peer import MS
from .tcp_info import LOSS, OPEN, RECOVERY

BASE = 100 * MS                 # round-trip time without a queue
BETA = 3

Episode = collections.namedtuple("Episode", "before verdict after when")


def backlog(info, base=BASE):
    """B = n (RTTactual - RTTbase) / RTTactual (ElAarag, Hogg, equation 4)."""
    return info.cwnd * (info.rtt - base / 1000) / info.rtt


@contextlib.contextmanager
def parameters(**values):
    """Within the block, the module tcp_iftpv is loaded with the given parameters."""
    if kmod.loaded("tcp_iftpv"):
        tap.equal("rmmod", kmod.rmmod("tcp_iftpv"), 0)
    kmod.insmod("tcp_iftpv", **values)
    try:
        yield
    finally:
        kmod.rmmod("tcp_iftpv")


class Flow(connection.Connection):
    """A flow in congestion avoidance with a window of `cwnd` segments. `data` is the number of
    segments to send."""

    def __init__(self, algorithm="iftpv", cwnd=40, data=20_000, **more):
        super().__init__(algorithm, BASE, cwnd, ssthresh=cwnd, **more)
        self.way = self.path(BASE)
        self.socket.write(data)
        self.rounds(2)

    def rounds(self, count):
        """Run the path for `count` round trips."""
        self.way.run(count * self.way.rtt)

    def lose(self, *offsets):
        """Lose segments. The offset 0 is the next new segment. Returns an Episode: the socket's
        Info before the recovery, at its beginning and at its end, and the time when the recovery
        began."""
        following = 1 + max(segment.number for segment in self.way.segments)
        self.way.lose.update(following + offset for offset in offsets)
        before, verdict = self.way.until("recovery", lambda info: info.ca_state == RECOVERY)
        when = self.peer.now
        _, after = self.way.until("end of recovery", lambda info: info.ca_state == OPEN)
        return Episode(before, verdict, after, when)

    def silence(self):
        """Lose all segments until the retransmission timeout. Returns the socket's Info before and
        after the timeout."""
        following = 1 + max(segment.number for segment in self.way.segments)
        self.way.lose.update(range(following, following + 1000))
        infos = self.way.until("timeout", lambda info: info.ca_state == LOSS)
        self.way.lose.clear()
        return infos

    def random(self, *offsets):
        """Call lose() without a queue on the path."""
        return self.lose(*offsets or (0,))

    def congestion(self, *offsets):
        """Call lose() with a queue on the path. After the call, the queue is empty."""
        self.way.rtt = 2 * BASE
        self.rounds(3)
        episode = self.lose(*offsets or (0,))
        self.way.rtt = BASE
        self.rounds(5)
        return episode
