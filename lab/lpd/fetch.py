# SPDX-License-Identifier: GPL-2.0-or-later
"""The download of figures 5 and 10, and of the map."""
import time

from lib import tree
from lib.cell import MS

from pieces import download, queues, segments, senders, spikes, topology

SIZE, WINDOW = 1000, 50     # bytes of a packet; segments
DRAIN = 120                 # s after the end, for packets that are still in the network
TOTALS = {30: 500_000, 100: 1_000_000, 300: 2_000_000}     # bytes, by the link's rate in kbit/s
DELAYS = (50, 100, 300)     # ms, one way, of the link
BUFFERS = (5, 10, 20, 50, 100)                              # packets


def fetch(cell, drawn, total):
    """Run a download of `total` bytes with a cell's sender, link rate, queue and buffer. Returns its
    duration in s, the captures at both ends, the path and the spikes. A cell may contain the link's
    delay in ms and, for a queue that reads lifetimes, the lifetime of the packets."""
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
    seconds = flow.finish()
    time.sleep(DRAIN)
    return seconds, [wire.segments() for wire in wires], path, met


def measure(cell, seed):
    """The row of a download across the spikes of a seed."""
    seconds, (seen, arrivals), path, _ = fetch(cell, spikes.draw(seed), TOTALS[cell["kbit"]])
    counters = path.lpd()
    stale = sum(counters[name] for name in tree.STALE) if counters else 0
    return {"seconds": seconds, "stale": stale, **segments.summary(seen, arrivals)}


# --- on the host ---

def longer(rows, than, by):
    """The percentage by which downloads took longer than the downloads of the same seed and
    parameters in `than`. For each value of `by`, the result has the mean and half of the confidence
    interval."""
    from pieces import estimate
    joined = rows.merge(than, on=[*by, "seed"], suffixes=("", "_than"))
    return estimate.means(
        joined.assign(longer=100 * (joined["seconds"] / joined["seconds_than"] - 1)), "longer", by)


def copies(rows, by):
    """Duplicate segments, in percent of all segments that arrive."""
    sums = rows.groupby(by)[["again", "arrived"]].sum()
    return 100 * sums["again"] / sums["arrived"]
