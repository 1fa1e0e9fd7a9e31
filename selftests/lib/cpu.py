# SPDX-License-Identifier: GPL-2.0-or-later
"""The CPU of the calling process."""
import contextlib
import os


@contextlib.contextmanager
def alone():
    """Within the block, no kernel thread and no work item runs on this CPU, unless the calling
    thread sleeps."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
