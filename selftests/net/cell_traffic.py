#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two processes send packets, one at each end. At the same time, devices are created, moved,
changed and removed, and the module is reloaded. Afterwards packets pass in both directions, and
each packet is delivered or counted as lost."""
# run.sh: all on vm: reload
# run.sh: all on smp-debug: everything
# run.sh: soak on smp-debug, 14400 s: everything
import time

from lib import bench, cell, child, kmod, netns, soak, tap, wait

# Emulated VMs need more time for each round.
ROUNDS = soak.amount(20 if wait.virtual_time() else 3, 200)
CHANNEL = {"rate": 10**6, "delay": 5 * cell.MS, "ring_packets": 5}
MTU = 1500


def await_packets(pair):
    """Wait until packets pass in both directions."""
    for end in (pair.left, pair.right):
        before = end.counters()["delivered"]
        wait.until(f"packets from {end.name}", lambda: end.counters()["delivered"] > before + 3)


def under_traffic(act):
    """Call act(pair, random, number) repeatedly under traffic."""
    random = bench.seed()
    with cell.Pair(back=CHANNEL, **CHANNEL) as pair:
        with child.Beside(cell.sender(pair.left, random)) as left, \
                child.Beside(cell.sender(pair.right, random)) as right:
            for number in range(ROUNDS):
                await_packets(pair)
                act(pair, random, number)
            await_packets(pair)
        tap.true("both ends sent packets", min(left.done, right.done) > 3 * ROUNDS)
        for end in (pair.left, pair.right):
            end.expect(held=0)


def reload(pair, _, number):
    """The module unloads at the first attempt and deletes its devices. In every second round, a
    device is deleted before the module unloads."""
    if number % 2:
        pair.left.netlink.delete("cell0")
    tap.equal("rmmod", kmod.rmmod("cellink"), 0)
    tap.true("cellink is unloaded", not kmod.loaded("cellink"))
    pair.make(CHANNEL, **CHANNEL)


def delete(pair, random, _):
    """The deletion of either device also deletes the other device."""
    end = random.choice((pair.left, pair.right))
    end.netlink.delete(end.name)
    tap.equal("the left end", pair.left.netlink.link("cell0"), None)
    pair.make(CHANNEL, **CHANNEL)


def move(pair, random, _):
    """One of the two devices moves to another namespace and back."""
    end = random.choice((pair.left, pair.right))
    with netns.Netns() as third:
        end.netlink.move(end.name, third, end.name)
        away = cell.End(third, end.name)
        away.up()
        away.netlink.move(end.name, end.ns, end.name)
        away.netlink.sock.close()
    pair.up()


def change_mtu(pair, random, _):
    """The MTU of one device changes. Until the MTU is restored, packets that are too long for one
    of the two devices are refused."""
    end = random.choice((pair.left, pair.right))
    for mtu in (random.randrange(100, 1400), 9000, MTU):
        end.up(mtu=mtu)
        time.sleep(0.005)


def down_and_up(pair, random, _):
    """One device or both devices go down and up again."""
    for end in random.choice(((pair.left,), (pair.right,), (pair.left, pair.right))):
        end.up(False)
    pair.up()


if __name__ == "__main__":
    tap.run([(act.__name__, lambda act=act: under_traffic(act))
             for act in (reload, delete, move, change_mtu, down_and_up)])
