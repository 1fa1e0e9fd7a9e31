# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP connection whose segments are all lost, and a link that sends messages about the lost
segments. All times are fractions of the pending timeout, from its start."""
import time

from . import connection, icmp, tap, uapi, wait, xlo
from .peer import MS, S

RTT = 900 * MS                  # less than a SYN's timeout
TICK = S // 1000                # ns between two ticks of the lab kernels
OFF = {"accept": 0, "one_hop": 0, "keyed": 0, "encoding": 0, "early": 0}      # initial settings.
# Values of the setting "early", which says until when a DROP is early.
BY_RTT, BY_QUARTER = uapi.XRTO_EARLY_RTT, uapi.XRTO_EARLY_QUARTER
SEGMENTS = 4                    # the window.
# Pairs of (N, late). If a timer is set less than N ticks ahead, it may fire up to `late` ticks late
# (kernel/time/timer.c).
GRANULARITY = ((63, 1), (63 << 3, 8), (63 << 6, 64), (63 << 9, 512), (63 << 12, 4096))


def granularity(ahead):
    """The maximum delay of a timer that is set `ahead` ns ahead, in ns. The result includes one
    tick until the timer is set."""
    ticks = ahead // TICK
    return (next(late for limit, late in GRANULARITY if ticks < limit) + 2) * TICK


class Flow(connection.Connection):
    """A connection with a timeout of 2.7 s, which accepts messages in the encodings `accept`. The
    first segments are sent, and only the retransmission timer is pending. By default, the setting
    `early` is as in the paper. The attribute `rto` is the timeout in ns."""

    def __init__(self, accept=icmp.NATIVE, sysctls=None, cwnd=SEGMENTS, early=BY_QUARTER, **more):
        # Switch off loss probes and F-RTO. (F-RTO checks whether a timeout was spurious.)
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
        """Abort the connection, open another connection between the same ports, and send its first
        segments."""
        self.socket.abort()
        self.peer.forget()
        self.peer.now = time.monotonic_ns()
        self.socket = self._connect("reno", RTT)
        self._send_window()

    def began(self, when):
        """Record that the retransmission timer starts at the time `when`."""
        self.begin, self.rto = when, self.socket.info().rto * 1000

    def at(self, part):
        """The time at the fraction `part` of the timeout, in monotonic ns."""
        return self.begin + int(part * self.rto)

    def say(self, code, part, segment=None, **more):
        """Let the link send a message about a segment (by default the first segment)."""
        self.send(icmp.message(code, (segment or self.segments[0]).packet, **more), part)

    def send(self, packet, part):
        wait.till(self.at(part))
        self.peer.port.send(packet)

    def times_out(self, part, told):
        """Do the same as comes_again(), and record that the timer starts again with the
        retransmission."""
        segment = self.comes_again(part, told)
        self.began(segment.when)
        return segment

    def comes_again(self, part, told):
        """Check that the first segment is retransmitted at the fraction `part` of the timeout. No
        other segment may arrive earlier. The retransmission must not be early. It may be as late as
        a timer that was set at the fraction `told`."""
        due = self.at(part)
        segment = self.peer.receive(self.at(3))
        tap.true("a retransmission comes", segment)
        tap.equal("segment", segment.number, 0)
        tap.within("ms after its time", (segment.when - due) / MS, -TICK / MS,
                   granularity(due - self.at(told)) / MS)
        self.peer.now = segment.when
        return segment
