# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that a run leaves in its directory: run.json and the logs."""
import copy
import os

from demo.result_tcp import TcpResult
from demo.result_udp import PairResult, UdpResult, UplinkResult
from engine import record

KINDS = {kind.kind: kind for kind in (UdpResult, TcpResult, PairResult, UplinkResult)}


class Run:
    """A run of the demo: when and where it ran, and its results."""

    def __init__(self, directory):
        self.notes = record.read(os.path.join(directory, "run.json"))
        self.start = self.notes["start_ns"]
        self.results = [KINDS[notes["kind"]].load(notes, directory)
                        for notes in self.notes["copies"]]

    def check(self):
        for result in self.results:
            result.check()

    def setting(self, kind):
        """A kind of flow in words. The text of the first kind also says where the demo ran."""
        where = f" ({self.notes['where']})" if kind == self.kinds[0] else ""
        return self.notes["settings"][kind] + where

    def only(self, kinds, queues):
        """A copy of the run with only these kinds of flows and these queues."""
        part = copy.copy(self)
        part.results = [r for r in self.results if r.kind in kinds and r.queue in queues]
        return part

    def of_kind(self, kind):
        return [r for r in self.results if r.kind == kind]

    def of_flow(self, flow):
        return [r for r in self.results if r.flow == flow]

    @property
    def kinds(self):
        return list(dict.fromkeys(r.kind for r in self.results))
