# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps of the wall clock."""
import contextlib
import os
import time

from . import packet as pkt, tap


@contextlib.contextmanager
def stepped(by):
    """Step the wall clock by `by` ns within the block, and back afterwards. The test is skipped if
    it does not run in a VM or lab kernel, because other programs use the clock."""
    if os.environ.get("FL_MACHINE", "host") == "host":
        tap.skip("the test would step the clock of this machine")
    offset = time.time_ns() - time.monotonic_ns()
    time.clock_settime_ns(time.CLOCK_REALTIME, time.monotonic_ns() + offset + by)
    try:
        yield
    finally:
        time.clock_settime_ns(time.CLOCK_REALTIME, time.monotonic_ns() + offset)


def at_time_of_day(ms):
    """Like stepped(), but step to a time of day. `ms` counts from the next midnight UT, and may be
    negative."""
    now = time.time_ns()
    return stepped(-now % (pkt.DAY_MS * 10**6) + ms * 10**6)


def ms_of_day():
    """ms since midnight UT"""
    return time.time_ns() // 10**6 % pkt.DAY_MS


def deadline(ms):
    """The lifetime field for a deadline that is `ms` after midnight UT."""
    return pkt.NONE + (ms % pkt.DAY_MS or pkt.DAY_MS - 1)
