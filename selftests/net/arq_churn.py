#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""While packets pass in both directions, devices and lower devices move to another namespace and
back, devices are deleted and created again, their settings change, and the module is unloaded and
loaded. The connection works afterwards."""
# run.sh: all on smp-debug: everything
# run.sh: soak on smp-debug, 7200 s: everything
import contextlib
import errno
import random
import time

from lib import arq_device, cell, child, kmod, netns, port, soak, tap, wait
from lib.arq_frame import MS

# on an emulated machine each round takes about a second
ROUNDS = soak.amount(5 if wait.virtual_time() else 3, 200)
CHANNEL = {"rate": 10**6, "delay": 2 * MS, "loss": 50_000}
VALUES = {"ring": 10**5, "timer": arq_device.FIXED, "timeout": 50 * MS}


class Storm:
    """Within the block, packets are sent to the devices of a pair, wherever they are: in their own
    namespaces or in a third one."""

    def __init__(self):
        self.pair = arq_device.Pair(channel=CHANNEL, **VALUES)
        self.home, self.third = self.pair.left.ns, netns.Netns()
        chance = random.Random(7)
        places = self.pair.left, self.pair.right, arq_device.Device(self.third, "arq0")
        self.senders = [child.Beside(cell.sender(place, chance)) for place in places]
        self.block = contextlib.ExitStack()

    def __enter__(self):
        for sender in self.senders:
            self.block.enter_context(sender)
        return self

    def other(self, ns):
        """The third namespace, or the first one if `ns` is the third."""
        return self.third if ns is self.home else self.home

    def works(self):
        """Check that packets arrive in both directions."""
        self.pair.connected()
        for end in self.pair.left, self.pair.right:
            before = end.counters()["sent"]
            wait.until("packets arrive", lambda: end.counters()["sent"] > before + 5)

    def __exit__(self, *why):
        self.block.__exit__(*why)
        self.pair.__exit__(*why)
        self.third.close()


def test_moves():
    """The device and its lower device move to another namespace and back while they are up."""
    with Storm() as storm:
        pair = storm.pair
        for number in range(ROUNDS):
            there = storm.other(pair.left.ns)
            pair.left.netlink.move("arq0", there, "arq0")
            pair.left = arq_device.Device(there, "arq0")
            pair.left.up()
            if number % 2:
                pair.lower.left.move(storm.other(pair.lower.left.ns))
                pair.lower.left.up()
            if number % 10 == 9:
                storm.works()
        pair.lower.up()
        storm.works()


def test_deletions():
    """A device is deleted while it is up, and created again."""
    with Storm() as storm:
        for number in range(ROUNDS):
            device = (storm.pair.left, storm.pair.right)[number % 2]
            device.netlink.delete(device.name)
            tap.equal(device.name, device.netlink.link(device.name), None)
            device.above(f"cell{number % 2}", address=arq_device.UPPER[number % 2], **VALUES)
            device.up()
            if number % 10 == 9:
                storm.works()
        storm.works()


def unload():
    """Unload the module as soon as the lower devices have sent its frames."""
    def gone():
        error = kmod.rmmod("arqlink")
        tap.true(f"error {error} of rmmod", error in (0, errno.EAGAIN))
        return not error
    wait.until("the module is unloaded", gone)


def test_loads():
    """The module is unloaded and loaded. Packets go on to be sent to devices that do not exist."""
    with Storm() as storm:
        ends = storm.pair.left, storm.pair.right
        for _ in range(ROUNDS):
            for device in ends:
                device.up(False)
            unload()
            for number, device in enumerate(ends):
                tap.equal(device.name, device.netlink.link(device.name), None)
                device.above(f"cell{number}", address=arq_device.UPPER[number], **VALUES)
                device.up()
            time.sleep(0.01)
        storm.works()


def marked(end):
    """A function for child.Beside that sends packets with the mark 1."""
    out = port.Port(end.ns, end.name, ethernet=True)
    out.mark(1)

    def send():
        time.sleep(0.001)
        return sum(out.send(arq_device.packet(0, 100)) for _ in range(20))
    return send


def test_match_changes():
    """While the match of the class "bypass" changes, no packet is chosen by the mask of one match
    and the mark of the other."""
    first, second = {"bypass_mask": 1, "bypass_mark": 0}, {"bypass_mask": 2, "bypass_mark": 2}
    with arq_device.Pair(**VALUES | first) as pair:
        with child.Beside(marked(pair.left)) as sending:
            for _ in range(20 * ROUNDS):
                for match in second, first:
                    pair.left.change(**match)
                time.sleep(0.001)
        tap.true("packets were sent", sending.done > 0)
        pair.left.expect(bypassed=0, held=0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
