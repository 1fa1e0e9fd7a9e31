#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""On a path that loses 0.1, 1 or 5 % of the packets, the mean rate of CCID 3 is within 10 % of the
throughput equation (RFC 5348 section 3.1), at the loss events and the round-trip time that the log
of the source shows."""
# run.sh: needs: simulated time
# run.sh: all: nothing (minutes of processor time)
# run.sh: soak: everything
import csv
import math
import tempfile

from dccp import way
from lib import cell, tap

NS = 10**9
SIZE, START, SECONDS = 1000, 20, 100
DELAY = 20 * cell.MS
LOSSES = 1_000, 10_000, 50_000      # millionths


def equation(p, rtt):
    """The throughput equation in bytes/s; b is 1, and t_RTO is four round trips."""
    return SIZE / (rtt * math.sqrt(2 * p / 3) +
                   4 * rtt * 3 * math.sqrt(3 * p / 8) * p * (1 + 32 * p ** 2))


def loss_events(rows, rtt):
    """The number of loss events. Losses of packets that were sent within a round trip are one event
    (RFC 5348 section 5.2)."""
    events, until = 0, 0
    for row in rows:
        if row["fate"] == "lost" and int(row["sent_ns"]) >= until:
            events += 1
            until = int(row["sent_ns"]) + rtt * NS
    return events


def measured(loss):
    """The summary of a source on a path with this loss, and the log after the start."""
    with way.Way(back={"delay": DELAY}, delay=DELAY, loss=loss) as w, \
            tempfile.NamedTemporaryFile("r") as log:
        w.listen()
        summary = way.result(w.send(f"--ccid 3 --size {SIZE} --duration {START + SECONDS}s "
                                    f"--log {log.name}", root=True))
        rows = sorted(csv.DictReader(log), key=lambda row: int(row["seq"]))
    tap.equal("rows", len(rows), summary["sent"])
    begin = int(rows[0]["sent_ns"]) + START * NS
    return summary, [row for row in rows if int(row["sent_ns"]) >= begin]


def test_rate():
    """The mean rate of 100 s is within 10 % of the equation."""
    for loss in LOSSES:
        summary, rows = measured(loss)
        rtt = summary["rtt"]
        tap.within("rtt", rtt, 0.040, 0.0401)
        p = loss_events(rows, rtt) / len(rows)
        rate, want = len(rows) * SIZE / SECONDS, equation(p, rtt)
        tap.note(f"loss {loss / 10**4} %: loss event rate {p:.6f}, {rate:.0f} bytes/s, equation "
                 f"{want:.0f} ({100 * (rate / want - 1):+.1f} %)")
        tap.within("rate", rate, 0.9 * want, 1.1 * want)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
