#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink traffic web loads the pages of its model, one after the other without pauses, and counts
exactly what has arrived in complete transactions. The server does exactly what right requests say,
and refuses all others."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
# run.sh: all on vm-6.12: same_* refuses_* connection_*
import csv
import fcntl
import itertools
import re
import signal
import socket
import struct
import tempfile
import termios
import time
from typing import NamedTuple

from cli import pair
from lib import hosts, tap, tcp_socket, wait, web

HOSTS = hosts.ADDRESSES["right"]
PORT = 5001
MS, S = 10**6, 10**9
WHO = f"freshlink traffic web: transaction 1 with {HOSTS[0]} port {PORT}:"
REQUEST_MAX, REPLY_MAX = 65536, 2**24


class Row(NamedTuple):
    """A line of the log."""

    transaction: int
    files: int
    requested: int
    bytes: int
    start: int
    end: int


def read_log(file):
    return [Row(*(int(value) for value in row.values())) for row in csv.DictReader(file)]


def load(p, words, host=HOSTS[0]):
    """One run from left to right: the client's summary and its log."""
    with tempfile.NamedTemporaryFile("r") as log:
        summary, = pair.result(p.start(p.left, f"traffic web {host} -j --log {log.name} {words}"))
        return summary, read_log(log)


def expected(transactions):
    """The first columns of the log of these transactions."""
    return [(i, len(files), sum(request for request, _ in files), sum(reply for _, reply in files))
            for i, files in enumerate(transactions, 1)]


def test_same_transactions_everywhere():
    """A seed makes exactly the transactions of the model, over IPv4 and IPv6, and the server writes
    exactly these bytes. Another seed and the other meaning of the number of files make other
    transactions."""
    seen = []
    for words, seed, objects in (("", 1, 0), ("--files embedded", 1, 1), ("", 0, 0),
                                 ("--files all", 2**63 - 1, 0)):
        want = expected(web.transactions(seed, 40, objects))
        for host in HOSTS:
            with pair.Pair() as p:
                server = p.sink("--sessions 1", kind="web-server")
                summary, rows = load(p, f"{words} --seed {seed} --transactions 40", host)
                tap.equal(f"{words} --seed {seed}", [row[:4] for row in rows], want)
                sums = {"files": sum(row.files for row in rows),
                        "bytes": sum(row.bytes for row in rows)}
                tap.equal("summary", {key: summary[key] for key in (*sums, "transactions", "seed")},
                          {**sums, "transactions": 40, "seed": seed})
                tap.equal("server", pair.result(server), [{
                    "sessions": 1, "broken": 0, "open": 0, "refused": 0,
                    "replies": sums["files"], "bytes": sums["bytes"]}])
        seen.append(want)
    tap.true("they differ", all(a != b for a, b in itertools.combinations(seen, 2)))


def test_one_request_at_a_time():
    """All requests come over one connection and have exactly the bytes of the model. No request
    comes before the last byte of the previous reply. The next request comes without a pause, also
    the first request of the next transaction."""
    with pair.Pair() as p, p.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind((HOSTS[0], PORT))
        listener.listen()
        client = p.start(p.left, f"traffic web {HOSTS[0]} -j --seed 5 --transactions 6")
        connection, _ = listener.accept()
        for length, reply in itertools.chain(*web.transactions(5, 6)):
            tap.equal("request", connection.recv(length, socket.MSG_WAITALL),
                      web.request(length, reply))
            connection.sendall(bytes(reply - 1))
            pair.settled("all but the last byte has arrived", lambda: not unacknowledged(connection))
            tap.equal("next request", pair.sockets(p.right), [("ESTAB", 0)])
            connection.sendall(b"\0")
        tap.equal("after the last reply", connection.recv(1), b"")
        connection.close()
        tap.equal("transactions", pair.result(client)[0]["transactions"], 6)


def state(client):
    """The state of a process: "S" while it sleeps."""
    with open(f"/proc/{client.pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def unacknowledged(sock):
    """The bytes of a connection that have not arrived at its other end."""
    return struct.unpack("i", fcntl.ioctl(sock, termios.TIOCOUTQ, bytes(4)))[0]


def wakes(client):
    """How many times a process has slept and woken up."""
    with open(f"/proc/{client.pid}/status") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M)[1])


def test_sleeps_during_a_reply():
    """The client sleeps until the reply or 16 KiB of it have arrived. With --idle it wakes for each part."""
    seed = next(s for s in range(1000) if 20_000 < web.transactions(s, 1)[0][0][1] < 32_000)
    length, reply = web.transactions(seed, 1)[0][0]
    for words, least, most in (("", 1, 4), ("--idle 60s", 50, 1000)):
        with pair.Pair() as p, p.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind((HOSTS[0], PORT))
            listener.listen()
            client = p.start(p.left, f"traffic web {HOSTS[0]} -j --seed {seed} {words}")
            connection, _ = listener.accept()
            connection.recv(length, socket.MSG_WAITALL)
            pair.settled("it sleeps", lambda: state(client) == "S")
            before = wakes(client)
            for _ in range(50):
                connection.sendall(bytes(reply // 50 - 1))
                pair.settled("a part has arrived", lambda: not unacknowledged(connection))
                pair.settled("it sleeps again", lambda: state(client) == "S")
            tap.within(f"wakes {words}", wakes(client) - before, least, most)
            connection.close()


def test_connection_for_each_file():
    """With --connect file the client opens a connection for each file, and ends it when it has the whole
    reply. The transactions are the same. It notices that a server has gone."""
    want = expected(web.transactions(4, 20))
    number = sum(files for _, files, *_ in want)
    with pair.Pair() as p:
        server = p.sink(f"--sessions {number}", kind="web-server")
        summary, rows = load(p, "--seed 4 --transactions 20 --connect file")
        tap.equal("transactions", [row[:4] for row in rows], want)
        tap.equal("files", summary["files"], number)
        served, = pair.result(server)
        tap.equal("sessions", (served["sessions"], served["replies"], served["broken"]),
                  (number, number, 0))
        client = p.start(p.left, f"traffic web {HOSTS[0]} -j --seed 1 --connect file")
        ends_with(client, "cannot connect: Connection refused")


def slow_link(p, kbit, delay_ms):
    """Limit packets to the left to a rate, and delay packets to the right."""
    p.right.run(f"tc qdisc add dev v1 root tbf rate {kbit}kbit burst 5kb limit 1mb")
    p.left.run(f"tc qdisc add dev v0 root netem delay {delay_ms}ms limit 10000")


def test_throughput():
    """On a slow link, transactions follow each other without a pause. The summary covers exactly
    the complete transactions, up to the end of the last. The command ends at the end of its
    duration, in the middle of a transaction."""
    speed = 1 if wait.virtual_time() else 10
    slack = MS if wait.virtual_time() else 50 * MS
    want = expected(web.transactions(3, 100))
    with pair.Pair() as p:
        slow_link(p, 64 * speed, 100 // speed)
        server = p.sink("--sessions 1", kind="web-server")
        start = time.monotonic()
        summary, rows = load(p, f"--seed 3 --duration {60 * S // speed}ns")
        took = time.monotonic() - start
        served, = pair.result(server)
    tap.within("seconds of the command", took, 60 / speed, 60 / speed + 1)
    tap.equal("transactions", [row[:4] for row in rows], want[:len(rows)])
    tap.within("transactions", len(rows), 5, 80)
    total = sum(row.bytes for row in rows)
    seconds = (rows[-1].end - rows[0].start) / S
    tap.equal("bytes", summary["bytes"], total)
    tap.true("the server has begun another transaction", served["bytes"] > total)
    # the connection is set up before the first transaction
    tap.within("from the start to the connection, s", summary["seconds"] - seconds, 0.1 / speed,
               0.1 / speed + slack / S)
    tap.within("throughput", summary["throughput"] - total / summary["seconds"], -1, 1)
    tap.within("share of the link", summary["throughput"] * 8 / 64000 / speed, 0.3, 0.97)
    for row, following in zip(rows, rows[1:]):
        tap.within("pause, ns", following.start - row.end, 0, slack)


def connected(p, *requests, host=HOSTS[0]):
    """A connection from the left over which these requests were sent."""
    sock = p.left.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    sock.connect((host, PORT))
    sock.sendall(b"".join(requests))
    return sock


def is_ended(sock):
    """The server ends the connection without a reply."""
    try:
        return not sock.recv(1)
    except ConnectionResetError:
        return True
    finally:
        sock.close()


def test_refuses_nonsense():
    """The server ends a connection whose request is not right, before it reads more than the start
    of the request. Meanwhile it serves other clients."""
    wrong = [web.request(100, 100, b"GET "), web.request(11, 100), web.request(0, 100),
             web.request(REQUEST_MAX + 1, 100)[:12], web.request(100, 0),
             web.request(100, REPLY_MAX + 1)[:12], web.request(100, 2**32 - 1)[:12],
             bytes(12), b"\xff" * 12]
    with pair.Pair() as p:
        server = p.sink("", kind="web-server")
        good = connected(p, web.request(12, 1))
        tap.equal("first reply", good.recv(2), b"\0")
        for request in wrong:
            tap.true(f"{request[:12]} is refused", is_ended(connected(p, request)))
            good.sendall(web.request(12, 1))
            tap.equal("reply", good.recv(2), b"\0")
        good.close()
        pair.settled("the server has read all", lambda: pair.sockets(p.right) == [])
        tap.equal("summary", pair.stop(server, signal.SIGTERM),
                  {"sessions": 1, "broken": len(wrong), "open": 0, "refused": len(wrong),
                   "replies": len(wrong) + 1, "bytes": len(wrong) + 1})


def test_requests_in_pieces():
    """A request may arrive byte by byte, and several requests may arrive at once. The longest
    request and reply are accepted. A connection that ends within a request is broken."""
    with pair.Pair() as p:
        server = p.sink("--sessions 4", kind="web-server")
        slow = connected(p)
        for byte in web.request(30, 5):
            slow.sendall(bytes([byte]))
            pair.settled("it is read", lambda: ("ESTAB", 1) not in pair.sockets(p.right))
        tap.equal("reply", slow.recv(5, socket.MSG_WAITALL), bytes(5))
        many = connected(p, *(web.request(12 + i, 1000 + i) for i in range(20)))
        tap.equal("replies", many.recv(20190, socket.MSG_WAITALL), bytes(20190))
        longest = connected(p, web.request(REQUEST_MAX, REPLY_MAX), host=HOSTS[1])
        tap.equal("longest", len(longest.recv(REPLY_MAX, socket.MSG_WAITALL)), REPLY_MAX)
        half = connected(p, web.request(30, 5)[:20])
        for sock in (slow, many, longest, half):
            sock.shutdown(socket.SHUT_WR)
            tap.equal("nothing more", sock.recv(1), b"")
            sock.close()
        tap.equal("summary", pair.result(server),
                  [{"sessions": 3, "broken": 1, "open": 0, "refused": 0, "replies": 22,
                    "bytes": 5 + 20190 + REPLY_MAX}])


def test_many_clients():
    """The server serves 64 clients at the same time and refuses the next one. It takes a new client
    when a client has ended."""
    with pair.Pair() as p:
        server = p.sink("", kind="web-server")
        there = [connected(p, web.request(12, 7)) for _ in range(64)]
        tap.equal("replies", {sock.recv(7, socket.MSG_WAITALL) for sock in there}, {bytes(7)})
        tap.true("one too many", is_ended(connected(p, web.request(12, 7))))
        there.pop().close()
        pair.settled("it has ended", lambda: len(pair.sockets(p.right)) == 63)
        there.append(connected(p, web.request(12, 7)))
        tap.equal("reply", there[-1].recv(7, socket.MSG_WAITALL), bytes(7))
        for sock in there:
            sock.close()
        pair.settled("all have ended", lambda: pair.sockets(p.right) == [])
        tap.equal("summary", pair.stop(server, signal.SIGTERM),
                  {"sessions": 65, "broken": 1, "open": 0, "refused": 1, "replies": 65,
                   "bytes": 65 * 7})


def test_client_that_dies():
    """If a client resets or closes its connection before it has the whole reply, the server counts
    a broken connection and serves the next client."""
    with pair.Pair() as p:
        server = p.sink("--sessions 3", kind="web-server")
        there = connected(p, web.request(12, REPLY_MAX))
        there.recv(1)
        tcp_socket.reset(there)
        with pair.paused(server):
            # the end of the connection arrives before the server writes, and each write is reset
            connected(p, web.request(12, REPLY_MAX)).close()
        summary, _ = load(p, "--transactions 3")
        told, = pair.result(server)
    tap.equal("connections", (told["sessions"], told["broken"], told["refused"]), (1, 2, 0))
    tap.equal("replies", told["replies"], summary["files"])


def ends_with(client, message):
    """The client ends with status 1, this message and an empty summary."""
    out, err = client.communicate(timeout=60)
    tap.equal("status and message", (client.returncode, err), (1, f"{WHO} {message}\n"))
    tap.true(out, out.startswith('{"transactions": 0, "files": 0, "bytes": 0, "seconds": 0'))


def test_connection_fails():
    """If there is no server, or the server ends, resets or breaks off the connection, or replies
    with more than was requested, the client ends with status 1 and a message."""
    with pair.Pair() as p:
        words = f"traffic web {HOSTS[0]} -j --seed 1"
        ends_with(p.start(p.left, words), "cannot connect: Connection refused")
        for act, message in ((socket.socket.close, "the server has ended the connection"),
                             (tcp_socket.reset, "Connection reset by peer"),
                             (lambda there: there.sendall(bytes(100_000)),
                              "the reply is longer than requested")):
            with p.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind((HOSTS[0], PORT))
                listener.listen()
                client = p.start(p.left, words)
                connection, _ = listener.accept()
                length, _ = web.transactions(1, 1)[0][0]
                connection.recv(length, socket.MSG_WAITALL)
                act(connection)
                ends_with(client, f"broke off: {message}")
                connection.close()


def test_server_dies():
    """If the server is killed, the client ends with status 1. Its summary covers the transactions
    before."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        def rows():
            log.seek(0)
            return read_log(log)

        slow_link(p, 640, 10)
        server = p.sink("", kind="web-server")
        client = p.start(p.left, f"traffic web {HOSTS[0]} -j --log {log.name}")
        pair.settled("some transactions are complete", lambda: len(rows()) > 2)
        server.kill()
        out, err = client.communicate(timeout=60)
        tap.equal("status", client.returncode, 1)
        tap.true(err, err.startswith("freshlink traffic web: transaction ") and "broke off: " in err)
        tap.true(out, f'"transactions": {len(rows())}, ' in out)


def test_ends_while_it_waits():
    """A signal, the end of the duration and a silence end a client that waits for a reply. A signal
    and the end of the duration end a client that waits for a connection. The status is 0."""
    with pair.Pair() as p, p.right.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind((HOSTS[0], PORT))
        listener.listen()
        p.left.ip("neighbour replace 10.1.0.9 lladdr 02:00:00:00:00:09 dev v0")
        for host, words, state in ((HOSTS[0], "", "ESTAB"), (HOSTS[0], "--duration 2s", ""),
                                   (HOSTS[0], "--idle 2s", ""), ("10.1.0.9", "", "SYN-SENT"),
                                   ("10.1.0.9", "--duration 2s", "")):
            client = p.start(p.left, f"traffic web {host} -j {words}")
            if state:
                pair.settled("it waits", lambda: (state, 0) in pair.sockets(p.left))
                client.send_signal(signal.SIGINT)
            tap.equal(f"{host} {words}", pair.result(client),
                      [{"transactions": 0, "files": 0, "bytes": 0, "seconds": 0, "seed": 1}])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
