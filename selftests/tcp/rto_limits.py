#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A host sends exactly as many messages as the limits allow, to one host and to all hosts."""
# run.sh: needs: simulated time
import contextlib
import itertools
import os
import time

from lib import netlink, tap
from lib.icmp import DROP
from lib.notice import Link, ipv4, segment

# as kmod/xlo_rto/outbox.h has them, periods in ns
HOST_BURST, HOST_PERIOD, BURST, PERIOD, WAITING = 10, 100_000_000, 50, 1_000_000, 32


@contextlib.contextmanager
def alone():
    """Meanwhile no work item runs: there is one CPU, which this thread keeps unless it sleeps."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def attempts(link, packets):
    """The number of these that are accepted."""
    taken = 0
    for packet in packets:
        try:
            link.tell(DROP, packet)
            taken += 1
        except netlink.Refused as error:
            tap.true(f"too many: {error}", "too many messages" in str(error))
    return taken


def hosts_behind(link):
    """An address of another host each time, as long as the link lives."""
    link.right.ip("route add 203.0.0.0/16 via 10.1.0.1 dev v1")
    return (f"203.0.{n >> 8}.{n & 255}" for n in itertools.count(1))


def test_limit_of_a_host():
    """Ten at once to one host, then ten a second, whichever connection they are about; others still
    get theirs, but for one that may share its bucket, by a secret."""
    with Link() as link:
        others = itertools.islice(hosts_behind(link), 20)
        many = [ipv4(segment(payload=bytes([n]))) for n in range(3 * HOST_BURST)]
        tap.equal("at once", attempts(link, many), HOST_BURST)
        link.expect(asked=len(many), sent=HOST_BURST, host_limit=len(many) - HOST_BURST)
        # more than two of 20 in one of 256 buckets: once in 15000 times
        tap.within("to others", attempts(link, (ipv4(segment(), source=one) for one in others)),
                   18, 20)
        for tokens in (1, 5):
            time.sleep(tokens * HOST_PERIOD / 1e9)
            tap.equal(f"{tokens} periods later", attempts(link, many), tokens)


def test_limit_of_all():
    """Fifty at once to many hosts, of which no more than 32 wait, then a thousand a second."""
    with Link() as link:
        # each to another host: those that share a bucket must not reach its limit
        packets = (ipv4(segment(), source=one) for one in hosts_behind(link))
        begin = time.monotonic_ns()
        with alone():
            tap.equal("before any is sent", attempts(link, itertools.islice(packets, 40)), WAITING)
        link.expect(asked=40, sent=WAITING, queue_full=40 - WAITING)
        since = time.monotonic_ns()
        left = BURST - WAITING + (since - begin) // PERIOD
        tap.equal("at once", attempts(link, itertools.islice(packets, 100)), left)
        time.sleep(20 * PERIOD / 1e9)
        tap.equal("20 ms later", attempts(link, itertools.islice(packets, 100)), 20)
        link.expect(asked=200, sent=left + 20, limit=200 - left - 20)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
