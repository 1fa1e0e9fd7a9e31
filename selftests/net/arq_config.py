#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel reports the configuration that was set. A request is applied completely or not at all.
If the kernel refuses a request, its answer names the wrong attribute."""
import errno
import struct
import time

from lib import (arq, arq_device, bench, cell, child, kmod, netlink, netns, port, sniff, tap, wait)
from lib.link import refused

MAC = bytes.fromhex("020000000007")
HOUR = 3600 * arq.S
ODD = {"remote": MAC, "frame": 431, "window": 77, "timer": 0, "timeout": 123_456_789,
       "floor": 7_654_321, "mean_factor": 1_234, "deviation_factor": 5_678, "gains": 2,
       "variance": 1, "clock": 1, "reject": 2, "ack_delay": 3_333_333, "attempts": 44,
       "persist": 98_765_432_101, "lifetime": 54_321_098_765, "rate": 10_000_000_007,
       "below": 5, "ring": 98_765, "bypass_mark": 0x80000001, "bypass_mask": 0xf000000f,
       "bypass_dscp": 1 << 63 | 1, "reliable_mark": 2, "reliable_mask": 0xffffffff,
       "reliable_dscp": 1 << 46, "copies": 1, "flush": 2, "notify": 1, "backlog": 0,
       "ceiling": 8_765_432_109, "estimate": 1, "order": 1, "pack": 1}
LIMITS = {"frame": (64, 9000), "window": (1, 4096), "timer": (0, 1),
          "timeout": (arq.MS, 60 * arq.S), "floor": (arq.MS, 60 * arq.S),
          "mean_factor": (0, 100_000), "deviation_factor": (0, 100_000), "gains": (0, 2),
          "variance": (0, 1), "clock": (0, 1), "reject": (0, 2), "ack_delay": (0, arq.S),
          "attempts": (0, 65535), "persist": (0, HOUR), "lifetime": (0, HOUR),
          "rate": (0, 125_000_000_000), "below": (1, 4096), "ring": (1, 1 << 30),
          "copies": (0, 1), "flush": (0, 2), "notify": (0, 1), "backlog": (0, 65535),
          "ceiling": (arq.MS, 60 * arq.S), "estimate": (0, 1), "order": (0, 1), "pack": (0, 1)}
# every number of these lengths is valid
BITS = {"bypass_mask": 32, "bypass_dscp": 64, "reliable_mask": 32, "reliable_dscp": 64}
LARGE = 9000 + arq.OVERHEAD         # MTU of a lower device that allows every size of frames
# a mark without bits outside its mask
MASKS = {"bypass_mark": "bypass_mask", "reliable_mark": "reliable_mask"}
LOOPBACK = 1                        # index of lo
NUM_TX_QUEUES = 31


class Device:
    """A device arq0 above one end of a veth pair."""

    def __init__(self, **values):
        kmod.insmod("arqlink")
        kmod.insmod("xlo_rto")          # for notify
        self.ns = netns.Netns()
        netns.veth(self.ns, "v0", self.ns, "v1", mtu=LARGE)
        self.end = arq.End(self.ns, "arq0")
        self.end.above("v0", **values)

    def __enter__(self):
        return self.end

    def __exit__(self, *_):
        self.ns.close()


def number(name):
    """The number of an attribute."""
    return arq.ATTRIBUTES[name][0]


def test_defaults():
    """An attribute that is not in the request has its default value."""
    with Device() as end:
        tap.equal("settings", end.settings(), arq.DEFAULTS)


def test_round_trip():
    """The kernel reports each attribute as it was set."""
    tap.equal("attributes", set(ODD), set(arq.ATTRIBUTES))
    with Device(**ODD) as end:
        tap.equal("settings", end.settings(), ODD)


def test_change_keeps_the_rest():
    """A change of one attribute keeps the other attributes."""
    for name, value in ODD.items():
        values = {name: value}
        if name in MASKS:
            values[MASKS[name]] = ODD[MASKS[name]]
        with Device() as end:
            end.change(**values)
            tap.equal(f"settings after a change of {name}", end.settings(), arq.DEFAULTS | values)


def test_limits():
    """arqlink accepts the smallest and the largest value of each attribute."""
    tap.equal("attributes", {*LIMITS, *BITS, *MASKS, "remote"}, set(arq.ATTRIBUTES))
    with Device() as end:
        for name, limits in LIMITS.items():
            for value in limits:
                end.change(**{name: value})
                tap.equal(name, end.settings()[name], value)
            if name == "floor":
                end.change(floor=limits[0])     # a shorter ceiling would be refused
        for name, bits in BITS.items():
            for value in (2**bits - 1, 0):
                end.change(**{name: value})
                tap.equal(name, end.settings()[name], value)
        for address in (MAC, bytes(6)):
            end.change(remote=address)
            tap.equal("remote", end.settings()["remote"], address)


def test_refused_whole():
    """If one attribute is out of range, arqlink keeps all settings, for any order of the
    attributes."""
    with Device(**ODD) as end:
        for name, (low, high) in LIMITS.items():
            for wrong in [high + 1] + ([low - 1] if low else []):
                for values in ({name: wrong, "reliable_dscp": 1}, {"rate": 1, name: wrong}):
                    refused(f"{name} {wrong}", lambda: end.change(**values), errno.ERANGE,
                            "integer out of range", number(name))
                    tap.equal("settings are unchanged", end.settings(), ODD)


def test_remote_is_a_unicast_address():
    """arqlink refuses a multicast address and the broadcast address as the address of the peer,
    also when the device is created."""
    text = "arqlink: remote must be a unicast address, or all 0 to learn it"
    with Device(**ODD) as end:
        for wrong in (b"\1\0\0\0\0\0", b"\xff" * 6):
            refused(wrong.hex(), lambda: end.change(remote=wrong, rate=1), errno.EADDRNOTAVAIL,
                    text, number("remote"))
            refused(f"{wrong.hex()} at creation",
                    lambda: arq.End(end.ns, "arq1").above("v1", remote=wrong),
                    errno.EADDRNOTAVAIL, text, number("remote"))
        tap.equal("settings are unchanged", end.settings(), ODD)
        tap.equal("arq1", end.netlink.link("arq1"), None)


def test_mark_is_within_its_mask():
    """A mark must have no bit outside its mask. The answer names the attribute that was given."""
    with Device() as end:
        for mark, mask in MASKS.items():
            text = f"arqlink: {mark} must have no bits outside its mask"
            refused("a mark without a mask", lambda: end.change(**{mark: 1}), errno.EINVAL, text,
                    number(mark))
            refused("a bit outside", lambda: end.change(**{mark: 0x11, mask: 0x10}),
                    errno.EINVAL, text, number(mark))
            end.change(**{mark: 0x10, mask: 0x30})
            refused("a smaller mask", lambda: end.change(**{mask: 0x20}), errno.EINVAL, text,
                    number(mask))
            tap.equal("settings are unchanged", end.settings(),
                      arq.DEFAULTS | {mark: 0x10, mask: 0x30})
            end.change(**{mark: 0, mask: 0})


def test_ceiling_is_at_least_floor():
    """The longest timeout must not be shorter than the least. The answer names the attribute that
    was given."""
    text = "arqlink: ceiling must be at least floor"
    with Device() as end:
        refused("a short ceiling", lambda: end.change(ceiling=9_999_999), errno.EINVAL, text,
                number("ceiling"))
        end.change(ceiling=10_000_000)
        refused("a long floor", lambda: end.change(floor=10_000_001), errno.EINVAL, text,
                number("floor"))
        tap.equal("settings are unchanged", end.settings(), arq.DEFAULTS | {"ceiling": 10_000_000})


def test_malformed_attributes():
    """arqlink refuses an attribute of a wrong length."""
    with Device(**ODD) as end:
        for name in arq.ATTRIBUTES:
            length = len(end.attributes()[number(name)])
            for size in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12} - {length}:
                try:
                    end.change(netlink.attr(number(name), bytes([1] * size)))
                except netlink.Refused as refusal:
                    tap.equal(f"{name} of {size} bytes", refusal.attribute, number(name))
                    tap.true(refusal, refusal.code in (errno.EINVAL, errno.ERANGE))
                    continue
                raise tap.Failed(f"{name} of {size} bytes was accepted")
        tap.equal("settings are unchanged", end.settings(), ODD)


def test_refused_creation_leaves_nothing():
    """arqlink creates no device if the lower device or another attribute of the device is wrong."""
    def attempt(what, code, text, more=b"", lower=None, **values):
        index = netlink.attr(arq.IFLA_LINK, netlink.u32(lower)) if lower else b""
        refused(what, lambda: new.create(*new.options(values), more=index + more), code, text)
        tap.equal(what, end.netlink.link("arq1"), None)
    with Device() as end:
        new, there = arq.End(end.ns, "arq1"), end.netlink.ifindex("v1")
        attempt("no lower device", errno.EINVAL,
                "arqlink: link is missing: expected the lower device")
        attempt("an unknown lower device", errno.ENODEV,
                "arqlink: link must be a device of this namespace", lower=999)
        attempt("lo", errno.EINVAL, "arqlink: link must be an Ethernet device", lower=LOOPBACK)
        attempt("a lower device that is in use", errno.EBUSY,
                "arqlink: link must be a device that no bridge, bond or other device uses",
                lower=end.netlink.ifindex("v0"))
        for queues in (1, 3):
            attempt(f"{queues} queues", errno.EINVAL, "arqlink: numtxqueues must be 2", lower=there,
                    more=netlink.attr(NUM_TX_QUEUES, netlink.u32(queues)))
        attempt("a short address", errno.EINVAL, "arqlink: address must have 6 bytes", lower=there,
                more=netlink.attr(netlink.IFLA_ADDRESS, bytes(5)))
        attempt("a group address", errno.EADDRNOTAVAIL,
                "arqlink: address must be a unicast address", lower=there,
                more=netlink.attr(netlink.IFLA_ADDRESS, b"\1\0\0\0\0\0"))
        attempt("out of range", errno.ERANGE, "integer out of range", lower=there, below=0)
        new.above("v1")


def test_frame_fits_into_the_lower_device():
    """A frame with its headers must fit into the MTU of the lower device, when the device is
    created, when its frame changes, and when the MTU of the lower device changes."""
    text = "arqlink: frame must be at most the MTU of the lower device - 38"
    with Device() as end:
        end.ns.link("v1", True, mtu=1500)
        new = arq.End(end.ns, "arq1")
        refused("created", lambda: new.above("v1", frame=1463), errno.EINVAL, text, number("frame"))
        new.above("v1", frame=1462)
        refused("changed", lambda: new.change(frame=1463), errno.EINVAL, text, number("frame"))
        try:
            end.ns.link("v1", True, mtu=1499)
        except OSError:
            pass
        else:
            raise tap.Failed("the lower device's MTU became too small")
        new.change(frame=1461)
        end.ns.link("v1", True, mtu=1499)


def test_window_changes_under_traffic():
    """The window of either end changes while packets flow in both directions and a third of the
    frames is lost. No packet is lost, the order stays, and the connection goes on."""
    chance = bench.seed()
    with arq.Pair(below={"rate": 250_000, "delay": 20 * arq.MS, "loss": 300_000}) as pair:
        ends = (pair.left, pair.right)
        sniffers = [sniff.Sniffer(end.ns, end.name) for end in ends]
        ports = [port.Port(end.ns, end.name, ethernet=True) for end in ends]
        sent = [0, 0]

        def send():
            for _ in range(5):
                for index, out in enumerate(ports):
                    sent[index] += out.send(arq_device.packet(sent[index], 600))
        for end in ends:
            arq_device.Device(end.ns, end.name).queue()
            end.change(timer=0, timeout=100 * arq.MS, ring=10**5)
        for window in (8, 300, 3, 4096, 1, 77):
            for end in chance.sample(ends, 2):
                send()
                time.sleep(chance.random() / 20)        # less than a round trip for all frames
                tap.true("frames are in flight", end.counters()["flight"])
                end.change(window=window)
                tap.equal("window", end.settings()["window"], window)
                before = end.counters()["delivered"]
                send()
                wait.until("packets arrive after the change",
                           lambda: end.counters()["delivered"] > before)
        for end, other, sniffer, count in zip(ends, reversed(ends), reversed(sniffers), sent):
            wait.until("all packets arrive", lambda: not end.counters()["held"], seconds=100)
            end.expect(sent=count, connections=1, outside=0)
            other.expect(delivered=count, outside=0)
            tap.equal("packets", [number for number, _ in cell.ours(sniffer.drain())],
                      list(range(count)))


def test_reports_need_xlo_rto():
    """Without the module xlo_rto, arqlink refuses to send reports, and changes nothing. While
    arqlink sends reports, the module cannot be unloaded."""
    text = "arqlink: notify: module xlo_rto is not loaded"
    with Device(notify=1) as end:
        tap.equal("unload while in use", kmod.rmmod("xlo_rto"), errno.EAGAIN)
        end.change(notify=0)
        # the devices of an earlier test may still be on their way out of their namespace
        wait.until("xlo_rto is unloaded", lambda: not kmod.rmmod("xlo_rto"))
        refused("change", lambda: end.change(notify=1, rate=1), errno.ENOENT, text,
                number("notify"))
        tap.equal("settings are unchanged", end.settings(), arq.DEFAULTS)
        refused("create", lambda: arq.End(end.ns, "arq1").above("v1", notify=1), errno.ENOENT, text,
                number("notify"))
        tap.equal("arq1", end.netlink.link("arq1"), None)
        kmod.insmod("xlo_rto")
        end.change(notify=1)


def test_link_is_the_lower_device():
    """The device reports its lower device as its link (IFLA_LINK)."""
    with Device() as end:
        [index] = struct.unpack("=I", end.netlink.link("arq0")[arq.IFLA_LINK])
        tap.equal("link", index, end.netlink.ifindex("v0"))


def test_changes_under_traffic():
    """While packets flow in both directions, each accepted change applies, and a refused change
    changes nothing. After each change packets continue to arrive. No packet is lost, and the sums
    of the counters stay right."""
    chance = bench.seed()
    kmod.insmod("xlo_rto")              # for notify
    with arq.Pair(below={"rate": 250_000, "delay": 5 * arq.MS, "loss": 50_000}) as pair:
        now = arq.DEFAULTS
        with child.Beside(cell.sender(pair.left, chance)), \
                child.Beside(cell.sender(pair.right, chance)):
            for name, value in ODD.items():
                if name in ("remote", "attempts", "persist", "lifetime", "bypass_dscp"):
                    continue        # they let arqlink lose packets
                values = {name: value} | ({MASKS[name]: ODD[MASKS[name]]} if name in MASKS else {})
                refused(f"{name} with another", lambda: pair.left.change(**values | {"below": 0}),
                        errno.ERANGE, "integer out of range", number("below"))
                tap.equal("settings are unchanged", pair.left.settings(), now)
                pair.left.change(**values)
                now = now | values
                tap.equal("settings", pair.left.settings(), now)
                for end in (pair.left, pair.right):
                    before = end.counters()["delivered"]
                    wait.until("packets arrive after the change",
                               lambda: end.counters()["delivered"] > before)
        for end, other in ((pair.left, pair.right), (pair.right, pair.left)):
            end.expect(held=0)
            sent = end.counters()
            tap.equal(f"{end.name} gives up", {name: sent[name] for name in
                                               arq.between("expired", "nomem") if sent[name]}, {})
            other.expect(delivered=sent["sent"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
