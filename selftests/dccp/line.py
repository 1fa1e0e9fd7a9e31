# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages with deadlines on the way of way.py: freshlink send in the source, freshlink recv in the
sink, and their logs. The commands run in one kernel, so all times are on one clock."""
import csv
import json
import os
import socket
import tempfile

from dccp import way
from lib import cell, child, tap, xlo

MS, S = cell.MS, cell.S
DELAY = 20 * MS
EXTENSION = 1                   # XRTO_ENCODING_EXTENSION
SENT_TIMES = "submitted_ns", "deadline_ns", "sent_ns", "ended_ns"
GOT_TIMES = "submitted_ns", "deadline_ns", "arrived_ns", "given_ns"


class Line(way.Way):
    """The way with a delay of 20 ms in each direction, and a folder for logs."""

    def __init__(self, back=None, **there):
        super().__init__(back={"delay": DELAY} | (back or {}), **({"delay": DELAY} | there))
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)

    def __exit__(self, *what):
        super().__exit__(*what)
        self.folder.cleanup()

    def path(self, name, text=None):
        """The path of a file in the folder, which holds `text`."""
        path = f"{self.folder.name}/{name}"
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def lifetimes(self, **options):
        """lpd and xlo_rto in the router, and xlo with txtime in the source."""
        self.lpd(**options)
        xlo.Client(self.router, "xlo_rto").set(encoding=EXTENSION)
        xlo.Client(self.source).set(txtime=1)

    def recv(self, words="", log="got.csv", streams=1, **how):
        """Start a receiver, and wait until it listens."""
        process = self.start(self.sink, f"recv -j --streams {streams} "
                             f"--log {self.path(log)} {words}", **how)
        tap.equal("the receiver", process.stderr.readline(), "listening on port 5002\n")
        return process

    def send(self, words, family=socket.AF_INET, log="sent.csv", nobody=False, **how):
        """Start a sender, by default with privilege."""
        to = way.SINK[family == socket.AF_INET6]
        if nobody:
            os.chown(self.path(log, ""), child.NOBODY, child.NOBODY)
            how |= {"user": child.NOBODY, "group": child.NOBODY, "extra_groups": []}
        return self.start(self.source, f"send {to} -j --log {self.path(log)} {words}", **how)

    def lines(self, log):
        """The number of lines that a log has so far."""
        with open(self.path(log)) as file:
            return file.read().count("\n")

    def rows(self, log, times):
        """The lines of a log, by stream and number. Its times are numbers."""
        with open(self.path(log), newline="") as file:
            rows = [row | {name: int(row[name]) for name in (*times, "number", "bytes", "attempts")}
                    for row in csv.DictReader(file)]
        return sorted(rows, key=lambda row: (int(row["stream"]), row["number"]))

    def exchange(self, words, receiver="", family=socket.AF_INET, nobody=False):
        """Send messages. Returns both summaries and both logs."""
        sink = self.recv(receiver)
        sent = way.result(self.send(words, family, nobody=nobody))
        got = way.result(sink)
        rows = self.rows("sent.csv", SENT_TIMES)
        check_sum(sent, got, rows)
        return sent, got, rows, self.rows("got.csv", GOT_TIMES)


def check_sum(sent, got, rows):
    """Each message has one end, in the summary and in the log. What ended without its time is
    missing at the receiver."""
    ends = {name: number for name, number in sent["ends"].items() if number}
    tap.note({name: sent[name] for name in ("submitted", "held_back", "on_time", "late")} |
             {name: got[name] for name in ("delivered", "missing")} |
             {name: sent["packets"][name] for name in ("pieces", "repeats")} | ends)
    tap.equal("sum of ends", sum(ends.values()), sent["submitted"])
    tap.equal("outstanding", sent["outstanding"], 0)
    tap.equal("numbers in the log", [row["number"] for row in rows], list(range(sent["submitted"])))
    tap.equal("ends in the log",
              {name: sum(row["end"] == name for row in rows) for name in ends}, ends)
    tap.equal("numbers that have ended at the receiver",
              got["on_time"] + got["late"] + got["missing"], sent["submitted"])
    tap.equal("on time and late", (sent["on_time"], sent["late"]), (got["on_time"], got["late"]))
