# SPDX-License-Identifier: GPL-2.0-or-later
"""Troubles of a link that could deceive freshlink pace. Each trouble is a function of the path, which
runs a number of seconds after the begin of the flows, or before the flows. A trouble may return a flow,
which ends with the other flows."""
from lib.cell import MS

from pieces import upload

GRANT, LOSS, SEED = 40 * MS, 100_000, 1             # ns, millionths
REORDER = "netem delay 5ms reorder 25% 50%"


def _downlink(path):
    """A download fills the way back."""
    download = upload.Upload(path, back=True)
    download.begin()
    return download


def _half(path):
    """Other users take half of the rate."""
    path.cell.change(rate=path.rate // 2)


def _bursts(path):
    """The radio sends in bursts."""
    path.cell.change(grant=GRANT)


def _losses(path):
    """A tenth of the packets on the way back is lost, so a tenth of the answers."""
    path.mobile.change(loss=LOSS, seed=SEED)


def _reordering(path):
    """A quarter of the packets on the way back overtakes others."""
    path.receiver.run(f"tc qdisc add dev eth0 root {REORDER}")


def _handover(path):
    """The delay triples in both directions."""
    for end in (path.cell, path.mobile):
        end.change(delay=3 * path.delay)


LATER = 10                                          # s
TROUBLES = {"downlink": (0, _downlink), "half": (LATER, _half), "bursts": (0, _bursts),
            "losses": (0, _losses), "reordering": (0, _reordering), "handover": (LATER, _handover)}
