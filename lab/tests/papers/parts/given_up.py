# SPDX-License-Identifier: GPL-2.0-or-later
"""A download that is given up ends at once, also if its link loses everything, even the sender's Reset."""
import time

from lib import tap
from lib.cell import MS
from pieces import download, topology

TITLE = "Downloads that are given up"
HEADLINE = "end at once"
SECONDS, SEEDS = 2, 1
CELLS = [{"lost": lost} for lost in ("nothing", "everything", "the handshake")]
QUICK = CELLS


def run(cell, seed, directory):
    path = topology.Path(1000, 1000, delay=10 * MS)
    path.queue("drop-tail")
    if cell["lost"] == "the handshake":
        path.damage(seed, loss=10**6)
    flow = download.Download(path, 1 << 30)
    flow.begin()
    time.sleep(SECONDS)
    tap.equal("bytes came", flow.read > 0, cell["lost"] != "the handshake")
    if cell["lost"] == "everything":
        path.damage(seed, loss=10**6)
    before = time.monotonic()
    flow.give_up()
    tap.within("s until it has ended", time.monotonic() - before, 0, 1)
    return [{"read": flow.read}]
