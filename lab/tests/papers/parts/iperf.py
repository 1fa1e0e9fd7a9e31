# SPDX-License-Identifier: GPL-2.0-or-later
"""The program iperf3 fills the link, and ends when it is stopped. The reported number of bytes does
not exceed the capacity of the link."""
import time

from lib import tap
from pieces import iperf, topology

TITLE = "iperf3 across the path"
HEADLINE = "as much as the link carries"
SECONDS, SEEDS = 30, 1
SIZE, KBIT, DELAY_MS, LIMIT = 1500, 1000, 50, 30
HEADERS = 52            # bytes of IPv4 and TCP headers with time stamps
MS = topology.MS
CELLS = [{"congestion": name, "loss": loss} for name in ("reno", "cubic") for loss in (0, 10_000)]
QUICK = CELLS


def run(cell, seed, directory):
    path = topology.Path(SIZE, KBIT, delay=DELAY_MS * MS)
    path.queue("drop-tail", LIMIT)
    path.damage(seed, loss=cell["loss"])
    flow = iperf.Iperf(path, words=f"--congestion {cell['congestion']}")
    began = time.monotonic()
    flow.begin()
    time.sleep(SECONDS)
    result = flow.finish()
    most = (time.monotonic() - began) * KBIT * 125 * (SIZE - HEADERS) / SIZE
    tap.within("bytes", result["received"], most * (0.3 if cell["loss"] else 0.9), most)
    return [result]
