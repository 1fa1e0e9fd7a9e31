#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A data packet with its share of feedback costs no more instructions at each end than
Documentation/bench.rst says, and an idle connection takes at most 4 KiB of 10,000."""
# run.sh: all: nothing (the library is the same on every kernel, so lab/check runs this on the host)
# run.sh: smoke on host: everything
import shutil

from lib import dccp_cost, tap

# instructions at the sender and the receiver, a twentieth above the figures of the page
LIMITS = {(2, "send"): 1415, (2, "receive"): 1150, (3, "send"): 895, (3, "receive"): 945}
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


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
