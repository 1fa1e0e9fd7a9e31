# SPDX-License-Identifier: GPL-2.0-or-later
"""The download of figures 5 and 10, and of the map."""
import time

from lib.cell import MS

from pieces import download, queues, segments, senders, topology

SIZE, WINDOW = 1000, 50     # bytes of a packet; segments
DRAIN = 120                 # s until what is still under way has come


def fetch(cell, drawn, total):
    """A download of so many bytes by a cell's sender, over a link of its rate, through its queue
    and buffer: the seconds it took, what was seen at either end, the path, and its spikes. A cell
    may say the link's delay in ms, and where lifetimes are looked at what its packets have."""
    delay = cell["delay"] * MS if "delay" in cell else topology.LINK_DELAY
    path = topology.Path(SIZE, cell["kbit"], delay)
    path.queue(cell["queue"], cell.get("buffer"))
    senders.prepare(path, cell["tcp"], SIZE)
    if queues.looks_at_lifetimes(cell["queue"]):
        senders.stamp(path, download.MARK, cell.get("lifetime", "rto"))
    wires = [segments.Wire(node, "eth0") for node in (path.sender, path.receiver)]
    flow = download.Download(path, total, WINDOW * (SIZE - download.IP_TCP))
    met = path.spikes(drawn)
    flow.begin()
    taken = flow.finish()
    time.sleep(DRAIN)
    return taken, [wire.segments() for wire in wires], path, met
