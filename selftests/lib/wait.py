# SPDX-License-Identifier: GPL-2.0-or-later
"""Waits for a condition, or until a given time."""
import functools
import time

from . import tap


@functools.cache
def virtual_time():
    """Whether the test runs in simulated time, which stands still while a process computes
    (User-Mode Linux with time travel)."""
    with open("/proc/cmdline") as file:
        return "time-travel" in file.read()


def patient(seconds):
    """How long to wait for an event that takes less than `seconds` on a fast host. In real time the
    result is longer, because a busy host or an emulated VM needs several times as long."""
    return seconds if virtual_time() else 6 * seconds


def until(what, predicate, seconds=10, step=0.005):
    """Poll until predicate() is true, and return its value. The test fails after
    patient(seconds)."""
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
    """Like till(), with an error of only microseconds. (The kernel may end a sleep 50 us late.)"""
    till(moment_ns - 60_000)
    while time.monotonic_ns() < moment_ns:
        pass
