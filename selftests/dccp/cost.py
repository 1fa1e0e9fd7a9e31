#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A data packet with its share of feedback costs at most 1500 instructions at each end, and an idle connection takes at most 4 KiB of 10,000. A stream's messages
cost at most three times as much with 100,000 outstanding as with one."""
# run.sh: all: nothing (the library is the same on every kernel, so lab/check runs this on the host)
# run.sh: smoke on host: everything
import shutil

from lib import dccp_cost, tap

# instructions at the sender and the receiver: the bar, and a twentieth above the figures of bench.rst
LIMITS = {(2, "send"): 1500, (2, "receive"): 1230, (3, "send"): 1005, (3, "receive"): 990}
CONNECTIONS = 10000


def test_instructions():
    """A data packet of 1400 bytes costs at most so many instructions at each end."""
    if not shutil.which("valgrind"):
        raise tap.Skipped("valgrind is not installed")
    dccp_cost.build()
    for (ccid, end), limit in LIMITS.items():
        cost, _ = dccp_cost.instructions(ccid, end)
        tap.within(f"CCID {ccid}, {end}", sum(cost.values()), 300, limit)


def test_idle():
    """An idle connection takes at most 4 KiB at each end, as malloc() counts it."""
    dccp_cost.build()
    for ccid in (2, 3):
        tap.within(f"CCID {ccid}", dccp_cost.idle_bytes(ccid, CONNECTIONS), 1000, 4096)


def test_stream():
    """To submit, acknowledge and expire a message costs with 1000 and 100,000 others outstanding at
    most three times as many instructions as with one; and so does, while that many wait at the
    receiver, to take other terms and a message that is late."""
    if not shutil.which("valgrind"):
        raise tap.Skipped("valgrind is not installed")
    dccp_cost.build()
    first = dccp_cost.stream_instructions(1)
    for outstanding in (1000, 100000):
        for operation, cost in dccp_cost.stream_instructions(outstanding).items():
            tap.within(f"{operation}, {outstanding} outstanding", cost, first[operation] / 3,
                       3 * first[operation])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
