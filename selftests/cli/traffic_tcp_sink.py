#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink traffic tcp-sink reads several connections at the same time, reports how each
connection ended, and ends as its command line says."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
# run.sh: all on vm-6.12: [!e]*
import contextlib
import resource
import signal
import socket
import time

from cli import pair
from lib import hosts, tap, tcp_socket

HOSTS = hosts.ADDRESSES["right"]
PORT = 5001
NOTHING = {"sessions": 0, "broken": 0, "open": 0, "bytes": 0}


def connected(p, host, data=b""):
    """A connection from the left over which this data was sent."""
    sock = p.left.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    sock.connect((host, PORT))
    sock.sendall(data)
    return sock


def all_read(p, connections):
    pair.settled("the sink has read all data",
                 lambda: pair.sockets(p.right) == connections * [("ESTAB", 0)])


def test_connections_at_once():
    """The sink reads several connections over IPv4 and IPv6 at the same time. The sink counts
    separately the connections that their sources ended, that broke, and that are still open."""
    with pair.Pair() as p:
        sink = p.sink("--sessions 5", kind="tcp-sink")
        there = [connected(p, host, bytes(size)) for host in HOSTS for size in (0, 1, 100_000)]
        all_read(p, 6)
        for sock in there[:2]:
            tcp_socket.reset(sock)
        for sock in there[2:5]:
            sock.close()
        tap.equal("summary", pair.result(sink),
                  [{"sessions": 3, "broken": 2, "open": 1, "bytes": 200_002}])


def test_ends_by_itself():
    """The sink ends after a silence or after its duration. A byte and a new connection interrupt
    the silence."""
    with pair.Pair() as p:
        start = time.monotonic()
        sink = p.sink("--idle 500ms", kind="tcp-sink")
        time.sleep(0.3)
        first = connected(p, HOSTS[0])
        time.sleep(0.3)
        first.sendall(b"x")
        time.sleep(0.3)
        second = connected(p, HOSTS[0])
        tap.equal("idle", pair.result(sink), [{**NOTHING, "open": 2, "bytes": 1}])
        tap.within("seconds", time.monotonic() - start, 1.4, 6)
        first.close()
        second.close()
        start = time.monotonic()
        sink = p.sink("--duration 700ms --idle 20s", kind="tcp-sink")
        tap.equal("duration", pair.result(sink), [NOTHING])
        tap.within("seconds", time.monotonic() - start, 0.7, 6)


def test_signals():
    """SIGINT, SIGTERM and SIGHUP end the sink with its summary and status 0."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with pair.Pair() as p:
            sink = p.sink("", kind="tcp-sink")
            there = connected(p, HOSTS[0], b"12345")
            all_read(p, 1)
            tap.equal("summary", pair.stop(sink, number), {**NOTHING, "open": 1, "bytes": 5})
            there.close()


def test_ends_whatever_waits():
    """A signal or the end of its duration ends the sink even while data waits to be read, which is
    always the case under a flood."""
    for words, number in (("--duration 3s", 0), ("", signal.SIGTERM)):
        with pair.Pair() as p:
            sink = p.sink(f"{words} --idle 20s", kind="tcp-sink")
            there = [connected(p, HOSTS[0], b"x") for _ in range(5)]
            all_read(p, 5)
            with pair.paused(sink):
                for sock in there:
                    sock.sendall(b"x")
                if number:
                    sink.send_signal(number)
                else:
                    time.sleep(3)
            # the sink may have been woken for the first byte before it was paused
            tap.within(f"bytes {words}", pair.result(sink)[0]["bytes"], 5, 5 + bool(number))
            for sock in there:
                sock.close()


def test_port_is_taken():
    """If another program uses the port, a message reports this and the status is 1. Connections of
    a sink that has ended do not occupy the port."""
    with pair.Pair() as p:
        for _ in range(2):
            sink = p.sink("", kind="tcp-sink")
            there = connected(p, HOSTS[0])
            second = p.start(p.right, "traffic tcp-sink")
            _, err = second.communicate(timeout=60)
            tap.equal("the second sink", (second.returncode, err), (1, "freshlink traffic tcp-sink: "
                      "cannot receive on port 5001: Address already in use\n"))
            pair.stop(sink, signal.SIGTERM)
            # the sink closed the connection first, so its port stays with the connection
            there.close()


def test_no_descriptors():
    """If the sink can accept no more connections, a message reports this and the status is 1."""
    with pair.Pair() as p:
        sink = p.sink("", kind="tcp-sink")
        # the sink has six descriptors, among them the descriptors for signals, listening and epoll
        resource.prlimit(sink.pid, resource.RLIMIT_NOFILE, (7, 7))
        there = connected(p, HOSTS[0])
        # this connection ends the sink, which may reset the connection
        with contextlib.suppress(ConnectionResetError):
            connected(p, HOSTS[0]).close()
        out, err = sink.communicate(timeout=60)
        tap.equal("message", (sink.returncode, err), (1, "freshlink traffic tcp-sink: cannot "
                  "accept a connection: Too many open files\n"))
        tap.true(out, '"sessions": 0, "broken": 0, "open": 1' in out)
        there.close()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
