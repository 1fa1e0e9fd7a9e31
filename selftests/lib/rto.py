# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection whose segments are all lost, and a link that sends messages about them. Moments are
given as fractions of the pending timeout, from its start."""
import time

from . import connection, icmp, tap, uapi, wait, xlo
from .peer import MS, S

RTT = 900 * MS                  # less than a SYN's timeout
TICK = S // 1000                # of the lab kernels
OFF = {"accept": 0, "one_hop": 0, "keyed": 0, "encoding": 0, "early": 0}      # settings at first
# values of the setting "early": until when a DROP counts as early
BY_RTT, BY_QUARTER = uapi.XRTO_EARLY_RTT, uapi.XRTO_EARLY_QUARTER
SEGMENTS = 4                    # the window
# (N, late): a timer that is set less than N ticks ahead may fire up to `late` ticks late
# (kernel/time/timer.c)
GRANULARITY = ((63, 1), (63 << 3, 8), (63 << 6, 64), (63 << 9, 512), (63 << 12, 4096))


def granularity(ahead):
    """How many ns late a timer may fire if it is set this many ns ahead. This includes one tick
    until it is set."""
    ticks = ahead // TICK
    return (next(late for limit, late in GRANULARITY if ticks < limit) + 2) * TICK


class Flow(connection.Connection):
    """A connection with `accept` encodings and a timeout of 2.7 s. The first segments are sent, and
    only the retransmission timer is pending. early: by default, a DROP is early as in the paper.
    rto: the timeout in ns."""

    def __init__(self, accept=icmp.NATIVE, sysctls=None, cwnd=SEGMENTS, early=BY_QUARTER, **more):
        # no loss probes, and no check after a timeout whether it was spurious (F-RTO)
        super().__init__("reno", RTT, cwnd=cwnd, sysctls={
            "tcp_early_retrans": 0, "tcp_frto": 0} | (sysctls or {}), **more)
        self.client = xlo.Client(self.right, "xlo_rto")
        self.client.set(accept=accept, early=early)
        self.account = xlo.Account(self.client)
        self._send_window()

    def _send_window(self):
        self.socket.write(SEGMENTS)
        self.segments = self.peer.expect(*range(SEGMENTS))
        self.began(self.segments[0].when)

    def another(self):
        """Abort the connection and open another one between the same ports, whose first segments
        are sent."""
        self.socket.abort()
        self.peer.forget()
        self.peer.now = time.monotonic_ns()
        self.socket = self._connect("reno", RTT)
        self._send_window()

    def began(self, when):
        """The timer starts at this moment."""
        self.begin, self.rto = when, self.socket.info().rto * 1000

    def at(self, part):
        """The moment at this part of the timeout, in monotonic ns."""
        return self.begin + int(part * self.rto)

    def say(self, code, part, segment=None, **more):
        """The link sends a message about a segment, by default the first."""
        self.send(icmp.message(code, (segment or self.segments[0]).packet, **more), part)

    def send(self, packet, part):
        wait.till(self.at(part))
        self.peer.port.send(packet)

    def times_out(self, part, told):
        """comes_again(). The timer starts again with the retransmission."""
        segment = self.comes_again(part, told)
        self.began(segment.when)
        return segment

    def comes_again(self, part, told):
        """The first segment is retransmitted at this part of the timeout, and no other segment
        before. It is not early. It is at most as late as a timer may fire that was set at the part
        `told`."""
        due = self.at(part)
        segment = self.peer.receive(self.at(3))
        tap.true("a retransmission comes", segment)
        tap.equal("segment", segment.number, 0)
        tap.within("ms after its time", (segment.when - due) / MS, -TICK / MS,
                   granularity(due - self.at(told)) / MS)
        self.peer.now = segment.when
        return segment
