#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's part inside the machine. Makes copies of the network, each with its own flow and
queue, and runs all copies at the same time. Leaves logs and run.json in $FL_OUT."""
import os
import signal
import sys
import time

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:1] = [LAB, os.path.join(LAB, "../selftests")]
from lib import kmod, tap, wait
from lib.cell import S

from demo.flow_tcp import TcpCopy
from demo.flow_udp import CbrCopy, PairCopy, UdpCopy, UplinkCopy
from engine import record

FLOWS = {"CBR": CbrCopy, "ON/OFF": UdpCopy, "TCP": TcpCopy, "pair": PairCopy, "drone": UplinkCopy}
SPIKES = "10s 10s\n40s 10s\n"   # start and length of the delay spikes
DURATION = 70                   # of the flows, in s
EVERY = 5                       # s between two lines of progress
DRAIN = 30                      # s, the longest wait until the queues are empty


def start_copies(directory, copies):
    """Set everything up and start the flows. Returns the time by both clocks."""
    schedule = os.path.join(directory, "spikes")
    with open(schedule, "w") as file:
        file.write(SPIKES)
    for flow, kind in FLOWS.items():
        for queue in kind.queues:
            copies.append(kind(flow, queue, directory))
    for copy in copies:
        copy.listen()
    for copy in copies:
        copy.start_link(schedule)
    for copy in copies:
        copy.wait_for_link()
    for copy in copies:
        copy.begin(DURATION)
    return time.time_ns(), time.monotonic_ns()


class Progress:
    """Prints the progress while the flows run."""

    def __init__(self, copies, start):
        self.copies, self.start = copies, start
        self.spikes = 0
        print("packets delivered so far: valid/stale, for TCP once/duplicate")
        for names in ([copy.flow for copy in copies], [copy.queue for copy in copies]):
            print(f"{'':8}" + "".join(f"{name:>12}" for name in names), flush=True)

    def print_spikes(self):
        """Print a line for each new start or end of a spike on the first copy's link."""
        spikes = self.copies[0].spike_events()
        for moment, word in spikes[self.spikes:]:
            print(f"{(moment - self.start) / S:5.0f} s  delay spike {word}", flush=True)
        self.spikes = len(spikes)

    def print_counts(self, second):
        arrivals = [copy.arrivals() for copy in self.copies]
        cells = "".join(f"{f'{a.useful}/{a.useless}':>12}" for a in arrivals)
        print(f"{second:5.0f} s {cells}", flush=True)


def watch(copies, progress, start_monotonic):
    """Print the progress until all sources have ended."""
    second = 0
    while any(copy.is_sending() for copy in copies):
        second += 1
        wait.till(start_monotonic + second * S)
        progress.print_spikes()
        if second % EVERY == 0:
            progress.print_counts(second)


def drain(copies):
    """Wait for packets that are still in the network. The report checks that no packet is
    missing."""
    last = time.monotonic() + DRAIN
    while not all(copy.result().is_over for copy in copies) and time.monotonic() < last:
        time.sleep(0.2)


def write_notes(directory, copies, start):
    for copy in copies:
        copy.finish()
    record.write(os.path.join(directory, "run.json"),
                 {"where": f"Linux {os.uname().release}, {os.environ['FL_MACHINE']}",
                  "settings": {copy.kind: copy.setting for copy in copies},
                  "start_ns": start, "copies": [copy.notes() for copy in copies]})


def run(directory, copies):
    kmod.modprobe("sch_tbf")
    start, start_monotonic = start_copies(directory, copies)
    progress = Progress([copy for copy in copies if copy.is_shown], start)
    watch(copies, progress, start_monotonic)
    drain(copies)
    progress.print_counts((time.time_ns() - start) / S)
    write_notes(directory, copies, start)


def main():
    # a signal must not skip the block "finally"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda caught, _: sys.exit(128 + caught))
    copies = []
    try:
        run(os.environ["FL_OUT"], copies)
    except (tap.Failed, tap.Skipped, RuntimeError) as error:
        sys.exit(f"freshlink: demo: {error}")
    finally:
        for copy in copies:
            copy.stop()


if __name__ == "__main__":
    main()
