#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's part inside the machine: four copies of the network at once, each with its own
flow and queue; leaves logs and run.json in $FL_OUT."""
import json
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../selftests")]
from lib import kmod, tap, wait

import result
import topology

SPIKES = "10s 10s\n40s 10s\n"   # start and length of the delay spikes
DURATION = 70                   # of the flows, in s
EVERY = 5                       # s between two lines of progress
DRAIN = 30                      # s at most until the queues are empty


def start_copies(directory, copies):
    """Set everything up and begin the flows; the moment by both clocks."""
    schedule = os.path.join(directory, "spikes")
    with open(schedule, "w") as file:
        file.write(SPIKES)
    for flow in topology.FLOWS:
        for queue in topology.QUEUES:
            copies.append(topology.Copy(flow, queue, directory))
    for copy in copies:
        copy.start_sink()
    for copy in copies:
        copy.start_link(schedule)
    for copy in copies:
        copy.start_source(DURATION)
    return time.time_ns(), time.monotonic_ns()


def load_modules():
    kmod.insmod("sch_lpd")
    for name in ("sch_tbf", "sch_netem", "veth"):
        kmod.modprobe(name)


class Progress:
    """What is printed while the flows run."""

    def __init__(self, copies, start):
        self.copies, self.start = copies, start
        self.spikes = 0
        names = "".join(f"{copy.flow + ' ' + copy.queue:>18}" for copy in copies)
        print(f"delivered so far, valid/stale:\n{'':8}{names}", flush=True)

    def say_spikes(self):
        """A line for each event of a spike not yet told, by the first copy's link."""
        spikes = spike_events(self.copies[0])
        for moment, word in spikes[self.spikes:]:
            print(f"{(moment - self.start) / result.S:5.0f} s  delay spike {word}", flush=True)
        self.spikes = len(spikes)

    def say_counts(self, second):
        cells = "".join(f"{self._delivered(copy):>18}" for copy in self.copies)
        print(f"{second:5.0f} s {cells}", flush=True)

    @staticmethod
    def _delivered(copy):
        lifetime = topology.LIFETIME_MS * result.MS
        ages = [a.received - a.sent for a in result.read_log(copy.path("csv")).values()]
        valid = sum(age <= lifetime for age in ages)
        return f"{valid}/{len(ages) - valid}"


def spike_events(copy):
    """(CLOCK_REALTIME in ns, "begins" or "ends") of each spike so far."""
    words = {"spike_start": "begins", "spike_end": "ends"}
    return [(event["time_ns"], words[event["event"]]) for event in copy.events()
            if event["event"] in words]


def spikes_of(copy):
    """(begin, end) of each spike that is over."""
    moments = [moment for moment, _ in spike_events(copy)]
    return list(zip(moments[::2], moments[1::2]))


def watch(copies, progress, start_monotonic):
    """Tell the progress until the sources have ended."""
    second = 0
    while any(copy.source.poll() is None for copy in copies):
        second += 1
        wait.till(start_monotonic + second * result.S)
        progress.say_spikes()
        if second % EVERY == 0:
            progress.say_counts(second)


def notes(copy):
    """What the report needs to know of a copy besides its log."""
    return {"flow": copy.flow, "queue": copy.queue, "log": os.path.basename(copy.path("csv")),
            "lifetime_ms": topology.LIFETIME_MS, "sent": copy.sent(),
            "spikes_ns": spikes_of(copy), "counters": copy.counters(), "sink": copy.summary()}


def accounted(copy):
    """Is every packet at its end: arrived, discarded or lost?"""
    now = result.Result(notes(copy), result.read_log(copy.path("csv")))
    return now.sent <= len(now.arrivals) + now.discarded + now.lost


def drain(copies):
    """Wait for the packets on their way; one that never ends is the report's to notice."""
    last = time.monotonic() + DRAIN
    while not all(map(accounted, copies)) and time.monotonic() < last:
        time.sleep(0.2)


def write_notes(directory, copies, start):
    for copy in copies:
        copy.stop_sink()
    where = f"Linux {os.uname().release}, {os.environ['FL_MACHINE']}"
    with open(os.path.join(directory, "run.json"), "w") as file:
        json.dump({"setting": f"{topology.SETTING} ({where})", "start_ns": start,
                   "copies": [notes(copy) for copy in copies]}, file, indent=1)


def run(directory, copies):
    load_modules()
    start, start_monotonic = start_copies(directory, copies)
    progress = Progress(copies, start)
    watch(copies, progress, start_monotonic)
    drain(copies)
    progress.say_counts((time.time_ns() - start) / result.S)
    write_notes(directory, copies, start)


def main():
    # leave through "finally" whatever the signal
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda caught, _: sys.exit(128 + caught))
    copies = []
    try:
        run(os.environ["FL_OUT"], copies)
    except (tap.Failed, tap.Skipped) as error:
        sys.exit(f"freshlink: demo: {error}")
    finally:
        for copy in copies:
            copy.stop()


if __name__ == "__main__":
    main()
