# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of a user who browses the Web across the path, with the model of ETSI TR 101 112. The
sessions are simulated by `freshlink traffic nrt`, which writes a log."""
import csv
from typing import NamedTuple

from pieces import traffic

PORT = 5002


class Call(NamedTuple):
    """A packet call, with times in ns of CLOCK_REALTIME."""

    session: int
    start: int
    end: int


def read_log(path):
    with open(path, newline="") as file:
        return [Call(int(row["session"]), int(row["start_ns"]), int(row["end_ns"]))
                for row in csv.DictReader(file)]


class Browser:
    """Several sessions for one seed, one after the other. `words` are additional options of nrt."""

    def __init__(self, path, log, seed, sessions, words=""):
        self.path, self.log, self.sessions = path, log, sessions
        self.words = f"nrt {path.address} --port {PORT} --sessions {sessions} --seed {seed} " \
            f"--log {log} {words}"
        self.sink = self.source = None

    def listen(self):
        """Start the sink."""
        self.sink = traffic.listen(self.path.receiver,
                                   f"tcp-sink --port {PORT} --sessions {self.sessions}")

    def begin(self):
        self.source = traffic.start(self.path.sender, self.words)

    def is_busy(self):
        return self.source.poll() is None

    def finish(self):
        """Wait until all sessions have ended. Return the summary of the source, and the packet
        calls."""
        sent = traffic.end(self.source)
        received = traffic.end(self.sink)
        if received["bytes"] != sent["bytes"] or received["sessions"] != self.sessions:
            raise RuntimeError(f"nrt and its sink differ: {sent} and {received}")
        return sent, read_log(self.log)
