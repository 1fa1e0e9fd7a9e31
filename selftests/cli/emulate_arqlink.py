#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With --arq, freshlink emulate retransmits what an emulated link loses, by a pair of arqlink devices
that exist as long as the emulation. Wrong options are refused before anything is changed."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
import json
import os
import signal
import subprocess

from cli import pair, tools
from lib import arq_device, cell, kmod, netlink, tap, tc, wait

COUNT, SIZE = 200, 100          # packets, and their bytes behind the Ethernet header
NEAR, FAR = "arq-cell0", "arq-cell1"
LINK = "--rate 1mbit --delay 20ms --loss 20% --period 86400s"
PACKETS = [arq_device.packet(number, SIZE) for number in range(COUNT)]


class Emulated(cell.Pair):
    """A pair whose left device becomes an emulated link."""

    def __init__(self):
        super().__init__()
        kmod.insmod("arqlink")
        self.running = []

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.wait()
        super().__exit__()

    def start(self, words, *more):
        """Start the emulation. `more` are words that may contain blanks."""
        with self.left.ns.inside():
            process = subprocess.Popen(
                [tools.FRESHLINK, *f"emulate cell0 -j {words}".split(), *more],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def start_arq(self, options, words=LINK):
        """Start the emulation with arqlink, and with a queue that never becomes full."""
        return self.start(f"{words} --far cell1@{self.right.ns.path}", "--arq", options, "--child",
                          "pfifo limit 1000")

    def upper(self):
        """The two arqlink devices, after they have connected."""
        devices = [arq_device.Device(end.ns, name)
                   for end, name in ((self.left, NEAR), (self.right, FAR))]
        for device in devices:
            device.connected()
        return devices

    def now(self):
        """Everything that the emulation changes."""
        links = [netlink.Netlink(end.ns).link(name) for end, name in ((self.left, NEAR),
                                                                      (self.right, FAR))]
        return self.left.config(), pair.root_qdisc(self.left.ns, "cell0"), links


def numbers(frames):
    return [number for number, _ in cell.ours(frames)]


def test_retransmits():
    """Of 200 packets that meet a loss of 20 %, all arrive, once and in order. Both ends have the
    options of --arq."""
    with Emulated() as p:
        emulation = p.start_arq("window 16  gains fast")
        event = json.loads(emulation.stdout.readline())
        tap.equal("devices", [event[name] for name in ("dev", "arq", "arq_far")], ["cell0", NEAR, FAR])
        near, far = p.upper()
        for device in near, far:
            settings = device.settings()
            tap.equal("options", [settings[name] for name in ("window", "gains", "frame")],
                      [16, arq_device.FAST, 250])
        sniffer = far.sniffer()
        arq_device.flood(near, PACKETS)
        seen = sniffer.until("all packets", lambda frames: len(numbers(frames)) >= COUNT)
        tap.equal("packets", numbers(seen), list(range(COUNT)))
        tap.true("the link has lost frames", p.left.counters()["lost"] > COUNT / 10)
        emulation.terminate()
        pair.events(emulation)


def test_without():
    """Without --arq, the same link loses some of the 200 packets."""
    with Emulated() as p:
        emulation = p.start(f"{LINK} --replace --child pfifo limit 1000")
        pair.ready(emulation)
        sniffer = p.sniffer()
        p.flood(PACKETS)
        wait.until("the link has sent all packets", lambda: p.left.counters()["packets_in"] == COUNT
                   and not p.left.counters()["held"])
        lost = p.left.counters()["lost"]
        tap.within("lost", lost, COUNT / 10, COUNT / 2)
        tap.equal("arrived", len(cell.arrivals(sniffer, COUNT - lost)), COUNT - lost)
        emulation.terminate()
        pair.events(emulation)


def test_queue_under_test():
    """In a spike the packets wait in the queue under test, except those that arqlink holds. After the
    spike they arrive."""
    with Emulated() as p:
        emulation = p.start_arq("window 4 ring 1b", "--rate 1mbit --first 1s --period 7200s --spike 5s")
        pair.ready(emulation)
        near, far = p.upper()
        sniffer = far.sniffer()
        tap.true("the spike begins", '"spike_start"' in emulation.stdout.readline())
        arq_device.flood(near, PACKETS[:50])
        shown = {q["kind"]: q for q in tc.show(p.left.ns, NEAR)}
        tap.equal("packets in arqlink and in the queue", (near.counters()["held"], shown["pfifo"]["qlen"]),
                  (5, 45))
        tap.equal("arrived", numbers(sniffer.drain()), [])
        seen = sniffer.until("all packets", lambda frames: len(numbers(frames)) >= 50)
        tap.equal("packets", numbers(seen), list(range(50)))
        emulation.terminate()
        pair.events(emulation)


def worker_killed(process):
    pid = int(subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE,
                             check=True).stdout)
    os.kill(pid, signal.SIGKILL)


def test_restored():
    """After the end of the emulation the arqlink devices do not exist, and the cellink has its former
    configuration, also if one of the two processes is killed, or if a device is already deleted."""
    for what, end in (("ended", lambda process: process.terminate()), ("worker killed", worker_killed),
                      ("parent killed", lambda process: process.kill())):
        with Emulated() as p:
            before = p.now()
            tap.equal("no devices", before[2], [None, None])
            emulation = p.start_arq("attempts 6")
            pair.ready(emulation)
            tap.true("two devices", all(p.now()[2]))
            if what == "ended":
                p.right.netlink.delete(FAR)
            end(emulation)
            pair.settled(f"{what}: restored", lambda p=p, before=before: p.now() == before)


def refused(p, status, message, options):
    """Check that the emulation is refused, and that nothing has changed at its end."""
    before = p.now()
    process = p.start_arq(options)
    _, err = process.communicate(timeout=wait.patient(20))
    tap.equal(options, (process.returncode, err), (status, f"freshlink emulate: {message}\n"))
    tap.equal(f"{options}: nothing has changed", p.now(), before)


def test_refused():
    """If an option is wrong, or if the kernel refuses one of the devices, nothing has changed. A device
    of the same name is not deleted."""
    with Emulated() as p:
        refused(p, 2, "--arq: window 0: expected a number of frames from 1 to 4096", "timer fixed window 0")
        refused(p, 2, "--arq: attempts has no value: expected a whole number from 1 to 65535, or unlimited",
                "window 8 attempts")
        refused(p, 1, f"{FAR}: the kernel refused the device: arqlink: frame must be at most the "
                "MTU of the lower device - 38: Invalid argument", "frame 9000b")
        p.left.ns.ip(f"link add {NEAR} type dummy")
        refused(p, 1, f"{NEAR}: the kernel refused the device: File exists", "window 8")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
