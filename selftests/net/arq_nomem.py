#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whichever memory allocation fails, a request for a device is applied completely or not at all,
the counters account for each packet and each frame, and the device works afterwards. The kernel's
leak detector finds no leak."""
# run.sh: needs: fault injection
import itertools

from lib import arq_device, arq_peer, cell, faults, netlink, netns, port, tap, uapi, wait
from lib.arq_frame import DATA, FIRST, LAST, MS

WANTED = {"frame": 300, "window": 9, "timer": arq_device.FIXED, "timeout": 50 * MS, "attempts": 7,
          "rate": 10**6, "bypass_mark": 1, "bypass_mask": 3, "copies": 1}
OTHER = {"frame": 400, "timer": arq_device.ADAPTIVE, "timeout": 60 * MS, "attempts": 8,
         "rate": 10**5, "bypass_mark": 2, "bypass_mask": 2, "copies": 0}
STEP = 64                               # bytes; the smallest allocations of the kernel are smaller
SENT = ("data", "repeats_timer", "repeats_nack", "acks", "nacks", "skips", "hellos", "bypassed")
MARK = 5
FIXED = {"timer": arq_device.FIXED, "timeout": 20 * MS}


def lower():
    """A namespace with low0, which is an end of a veth, and the namespace of the other end."""
    ns, far = netns.Netns(), netns.Netns()
    netns.veth(ns, "low0", far, "far0", mtu=arq_device.MTU)
    return ns, far


def failing(function, check):
    """Let the first, second, ... allocation of `function` fail, until it makes no more. Calls
    check(), which returns whether the request was refused, after each attempt."""
    refused = 0
    for number in itertools.count(1):
        more = faults.nth(number, function)
        refused += check()
        if not more:
            break
    tap.note(f"{number - 1} allocations, {refused} of them needed")
    tap.true("some allocations are needed", refused > 0)


def fresh(ns, request):
    """Call request() with a device that has a new socket, because the error of a socket must not
    affect the next request."""
    device = arq_device.Device(ns, "arq0")
    try:
        request(device)
    finally:
        device.netlink.sock.close()


def test_creation():
    """A device is created with all its settings, or not at all, and then nothing is left above the
    lower device."""
    faults.prepare()
    ns, far = lower()
    with ns, far:
        arq_device.Device(ns, "arq0").above("low0")     # loads the module
        netlink.Netlink(ns).delete("arq0")

        def check():
            device = arq_device.Device(ns, "arq0")
            there = device.netlink.link("arq0") is not None
            if there:
                told = device.settings()
                tap.equal("settings", {name: told[name] for name in WANTED}, WANTED)
                device.netlink.delete("arq0")
            device.netlink.sock.close()
            return not there
        failing(lambda: fresh(ns, lambda device: device.above("low0", **WANTED)), check)
        arq_device.Device(ns, "arq0").above("low0")


def test_change():
    """All settings of a request are applied, or none."""
    faults.prepare()
    with arq_peer.Scripted(**WANTED) as test:
        def check():
            told = test.device.settings()
            now = {name: told[name] for name in OTHER}
            tap.true(f"{now} are the old or the new settings",
                     now in (OTHER, {name: WANTED[name] for name in OTHER}))
            test.device.change(**{name: WANTED[name] for name in OTHER})
            return now != OTHER
        failing(lambda: fresh(test.ns, lambda device: device.change(**OTHER)), check)


def test_answers():
    """A device can be asked again after the kernel had no memory for an answer."""
    faults.prepare()
    with arq_peer.Scripted() as test:
        before = test.device.counters()
        failing(lambda: fresh(test.ns, lambda device: device.counters()), lambda: True)
        tap.equal("counters", test.device.counters(), before)


def test_going_up():
    """A device goes up or stays down. With memory it goes up again, and connects."""
    faults.prepare()
    with arq_peer.Scripted(False, **FIXED) as test:
        up = []
        for space in itertools.count(0, STEP):
            test.device.up(False)
            up.append(False)

            def go_up():
                test.device.up()
                up[-1] = True
            if not faults.all_after(space, go_up):
                break
        tap.note(f"{space} bytes, {up.count(False)} times refused")
        tap.true("some allocations are needed", up.count(False) > 5)
        test.device.up(False)
        test.peer.forget()
        test.up()
        test.connect()
        test.send(0)
        test.peer.data(0)


def total(end):
    """The frames that a device has handed to its lower device."""
    told = end.counters()
    return sum(told[name] for name in SENT) - told["send_failed"]


def accounted(pair):
    """Wait until all packets have ended. Check that each packet and each frame is counted where it
    was sent and where it arrived."""
    ends = pair.left, pair.right
    lower = pair.lower.left, pair.lower.right
    for one in ends:
        one.expect(held=0)

    def at_rest():
        return all(below.counters()["held"] == 0 for below in lower) and \
            all(one.counters()["frames_in"] == below.counters()["delivered"]
                for one, below in zip(ends, reversed(lower)))
    wait.until("all frames have arrived", at_rest)
    for one, below, other in zip(ends, lower, reversed(ends)):
        tap.equal(f"frames below {one.name}", below.counters()["packets_in"], total(one))
        told, there = one.counters(), other.counters()
        tap.equal(f"packets from {one.name}", told["sent"] + there["in_bypass"],
                  sum(there[name] for name in ("delivered", "refused", "incomplete", "stale")))


def exchange(pair):
    """Send a packet of three pieces and a bypass packet from each end."""
    for one in pair.left, pair.right:
        out = one.port()
        out.send(arq_device.packet(1, 600))
        out.mark(MARK)
        out.send(arq_device.packet(2, 100))
        out.close()


def test_packets():
    """One allocation fails on the way of packets in both directions. Each packet is delivered or
    counted, and the next packets are delivered."""
    faults.prepare()
    everywhere = set()
    for copies in 0, 1:
        with arq_device.Pair(channel={"delay": MS}, copies=copies, bypass_mark=MARK,
                             bypass_mask=255, **FIXED) as pair:
            seen = set()
            for space in itertools.count(0, STEP):
                before = [one.counters() for one in (pair.left, pair.right)]
                with faults.one_atomic(space) as failed:
                    exchange(pair)
                    accounted(pair)
                    done = not failed()
                for one, told in zip((pair.left, pair.right), before):
                    seen |= {name for name, value in one.counters().items()
                             if name in ("nomem", "send_failed", "refused", "repeats_timer")
                             and value > told[name]}
                if done:
                    break
            tap.note(f"copies {copies}: {space} bytes, {sorted(seen)}")
            tap.true("allocations of the receiver have failed", "refused" in seen)
            everywhere |= seen
    # which of the sender's allocations fail depends on what the allocator has in store
    tap.true("allocations of the sender have failed", everywhere & {"nomem", "send_failed"})


def test_little_memory():
    """A part of all allocations fails while packets pass over a link that loses frames. The
    counters account for each packet and each frame."""
    with arq_device.Pair(channel={"delay": MS, "loss": 100_000}, copies=1, ring=10**5,
                         bypass_mark=MARK, bypass_mask=255, attempts=20, **FIXED) as pair:
        for percent in 2, 10, 40:
            with faults.atomic(percent):
                for _ in range(30):
                    exchange(pair)
        for below in pair.lower.left, pair.lower.right:
            below.change(loss=0)
        for one in pair.left, pair.right:
            one.expect(held=0)
        sniffer = pair.right.sniffer()
        arq_device.flood(pair.left, [arq_device.packet(9, 600)])
        cell.arrivals(sniffer, 1)


def test_frame_that_cannot_be_read():
    """A frame that is not in one piece of memory needs memory to be read. Without it, the frame is
    dropped and counted. The peer sends it again."""
    faults.prepare()
    with arq_peer.Scripted(frame=9000, **FIXED) as test:
        frame = test.peer.frame(DATA, arq_peer.whole(0, 5000), flags=FIRST | LAST).encode()
        out = port.Port(test.far, "far0")
        for space in itertools.count(0, STEP):
            with faults.one_atomic(space) as failed:
                out.send_virtio(arq_device.LOWER[0] + arq_device.LOWER[1] + arq_peer.ETHERTYPE +
                                frame, 60)
                told = test.device.counters()
                if not failed() or told["in_nomem"]:
                    break
        test.device.expect(in_nomem=1)
        tap.equal("delivered packets", set(test.arrived()) - {0}, set())
        test.peer.packets(0)
        test.peer.expect(uapi.ARQLINK_ACK, ack=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
