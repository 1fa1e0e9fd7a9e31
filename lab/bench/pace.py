#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pace.py: counts the instructions of freshlink pace. Run it in the virtual machine whose clock counts
instructions:

    lab/vm/machine --count -- /usr/bin/python3 lab/bench/pace.py

freshlink pace sends 50 probes a second through lpd and veth to freshlink reflect. The kernel counts the
time of each process. The time of the packet's way through a veth belongs to the process that sends the
packet. So the time of both processes together contains everything that a probe and its answer cost in
the machine, except the interrupts of timers while the processor is idle."""
import subprocess
import time

from lib import kmod, netns

SECONDS = 20
CORE = 500_000_000      # instructions a second of a small router's core


def spent(process):
    """Instructions of a process, in user space and in the kernel."""
    with open(f"/proc/{process.pid}/schedstat") as file:
        return int(file.read().split()[0])


def probes(router):
    """Number of probes that lpd has sent."""
    words = router.run("tc -s qdisc show dev out root").stdout.split()
    return int(words[words.index("probes") + 1])


def start(ns, words):
    with ns.inside():
        return subprocess.Popen(["freshlink", *words.split()], stdout=subprocess.DEVNULL)


def main():
    kmod.insmod("sch_lpd")
    router, server = netns.Netns(), netns.Netns()
    netns.veth(router, "out", server, "in")
    router.ip("addr add 10.0.1.1/24 dev out")
    server.ip("addr add 10.0.1.2/24 dev in")
    router.run("tc qdisc replace dev out root lpd")
    running = [start(server, "reflect --allow 10.0.1.0/24"),
               start(router, "pace out --reflector 10.0.1.2")]
    # freshlink pace sends a probe every 20 ms only while other packets leave
    stream = start(router, "traffic source 10.0.1.2 --rate 400kbit --size 1000 "
                   f"--duration {SECONDS + 10}s")
    time.sleep(5)
    before, sent, began = [spent(process) for process in running], probes(router), time.monotonic()
    time.sleep(SECONDS)
    after, sent, seconds = [spent(process) for process in running], probes(router) - sent, \
        time.monotonic() - began
    for process in (stream, *running):
        process.terminate()
        process.wait()
    reflect, pace = (b - a for a, b in zip(before, after))
    print(f"{'probes a second':38} {sent / seconds:12.1f}")
    for name, number in (("pace", pace), ("pace and reflect", pace + reflect)):
        print(f"{name + ', instructions a probe':38} {number / sent:12.0f}")
        print(f"{name + ', instructions a second':38} {number / seconds:12.0f}")
        print(f"{name + ', share of a core':38} {number / seconds / CORE:12.2%}")


if __name__ == "__main__":
    main()
