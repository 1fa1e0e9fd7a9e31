#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An arqlink device survives everything that happens to its lower device, and disappears with it.
Nothing that still waits anywhere keeps a device or the module from going away."""
# run.sh: all on smp-debug: lower_is_deleted deleted_* module_* namespace_* changed_*
# run.sh: smoke: lower_is_deleted lower_moves
# run.sh: soak on smp-debug, 7200 s: everything
import errno
import time

from lib import arq_device, cell, child, kmod, netns, soak, tap, wait
from lib.arq_frame import FIRST, LAST, MS
from lib.arq_peer import Scripted

# on an emulated machine each round takes more than a second
ROUNDS = soak.amount(10 if wait.virtual_time() else 3, 300)
# a frame takes half a minute, longer than any step of a test on a busy machine
SLOW = {"rate": 10, "delay": 100 * MS}
BUSY = {"window": 20, "ring": 10**6}


def busy_pair(**values):
    """A connected pair with frames everywhere."""
    pair = arq_device.Pair(channel={"delay": MS}, **BUSY | values)
    pair.lower.left.change(**SLOW)
    for device in pair.left, pair.right:
        arq_device.flood(device, [arq_device.packet(number, 600) for number in range(50)])
    wait.until("frames wait below", lambda: pair.lower.left.counters()["held"] > 1)
    return pair


def arrives(pair):
    """Check that a packet in each direction arrives."""
    for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
        sniffer = other.sniffer()
        arq_device.flood(one, [arq_device.packet(9, 300)])
        cell.arrivals(sniffer, 1)


def test_lower_is_deleted():
    """When the lower device is deleted, the device is deleted too, with frames everywhere."""
    for _ in range(ROUNDS):
        with busy_pair() as pair:
            pair.lower.left.netlink.delete("cell0")
            tap.equal("arq0", pair.left.netlink.link("arq0"), None)
            tap.equal("arq1", pair.right.netlink.link("arq1"), None)


def test_deleted_while_frames_wait():
    """A device is deleted at once although the lower device still has its frames."""
    for _ in range(ROUNDS):
        with busy_pair() as pair:
            pair.left.netlink.delete("arq0")
            tap.equal("arq0", pair.left.netlink.link("arq0"), None)
            pair.lower.left.change(rate=0)
            wait.until("frames below leave", lambda: pair.lower.left.counters()["held"] == 0)


def test_module_is_unloaded():
    """The module stays as long as the lower device has its frames. Afterwards it unloads at the
    first attempt, and deletes its devices."""
    for number in range(ROUNDS):
        with busy_pair() as pair:
            if number % 2:
                pair.left.netlink.delete("arq0")
            for device in pair.left, pair.right:
                if device.netlink.link(device.name):
                    device.up(False)
            tap.equal("rmmod while frames wait below", kmod.rmmod("arqlink"), errno.EAGAIN)
            for end in pair.lower.left, pair.lower.right:
                end.change(rate=0, delay=0)
                end.expect(held=0)
            tap.equal("rmmod", kmod.rmmod("arqlink"), 0)
            for device in pair.left, pair.right:
                tap.equal(device.name, device.netlink.link(device.name), None)
        tap.true("arqlink is unloaded", not kmod.loaded("arqlink"))


def test_lower_goes_down_and_up():
    """While the lower device is down, nothing is sent. When it is up again, the connection goes
    on."""
    with arq_device.Pair(channel={"delay": MS}) as pair:
        for end in pair.lower.left, pair.lower.right:
            end.up(False)
            time.sleep(2)
            end.up()
            pair.lower.up()
            arrives(pair)


def test_lower_is_renamed():
    """The lower device may get another name."""
    with arq_device.Pair() as pair:
        pair.lower.left.ns.ip("link set cell0 down", "link set cell0 name cell7",
                              "link set cell7 up")
        pair.lower.left.name = "cell7"
        arrives(pair)


def test_device_moves():
    """A device may move into another namespace, while its lower device stays."""
    with arq_device.Pair() as pair, netns.Netns() as third:
        pair.left.netlink.move("arq0", third, "arq0")
        pair.left = arq_device.Device(third, "arq0")
        pair.left.up()
        pair.connected()
        arrives(pair)
        pair.left.netlink.delete("arq0")


def test_lower_moves():
    """The lower device may move into another namespace. The device stays, and goes on when the
    lower device is up again."""
    with arq_device.Pair() as pair, netns.Netns() as third:
        pair.lower.left.move(third)
        tap.true("arq0 is still there", pair.left.netlink.link("arq0"))
        pair.lower.left.up()
        arrives(pair)


def test_namespace_goes():
    """When the namespace of the lower device ends, the device is deleted."""
    for _ in range(ROUNDS):
        with busy_pair() as pair:
            left, right = pair.lower.left, pair.lower.namespaces.pop()
            right.close()
            for end in pair.right, pair.lower.right:
                end.netlink.sock.close()
            wait.until("the other end is deleted", lambda: left.netlink.link("cell0") is None)
            tap.equal("arq0", pair.left.netlink.link("arq0"), None)
            pair.right = pair.left


def test_mtu_of_the_lower_device():
    """The lower device's MTU may shrink as long as a frame fits into it."""
    with Scripted(frame=1000) as test:
        least = 1000 + 14 + 24
        test.ns.link("low0", True, mtu=least)
        test.send(0, 1000)
        frame, = test.peer.data(0)
        tap.equal("flags", frame.flags, FIRST | LAST)
        try:
            test.ns.link("low0", True, mtu=least - 1)
        except OSError:
            pass
        test.send(1, 1000)
        frame, = test.peer.data(1)
        tap.equal("flags", frame.flags, FIRST | LAST)
        test.device.change(frame=500)
        test.ns.link("low0", True, mtu=least - 1)
        test.send(2, 100)
        test.peer.data(2)


def test_stacks():
    """A device on another arqlink device works, or is refused. A loop is refused."""
    with arq_device.Pair() as pair:
        stack = [arq_device.Device(end.ns, name)
                 for end, name in ((pair.left, "top0"), (pair.right, "top1"))]
        for device, lower in zip(stack, (pair.left, pair.right)):
            device.above(lower.name)
            device.up()
        for device in stack:
            device.expect(connected=1)
        sniffer = stack[1].sniffer()
        arq_device.flood(stack[0], [arq_device.packet(1, 300)])
        cell.arrivals(sniffer, 1)
        for device in stack:
            device.netlink.delete(device.name)


def test_changed_under_traffic():
    """Devices and lower devices go down and up under traffic in both directions."""
    with arq_device.Pair(channel={"rate": 10**6, "delay": 5 * MS, "loss": 50_000},
                         ring=10**5) as pair:
        random = arq_device.cell.random.Random(7)
        with child.Beside(cell.sender(pair.left, random)), \
                child.Beside(cell.sender(pair.right, random)):
            for _ in range(5 * ROUNDS):
                end = random.choice((pair.left, pair.right, pair.lower.left, pair.lower.right))
                end.up(False)
                time.sleep(random.random() / 50)
                end.up()
            pair.lower.up()
            pair.connected()
            for end in pair.left, pair.right:
                before = end.counters()["sent"]
                wait.until("packets arrive", lambda: end.counters()["sent"] > before + 20)
        for end in pair.left, pair.right:
            end.expect(held=0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
