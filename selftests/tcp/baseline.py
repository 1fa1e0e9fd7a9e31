#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP with tcp_iftpv, xlo and xlo_rto behaves like Reno without these modules. xlo stamps each
segment, and xlo_rto accepts messages. The tests cover the timers of RACK and of the tail loss probe
(RFC 8985), the end of a connection, and more. Both senders send the same segments. Times agree
within the granularity of the kernel's timers and the gaps of iftpv."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
import errno
import select
import socket
import time

from lib import connection, rto, tap, tcp_info, xlo
from lib.peer import MS, S
from lib.segments import ACK, FIN, RST
from lib.tcp_info import DISORDER, LOSS, OPEN, RECOVERY

RTT = 100 * MS
TCP_NOTSENT_LOWAT = 25
LEAST = 2 * MS                  # time that the kernel adds to RACK's timers


def numbers(segments):
    return [segment.number for segment in segments]


def due(what, when, ahead, gap=0):
    """Check that a timer fired `ahead` ns after it was set, or later by at most the timer's
    granularity and one gap between paced segments."""
    tap.within(f"{what}, ms", when / MS, ahead / MS, (ahead + rto.granularity(ahead) + gap) / MS)


def rack_timer(c):
    """Only the last of ten segments arrives. A quarter of the round-trip time later, TCP sends the
    first segment again. TCP sends no further segment before the next acknowledgment."""
    c.socket.write(10)
    c.peer.expect(*range(10))
    c.peer.sack((9, 10), after=RTT)
    c.socket.expect("reordered or lost", ca_state=DISORDER, lost=0)
    start = c.peer.now
    [again] = c.peer.seen(RTT)
    tap.equal("segment that is sent again", again.number, 0)
    due("timer", again.when - start, RTT // 4 + LEAST)
    c.socket.expect("lost", ca_state=RECOVERY, lost=9, retrans=1)


def rack_reordering(c):
    """Segments that arrive before RACK's timer fires were only reordered. TCP sends no segment
    again and keeps its window."""
    c.socket.write(10)
    c.peer.expect(*range(10))
    c.peer.sack((9, 10), after=RTT)
    c.peer.ack(10, after=RTT // 4 - 5 * MS)
    c.peer.expect_nothing(RTT)
    c.socket.expect("afterwards", ca_state=OPEN, total_retrans=0, ssthresh=tcp_info.INFINITE)


def tail_loss_probe(c):
    """The last three segments of a flight are lost. Two round-trip times after the last
    acknowledgment, TCP sends only the last segment again. When this segment has arrived, TCP sends
    the other two segments again, before any timeout."""
    c.socket.write(10)
    c.peer.expect(*range(10))
    c.peer.ack(10, after=RTT)
    c.socket.write(20)
    c.peer.expect(*range(10, 30))
    c.peer.ack(27, after=RTT)
    start, info = c.peer.now, c.socket.info()
    [probe] = c.peer.seen(2 * RTT + 60 * MS)
    c.peer.now = probe.when + 60 * MS
    tap.equal("probe", probe.number, 29)
    due("probe", probe.when - start, 2 * info.rtt * 1000 + LEAST, S * 1000 / info.pacing_rate)
    c.peer.sack((29, 30), after=RTT // 2)
    tap.equal("segments after the probe", numbers(c.peer.seen(RTT)), [27])
    c.peer.ack(28, (29, 30))
    tap.equal("segments after the first repair", numbers(c.peer.seen(RTT)), [28])
    c.peer.ack(30)
    c.socket.expect("repaired", ca_state=OPEN, total_retrans=3, unacked=0)


def probe_of_new_data(c):
    """All segments of a window are lost, and the program has more data to send. The probe is a new
    segment beyond the window, and the timeout follows the probe."""
    c.socket.write(20)
    c.peer.expect(*range(10))
    start, info = c.peer.now, c.socket.info()
    [probe] = c.peer.expect(10)
    due("probe", probe.when - start, 2 * info.rtt * 1000 + LEAST, S * 1000 / info.pacing_rate)
    start = c.peer.now
    [first] = c.peer.expect(0)
    due("timeout", first.when - start, info.rto * 1000)
    c.socket.expect("after the timeout", ca_state=LOSS, cwnd=1)


def limited_transmit(c):
    """Each of the first two segments that arrive after a missing segment makes TCP send a new
    segment (RFC 3042). The third segment makes TCP send the missing segment again."""
    c.socket.write(10)
    c.peer.expect(*range(4))
    for upto, sent in ((2, 4), (3, 5), (4, 0)):
        c.peer.sack((1, upto), after=RTT if upto == 2 else 3 * MS)
        c.peer.expect(sent, within=10 * MS)
    c.socket.expect("at the third segment", ca_state=RECOVERY)


def reneging(c):
    """The receiver discards data that it acknowledged by SACK. After half a round-trip time, TCP
    sends all this data again."""
    c.socket.write(4)
    c.peer.expect(*range(4))
    c.peer.sack((1, 3), after=RTT)
    c.peer.ack(1, after=10 * MS)
    start = c.peer.now
    [again] = c.peer.expect(1)
    due("timer", again.when - start, RTT // 2)
    c.socket.expect("after the timer", ca_state=LOSS, sacked=0)
    for number in (2, 3):
        c.peer.ack(number, after=RTT)
        [again] = c.peer.expect(*range(number, number + 1))
        c.peer.forget()
    c.peer.ack(4, after=RTT)
    c.socket.expect("repaired", unacked=0)


def user_timeout(c):
    """If the peer never answers, the connection ends TCP_USER_TIMEOUT after the first timeout (RFC
    5482). The probe before the first timeout does not start this time."""
    c.socket.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 3000)
    c.socket.write(1)
    again = c.peer.expect(0, 0, 0)[-1]
    poll = select.poll()
    poll.register(c.socket.sock, 0)
    poll.poll(10_000)
    due("end", time.monotonic_ns() - again.when, 3 * S)
    tap.equal("error", c.socket.error(), errno.ETIMEDOUT)


def notsent_lowat(c):
    """A program may write if and only if less than half of TCP_NOTSENT_LOWAT is unsent."""
    c.socket.sock.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, 4000)
    poll = select.poll()
    poll.register(c.socket.sock, select.POLLOUT)
    c.socket.write(20)
    c.peer.expect(*range(10))
    seen = []
    for upto in range(6):
        c.peer.ack(upto, after=RTT // 4)
        c.peer.seen(RTT // 4)
        seen.append((2 * c.socket.info().notsent_bytes < 4000, bool(poll.poll(0))))
    tap.equal("(program should be able to write, is able to)",
              set(seen), {(False, False), (True, True)})


def close_with_a_queue(c):
    """Data that was written before close() is sent once, in order, with the FIN in the last
    segment."""
    c.socket.write(25)
    c.peer.expect(*range(10))
    c.socket.close()
    c.peer.expect_nothing(RTT // 2)
    c.peer.ack(10, after=RTT // 2)
    rest = c.peer.expect(*range(10, 25))
    tap.equal("FIN", [segment.flags & FIN for segment in rest], 14 * [0] + [FIN])
    c.peer.ack(25, after=RTT)
    c.peer.finish()
    c.peer.expect_nothing(S)


def close_with_a_closed_window(c):
    """A socket is closed while the receiver's window is closed. TCP probes the window at intervals
    that double each time, and sends the remaining data when the window opens."""
    c.socket.write(15)
    c.peer.expect(*range(10))
    c.peer.window = 0
    c.peer.ack(10, after=RTT)
    timeout = c.socket.info().rto * 1000
    c.socket.close()
    for number in range(3):
        start = c.peer.now
        probe = c.peer.next(10 * S)
        tap.equal("probe", (probe.flags, probe.payload, probe.sequence - c.peer.start),
                  (ACK, 0, 10 * 1000 - 1))
        due("probe", c.peer.now - start, timeout << number)
        c.peer.ack(10)
    c.peer.window = 1000
    c.peer.ack(10)
    rest = c.peer.expect(*range(10, 15))
    tap.equal("FIN", [segment.flags & FIN for segment in rest], 4 * [0] + [FIN])
    c.peer.ack(15, after=RTT)
    c.peer.finish()


def close_with_unread_data(c):
    """If a program closes a socket with unread data, its unsent data is lost. The peer immediately
    receives a RST (RFC 2525, section 2.17)."""
    c.socket.write(25)
    c.peer.expect(*range(10))
    c.peer.say(100)
    tap.equal("answer", c.peer.next(RTT).flags, ACK)
    c.socket.close()
    tap.equal("end", c.peer.next(RTT).flags, RST | ACK)
    c.peer.expect_nothing(S)


def half_closed(c):
    """After shutdown() of the sending direction, TCP sends the data that was written before. The
    program can still read arriving data."""
    c.socket.write(15)
    c.peer.expect(*range(10))
    c.socket.sock.shutdown(socket.SHUT_WR)
    c.peer.ack(10, after=RTT)
    rest = c.peer.expect(*range(10, 15))
    tap.equal("FIN", [segment.flags & FIN for segment in rest], 4 * [0] + [FIN])
    c.peer.say(100)
    c.peer.forget()
    c.peer.ack(15, after=RTT)
    tap.equal("bytes read", len(c.socket.sock.recv(1000)), 100)
    c.peer.finish()
    tap.equal("end", c.socket.sock.recv(1000), b"")


SCRIPTS = (rack_timer, rack_reordering, tail_loss_probe, probe_of_new_data, limited_transmit, reneging,
           user_timeout, notsent_lowat, close_with_a_queue, close_with_a_closed_window,
           close_with_unread_data, half_closed)


def play(script, algorithm, stamped):
    with connection.Connection(algorithm, cwnd=4 if script is limited_transmit else 10,
                               stamped=stamped) as c:
        script(c)
        if stamped:
            tap.true("segments carry the option", xlo.Client(c.right).stats()["stamped_output"])


def cases():
    for script in SCRIPTS:
        yield f"{script.__name__}:reno", lambda s=script: play(s, "reno", None)
        yield f"{script.__name__}:iftpv_stamped", lambda s=script: play(s, "iftpv", "rto")


if __name__ == "__main__":
    tap.run(list(cases()))
