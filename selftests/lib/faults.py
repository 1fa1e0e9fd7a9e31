# SPDX-License-Identifier: GPL-2.0-or-later
"""Allocations that fail on purpose (fault injection, failslab)."""
import contextlib
import os

from . import netlink, tap

FAILSLAB, FAIL_NTH = "/sys/kernel/debug/failslab", "/proc/thread-self/fail-nth"


def _set(**values):
    for name, value in values.items():
        with open(f"{FAILSLAB}/{name.replace('_', '-')}", "w") as file:
            file.write(str(value))


def prepare():
    """Allow allocations that may wait to fail, too. nth() then chooses which allocation of a task
    fails."""
    if not os.path.isdir(FAILSLAB) or not os.path.exists(FAIL_NTH):
        tap.skip("the kernel has no failslab")
    _set(ignore_gfp_wait="N", cache_filter="N", verbose="0")


def nth(number, function):
    """Call function while its number-th allocation fails. False if it makes fewer allocations."""
    fd = os.open(FAIL_NTH, os.O_RDWR)
    try:
        os.write(fd, str(number).encode())
        try:
            function()
        except (OSError, netlink.Refused):
            pass
        left = int(os.pread(fd, 20, 0))
        os.pwrite(fd, b"0", 0)
        return left == 0
    finally:
        os.close(fd)


@contextlib.contextmanager
def atomic(percent):
    """While a block runs, this percentage of all allocations that may not wait fails, in softirqs
    as well."""
    prepare()
    _set(task_filter="N", ignore_gfp_wait="Y", times="-1", interval="1", space="0",
         probability=percent)
    try:
        yield
    finally:
        _set(probability="0", ignore_gfp_wait="N")
