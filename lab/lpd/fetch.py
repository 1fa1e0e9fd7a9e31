# SPDX-License-Identifier: GPL-2.0-or-later
"""The download of figures 5 and 10, and of the map."""
import time

from lib import tree
from lib.cell import MS

from pieces import download, queues, segments, senders, spikes, topology

SIZE, WINDOW = 1000, 50     # bytes of a packet; segments
DRAIN = 120                 # s until what is still under way has come
TOTALS = {30: 500_000, 100: 1_000_000, 300: 2_000_000}     # bytes, by the link's rate in kbit/s
DELAYS = (50, 100, 300)     # ms, one way, of the link
BUFFERS = (5, 10, 20, 50, 100)                              # packets


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


def measure(cell, seed):
    """A row: a download through the spikes of a seed."""
    taken, (seen, arrivals), path, _ = fetch(cell, spikes.draw(seed), TOTALS[cell["kbit"]])
    counters = path.lpd()
    stale = sum(counters[name] for name in tree.STALE) if counters else 0
    return {"seconds": taken, "stale": stale, **segments.summary(seen, arrivals)}


# --- on the host ---

def longer(rows, than, by):
    """By how many percent the downloads of some rows took longer than those of the same seeds and
    parameters in others: mean and half of the confidence interval, for each value of `by`."""
    from pieces import estimate
    joined = rows.merge(than, on=[*by, "seed"], suffixes=("", "_than"))
    return estimate.means(
        joined.assign(longer=100 * (joined["seconds"] / joined["seconds_than"] - 1)), "longer", by)


def copies(rows, by):
    """Segments that had arrived before, in percent of all that arrive."""
    sums = rows.groupby(by)[["again", "arrived"]].sum()
    return 100 * sums["again"] / sums["arrived"]
