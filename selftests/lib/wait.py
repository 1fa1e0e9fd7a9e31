# SPDX-License-Identifier: GPL-2.0-or-later
"""Waits for a condition, or until a moment."""
import functools
import time

from . import tap


@functools.cache
def virtual_time():
    """Whether simulated time stands still while a process computes (User-Mode Linux with time
    travel)."""
    with open("/proc/cmdline") as file:
        return "time-travel" in file.read()


def patient(seconds):
    """The longest wait for an event that takes less than this many seconds on a fast host. In real
    time, a slow or busy host, or one that emulates its guest's processor, takes several times as
    long."""
    return seconds if virtual_time() else 6 * seconds


def until(what, predicate, seconds=10, step=0.005):
    """Poll until predicate() is true, and return its value. Fail after patient(seconds)."""
    deadline = time.monotonic() + patient(seconds)
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            raise tap.Failed(f"{what}: not within {patient(seconds)} s")
        time.sleep(step)


def till(moment_ns):
    """Sleep until the monotonic clock shows moment_ns."""
    while (left := moment_ns - time.monotonic_ns()) > 0:
        time.sleep(left / 1e9)


def sharp(moment_ns):
    """till() with an error of microseconds, although the kernel may end a sleep 50 us late."""
    till(moment_ns - 60_000)
    while time.monotonic_ns() < moment_ns:
        pass
