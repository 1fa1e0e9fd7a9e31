#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink emulate restores the device if its output is closed, if its parent ignores signals, if
the device goes down, or if another freshlink starts on the same device. If freshlink is stopped and
continued, a spike ends at its normal time."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
# run.sh: all on vm-6.12: everything
import os
import re
import signal
import subprocess
import time

from cli import pair, tools
from lib import tap, wait

MS = 10**6


def root(p):
    return pair.root_qdisc(p.left, "v0")


def start_ignoring(p, number, words):
    """Start freshlink from a parent that ignores a signal."""
    with p.left.inside():
        process = subprocess.Popen(
            [tools.FRESHLINK, *words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
    p.running.append(process)
    return process


def ends_well(p, process, before):
    """SIGTERM ends freshlink with its message, and the device is restored."""
    process.terminate()
    out, err = process.communicate(timeout=wait.patient(20))
    tap.equal("status and message", (process.returncode, err), (0, ""))
    tap.true(out, '"event": "restored"' in out)
    tap.equal("afterwards", root(p), before)


def test_output_closed():
    """If the reader of freshlink's events has ended, as with "| head -1", the next event ends
    freshlink, and the device is restored."""
    with pair.Pair() as p:
        before = root(p)
        emulation = p.start(p.left, "emulate v0 -j --first 500ms --period 60s --spike 30s")
        pair.ready(emulation)
        emulation.stdout.close()
        tap.equal("message", emulation.stderr.read(),
                  "freshlink: standard output could not be written whole\n")
        tap.equal("status", emulation.wait(wait.patient(20)), 1)
        tap.equal("afterwards", root(p), before)


def test_all_output_closed():
    """If standard output and standard error are closed, the next event ends freshlink, and the
    device is restored."""
    with pair.Pair() as p:
        before = root(p)
        emulation = p.start(p.left, "emulate v0 -j --first 500ms --period 60s --spike 30s")
        pair.ready(emulation)
        emulation.stdout.close()
        emulation.stderr.close()
        tap.equal("status", emulation.wait(wait.patient(20)), 1)
        tap.equal("afterwards", root(p), before)


def test_children_ignored():
    """If the parent ignores SIGCHLD, which freshlink inherits, the device is still restored."""
    with pair.Pair() as p:
        before = root(p)
        emulation = start_ignoring(p, signal.SIGCHLD, "emulate v0 -j")
        pair.ready(emulation)
        ends_well(p, emulation, before)


def test_nohup():
    """Under nohup, SIGHUP has no effect."""
    with pair.Pair() as p:
        before = root(p)
        emulation = start_ignoring(p, signal.SIGHUP,
                                   "emulate v0 -j --first 1s --period 60s --spike 30s")
        pair.ready(emulation)
        emulation.send_signal(signal.SIGHUP)
        tap.true("the spike begins", '"spike_start"' in emulation.stdout.readline())
        ends_well(p, emulation, before)


def test_stopped_and_continued():
    """If freshlink is stopped and continued during a spike, the spike ends at its normal time."""
    with pair.Pair() as p:
        emulation = p.start(p.left, "emulate v0 -j --first 100ms --period 60s --spike 6s")
        begin = pair.ready(emulation)
        tap.true("the spike has begun", '"spike_start"' in emulation.stdout.readline())
        worker = subprocess.run(["pgrep", "-P", str(emulation.pid)], capture_output=True,
                                text=True, check=True).stdout
        os.kill(int(worker), signal.SIGSTOP)
        time.sleep(4)
        continued = time.time_ns()
        os.kill(int(worker), signal.SIGCONT)
        end = re.search(r'"spike_end", "time_ns": (\d+)', emulation.stdout.readline())
        # if the wait of 6 s were restarted, it would end at least 6 s after freshlink continues
        tap.within("end of the spike, ns", int(end[1]), begin + 6099 * MS, continued + 6000 * MS)
        emulation.terminate()
        pair.events(emulation)


def test_link_goes_down():
    """freshlink restores a device that has gone down. A device that is down has no qdisc by
    default."""
    with pair.Pair() as p:
        emulation = p.start(p.left, "emulate v0 -j")
        pair.ready(emulation)
        p.left.link("v0", False)
        emulation.terminate()
        out, err = emulation.communicate(timeout=wait.patient(20))
        tap.equal("status and message", (emulation.returncode, err), (0, ""))
        tap.true(out, '"event": "restored"' in out)


def test_two_at_once():
    """If two emulations start at the same time on a device, one emulation is refused, and does not
    change the qdiscs of the other emulation."""
    with pair.Pair() as p:
        before = root(p)
        for _ in range(10):
            both = [p.start(p.left, "emulate v0 -j") for _ in range(2)]
            lines = [emulation.stdout.readline() for emulation in both]
            first = next(i for i, line in enumerate(lines) if '"ready"' in line)
            winner, loser = both[first], both[1 - first]
            tap.equal("output of the refused one", lines[1 - first] + loser.communicate()[0], "")
            tap.equal("status of the refused one", loser.returncode, 1)
            tap.equal("qdisc of the other", root(p)[0], "tbf")
            ends_well(p, winner, before)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
