#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""IFTPV is told why packets are missing: damage behind the sensitive part counts as received, damage
within it as random, and where nobody tells a cause it decides by the backlog. IFTP takes both for
congestion."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import json

from dccp import way
from dccp.line import Line
from lib import cell, tap

BER = 5000000                   # in 1e-12: 5e-6, a packet in twenty of 1000 bytes
SENSITIVE = "--carrier ip --sensitive 512"
MESSAGES = "--size 1000 --interval 5ms --count 2000 --lifetime 10s --stats 1s"


def told(sent):
    """What a summary says of causes and verdicts."""
    names = "backlog_at_loss", "verdicts", "causes"
    tap.note({name: sent.get(name) for name in names})
    return sent["causes"], sent["verdicts"]


def damaged(control):
    """Send messages across a cellink with bit errors. Returns both summaries."""
    with Line(ber=BER, seed=1, corrupt=cell.TOLERANT) as w:
        sink = w.recv("--damaged deliver --carrier ip")
        process = w.send(f"--control {control} {SENSITIVE} {MESSAGES}")
        out, err = process.communicate()
        tap.equal(f"exit status ({err.strip()})", process.returncode, 0)
        got = way.result(sink)
    stats = [json.loads(line) for line in out.strip().splitlines()]
    tap.true("each second has a rate", len(stats) > 5 and all(line["rate"] > 0 for line in stats[:-1]))
    return stats[-1], got


def test_damaged():
    """Damaged messages are counted alike at both ends, and each has its cause."""
    for control in "iftpv", "iftp":
        sent, got = damaged(control)
        causes, _ = told(sent)
        tap.true("damage behind the sensitive part", causes["flawed"] > 20)
        tap.true("damage within it", causes["damaged"] > 20)
        tap.equal("flawed", causes["flawed"], got["damaged"])
        for name in "bytes_whole", "bytes_damaged":
            tap.equal(name, sent["packets"][name], got["packets"][name])


def lossy(words):
    """Send as fast as it goes while one packet in a hundred is lost. Returns the summary."""
    with way.Way(delay=20 * cell.MS, loss=10_000, seed=1, back={"delay": 20 * cell.MS}) as w:
        sink = w.listen()
        sent = way.result(w.send(f"{words} --size 1000 --duration 8s"))
        way.result(sink)
    return sent


def test_random():
    """Where packets are lost at random and nobody tells why, IFTPV keeps its window at times, and
    sends more than IFTP, with --causes off, too."""
    sent = {words: lossy(f"--ccid {words}") for words in ("iftp", "iftpv", "iftpv --causes off")}
    for words in list(sent)[1:]:
        _, verdicts = told(sent[words])
        tap.true(f"{words}: keeps", verdicts["keep"] > 0)
        tap.true(f"{words}: {sent[words]['sent']} above {sent['iftp']['sent']}",
                 sent[words]["sent"] > sent["iftp"]["sent"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
