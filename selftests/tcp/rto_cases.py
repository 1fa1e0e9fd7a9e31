#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In each case of the paper, messages move the retransmission to the time in the paper's table.
Other messages do not move the retransmission. A capture confirms the times within the granularity
of the kernel's timers. Messages also change the value of the timeout, and LINK-UP ends a
back-off."""
# run.sh: needs: simulated time
import errno
import socket

from lib import icmp, packet as pkt, rto, tap, wait, xlo
from lib.icmp import DEFER, DROP, LINK_UP
from lib.peer import MS, S
from lib.tcp_info import INFINITE, OPEN

IP_RECVERR = 11
KEY = bytes(range(50, 66))


def flow_told(*told, **more):
    """A flow that has received these messages, each (code, fraction of the timeout)."""
    flow = rto.Flow(**more)
    for code, part in told:
        flow.say(code, part)
    return flow


def expect(told, part, since=None, early=rto.BY_QUARTER, **counted):
    """Check that the segment is sent again at the fraction `part` of the timeout after these
    messages. `since` is the fraction at which the timer was set. `counted` contains the counters
    that have risen."""
    with flow_told(*told, early=early) as flow:
        flow.times_out(part, since or 0)
        flow.account.expect(received=len(told), **counted)


def test_untold():
    """Without a message the timer fires at its normal time."""
    expect([], 1)


def test_case_1_late_drop():
    """A DROP after three quarters of the timeout makes the timer fire immediately."""
    expect([(DROP, 0.76)], 0.76, since=0.76, at_once=1)
    expect([(DROP, 0.95)], 0.95, since=0.95, at_once=1)


def test_case_2_drop():
    """A DROP between a quarter and three quarters of the timeout makes the timer fire a quarter of
    the timeout after the DROP."""
    for part in (0.255, 0.5, 0.745):
        expect([(DROP, part)], part + 0.25, since=part, shortened=1)


def test_case_3_early_drop():
    """A DROP before a quarter of the timeout has no effect."""
    expect([(DROP, 0.01)], 1, in_flight=1)
    expect([(DROP, 0.245)], 1, in_flight=1)


def test_early_by_rtt():
    """The setting `early` may be a round-trip time. A DROP then has no effect within the first
    round-trip time, and its normal effect afterwards."""
    expect([(DROP, 0.32)], 1, in_flight=1, early=rto.BY_RTT)
    expect([(DROP, 0.35)], 0.6, since=0.35, shortened=1, early=rto.BY_RTT)
    with rto.Flow(early=rto.BY_RTT) as flow:
        segment = flow.times_out(1, 0)
        flow.say(DROP, 0.18, segment)
        flow.times_out(0.43, 0.18)
        flow.account.expect(received=1, shortened=1)


def test_case_4_drop_again():
    """A second DROP does not shorten the timeout again."""
    expect([(DROP, 0.3), (DROP, 0.45)], 0.55, since=0.3, shortened=1, drop_again=1)


def test_case_5_acknowledged():
    """An acknowledgment of new data starts the ordinary timer, and the next DROP shortens it."""
    with flow_told((DROP, 0.3)) as flow:
        flow.peer.now = flow.at(0.4)
        flow.peer.ack(1)
        flow.began(flow.peer.now)
        flow.say(DROP, 0.5, flow.segments[1])
        due = flow.at(0.75)
        segment = flow.peer.receive(flow.at(2))
        tap.equal("segment that is sent again", segment.number, 1)
        tap.within("ns after the expected time", segment.when - due, -rto.TICK,
                   rto.granularity(flow.rto // 4))
        flow.account.expect(received=2, shortened=2)


def test_case_6_deferred():
    """A DEFER after a DROP cancels the shortening, and the timer fires a quarter of the timeout
    after its normal time."""
    expect([(DROP, 0.3), (DEFER, 0.45)], 1.25, since=0.45, shortened=1, cancelled=1)


def test_case_7_drop_after_the_timeout():
    """After a DROP and a DEFER, another DROP after the normal time makes the timer fire
    immediately."""
    expect([(DROP, 0.3), (DEFER, 0.45), (DROP, 1.1)], 1.1, since=1.1, shortened=1, cancelled=1,
           back=1)


def test_cases_8_and_9_what_follows():
    """After a moved timeout, TCP continues as usual, and the next timeout is twice as long. The
    value of the first timeout is TCP's estimate, so xlo_rto does not shorten this value."""
    for told, part in (([(DROP, 0.5)], 0.75), ([(DROP, 0.3), (DEFER, 0.45)], 1.25)):
        with flow_told(*told) as flow:
            first = flow.rto
            flow.times_out(part, told[-1][1])
            tap.equal("timeout in ns", flow.rto, 2 * first)
            flow.times_out(1, 0)


def test_case_10_deferred_again():
    """After the normal time each DEFER adds a quarter of the timeout, at most three times."""
    told = [(DROP, 0.3), (DEFER, 0.45), (DEFER, 1.02), (DEFER, 1.16), (DEFER, 1.3), (DEFER, 1.44)]
    expect(told[:3], 1.5, since=1.02, shortened=1, cancelled=1, extended=1)
    expect(told[:4], 1.75, since=1.16, shortened=1, cancelled=1, extended=2)
    expect(told[:5], 2, since=1.3, shortened=1, cancelled=1, extended=3)
    expect(told, 2, since=1.3, shortened=1, cancelled=1, extended=3, defer_most=1)


def test_case_11_drop_after_a_defer():
    """After a DROP and a DEFER, another DROP before the normal time restores the shortened time.
    This time has passed, so the timer fires immediately."""
    expect([(DROP, 0.3), (DEFER, 0.45), (DROP, 0.6)], 0.6, since=0.6, shortened=1, cancelled=1,
           back=1)


def test_case_12_defer_again():
    """After a DROP and a DEFER, another DEFER before the normal time adds nothing."""
    expect([(DROP, 0.3), (DEFER, 0.45), (DEFER, 0.6)], 1.25, since=0.45, shortened=1, cancelled=1,
           defer_again=1)


def test_defer_alone():
    """A DEFER without an earlier DROP has no effect."""
    expect([(DEFER, 0.5)], 1, defer_normal=1)


def value_is(flow, value, ticks=1):
    """Wait until TCP's timeout has this value, in ns, with an error of at most `ticks` ticks."""
    wait.until(f"the timeout's value {value} ns",
               lambda: abs(flow.socket.info().rto * 1000 - value) <= ticks * rto.TICK, seconds=0.1)


def test_value_in_back_off():
    """During a back-off, fractions refer to the longer timeout. A DROP shortens the timeout's
    value, and the next timeout is twice the shortened value."""
    with rto.Flow() as flow:
        segment = flow.times_out(1, 0)
        shortened = flow.rto * 3 // 4
        flow.say(DROP, 0.5, segment)
        value_is(flow, shortened)
        flow.comes_again(0.75, 0.5)
        value_is(flow, 2 * shortened, ticks=2)
        flow.account.expect(received=1, shortened=1)


def test_value_at_once():
    """If a message makes the timer fire immediately during a back-off, the next timeout is twice
    the elapsed time."""
    with rto.Flow() as flow:
        segment = flow.times_out(1, 0)
        flow.say(DROP, 0.8, segment)
        flow.comes_again(0.8, 0.8)
        value_is(flow, 2 * (flow.rto * 4 // 5), ticks=4)


def test_value_deferred():
    """A DEFER restores the timeout's value, and another DROP restores the shortened value."""
    with rto.Flow() as flow:
        segment = flow.times_out(1, 0)
        flow.say(DROP, 0.3, segment)
        value_is(flow, flow.rto * 55 // 100, ticks=2)
        flow.say(DEFER, 0.45, segment)
        value_is(flow, flow.rto)
        flow.say(DROP, 0.6, segment)
        value_is(flow, 2 * (flow.rto * 55 // 100), ticks=4)


def test_value_measured():
    """If TCP measures a round trip after a DROP, the measurement sets the timeout's value. A later
    DEFER does not change the value."""
    with rto.Flow(timestamps=True) as flow:
        segment = flow.times_out(1, 0)
        flow.say(DROP, 0.5, segment, quote=52)
        flow.peer.now = flow.at(0.6)
        flow.peer.ack(1, echo=segment)
        measured = flow.socket.info().rto
        flow.say(DEFER, 0.65, flow.segments[1], quote=52)
        tap.equal("timeout's value in us", flow.socket.info().rto, measured)


def test_link_up():
    """LINK-UP after a back-off makes the timer fire immediately. The next timeout is twice the
    first timeout."""
    with rto.Flow() as flow:
        first = flow.rto
        flow.times_out(1, 0)
        segment = flow.times_out(1, 0)
        flow.say(DROP, 0.5, segment)
        flow.say(LINK_UP, 0.55, segment)
        flow.times_out(0.55, 0.55)
        tap.equal("timeout in ns", flow.rto, 2 * first)
        tap.equal("back-off", flow.socket.info().backoff, 1)
        flow.account.expect(received=2, shortened=1, link_up=1)


def test_link_up_alone():
    """LINK-UP has its effect without an earlier message."""
    expect([(LINK_UP, 0.5)], 0.5, since=0.5, link_up=1)


def test_link_up_within_a_round_trip():
    """If LINK-UP arrives within a round-trip time of the last transmission, the timer fires when
    the round-trip time is over. In the test, the round-trip time is a third of the timeout."""
    expect([(LINK_UP, 0.1), (DROP, 0.25), (DEFER, 0.3)], 1 / 3, since=0.1, link_up=1, drop_again=1,
           defer_normal=1, too_soon=0)


def test_link_up_again():
    """LINK-UP within a round-trip time after a retransmission is too early and has no effect.
    LINK-UP after a round-trip time makes the timer fire again."""
    with rto.Flow() as flow:
        segment = flow.times_out(1, 0)
        flow.say(LINK_UP, 0.3, segment)
        segment = flow.times_out(0.3, 0.3)
        flow.say(LINK_UP, 0.14, segment)
        flow.say(LINK_UP, 0.2, segment)
        flow.times_out(0.2, 0.2)
        flow.account.expect(received=3, link_up=2, too_soon=1)


def test_user_timeout():
    """If TCP_USER_TIMEOUT ends before the timeout would end, fractions refer to the remaining time
    of TCP_USER_TIMEOUT."""
    with rto.Flow() as flow:
        flow.socket.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 4000)
        segment = flow.times_out(1, 0)
        tap.true("the timeout without TCP_USER_TIMEOUT is longer", flow.rto > 4 * S)
        flow.rto = 4 * S
        flow.say(DROP, 0.24, segment)
        flow.say(DROP, 0.5, segment)
        flow.comes_again(0.75, 0.5)
        flow.account.expect(received=2, in_flight=1, shortened=1)


def test_user_timeout_extended():
    """A DEFER does not keep the connection open longer than TCP_USER_TIMEOUT."""
    with rto.Flow() as flow:
        flow.socket.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 4000)
        segment = flow.times_out(1, 0)
        flow.rto = 4 * S
        flow.say(DROP, 0.3, segment)
        flow.say(DEFER, 0.45, segment)
        wait.till(flow.at(0.99))
        tap.equal("error before TCP_USER_TIMEOUT", flow.socket.error(), 0)
        wait.till(flow.at(1) + rto.granularity(int(0.55 * flow.rto)))
        tap.equal("error after TCP_USER_TIMEOUT", flow.socket.error(), errno.ETIMEDOUT)
        flow.account.expect(received=2, shortened=1, cancelled=1)


def test_undone():
    """TCP undoes a timeout that a message has shortened. The link reports the loss of a tail loss
    probe. Then an acknowledgment covers segments that were not lost. F-RTO and loss probes are on,
    so TCP considers the timeout spurious and restores its window."""
    with rto.Flow(sysctls={"tcp_frto": 2, "tcp_early_retrans": 3}, timestamps=True) as flow:
        probe = flow.peer.receive(flow.at(1))
        flow.began(probe.when)
        flow.say(DROP, 0.5, probe, quote=52)
        flow.times_out(0.75, 0.5)
        flow.account.expect(received=1, shortened=1)
        flow.peer.ack(rto.SEGMENTS, after=10 * MS, echo=flow.segments[-1])
        flow.socket.expect("after the acknowledgment", ca_state=OPEN, unacked=0, ssthresh=INFINITE)
        tap.within("window", flow.socket.info().cwnd, rto.SEGMENTS, 2 * rto.SEGMENTS)


def test_extension():
    """A message inside Destination Unreachable has the same effect as a native message. The stack
    does not process the message as Destination Unreachable, so a program that asks for errors
    receives no error."""
    with rto.Flow(accept=icmp.EXTENSION) as flow:
        flow.socket.sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        flow.say(DROP, 0.5, encoding=icmp.EXTENSION)
        flow.times_out(0.75, 0.5)
        flow.account.expect(received=1, shortened=1)
        tap.equal("error of the socket", flow.socket.error(), 0)


def test_sent_by_a_host():
    """A message that one host sends moves the timeout of another host. The test uses both encodings
    and a key."""
    for encoding in (icmp.NATIVE, icmp.EXTENSION):
        with rto.Flow(accept=icmp.BOTH, timestamps=True) as flow:
            flow.left.ip("address add 203.0.113.1/32 dev v0",
                         f"route add {pkt.TARGET4}/32 dev v0 src 203.0.113.1",
                         f"neighbour replace {pkt.TARGET4} lladdr 02:00:00:00:00:02 dev v0")
            link = xlo.Client(flow.left, "xlo_rto")
            flow.client.set(key=KEY, one_hop=1)
            link.set(key=KEY, encoding=encoding - 1)
            wait.till(flow.at(0.5))
            link.do("notify", code=DROP, packet=flow.segments[0].packet)
            flow.times_out(0.75, 0.5)
            flow.account.expect(received=1, shortened=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
