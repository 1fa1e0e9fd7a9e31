#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A host sends no more messages than the limits let through, to one host or to all, and as many."""
import itertools
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import netlink, tap
from lib.icmp import DROP
from lib.notice import Link, ipv4, ipv6, segment

# as kmod/xlo_rto/outbox.h has them, periods in s
HOST_BURST, HOST_PERIOD, BURST, PERIOD, WAITING = 10, 0.1, 50, 0.001, 32


def attempts(link, packets):
    """How many of these are taken."""
    taken = 0
    for packet in packets:
        try:
            link.tell(DROP, packet)
            taken += 1
        except netlink.Refused as error:
            tap.true(f"too many: {error}", "too many messages" in str(error))
    return taken


def test_limit_of_a_host():
    """Ten at once to one host, then ten a second, whichever connection they are about; others still
    get theirs."""
    with Link() as link:
        many = [ipv4(segment(payload=bytes([n]))) for n in range(3 * HOST_BURST)]
        tap.equal("at once", attempts(link, many), HOST_BURST)
        link.expect(asked=len(many), sent=HOST_BURST, host_limit=len(many) - HOST_BURST)
        tap.equal("to another", attempts(link, [ipv6(segment())]), 1)
        for tokens in (1, 5):
            time.sleep(tokens * HOST_PERIOD)
            tap.equal(f"{tokens} periods later", attempts(link, many), tokens)


def test_limit_of_all():
    """Fifty at once to many hosts, of which no more than 32 wait, then a thousand a second."""
    # each another host: those that share a bucket, by a secret, must not reach its limit
    packets = (ipv4(segment(), source=f"203.0.{n >> 8}.{n & 255}") for n in itertools.count(1))
    with Link() as link:
        link.right.ip("route add 203.0.0.0/16 via 10.1.0.1 dev v1")
        begin = time.monotonic()
        # the first may be on their way while the last are asked for
        taken = attempts(link, itertools.islice(packets, 40))
        tap.within("before all are sent", taken, WAITING, 39)
        link.expect(asked=40, sent=taken, queue_full=40 - taken)
        since = time.monotonic()
        left = BURST - taken + int((since - begin) / PERIOD)
        tap.equal("at once", attempts(link, itertools.islice(packets, 100)), left)
        time.sleep(20 * PERIOD)
        tap.equal("20 ms later", attempts(link, itertools.islice(packets, 100)), 20)
        link.expect(asked=200, sent=left + 20, limit=200 - left - 20)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
