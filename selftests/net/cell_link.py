#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The devices behave like other network devices. The devices go up and down, move to another
namespace, change their MTU and are deleted, with and without packets in them. Each packet that a
device accepts is delivered or counted as lost."""
# run.sh: all on lab-debug: *[!c]
# run.sh: all on vm: mtu moves_* namespace_* changed_*
# run.sh: all on smp-debug: everything
# run.sh: smoke: carrier_* deleted_*
# run.sh: soak on smp-debug, 7200 s: everything
import contextlib
import os
import subprocess
import time

from lib import bench, cell, child, kmod, netlink, netns, soak, tap, wait

# Emulated VMs need more time for each round.
ROUNDS = soak.amount(20 if wait.virtual_time() else 5, 200)
CHANGES = soak.amount(1000 if wait.virtual_time() else 50, 2000)
SLOW = {"rate": 100_000, "delay": 20 * cell.MS}


def flood(pair, count=50, size=500):
    """Send packets from the left end."""
    port = pair.port()
    for number in range(count):
        port.send(cell.packet(number, size))
    port.close()


def both_ways(pair, size=100):
    """Check that a packet in each direction arrives."""
    for one, other, name in ((pair.left, pair.right, "cell1"), (pair.right, pair.left, "cell0")):
        before = one.counters()["delivered"]
        port = cell.port.Port(one.ns, one.name, ethernet=True)
        tap.true("sent", port.send(cell.packet(0, size)))
        port.close()
        wait.until(f"the packet arrives at {name}",
                   lambda: one.counters()["delivered"] == before + 1)
        tap.equal("received", other.ns.interface(other.name)["rx_packets"],
                  one.counters()["delivered"])


def test_carrier_follows_both():
    """Each device has a carrier while both devices are up, and loses the carrier when the other
    device goes down."""
    with cell.Pair() as pair:
        for end, other in ((pair.left, pair.right), (pair.right, pair.left)):
            end.up(False)
            wait.until("the other end has no carrier",
                       lambda: other.netlink.operstate(other.name) !=
                       netlink.IF_OPER_UP)
            end.up()
            wait.until("the other end has a carrier again",
                       lambda: other.netlink.operstate(other.name) ==
                       netlink.IF_OPER_UP)
            both_ways(pair)


def test_down_purges():
    """Packets in a device are lost and counted when the device goes down. The device works as
    before when it is up again."""
    with cell.Pair(rate=10**6, delay=60 * cell.S) as pair:
        flood(pair, 1)
        pair.left.expect(held=1, sent=1)
        pair.left.change(rate=1)
        flood(pair, 5)
        pair.left.expect(held=3, sent=1)
        pair.left.up(False)
        pair.left.expect(held=0, purged=3)
        pair.left.change(rate=0, delay=0)
        pair.up()
        both_ways(pair)


def test_peer_down():
    """The sender counts packets that arrive at a peer that is down."""
    with cell.Pair(rate=1, delay=50 * cell.MS, ring_packets=10) as pair:
        flood(pair, 10)
        pair.left.expect(held=10)
        pair.right.up(False)
        pair.left.change(rate=0)
        pair.left.expect(held=0, peer_down=10)
        pair.right.up()
        both_ways(pair)


def test_handover():
    """Packets on their way survive a change of rate and delay. With `handover lose`, the packets
    are lost and counted. Packets in the ring and in the qdisc use the new rate and delay."""
    with cell.Pair(rate=10_000, delay=50 * cell.S) as pair:
        flood(pair, 10, 100)
        pair.left.expect(sent=10, held=10)
        pair.left.change(rate=1, delay=60 * cell.S)
        flood(pair, 10)
        pair.left.expect(sent=10, held=12)
        pair.left.change(rate=0, delay=0, handover=cell.LOSE)
        pair.left.expect(held=0, packets_in=20, sent=20, handover=10, delivered=10)
        flood(pair, 10, 100)
        pair.left.expect(held=0, delivered=20)


def busy(cpu):
    """A process that keeps a CPU busy and so delays the deferred work of this CPU."""
    return subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"])


def test_order_on_several_processors():
    """Packets keep their order on several CPUs. An arrived packet may still wait for a busy CPU
    while the next packet arrives on another CPU."""
    cpus, count = sorted(os.sched_getaffinity(0)), 1000
    with cell.Pair(rate=10**6) as pair, contextlib.ExitStack() as stack:
        sniffer, port = pair.sniffer(), pair.port()
        for cpu in cpus[1:]:
            stack.callback(busy(cpu).kill)
        for number in range(count):
            os.sched_setaffinity(0, {cpus[number // 2 % len(cpus)]})
            port.send(cell.packet(number, 100))
        port.close()
        seen = [number for number, _ in cell.arrivals(sniffer, count)]
        wrong = [pair for pair in zip(seen, seen[1:]) if pair[0] >= pair[1]]
        tap.equal("pairs in the wrong order", wrong[:5], [])


def test_mtu():
    """The peer refuses packets that are longer than the peer's MTU. The sender's MTU changes under
    traffic."""
    with cell.Pair(**SLOW) as pair:
        pair.left.up(mtu=9000)
        port = pair.port()
        port.send(cell.packet(0, 4000))
        pair.left.expect(refused=1, held=0)
        pair.right.up(mtu=9000)
        port.send(cell.packet(1, 9014))
        pair.left.expect(delivered=1, refused=1, held=0)
        flood(pair)
        pair.left.up(mtu=600)
        pair.left.expect(delivered=51, held=0)


def test_moves_to_another_namespace():
    """A device that moves to another namespace goes down. Therefore the packets in the device are
    purged. Both devices work as before after the move."""
    slow = {"rate": 1, "delay": 20 * cell.MS}
    with cell.Pair(**slow) as pair, netns.Netns() as third:
        flood(pair)
        pair.left.expect(held=2)
        pair.left.netlink.move("cell0", third, "cell7")
        pair.left = cell.End(third, "cell7")
        pair.left.expect(packets_in=2, purged=2)
        tap.equal("settings after the move", pair.left.settings(), {**cell.DEFAULTS, **slow})
        pair.left.change(rate=0)
        pair.up = None
        pair.left.up()
        wait.until("the device has a carrier", lambda: pair.left.netlink.operstate("cell7") ==
                   netlink.IF_OPER_UP)
        both_ways(pair)


def test_deleted_with_packets():
    """Deleting either end also deletes the other end, even with packets on their way."""
    for number in range(ROUNDS):
        with cell.Pair(back=SLOW, **SLOW) as pair:
            flood(pair, 20)
            end, other = (pair.left, pair.right) if number % 2 else (pair.right, pair.left)
            end.netlink.delete(end.name)
            tap.equal("the other end", other.netlink.link(other.name), None)


def test_namespace_goes_with_packets():
    """When a namespace ends, both devices of a pair are deleted, even if the other device is in
    another namespace."""
    for _ in range(ROUNDS):
        with cell.Pair(**SLOW) as pair:
            flood(pair, 20)
            left, right = pair.left, pair.namespaces.pop()
            right.close()
            pair.right.netlink.sock.close()
            wait.until("the other end is deleted", lambda: left.netlink.link("cell0") is None)


def test_load_and_unload_in_a_loop():
    """The module repeatedly unloads at the first attempt and deletes its devices."""
    for number in range(ROUNDS):
        with cell.Pair(**SLOW) as pair:
            flood(pair, 10)
            if number % 2:
                pair.left.netlink.delete("cell0")
            tap.equal("rmmod", kmod.rmmod("cellink"), 0)
            tap.equal("cell0", pair.left.netlink.link("cell0"), None)
        tap.true("cellink is unloaded", not kmod.loaded("cellink"))


def test_changed_under_traffic():
    """All settings change repeatedly while packets pass in both directions. Each lost packet is
    counted."""
    random = bench.seed()

    def change(end):
        end.change(rate=random.choice((0, 1000, 10**6, 10**9)),
                   delay=random.choice((0, 1, cell.MS, 50 * cell.MS)),
                   ring_packets=random.choice((1, 2, 1000)),
                   ring_bytes=random.choice((0, 1, 3000)), buffer=random.choice((0, 1, 5000)),
                   grant=random.choice((0, 1, cell.MS, 7 * cell.MS)), loss=random.choice((0, 10_000)),
                   ber=random.choice((0, 10**7)), bad_loss=random.choice((0, 100_000)),
                   outage=random.choice((0, cell.MS)), outage_every=2 * cell.MS,
                   corrupt=random.randrange(3), ber_state=random.randrange(2),
                   seed=random.randrange(3),
                   **random.choice(({"good": 0, "bad": 0},
                                    {"good": 10 * cell.MS, "bad": cell.MS})))
        if random.random() < 0.05:
            end.up(False)
            end.up()

    with cell.Pair() as pair:
        ends = pair.left, pair.right
        with child.Beside(cell.sender(pair.left, random)), \
                child.Beside(cell.sender(pair.right, random)):
            for _ in range(CHANGES):
                change(random.choice(ends))
                time.sleep(0.001)
            for end in ends:
                end.change(rate=0, delay=0, buffer=0, grant=0, loss=0, ber=0, good=0, bad=0,
                           bad_loss=0, outage=0)
                end.up()
            for end in ends:
                wait.until("packets", lambda: end.counters()["packets_in"] > 100)
        for end in ends:
            wait.until("nothing is held", lambda: end.counters()["held"] == 0, seconds=100)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
