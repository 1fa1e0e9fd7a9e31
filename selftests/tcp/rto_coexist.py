#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's other timers work in the same way as without messages to xlo_rto, and so does Linux's
response to unreachable messages from routers. The packet filter decides which hosts may send
messages."""
# run.sh: needs: simulated time
import contextlib
import socket

from lib import icmp, packet as pkt, rto, tap, wait
from lib.icmp import BOTH, DEFER, DROP
from lib.peer import MS

UNREACHABLE_HOST = 1
LINK = "192.0.2.99"             # the filter accepts messages from this address only


def unreachable(packet):
    """The message of a router that has lost its route (RFC 792)."""
    return icmp.ipv4(pkt.SOURCE4, packet[12:16], icmp.icmp(
        icmp.UNREACHABLE4, UNREACHABLE_HOST, packet[:28]))


def test_unreachable():
    """An unreachable message reverts a back-off (RFC 6069). The timer then fires when the shorter
    timeout since the last transmission is over. xlo_rto does not count the unreachable message."""
    with rto.Flow(accept=BOTH) as flow:
        first = flow.rto
        segment = flow.times_out(1, 0)
        tap.equal("timeout in ns", flow.rto, 2 * first)
        flow.send(unreachable(segment.packet), 0.3)
        flow.comes_again(0.5, 0.3)
        flow.account.expect()


def test_unreachable_after_a_message():
    """An unreachable message also reverts a back-off after a DROP has shortened the timeout. In the
    next timeout, fractions refer to TCP's own timeout again."""
    with rto.Flow(accept=BOTH) as flow:
        first = flow.rto
        segment = flow.times_out(1, 0)
        flow.say(DROP, 0.3, segment)
        flow.send(unreachable(segment.packet), 0.32)
        # fractions refer to this timeout from now on
        flow.rto = first
        flow.say(DROP, 0.9, segment)
        flow.comes_again(0.9, 0.9)
        flow.account.expect(received=2, shortened=1, at_once=1)


def test_more_data():
    """If the program sends more data, TCP sets the timer of a loss probe. No message moves this
    timer. When the timer fires, TCP sends the first segment again instead of a second probe,
    because TCP sends only one probe at a time."""
    with rto.Flow(sysctls={"tcp_early_retrans": 3}, cwnd=rto.SEGMENTS + 2) as flow:
        probe = flow.peer.receive(flow.at(1))
        flow.began(probe.when)
        flow.say(DROP, 0.5, probe)
        wait.till(flow.at(0.6))
        flow.socket.write(1)
        more = flow.peer.receive(flow.at(0.65))
        tap.equal("segment", more.number, rto.SEGMENTS)
        flow.say(DROP, 0.7, more)
        segment = flow.peer.receive(flow.at(2))
        tap.equal("segment that is sent again", segment.number, 0)
        tap.within("ms after two round-trip times", (segment.when - more.when - 2 * rto.RTT) / MS, 0,
                   rto.granularity(2 * rto.RTT) / MS + 10)
        flow.account.expect(received=2, shortened=1, other_timer=1)


def test_reordering_timer():
    """No message moves RACK's timer (RFC 8985), which waits for segments that may only be
    reordered."""
    with rto.Flow() as flow:
        flow.peer.now = flow.at(0.35)
        flow.peer.sack((rto.SEGMENTS - 1, rto.SEGMENTS))
        answered = flow.peer.now
        flow.say(DROP, 0.37)
        segment = flow.peer.receive(answered + rto.RTT)
        tap.equal("segment that is sent again", segment.number, 0)
        # a quarter of the shortest round-trip time, and two ticks
        tap.within("ms after the acknowledgment", (segment.when - answered) / MS,
                   rto.RTT / 4 / MS, (rto.RTT / 4 + rto.granularity(rto.RTT // 4)) / MS + 4)
        flow.account.expect(received=1, other_timer=1)


def test_window_probe():
    """While the peer's window is closed, no segment is in flight that a message could quote. TCP
    sends the window probe at its normal time."""
    with rto.Flow() as flow:
        flow.peer.window = 0
        flow.peer.now = flow.at(0.35)
        flow.socket.write(1)
        flow.peer.ack(rto.SEGMENTS)
        flow.began(flow.peer.now)
        flow.say(DROP, 0.8, flow.segments[-1])
        probe, = wait.until("a probe", flow.peer.sniffer.drain)
        tap.within("ms after the expected time", (probe.when - flow.at(1)) / MS, -rto.TICK / MS,
                   rto.granularity(flow.rto) / MS)
        flow.account.expect(received=1, sequence=1)


def test_filter():
    """The packet filter drops messages that were not sent by the link. xlo_rto does not count the
    dropped messages, and these messages do not use up the limit of xlo_rto."""
    with rto.Flow() as flow:
        flow.right.run("nft -f -", stdin=f"""table inet links {{ chain in {{
            type filter hook input priority 0;
            icmp type {icmp.TYPE4} ip saddr != {LINK} drop; }}; }}""")
        flow.say(DROP, 0.8)
        flow.say(DROP, 0.85, source=LINK)
        flow.times_out(0.85, 0.85)
        flow.account.expect(received=1, at_once=1)


def test_mapped():
    """An IPv6 socket that is connected over IPv4 accepts messages like an IPv4 socket."""
    with rto.Flow(accept=BOTH, mapped=True) as flow:
        flow.say(DROP, 0.5)
        flow.say(DEFER, 0.7, encoding=icmp.EXTENSION)
        flow.times_out(1.25, 0.7)
        flow.account.expect(received=2, shortened=1, cancelled=1)


def test_fragments():
    """A message in two fragments is accepted after IPv4 has reassembled it, even if it is not
    contiguous in memory."""
    with rto.Flow() as flow:
        message = icmp.message(DROP, flow.segments[0].packet, quote=1000)
        for part in icmp.fragments(message, 16):
            flow.send(part, 0.8)
        flow.times_out(0.8, 0.8)
        flow.account.expect(received=1, at_once=1)


def test_programs_that_listen():
    """A program that listens to ICMP receives a native message. The program does not receive a
    message inside Destination Unreachable, because the message does not report an unreachable
    destination."""
    with rto.Flow(accept=BOTH) as flow, \
            flow.right.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as listener:
        listener.setblocking(False)
        flow.say(DROP, 0.5)
        flow.say(DEFER, 0.7, encoding=icmp.EXTENSION)
        flow.times_out(1.25, 0.7)
        flow.account.expect(received=2, shortened=1, cancelled=1)
        tap.equal("type of the first message", listener.recv(2000)[20], icmp.TYPE4)
        with contextlib.suppress(BlockingIOError):
            tap.true("no further message", not listener.recv(2000))


def test_ipsec():
    """If a policy requires IPsec for ICMP, a message without IPsec has no effect, like any other
    ICMP message."""
    with rto.Flow(accept=BOTH) as flow:
        policy = f"src 0.0.0.0/0 dst {pkt.TARGET4}/32 proto icmp dir in"
        flow.right.ip(f"xfrm policy add {policy} tmpl proto esp mode transport")
        flow.say(DROP, 0.7)
        flow.say(DROP, 0.76, encoding=icmp.EXTENSION)
        flow.account.expect()
        flow.right.ip(f"xfrm policy delete {policy}")
        flow.say(DROP, 0.85)
        flow.times_out(0.85, 0.85)
        flow.account.expect(received=1, at_once=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
