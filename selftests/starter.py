#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts the tests that are Python programs, for run.sh. This process loads the library, and for
each test forks a process that has its own network namespace. On an emulated processor, starting
Python and loading the library takes longer than most tests.

Standard input has one line for each test, with tabs between the words: SECONDS LOG PROGRAM
ARGUMENT... Standard output has one line for each test: its exit status, or the status that
timeout(1) would return."""
import os
import runpy
import select
import signal
import sys

# most tests import most of these modules
from lib import bench, cell, connection, hosts  # pylint: disable=unused-import
from lib import netns, parents, router          # pylint: disable=unused-import

GRACE = 5       # seconds between SIGTERM and SIGKILL for a test that is late
TIMED_OUT = 124


def become(log):
    """Turn this process into the process of a test, with its output in the log."""
    os.setpgid(0, 0)
    netns.unshare()
    for number, path in enumerate((os.devnull, log, log)):
        fd = os.open(path, os.O_RDWR | os.O_APPEND)
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin = open(0)


def timed_out(pid, seconds):
    """Wait for a test's end, and end the test when its time limit is reached. Return whether the
    test was late."""
    fd, late = os.pidfd_open(pid), False
    for wait, number in ((seconds, signal.SIGTERM), (GRACE, signal.SIGKILL)):
        if select.select([fd], [], [], wait)[0]:
            break
        os.killpg(pid, number)
        late = True
    os.close(fd)
    return late


def ended(pid, seconds):
    """Return the exit status of a test that has this time limit."""
    try:
        late = timed_out(pid, seconds)
    except KeyboardInterrupt:
        os.killpg(pid, signal.SIGKILL)
        sys.exit(128 + signal.SIGINT)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if late:
        return TIMED_OUT
    return status if status >= 0 else 128 - status


def main():
    for line in sys.stdin:
        seconds, log, *words = line.rstrip("\n").split("\t")
        pid = os.fork()
        if not pid:
            break
        print(ended(pid, float(seconds)), flush=True)
    else:
        return
    sys.argv = words
    become(log)
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
