#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests change bytes of messages, and cut, extend or fragment messages. KASAN checks that
xlo_rto reads no byte outside a message. xlo_rto counts each message under one cause, and keeps each
timeout within its bounds. Afterwards a right message still has its effect. `make soak` sends a
million messages on the debug kernel. Set FL_SEED to the seed of a run to repeat the run."""
# run.sh: needs: simulated time
# run.sh: soak on lab-debug, 36000 s: everything
import socket
import struct
import time

from lib import bench, icmp, packet as pkt, rto, soak, tap, wait, xlo
from lib.icmp import BOTH, DEFER, DROP, EXTENSION, LINK_UP, NATIVE
from lib.peer import MS, S
from tcp import rto_ipv6

COUNT = soak.amount(6000, 500_000)      # messages of each family
PERIOD, PERIODS = 100 * MS, 300
ODD = (0, 1, 3, 4, 0x7f, 0x80, 0xff)    # unexpected values of lengths and types
LATEST = 2                              # latest retransmission in timeouts, kmod/xlo_rto/machine.c
EARLIEST, TIMEOUT_MAX = S // 5, 120 * S


def hostile(some, data):
    """The ICMP part of a right message with random changes. The checksum is not yet updated."""
    data = bytearray(data)
    for _ in range(some.choice((0, 1, 1, 2, 4, 8))):
        data[some.randrange(len(data))] = some.choice(ODD + (some.randrange(256),))
    if some.random() < 0.2:
        del data[some.randrange(1, len(data) + 1):]
    elif some.random() < 0.1:
        data += bytes(some.randrange(1400 - len(data)))
    return data


def summed4(data):
    return pkt.checksum(bytes(data[:2]) + bytes(2) + bytes(data[4:]))


def with_checksum(some, data, value):
    if len(data) >= 4 and some.random() < 0.9:
        struct.pack_into("!H", data, 2, value)
    return bytes(data)


def packets4(some, right):
    """The packets of a hostile message over IPv4: one packet, or two fragments."""
    packet = some.choice(right)
    data = hostile(some, packet[20:])
    data = with_checksum(some, data, summed4(data))
    whole = icmp.ipv4(pkt.SOURCE4, packet[16:20], data)
    if len(data) < 16 or some.random() < 0.95:
        return [whole]
    # fragments of all messages have the same identification
    return icmp.fragments(whole, some.randrange(1, (len(data) - 1) // 8 + 1) * 8)


def packets6(some, right):
    """The packet of a hostile message over IPv6."""
    packet = some.choice(right)
    data = hostile(some, packet[40:])
    addresses = packet[8:40]
    value = pkt.checksum(addresses + struct.pack("!II", len(data), socket.IPPROTO_ICMPV6) +
                         bytes(data[:2]) + bytes(2) + bytes(data[4:]))
    data = with_checksum(some, data, value)
    return [packet[:4] + struct.pack("!H", len(data)) + packet[6:40] + data]


def attack(port, make, right):
    """Send hostile messages at regular intervals for half a minute."""
    some, begin = bench.seed(), time.monotonic_ns()
    for number in range(PERIODS):
        wait.till(begin + number * PERIOD)
        for _ in range(COUNT // PERIODS):
            for packet in make(some, right):
                port.send(packet)


def within_bounds(moments, timeout):
    """Check that the times between transmissions are within the bounds of the timeout. The timeout
    at most doubles with each transmission."""
    tap.true("there were timeouts", len(moments) > 2)
    for before, after in zip(moments, moments[1:]):
        tap.within("ns between transmissions", after - before, EARLIEST - rto.TICK,
                   LATEST * timeout + rto.granularity(LATEST * timeout))
        timeout = min(2 * timeout, TIMEOUT_MAX)


def accounted(client, moved):
    """Check that each received message is in exactly one other counter. Some of them have moved a
    timeout, and are in the counter `moved`."""
    wait.until("no message waits", lambda: 2 * client.stats()["received"] ==
               sum(client.stats().values()))
    stats = client.stats()
    tap.note(", ".join(f"{name} {value}" for name, value in stats.items() if value))
    for name in ("malformed", "checksum", "code", "not_tcp", "not_ours", "no_socket", "sequence",
                 "timestamp", "too_soon", moved):
        tap.true(f"some messages count as {name}", stats[name])


def test_ipv4():
    """All segments of a connection are lost. Hostile messages over IPv4 about the connection do no
    harm."""
    # ip_no_pmtu_disc: ignore hostile messages that report a smaller MTU
    with rto.Flow(accept=BOTH, timestamps=True, sysctls={"ip_no_pmtu_disc": 2}) as flow:
        first, timeout = flow.segments[0], flow.rto
        attack(flow.peer.port, packets4,
               [icmp.message(code, first.packet, encoding, quote)
                for code in (DROP, DEFER, LINK_UP) for encoding in (NATIVE, EXTENSION)
                for quote in (28, 52)])
        accounted(flow.client, "shortened")
        moments = [first.when]
        while (segment := flow.peer.receive(time.monotonic_ns() + MS)):
            moments.append(segment.when)
        within_bounds(moments, timeout)
        # wait until the attacked timeout ends
        segment = flow.peer.receive(time.monotonic_ns() + 100 * S)
        flow.began(segment.when)
        flow.account = xlo.Account(flow.client)
        flow.say(DROP, 0.5, segment)
        flow.times_out(0.75, 0.5)
        flow.account.expect(received=1, shortened=1)


def test_ipv6():
    """Hostile messages over IPv6 do no harm."""
    with rto_ipv6.Flow() as flow:
        attack(flow.port, packets6,
               [icmp.message6(code, flow.packet, encoding, rto_ipv6.ROUTER)
                for code in (DROP, DEFER, LINK_UP) for encoding in (NATIVE, EXTENSION)])
        # In a soak, LINK-UPs come at the least interval that is allowed. After each, a DROP is too soon
        # for an eighth of the timeout, which is longer than this interval.
        accounted(flow.client, "link_up")
        within_bounds([flow.begin] + [frame.when for frame in flow.data()], flow.rto)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
