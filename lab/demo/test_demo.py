#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo's tables say exactly what its logs and counters hold, and a run whose packets are
not all accounted for is refused."""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../selftests")]
from lib import tap

import record
import result
import result_tcp
from result_tcp import FIN, SYN, Segment
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

# (sequence, bytes, flags): 2800 bytes of data, 3 duplicates
SEGMENTS = [(0, 0, SYN),
            (1, 0, 0),              # an ACK: nothing in it that could have arrived before
            (1, 1000, 0),
            (2001, 800, 0),         # ahead of one that is missing
            (2001, 800, 0),         # a duplicate of that
            (1001, 1000, 0),
            (1, 1000, 0),           # a duplicate
            (1801, 1000, FIN),      # brings only the FIN
            (1801, 1000, FIN)]      # a duplicate


def notes(queue, **changes):
    counters = LPD if queue == "LPD" else DROP_TAIL
    return {"kind": "UDP", "flow": "CBR", "queue": queue, "lifetime_ms": 5000, "sent": 13,
            "spikes_ns": SPIKES, "log": f"{queue}.csv", "counters": counters,
            "sink": {"valid": 3, "stale": 3}} | changes


def tcp_notes(queue, **changes):
    counters = LPD | {"packets_in": 16} if queue == "LPD" else DROP_TAIL
    return notes(queue, counters=counters) | \
        {"kind": "TCP", "flow": "TCP", "sent": 16, "log": f"tcp-{queue}.csv",
         "sink": {"bytes": 2800}, "source": {"bytes": 2800}, "duplicates": 3, "timeouts": 2} | \
        changes


def uplink_notes(queue, **changes):
    """Behind the queue everything is dropped; with strip nothing is."""
    counters = LPD | ({} if queue == "LPD-strip" else {"stale_timer": 3, "packets_in": 18})
    more = {"filtered": 0} if queue == "LPD-strip" else \
        {"filtered": 12, "sent": 18, "log": "empty.csv", "sink": {"valid": 0, "stale": 0}}
    return notes(queue, counters=counters) | \
        {"kind": "uplink", "flow": "drone", "log": "uplink.csv"} | more | changes


def write_log(copy, path):
    """The log that a sink, or a capture, would have left."""
    if copy["kind"] == "TCP":
        result_tcp.write_log(path, [Segment(START + number * S, *segment)
                                    for number, segment in enumerate(SEGMENTS)])
        return
    with open(path, "w") as file:
        file.write("sequence,sent_ns,received_ns,remaining_ms\n")
        if copy["log"] == "empty.csv":
            return
        file.writelines(f"{number},{START + round(sent * S)},{START + round(received * S)},4000\n"
                        for number, sent, received in ARRIVALS)


def load(*copies):
    """A run read back from the files that a guest would have left."""
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "run.json"), "w") as file:
            json.dump({"start_ns": START, "where": "here", "settings": {"UDP": "u", "TCP": "t", "uplink": "d"},
                       "copies": copies}, file)
        for copy in copies:
            write_log(copy, os.path.join(directory, copy["log"]))
        return record.Run(directory)


def refused(words, copy):
    """check() refuses this run and says so with these words."""
    try:
        load(copy).check()
    except result.Inconsistent as error:
        tap.true(f"{words!r} in {str(error)!r}", words in str(error))
        return
    raise tap.Failed(f"accepted: expected an error with {words!r}")


def counted(copy, *numbers):
    """check() takes the run, and its numbers are these."""
    run = load(copy)
    run.check()
    one = run.results[0]
    tap.equal("useful, useless, discarded, lost, queued",
              (one.arrivals.useful, one.arrivals.useless, one.discarded, one.lost, one.queued),
              numbers)


def test_lpd_is_counted():
    counted(notes("LPD"), 3, 3, 5, 2, 0)


def test_drop_tail_is_counted():
    counted(notes("drop-tail"), 3, 3, 0, 6, 1)


def test_tcp_is_counted():
    counted(tcp_notes("LPD"), 6, 3, 5, 2, 0)
    counted(tcp_notes("drop-tail"), 6, 3, 0, 6, 1)


def test_what_the_network_dropped_is_counted():
    counted(uplink_notes("LPD"), 0, 0, 4, 2, 0)
    counted(uplink_notes("LPD-strip"), 3, 3, 5, 2, 0)
    refused("packets sent = 0 arrived + 4 discarded + 2 lost + 0 queued + 11 dropped behind it: "
            "18 is not 17", uplink_notes("LPD", filtered=11))
    tap.equal("over", [load(uplink_notes("LPD", filtered=dropped)).results[0].is_over
                       for dropped in (11, 12)], [False, True])


def test_validity_is_not_the_queues_word():
    """The log's remaining lifetime, which lpd wrote, is 4 s throughout."""
    arrivals = load(notes("LPD")).results[0].arrivals
    tap.equal("remaining ns", [arrivals.remaining(a) for a in arrivals.packets],
              [4_700_000_000, 4_700_000_000, -3_300_000_000, 0, -1000, -2_500_000_000])


def test_first_fresh_packet():
    tap.equal("waits", load(notes("LPD")).results[0].waits(), [300 * MS, None])


def test_what_arrived_before():
    """A packet is a duplicate if all of it had arrived; each byte of data is delivered once."""
    arrivals = load(tcp_notes("LPD")).results[0].arrivals
    tap.equal("duplicates", [(s.sequence, s.received_ns - START) for s in arrivals.again],
              [(2001, 4 * S), (1, 6 * S), (1801, 8 * S)])
    tap.equal("bytes delivered", arrivals.delivered, 2800)
    tap.equal("nothing yet", (result_tcp.Arrivals([]).useful, result_tcp.Arrivals([]).delivered),
              (0, 0))


def test_lost_packet_is_noticed():
    refused("packets sent = 6 arrived + 5 discarded + 2 lost + 0 queued: 14 is not 13",
            notes("LPD", sent=14, counters=LPD | {"packets_in": 14}))
    refused("6 arrived + 0 discarded + 5 lost + 1 queued: 13 is not 12",
            notes("drop-tail", counters=DROP_TAIL | {"drops": 5}))
    refused("packets sent = 9 arrived + 5 discarded + 2 lost + 0 queued: 17 is not 16",
            tcp_notes("LPD", sent=17))


def test_foreign_packet_is_noticed():
    refused("packets offered to lpd: 14 is not 13",
            notes("LPD", counters=LPD | {"packets_in": 14}))
    refused("packets offered to lpd: 13 is not 16", tcp_notes("LPD", counters=LPD))


def test_sink_is_heard():
    refused("valid packets by the sink's own count: 4 is not 3",
            notes("LPD", sink={"valid": 4, "stale": 3}))
    refused("stale packets by the sink's own count: 2 is not 3",
            notes("LPD", sink={"valid": 3, "stale": 2}))


def test_ends_of_the_download_are_heard():
    refused("duplicates by the receiving kernel's count: 2 is not 3",
            tcp_notes("LPD", duplicates=2))
    refused("bytes written: 2801 is not 2800", tcp_notes("LPD", source={"bytes": 2801}))
    refused("bytes read: 2799 is not 2800", tcp_notes("LPD", sink={"bytes": 2799}))


def test_every_result_is_checked():
    run = load(notes("LPD"), tcp_notes("LPD", duplicates=2))
    tap.equal("kinds", run.kinds, ["UDP", "TCP"])
    tap.equal("flows", [r.flow for kind in run.kinds for r in run.of_kind(kind)], ["CBR", "TCP"])
    tap.equal("settings", [run.setting(kind) for kind in run.kinds], ["u (here)", "t"])
    try:
        run.check()
    except result.Inconsistent:
        return
    raise tap.Failed("the second result is not checked")


def rows(lines):
    tap.equal("line lengths aligned", len({line.index(" 1") for line in lines[2:]}), 1)
    return [line.split() for line in lines[2:]]


def test_tables():
    run = load(notes("drop-tail"), notes("LPD"), tcp_notes("drop-tail"), tcp_notes("LPD"))
    tap.equal("datagrams", rows(table.udp(run.of_kind("UDP"))),
              ["CBR drop-tail 13 3 3 0 6 1 0.3 s, none".split(),
               "CBR LPD 13 3 3 5 2 0 0.3 s, none".split()])
    tap.equal("download", rows(table.tcp(run.of_kind("TCP"))),
              ["TCP drop-tail 16 6 3 0 6 1 2 3 kB".split(),
               "TCP LPD 16 6 3 5 2 0 2 3 kB".split()])
    run = load(uplink_notes("LPD"), uplink_notes("LPD-strip"))
    tap.equal("uplink", rows(table.uplink(run.results)),
              ["drone LPD 18 0 0 4 2 0 12".split(), "drone LPD-strip 13 3 3 5 2 0 0".split()])


def test_sentences():
    tap.equal("sentence", table.udp_sentence(load(notes("drop-tail"), notes("LPD")).results),
              "After a delay spike nothing fresh arrives until the next one with drop-tail, "
              "until the next one with LPD; of what arrives is stale: 50 % with drop-tail, "
              "50 % with LPD.")
    tap.equal("headline", table.headline(load(notes("LPD", spikes_ns=SPIKES[:1])).results),
              "After a delay spike nothing fresh arrives for 0.3 s with LPD")
    tap.equal("download", table.tcp_sentence(load(tcp_notes("LPD")).results),
              "Of TCP's packets that arrive had arrived before: 33 % with LPD.")
    tap.equal("uplink", table.uplink_sentence(load(uplink_notes("LPD"),
                                                   uplink_notes("LPD-strip")).results),
              "Of the drone's packets arrive in time: none of 18 with LPD, 3 of 13 with LPD-strip; "
              "of what arrives is stale: 50 % with LPD-strip.")
    for again, words in ((0, "none"), (1, "under 1 %"), (2, "1 %")):
        download = load(tcp_notes("LPD")).results[0]
        download.arrivals = result_tcp.Arrivals([Segment(START, 1, 9, 0)] * (again + 1) +
                                                [Segment(START, 0, 0, 0)] * (200 - 1 - again))
        tap.equal(f"{again} of 200", table.tcp_sentence([download]),
                  f"Of TCP's packets that arrive had arrived before: {words} with LPD.")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
