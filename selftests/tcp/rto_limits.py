#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A host sends exactly as many messages as its two limits allow. One limit is for each receiving
host, and one limit is for all receiving hosts together."""
# run.sh: needs: simulated time
import itertools
import random
import time

from lib import cpu, netlink, packet as pkt, tap, wait
from lib.icmp import DROP
from lib.notice import Link, ipv4, segment

# the limits of kmod/xlo_rto/outbox.c, periods in ns
HOST_BURST, HOST_PERIOD, BURST, PERIOD, WAITING = 10, 100_000_000, 50, 1_000_000, 32

# flows of which a link loses one packet in a hundred: packets per second, s, losses in a row
LOST, RATES, DURATION, ROWS = 0.01, (100, 500, 1000, 2000, 5000), 30, (1, 30)


def attempts(link, packets):
    """Request messages about these packets. Returns the number of accepted requests."""
    taken = 0
    for packet in packets:
        try:
            link.tell(DROP, packet)
            taken += 1
        except netlink.Refused as error:
            tap.true(f"the refusal names the limit: {error}", "too many messages" in str(error))
    return taken


def hosts_behind(link):
    """Addresses of different hosts behind the link."""
    link.right.ip("route add 203.0.0.0/16 via 10.1.0.1 dev v1")
    return (f"203.0.{n >> 8}.{n & 255}" for n in itertools.count(1))


def test_limit_of_a_host():
    """One host receives at most ten messages in a burst and then ten per second, for all of its
    connections together. Other hosts still receive messages. Only a host that by chance shares the
    first host's bucket receives no message."""
    with Link() as link:
        others = itertools.islice(hosts_behind(link), 20)
        many = [ipv4(segment(payload=bytes([n]))) for n in range(3 * HOST_BURST)]
        tap.equal("messages at once", attempts(link, many), HOST_BURST)
        link.expect(asked=len(many), sent=HOST_BURST, host_limit=len(many) - HOST_BURST)
        # with a chance of 1 in 15000, more than two of 20 hosts share the bucket of the first host
        # (there are 256 buckets)
        tap.within("messages to other hosts",
                   attempts(link, (ipv4(segment(), source=one) for one in others)),
                   18, 20)
        for tokens in (1, 5):
            time.sleep(tokens * HOST_PERIOD / 1e9)
            tap.equal(f"messages {tokens} periods later", attempts(link, many), tokens)


def test_limit_of_all():
    """All hosts together receive at most 50 messages in a burst and then a thousand per second. At
    most 32 messages can be pending."""
    with Link() as link:
        # each message goes to another host, so that no host reaches its own limit
        packets = (ipv4(segment(), source=one) for one in hosts_behind(link))
        begin = time.monotonic_ns()
        with cpu.alone():
            tap.equal("accepted while none is sent",
                      attempts(link, itertools.islice(packets, 40)), WAITING)
        link.expect(asked=40, sent=WAITING, queue_full=40 - WAITING)
        since = time.monotonic_ns()
        left = BURST - WAITING + (since - begin) // PERIOD
        tap.equal("messages at once", attempts(link, itertools.islice(packets, 100)), left)
        time.sleep(20 * PERIOD / 1e9)
        tap.equal("messages 20 ms later", attempts(link, itertools.islice(packets, 100)), 20)
        link.expect(asked=200, sent=left + 20, limit=200 - left - 20)


def losses(rate, row, chance):
    """The times, in ns, at which a link loses packets of a flow, `row` of them in a row."""
    period, times, number = 10**9 // rate, [], 0
    while number < rate * DURATION:
        if chance.random() < LOST / row:
            times += [period * (number + n) for n in range(row)]
            number += row - 1
        number += 1
    return times


def allowed(times):
    """How many of the messages at these times the limit of a host allows."""
    tokens, last, taken = HOST_BURST, 0, 0
    for now in times:
        tokens = min(HOST_BURST, tokens + (now - last) / HOST_PERIOD)
        last = now
        if tokens >= 1 - 1e-9:
            tokens, taken = tokens - 1, taken + 1
    return taken


def reported(times):
    """Lose UDP packets at these times. Returns the number of messages that are sent."""
    packet = pkt.ipv4(pkt.xlo4(300), bytes(60), source="10.1.0.1", target="198.51.100.1")
    with Link() as link:
        # a little later than the start, so that no time is before it
        begin, taken = time.monotonic_ns() + PERIOD, 0
        for moment in times:
            wait.till(begin + moment)
            taken += attempts(link, [packet])
        link.expect(asked=len(times), **{"sent": taken} if taken == len(times) else
                    {"sent": taken, "host_limit": len(times) - taken})
    return taken


def test_losses_of_a_flow():
    """The program of a flow learns of the losses that the limit of a host allows, and of no
    more. (Documentation/xlo_rto.rst has the shares.)"""
    chance = random.Random(1)
    for rate, row in itertools.product(RATES, ROWS):
        times = losses(rate, row, chance)
        taken = reported(times)
        tap.note(f"{rate} packets/s, {row} in a row: {len(times)} lost, {taken} reported, "
                 f"{100 * taken / len(times):.0f} %")
        tap.equal("reported", taken, allowed(times))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
