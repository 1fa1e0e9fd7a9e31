#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink traffic nrt follows the browsing model of TR 101 112. Numbers, times and sizes have the
model's distributions, and a seed makes the same sessions on every machine. All data that is written
arrives. A reading time begins when the previous packet call is acknowledged."""
# run.sh: all on lab-6.1 lab-6.12: everything_* reading_begins_* full_* unreachable signals_* connection_*
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
# run.sh: all on vm-6.12: everything_* signals_*
import bisect
import csv
import itertools
import math
import os
import signal
import socket
import statistics
import struct
import tempfile
from typing import NamedTuple

from cli import pair, tools
from lib import chance, hosts, icmp, mib, nrt, segments, sniff, tap, tcp_socket, wait

HOSTS = hosts.ADDRESSES["right"]
PORT = 5001
HOST_UNREACHABLE = 1            # code of ICMP
MS, S = 10**6, 10**9
AT_ONCE = "--reading 0 --gap 0"
# the model's sizes: P(more than x) = (K / x) ** ALPHA below M
ALPHA, K, M = 1.1, 81.5, 66666


class Row(NamedTuple):
    """A line of the log."""

    session: int
    call: int
    datagrams: int
    bytes: int
    start: int
    end: int


def read_log(file):
    return [Row(*(int(value) for value in row.values())) for row in csv.DictReader(file)]


def browse(words, host=HOSTS[0], sessions=1):
    """One run from left to right: the source's summary, its log and the sink's summary."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--sessions {sessions}", kind="tcp-sink")
        source = p.start(p.left, f"traffic nrt {host} -j --sessions {sessions} --log {log.name} "
                         f"{words}")
        summary, = pair.result(source)
        read, = pair.result(sink)
        return summary, read_log(log), read


def has_lengths(summary, rows):
    """The summary contains the smallest, median and greatest length of the sessions in the log."""
    lengths = [calls[-1].end - calls[0].start for calls in
               (list(group) for _, group in itertools.groupby(rows, lambda row: row.session))]
    for key, function in (("min", min), ("median", statistics.median), ("max", max)):
        tap.within(f"session_{key}, ns", summary[f"session_{key}"] * S - function(lengths),
                   -MS / 10, MS / 10 if wait.virtual_time() else 50 * MS)


def test_values_of_the_report():
    """Without options, sessions have the report's values: the model of lib/nrt.py makes the same
    numbers of packet calls and datagrams, and the same sizes, gaps and reading times."""
    session, = nrt.sessions(276)
    _, rows, _ = browse("--seed 276")
    tap.equal("packet calls", [row[:4] for row in rows],
              [(1, i, len(call.sizes), sum(call.sizes)) for i, call in enumerate(session, 1)])
    tap.equal("reading time", rows[1].start - rows[0].end, session[0].reading)
    for row, call in zip(rows, session):
        # an acknowledgment may be delayed
        tap.within("from the last datagram to the end, ns", row.end - row.start - call.due[-1],
                   0, (50 if wait.virtual_time() else 500) * MS)


def test_same_sessions_everywhere():
    """A seed makes exactly the packet calls, datagrams, bytes and reading times of the model, over
    IPv4 and IPv6. Another seed makes different sessions."""
    words = "--reading 2ms --gap 100us"
    short = {"reading": 2 * MS, "gap": MS // 10}
    cases = [(words, 5, short, seed) for seed in (0, 1, 2**63 - 1)]
    cases.append((f"{words} --calls 2 --datagrams 40 --alpha 0.5 --least 1.25 --cutoff 300", 8,
                  {**short, "calls": 2, "datagrams": 40, "alpha": 0.5, "least": 1.25,
                   "cutoff": 300}, 3))
    cases.append((f"{words} --alpha 100 --least 1000000 --cutoff 1mb --datagrams 1 --calls 2", 2,
                  {**short, "alpha": 100, "least": 10**6, "cutoff": 2**20, "datagrams": 1,
                   "calls": 2}, 4))
    seen = []
    for words, sessions, values, seed in cases:
        want = nrt.sessions(seed, sessions, **values)
        expected = [(i, j, len(call.sizes), sum(call.sizes))
                    for i, session in enumerate(want, 1) for j, call in enumerate(session, 1)]
        for host in HOSTS:
            summary, rows, _ = browse(f"{words} --seed {seed}", host, sessions)
            tap.equal(f"{words} --seed {seed}", [row[:4] for row in rows], expected)
            tap.equal("seed", summary["seed"], seed)
            has_lengths(summary, rows)
            for row, following in zip(rows, rows[1:]):
                if row.session == following.session:
                    tap.equal("reading time", following.start - row.end,
                              want[row.session - 1][row.call - 1].reading)
        seen.append(expected)
    tap.true("seeds differ", seen[0] != seen[1] != seen[2] != seen[0])


def spread(what, values, edges, beyond):
    """The values follow the distribution over eight equally likely ranges. `edges` contains the
    ends of the first seven ranges. The function beyond(edge) returns the probability of a value
    above this edge."""
    seen, left = [0] * 8, [1, *map(beyond, edges), 0]
    for value in values:
        seen[bisect.bisect_left(edges, value)] += 1
    tap.note(f"{what}: {len(values)} of them, {seen}")
    chance.chi_square(what, seen, [(a - b) * len(values) for a, b in zip(left, left[1:])])


def above(alpha, least, cutoff):
    """Return a function that computes the probability that a size, rounded to whole bytes, is above
    a whole number."""
    return lambda edge: 0 if edge >= cutoff else (least / (edge + 0.5)) ** alpha


def sizes_of(words):
    """The sizes of packet calls with one datagram each."""
    _, rows, _ = browse(f"--datagrams 1 --calls 4000 {AT_ONCE} {words}")
    tap.equal("datagrams in each", {row.datagrams for row in rows}, {1})
    return [row.bytes for row in rows]


def test_sizes():
    """Sizes have a Pareto distribution with alpha 1.1 from 81.5 bytes on, and the mean that results
    from the cut-off at 66666 bytes."""
    sizes = sizes_of("--seed 2")
    edges = [int(K * (1 - i / 8) ** (-1 / ALPHA)) for i in range(1, 8)]
    spread("sizes", sizes, edges, above(ALPHA, K, M))
    tap.within("least", min(sizes), 82, 83)
    tap.equal("greatest", max(sizes), M)
    tail = (K / M) ** ALPHA
    mean = (ALPHA * K - M * tail) / (ALPHA - 1)
    tap.within("the model's mean", mean, 479, 481)
    square = ALPHA * K ** ALPHA * (M ** (2 - ALPHA) - K ** (2 - ALPHA)) / (2 - ALPHA) + M * M * tail
    deviation = math.sqrt(square - mean * mean)
    chance.has_mean("sizes", sizes, mean, deviation)
    # The distribution has a heavy tail, so more sizes are needed. The model draws the same sizes in
    # less time.
    random = nrt.Random(2)
    sizes = [random.pareto(1_100_000, 81_500_000, M * nrt.ONE) / nrt.ONE for _ in range(100_000)]
    chance.has_mean("sizes of the model", sizes, mean, deviation)


def test_cutoff_and_shape():
    """A size above the cut-off is reduced to exactly the cut-off. This happens as often as the
    distribution says. Another alpha and another k make another distribution."""
    sizes = sizes_of("--seed 3 --cutoff 200")
    tap.equal("greatest", max(sizes), 200)
    chance.binomial("sizes equal to the cut-off", sizes.count(200), len(sizes),
                    above(ALPHA, K, 200)(199))
    sizes = sizes_of("--seed 3 --alpha 3 --least 1000 --cutoff 5000")
    edges = [int(1000 * (1 - i / 8) ** (-1 / 3)) for i in range(1, 8)]
    spread("sizes by alpha 3", sizes, edges, above(3, 1000, 5000))
    tap.within("least", min(sizes), 1000, 1010)


def test_counts():
    """The numbers of packet calls in a session and of datagrams in a packet call have geometric
    distributions with means of 5 and 25, and are at least one."""
    _, rows, _ = browse(f"--datagrams 1 {AT_ONCE}", sessions=600)
    calls = [row.call for row, following in zip(rows, [*rows[1:], None])
             if not following or following.session != row.session]
    tap.equal("sessions", len(calls), 600)
    spread("packet calls", calls, range(1, 8), lambda edge: 0.8 ** edge)
    chance.has_mean("packet calls", calls, 5, math.sqrt(20))
    _, rows, _ = browse(f"--calls 600 {AT_ONCE} --cutoff 100 --seed 3")
    datagrams = [row.datagrams for row in rows]
    spread("datagrams", datagrams, [3, 7, 11, 17, 24, 34, 51], lambda edge: 0.96 ** edge)
    chance.has_mean("datagrams", datagrams, 25, math.sqrt(600))


def test_reading_times():
    """Reading times have an exponential distribution."""
    _, rows, _ = browse("--datagrams 1 --calls 400 --reading 5ms --seed 3")
    chance.kolmogorov_smirnov("reading times", [b.start - a.end for a, b in zip(rows, rows[1:])],
                              5 * MS)


def tcp(frames):
    """The TCP segments among the frames."""
    return [segments.Segment(frame.packet, frame.when) for frame in frames
            if segments.is_tcp(frame.packet)]


def data(frames):
    """The segments that carry data."""
    return [segment for segment in tcp(frames) if segment.payload]


def sent_at(sent, number):
    """The time when the byte with this sequence number was first sent, or None if the byte was not
    sent."""
    return next((segment.when for segment in sent
                 if (number - segment.sequence) % 2**32 < segment.payload), None)


def test_gaps():
    """Each datagram is written when it is due. Datagrams after a late datagram are not late, and
    the gaps have an exponential distribution."""
    words, values = "--calls 1 --datagrams 400 --gap 5ms --least 100 --cutoff 100 --seed 3", \
        {"calls": 1, "datagrams": 400, "gap": 5 * MS, "least": 100, "cutoff": 100}
    due = nrt.sessions(3, **values)[0][0].due
    with pair.Pair() as p:
        sniffer = sniff.Sniffer(p.right, "v1")
        p.sink("--sessions 1", kind="tcp-sink")
        written, = pair.result(p.start(p.left, f"traffic nrt {HOSTS[0]} -j {words}"))
        sent = data(sniffer.drain())
    tap.equal("bytes", written["bytes"], 100 * len(due))
    # by sequence number: one segment may contain several datagrams, and a segment may arrive twice
    seen = [sent_at(sent, (sent[0].sequence + 100 * i) % 2**32) for i in range(len(due))]
    late = [when - seen[0] - at for when, at in zip(seen, due)]
    quarter = len(late) // 4
    if wait.virtual_time():
        tap.within("latest, ns", max(late), 0, MS)
        chance.kolmogorov_smirnov("gaps", [b - a for a, b in zip(seen, seen[1:])], 5 * MS)
    tap.within("lateness gained, ns", min(late[-quarter:]) - min(late[:quarter]),
               -10 * MS, 10 * MS)


def test_everything_arrives():
    """The receiver reads all written bytes in all sessions, over IPv4 and IPv6, also from several
    sources at the same time. The source's summary is the sum of its log."""
    for host in HOSTS:
        summary, rows, read = browse(f"{AT_ONCE} --seed 7", host, 20)
        tap.equal("sums", [summary[key] for key in ("sessions", "packet_calls", "datagrams",
                                                    "bytes")],
                  [20, len(rows), sum(row.datagrams for row in rows),
                   sum(row.bytes for row in rows)])
        tap.equal("sink's summary", read, {"sessions": 20, "broken": 0, "open": 0,
                                 "bytes": summary["bytes"]})
        tap.true("session times in the order min, median, max", 0 < summary["session_min"] <=
                 summary["session_median"] <= summary["session_max"] <= summary["seconds"])
    with pair.Pair() as p:
        sink = p.sink("--sessions 15", kind="tcp-sink")
        sources = [p.start(p.left, f"traffic nrt {HOSTS[0]} -j --sessions 5 --reading 5ms "
                           f"--gap 1ms --seed {seed}") for seed in range(3)]
        written = sum(pair.result(source)[0]["bytes"] for source in sources)
        tap.equal("sink's summary of three sources", pair.result(sink),
                  [{"sessions": 15, "broken": 0, "open": 0, "bytes": written}])


def slow_link(p, kbit, delay_ms):
    """Limit packets to the right to a rate, and delay packets to the left."""
    p.left.run(f"tc qdisc add dev v0 root tbf rate {kbit}kbit burst 5kb limit 1mb")
    p.right.run(f"tc qdisc add dev v1 root netem delay {delay_ms}ms limit 10000")


def acknowledged_at(frames, number):
    """The time of arrival of the first segment that acknowledges everything before this sequence
    number."""
    return next(segment.when for segment in tcp(frames)
                if (segment.acknowledged - number) % 2**32 < 2**31)


def test_reading_begins_with_the_acknowledgment():
    """On a link with a rate of 64 kbit/s and a delay of 1 s, each packet call begins exactly one
    reading time after the whole previous packet call was acknowledged. The acknowledgment arrives
    long after the last datagram was written. No datagram waits for an acknowledgment if the buffer
    has space for the datagram. In real time everything runs ten times faster."""
    speed = 1 if wait.virtual_time() else 10
    slack = MS if wait.virtual_time() else 50 * MS
    values = {"reading": 5 * S // speed, "gap": S // 16 // speed, "calls": 5}
    calls = nrt.sessions(4, **values)[0]
    tap.equal("packet calls", len(calls), 6)
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        slow_link(p, 64 * speed, 1000 // speed)
        there, back = sniff.Sniffer(p.left, "v0", outgoing=True), sniff.Sniffer(p.left, "v0")
        p.sink("--sessions 1", kind="tcp-sink")
        pair.result(p.start(p.left, f"traffic nrt {HOSTS[0]} -j --seed 4 --log {log.name} "
                            f"--reading {values['reading']}ns --gap {values['gap']}ns"))
        sent, answers, rows = data(there.drain()), back.drain(), read_log(log)
        offset = there.offset
    number = sent[0].sequence
    for at, due in zip(itertools.accumulate(calls[0].sizes, initial=number), calls[0].due):
        tap.within("datagram of the first packet call, ns",
                   sent_at(sent, at % 2**32) - sent[0].when - due, -slack, slack)
    tap.equal("bytes", [row.bytes for row in rows], [sum(call.sizes) for call in calls])
    for call, row in zip(calls, rows):
        begin = sent_at(sent, number)
        number = (number + row.bytes) % 2**32
        end = acknowledged_at(answers, number)
        tap.within("start in the log, ns", row.start - offset - begin, -slack, slack)
        tap.within("end in the log, ns", row.end - offset - end, -slack, slack)
        tap.within("from the last datagram to the end, ns", end - begin - call.due[-1],
                   S // speed - slack, 100 * S)
        following = sent_at(sent, number)
        if following:
            tap.within("reading time, ns", following - end, call.reading, call.reading + slack)
    tap.true("nothing follows the last packet call", following is None)


def test_full_buffer_blocks():
    """If the socket's buffer is full, the source waits, and all data arrives eventually. The wait
    is longer than the interval in which the source checks for signals. Datagrams that became due
    during the wait are sent immediately."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        slow_link(p, 1600, 1)
        p.left.sysctl("net.ipv4.tcp_wmem", "4096 16384 16384")
        sink = p.sink("--sessions 1", kind="tcp-sink")
        written, = pair.result(p.start(
            p.left, f"traffic nrt {HOSTS[0]} -j --calls 1 --datagrams 4 --gap 1s --seed 1349 "
            f"--least 300000 --cutoff 300000 --log {log.name}"))
        row, = read_log(log)
        tap.equal("read", pair.result(sink)[0]["bytes"], written["bytes"])
    tap.equal("datagrams", row.datagrams, 3)
    tap.equal("bytes", row.bytes, row.datagrams * 300_000)
    # The link sends 200 bytes a ms, and 1448 of 1514 bytes are data. Datagrams that became due
    # during the wait take no more time.
    seconds = (row.end - row.start) / S
    tap.within("seconds", seconds, 4.6, 5.2)
    tap.within("session", written["session_max"], seconds, seconds + 0.5)


def narrow(ns):
    """A listener with a small receive buffer. The test must read from its connections."""
    listener = ns.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind((HOSTS[0], PORT))
    listener.listen()
    return listener


def probes(ns):
    """The number of window probes. The first probe is sent after 200 ms, and each further probe
    after twice the previous time."""
    return mib.read(ns)["TcpExt.TCPWinProbe"]


def test_full_window_blocks():
    """If the receiver's window is closed for some seconds, the source waits. Then all data
    arrives."""
    with pair.Pair() as p, narrow(p.right) as listener:
        p.left.sysctl("net.ipv4.tcp_wmem", "4096 16384 16384")
        source = p.start(p.left, f"traffic nrt {HOSTS[0]} -j --calls 1 --datagrams 1 "
                         "--least 100000 --cutoff 100000")
        connection, _ = listener.accept()
        pair.settled("3 s have passed", lambda: probes(p.left) == 4)
        read = sum(iter(lambda: len(connection.recv(65536)), 0))
        tap.equal("bytes", (pair.result(source)[0]["bytes"], read), (100_000, 100_000))
        connection.close()


def test_unreachable():
    """A session continues after an ICMP unreachable message, because a connection survives such a
    message (RFC 1122 section 4.2.3.9)."""
    with pair.Pair() as p, narrow(p.right) as listener:
        sniffer = sniff.Sniffer(p.right, "v1")
        source = p.start(p.left, f"traffic nrt {HOSTS[0]} -j --calls 1 --datagrams 1 "
                         "--least 12000 --cutoff 12000")
        connection, _ = listener.accept()
        pair.settled("the source waits", lambda: probes(p.left) == 1)
        probe = [frame.packet for frame in sniffer.drain() if segments.is_tcp(frame.packet)][-1]
        # the data that the probe asks for follows the probe's own sequence number
        following = struct.pack("!I", segments.Segment(probe).sequence + 1)
        error = icmp.icmp(icmp.UNREACHABLE4, HOST_UNREACHABLE, probe[:24] + following)
        with p.right.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
            raw.sendto(icmp.ipv4(HOSTS[0], probe[12:16], error),
                       (socket.inet_ntoa(probe[12:16]), 0))
        pair.settled("the message has arrived, and 3 s have passed",
                     lambda: mib.read(p.left)["Icmp.InDestUnreachs"] and probes(p.left) == 4)
        tap.equal("messages about no segment in flight",
                  mib.read(p.left)["TcpExt.OutOfWindowIcmps"], 0)
        tap.equal("read", sum(iter(lambda: len(connection.recv(65536)), 0)), 12000)
        summary, = pair.result(source)
    tap.equal("sessions", summary["sessions"], 1)


def test_signals_end_with_a_summary():
    """SIGINT and SIGTERM end a source that waits in a reading time, and a sink. The source and the
    sink print their summaries and end with status 0."""
    words = "--calls 1000 --reading 3600s --gap 0 --datagrams 20 --least 500 --cutoff 500"
    size = sum(nrt.sessions(1, calls=1000, gap=0, datagrams=20, least=500, cutoff=500)[0][0].sizes)
    for number in (signal.SIGINT, signal.SIGTERM):
        with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log, \
                p.left.socket(socket.AF_INET, socket.SOCK_STREAM) as other:
            def reads():
                log.seek(0)
                return len(read_log(log)) == 1

            sink = p.sink("", kind="tcp-sink")
            source = p.start(p.left, f"traffic nrt {HOSTS[0]} -j --log {log.name} {words}")
            other.connect((HOSTS[0], PORT))
            pair.settled("the first packet call is over", reads)
            told = pair.stop(source, number)
            tap.equal("source", [told[key] for key in ("sessions", "packet_calls", "bytes")],
                      [0, 1, size])
            tap.true("no session has ended", "session_min" not in told)
            pair.settled("the sink has noticed the session's end",
                         lambda: pair.sockets(p.right) == [("ESTAB", 0)])
            tap.equal("sink", pair.stop(sink, number),
                      {"sessions": 1, "broken": 0, "open": 1, "bytes": size})


def test_signals_while_it_waits():
    """A signal also ends the source while it waits for space, for an acknowledgment or for a
    connection."""
    one = "--calls 1 --datagrams 1"

    def sent(least):
        return lambda p: p.left.interface("v0")["tx_bytes"] > least

    def asks(p):
        return pair.sockets(p.left) == [("SYN-SENT", 0)]

    for words, host, waits, written in (
            (f"{one} --least 200000 --cutoff 200000", HOSTS[0], sent(6000), range(1, 200_000)),
            (f"{one} --least 9000 --cutoff 9000", HOSTS[0], sent(3000), [9000]),
            (one, "10.1.0.9", asks, [0])):
        with pair.Pair() as p:
            p.left.ip("neighbour replace 10.1.0.9 lladdr 02:00:00:00:00:09 dev v0")
            slow_link(p, 16, 1)
            p.left.sysctl("net.ipv4.tcp_wmem", "4096 16384 16384")
            p.sink("", kind="tcp-sink")
            source = p.start(p.left, f"traffic nrt {host} -j {words}")
            pair.settled(f"the source waits: {words}", lambda: waits(p))
            told = pair.stop(source, signal.SIGINT)
            tap.equal(f"completed sessions and packet calls: {words}",
                      (told["sessions"], told["packet_calls"]), (0, 0))
            tap.true(f"{words}: {told['bytes']} bytes", told["bytes"] in written)


def test_connection_takes_long():
    """The source waits for a connection that takes some seconds. This time is part of the session,
    not of its first packet call."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        p.left.ip(f"neighbour replace {HOSTS[0]} lladdr 02:00:00:00:00:09 dev v0")
        p.sink("--sessions 1", kind="tcp-sink")
        source = p.start(p.left, f"traffic nrt {HOSTS[0]} -j --log {log.name} --calls 1 "
                         f"--datagrams 1 {AT_ONCE}")
        # the first retransmission is sent after one second, and the next retransmission follows one
        # or two seconds later
        pair.settled("the SYN was retransmitted twice", lambda:
                     mib.read(p.left)["Tcp.RetransSegs"] == 2)
        p.left.ip(f"neighbour replace {HOSTS[0]} lladdr 02:00:00:00:00:02 dev v0")
        summary, = pair.result(source)
        row, = read_log(log)
    tap.within("session, seconds", summary["session_max"], 3, 10)
    tap.within("packet call, seconds", (row.end - row.start) / S, 0, 1)


def test_connection_fails():
    """If a connection is refused, reset (also while an acknowledgment is awaited) or closed, the
    command ends with status 1. The message names the session, and the summary covers the part
    before the failure."""
    base = f"traffic nrt {HOSTS[0]} -j --reading 50ms --gap 1ms --calls 1000"
    who = f"freshlink traffic nrt: session 1 with {HOSTS[0]} port 5001:"
    with pair.Pair() as p:
        source = p.start(p.left, base)
        out, err = source.communicate(timeout=60)
        tap.equal("refused", (source.returncode, err),
                  (1, f"{who} cannot connect: Connection refused\n"))
        tap.true(out, '"sessions": 0, "packet_calls": 0, "datagrams": 0, "bytes": 0' in out)
        for words, reached in (
                ("", lambda connection: connection.recv(1)),
                ("--datagrams 1 --least 12000 --cutoff 12000", lambda _: probes(p.left))):
            with narrow(p.right) as listener:
                source = p.start(p.left, f"{base} {words}")
                connection, _ = listener.accept()
                pair.settled("the session is under way", lambda: reached(connection))
                tcp_socket.reset(connection)
            _, err = source.communicate(timeout=60)
            tap.equal(f"reset {words}", (source.returncode, err),
                      (1, f"{who} broke off: Connection reset by peer\n"))
        with narrow(p.right) as listener:
            source = p.start(p.left, f"{base} --datagrams 1000")
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.close()
        _, err = source.communicate(timeout=60)
        tap.equal("status", source.returncode, 1)
        tap.true(err, err in (f"{who} broke off: {what}\n" for what in
                              ("Connection reset by peer", "Broken pipe")))


def test_log_is_full():
    """If a log cannot be written completely, a message reports this and the status is 1. The
    summary is still right."""
    with pair.Pair() as p, tempfile.TemporaryDirectory() as folder:
        p.sink("", kind="tcp-sink")
        # no file may grow beyond 1 KiB
        done = p.left.run(["bash", "-c", f'trap "" XFSZ; ulimit -f 1; exec {tools.FRESHLINK} '
                           f"traffic nrt {HOSTS[0]} --calls 200 --datagrams 1 {AT_ONCE} "
                           f"--log {folder}/log"], check=False)
        tap.equal("the log", os.path.getsize(f"{folder}/log"), 1024)
    tap.equal("status", done.returncode, 1)
    tap.equal("message", done.stderr, f"freshlink traffic nrt: --log {folder}/log: could not be "
              "written whole\n")
    tap.true(done.stdout, done.stdout.startswith("sessions 1 packet_calls "))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
