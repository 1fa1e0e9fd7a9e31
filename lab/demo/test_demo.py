#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's table says exactly what its logs and counters hold, and a run whose packets are
not all accounted for is refused."""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../selftests")]
from lib import tap

import result
import table

S, MS = result.S, result.MS
START = 1767225600 * S
SPIKES = [[START + 10 * S, START + 20 * S], [START + 40 * S, START + 50 * S]]

# (sequence, sent, received) in s since the start; lifetimes are 5 s
ARRIVALS = [(0, 1.0, 1.3),
            (1, 9.9, 10.2),         # on its way when the spike began: not fresh after it
            (2, 12.0, 20.3),        # stale by 3.3 s
            (3, 15.3, 20.3),        # valid: its lifetime ends as it arrives
            (3, 15.3, 20.4),        # a duplicate counts once
            (4, 16.0, 21.000001),   # stale by a microsecond
            (5, 45.0, 52.5)]        # stale, and nothing fresh follows
LPD = dict.fromkeys(result.STALE + result.LOST, 0) | \
    {"kind": "lpd", "qlen": 0, "drops": 7, "packets_in": 13, "stale_timer": 4,
     "stale_dequeue": 1, "overflow_limit": 2}
DROP_TAIL = {"kind": "pfifo", "qlen": 1, "drops": 6}


def notes(queue, **changes):
    counters = LPD if queue == "LPD" else DROP_TAIL
    return {"flow": "CBR", "queue": queue, "lifetime_ms": 5000, "sent": 13,
            "spikes_ns": SPIKES, "log": f"{queue}.csv", "counters": counters,
            "sink": {"valid": 3, "stale": 3}} | changes


def load(*copies):
    """A run read back from the files that a guest would have left."""
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "run.json"), "w") as file:
            json.dump({"start_ns": START, "copies": copies}, file)
        for copy in copies:
            with open(os.path.join(directory, copy["log"]), "w") as file:
                file.write("sequence,sent_ns,received_ns,remaining_ms\n")
                file.writelines(f"{number},{START + round(sent * S)},"
                                f"{START + round(received * S)},4000\n"
                                for number, sent, received in ARRIVALS)
        return result.Run(directory)


def refused(words, copy):
    """check() refuses this run and says so with these words."""
    try:
        load(copy).check()
    except result.Inconsistent as error:
        tap.true(f"{words!r} in {str(error)!r}", words in str(error))
        return
    raise tap.Failed(f"accepted: expected an error with {words!r}")


def test_lpd_is_counted():
    run = load(notes("LPD"))
    run.check()
    lpd = run.results[0]
    tap.equal("valid, stale, discarded, lost, queued",
              (lpd.valid, lpd.stale, lpd.discarded, lpd.lost, lpd.queued), (3, 3, 5, 2, 0))


def test_drop_tail_is_counted():
    run = load(notes("drop-tail"))
    run.check()
    tail = run.results[0]
    tap.equal("valid, stale, discarded, lost, queued",
              (tail.valid, tail.stale, tail.discarded, tail.lost, tail.queued), (3, 3, 0, 6, 1))


def test_validity_is_not_the_queues_word():
    """The log's remaining lifetime, which lpd wrote, is 4 s throughout."""
    arrivals = load(notes("LPD")).results[0]
    tap.equal("remaining ns", [arrivals.remaining(a) for a in arrivals.arrivals.values()],
              [4_700_000_000, 4_700_000_000, -3_300_000_000, 0, -1000, -2_500_000_000])


def test_first_fresh_packet():
    tap.equal("waits", load(notes("LPD")).results[0].waits(), [300 * MS, None])


def test_lost_packet_is_noticed():
    refused("packets sent = 6 arrived + 5 discarded + 2 lost + 0 queued: 14 is not 13",
            notes("LPD", sent=14, counters=LPD | {"packets_in": 14}))
    refused("6 arrived + 0 discarded + 5 lost + 1 queued: 13 is not 12",
            notes("drop-tail", counters=DROP_TAIL | {"drops": 5}))


def test_foreign_packet_is_noticed():
    refused("packets offered to lpd: 14 is not 13",
            notes("LPD", counters=LPD | {"packets_in": 14}))


def test_sink_is_heard():
    refused("valid packets by the sink's own count: 4 is not 3",
            notes("LPD", sink={"valid": 4, "stale": 3}))
    refused("stale packets by the sink's own count: 2 is not 3",
            notes("LPD", sink={"valid": 3, "stale": 2}))


def test_table():
    run = load(notes("drop-tail"), notes("LPD"))
    tap.equal("rows", [line.split() for line in table.lines(run.results)[2:]],
              ["CBR drop-tail 13 3 3 0 6 1 0.3 s, none".split(),
               "CBR LPD 13 3 3 5 2 0 0.3 s, none".split()])
    tap.equal("line lengths aligned", len({line.index("13") for line in
                                           table.lines(run.results)[2:]}), 1)


def test_sentence():
    tap.equal("sentence", table.sentence(load(notes("drop-tail"), notes("LPD")).results),
              "After a delay spike nothing fresh arrives until the next one with drop-tail, "
              "until the next one with LPD; of what arrives is stale: 50 % with drop-tail, "
              "50 % with LPD.")
    tap.equal("headline", table.headline(load(notes("LPD", spikes_ns=SPIKES[:1])).results),
              "After a delay spike nothing fresh arrives for 0.3 s with LPD")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
