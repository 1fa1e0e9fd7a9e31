# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody who browses the Web across the path, by the model of ETSI TR 101 112: `freshlink traffic nrt`,
and what its log says."""
import csv
from typing import NamedTuple

from pieces import traffic

PORT = 5002


class Call(NamedTuple):
    """A packet call: times are CLOCK_REALTIME in ns."""

    session: int
    start: int
    end: int


def read_log(path):
    with open(path, newline="") as file:
        return [Call(int(row["session"]), int(row["start_ns"]), int(row["end_ns"]))
                for row in csv.DictReader(file)]


class Browser:
    """So many sessions of a seed, one after the other, with what else nrt is to be told."""

    def __init__(self, path, log, seed, sessions, words=""):
        self.path, self.log, self.sessions = path, log, sessions
        self.words = f"nrt {path.address} --port {PORT} --sessions {sessions} --seed {seed} " \
            f"--log {log} {words}"
        self.sink = self.source = None

    def listen(self):
        """Make the far end ready."""
        self.sink = traffic.listen(self.path.receiver,
                                   f"tcp-sink --port {PORT} --sessions {self.sessions}")

    def begin(self):
        self.source = traffic.start(self.path.sender, self.words)

    def is_busy(self):
        return self.source.poll() is None

    def finish(self):
        """Once all sessions are over: what was sent, in how many seconds, and the packet calls."""
        sent = traffic.end(self.source)
        told = traffic.end(self.sink)
        if told["bytes"] != sent["bytes"] or told["sessions"] != self.sessions:
            raise RuntimeError(f"nrt says {sent}, its sink {told}")
        return sent, read_log(self.log)
