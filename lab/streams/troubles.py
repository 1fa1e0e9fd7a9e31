# SPDX-License-Identifier: GPL-2.0-or-later
"""Troubles of a link that could deceive freshlink pace. A trouble is an outage (links.CUTS), or a function
of the path and the link. The function runs a number of seconds after the begin of the flows, or before the
flows. A function may return a flow, which ends with the other flows."""
from lib.cell import MS

from pieces import upload
from streams.links import CUTS

GRANT, LOSS, SEED = 40 * MS, 100_000, 1             # ns, millionths
REORDER = "netem delay 5ms reorder 25% 50%"


def _downlink(path, link):
    """A download fills the way back, which has the link's mean rate."""
    path.mobile.change(rate=path.rate or round(link.kbit * 125))
    download = upload.Upload(path, back=True)
    download.begin()
    return download


def _half(path, link):
    """Other users take half of the rate."""
    link.halve(path)


def _bursts(path, _):
    """The radio sends in bursts."""
    path.cell.change(grant=GRANT)


def _losses(path, _):
    """A tenth of the packets on the way back is lost, so a tenth of the answers."""
    path.mobile.change(loss=LOSS, seed=SEED)


def _reordering(path, _):
    """A quarter of the packets on the way back overtakes others."""
    path.receiver.run(f"tc qdisc add dev eth0 root {REORDER}")


def _handover(path, _):
    """The delay triples in both directions."""
    for end in (path.cell, path.mobile):
        end.change(delay=3 * path.delay)


LATER = 10                                          # s
CHANGES = {"downlink": (0, _downlink), "half": (LATER, _half), "bursts": (0, _bursts),
           "losses": (0, _losses), "reordering": (0, _reordering), "handover": (LATER, _handover)}
TROUBLES = (*CUTS, *CHANGES)


class Trouble:
    """A trouble by its name, or no trouble."""

    def __init__(self, name=None):
        if name and name not in TROUBLES:
            raise ValueError(f"trouble {name}: expected one of {', '.join(TROUBLES)}")
        self.cut = CUTS.get(name, ())           # the devices that have an outage
        self.when, self.change = CHANGES.get(name, (None, None))

    def at(self, second, path, link):
        """Change the link if it is time. Return a flow, or None."""
        return self.change(path, link) if second == self.when else None
