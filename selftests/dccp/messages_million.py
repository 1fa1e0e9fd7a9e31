#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Of very many messages, the receiver takes none after its deadline for one that is on time. Both
ends are on one host, so their logs have one clock; on hosts it is that of the wall, and other programs
make messages wait. A soak test sends a million."""
# run.sh: all on lab-debug vm: nothing (many messages)
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
# run.sh: soak on lab vm host, 3600 s: everything
import csv
import json
import os
import subprocess
import tempfile

from lib import netns, soak, tap

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
FRESHLINK = os.path.join(TREE, "build", "tools", "freshlink")
COUNT = soak.amount(5000, 500_000)
LIFETIMES = "2ms", "20ms"
SEND = "--via off --control fixed --rate 1gbit --size 200 --interval 50us"


def start(words):
    return subprocess.Popen([FRESHLINK, *words.split()], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def exchange(ns, folder, lifetime):
    """Send messages from the host to itself. Returns both summaries."""
    with ns.inside():
        sink = start(f"recv --fixed --streams 1 --late drop -j --log {folder}/got.csv")
        tap.equal("the receiver", sink.stderr.readline(), "listening on port 5002\n")
        source = start(f"send 127.0.0.1 {SEND} --count {COUNT} --lifetime {lifetime} -j "
                       f"--log {folder}/sent.csv")
    return [json.loads(end.communicate()[0]) for end in (source, sink)]


def rows(path, *names):
    """Numbers of a log, by the number of the message."""
    with open(path, newline="") as file:
        return {int(row["number"]): [int(row[name]) for name in names]
                for row in csv.DictReader(file)}


def test_late():
    """No message that is given has arrived after its deadline, and each of the others is counted.
    The processor may be taken away from the receiver between its decision and its log; such ones
    are noted."""
    for lifetime in LIFETIMES:
        with netns.Netns() as ns, tempfile.TemporaryDirectory() as folder:
            ns.link("lo", True)
            sent, got = exchange(ns, folder, lifetime)
            deadlines = rows(f"{folder}/sent.csv", "deadline_ns")
            given = rows(f"{folder}/got.csv", "arrived_ns", "given_ns")
        tap.note(f"{lifetime}: {({name: got[name] for name in ('on_time', 'late', 'missing')})}")
        tap.equal("submitted", (len(deadlines), sum(sent["ends"].values())), 2 * (sent["submitted"],))
        tap.equal("the others", sent["held_back"], COUNT - sent["submitted"])
        tap.equal("ended at the receiver", got["on_time"] + got["late"] + got["missing"],
                  sent["submitted"])
        tap.equal("given", len(given), got["on_time"])
        late = [sum(times[i] > deadlines[number][0] for number, times in given.items())
                for i in range(2)]
        tap.note(f"logged after the deadline: {late[1]}")
        tap.equal("arrived after the deadline", late[0], 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
