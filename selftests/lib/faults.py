# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes memory allocations fail (fault injection with failslab)."""
import contextlib
import os

from . import netlink, tap

FAILSLAB, FAIL_NTH = "/sys/kernel/debug/failslab", "/proc/thread-self/fail-nth"
MAKE_IT_FAIL = "/proc/thread-self/make-it-fail"
MANY = 10**6                            # failures, more than one request can cause


def _set(**values):
    for name, value in values.items():
        with open(f"{FAILSLAB}/{name.replace('_', '-')}", "w") as file:
            file.write(str(value))


def _get(name):
    with open(f"{FAILSLAB}/{name}") as file:
        return int(file.read())


def prepare():
    """Let failslab also fail allocations that may sleep. A later call of nth() selects which
    allocation of a task fails."""
    if not os.path.isdir(FAILSLAB) or not os.path.exists(FAIL_NTH):
        tap.skip("the kernel has no failslab")
    _set(ignore_gfp_wait="N", cache_filter="N", verbose="0")


def nth(number, function):
    """Call `function`, and let its n-th allocation fail, where n is `number`. Returns False if the
    function makes fewer than n allocations."""
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


def all_after(space, function):
    """Call `function`, and let all its allocations fail after the first `space` bytes. So
    kvmalloc() fails too, which calls vmalloc() when kmalloc() has failed. Returns False if no
    allocation fails."""
    prepare()
    _set(task_filter="Y", times=MANY, interval="1", space=space, probability="100")
    # to open this file needs memory
    fd = os.open(MAKE_IT_FAIL, os.O_WRONLY)
    try:
        os.pwrite(fd, b"1", 0)
        function()
    except (OSError, netlink.Refused):
        pass
    finally:
        os.pwrite(fd, b"0", 0)
        os.close(fd)
        _set(probability="0", task_filter="N", space="0")
    return _get("times") < MANY


@contextlib.contextmanager
def one_atomic(space):
    """Within the block, one allocation that may not sleep fails, also in softirqs: the first one
    after `space` bytes. Yields a function that returns whether it has failed."""
    prepare()
    _set(task_filter="N", ignore_gfp_wait="Y", times="1", interval="1", space=space,
         probability="100")
    try:
        yield lambda: _get("times") == 0
    finally:
        _set(probability="0", space="0", ignore_gfp_wait="N")


@contextlib.contextmanager
def atomic(percent):
    """Within the block, `percent` % of all allocations that may not sleep fail, also in
    softirqs."""
    prepare()
    _set(task_filter="N", ignore_gfp_wait="Y", times="-1", interval="1", space="0",
         probability=percent)
    try:
        yield
    finally:
        _set(probability="0", ignore_gfp_wait="N")
