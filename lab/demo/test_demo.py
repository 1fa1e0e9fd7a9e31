#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that the demo's tables show exactly the numbers of its logs and counters, and that the
report refuses a run if its numbers do not account for each packet."""
import os
import sys
import tempfile

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:1] = [LAB, os.path.join(LAB, "../selftests")]
from lib import tap
from lib.cell import MS, S

from demo import record, result, result_tcp, table
from demo.result_tcp import FIN, SYN, Segment
from engine.record import write
from pieces import paths

START = 1767225600 * S
SPIKES = [[START + 10 * S, START + 20 * S], [START + 40 * S, START + 50 * S]]

# (sequence, sent, received) in s since the start; lifetimes are 5 s
ARRIVALS = [(0, 1.0, 1.3),
            (1, 9.9, 10.2),         # on the link when the spike began: not the first fresh packet
            (2, 12.0, 20.3),        # stale by 3.3 s
            (3, 15.3, 20.3),        # valid: its lifetime ends as it arrives
            (3, 15.3, 20.4),        # a duplicate counts once
            (4, 16.0, 21.000001),   # stale by a microsecond
            (5, 45.0, 52.5)]        # stale, and nothing fresh follows
# packets of which only the headers arrived
CUT = [(6, 15.0, 20.2),             # before the fresh packet
       (6, 15.0, 20.3),             # a duplicate
       (7, 47.0, 50.5)]             # within its lifetime, but only headers
# the arrivals of a flow with 1 s to live
URGENT = [(0, 1.0, 1.3),
          (1, 19.5, 20.5),          # valid: its lifetime ends as it arrives
          (2, 20.0, 21.1),          # stale by 0.1 s
          (3, 50.0, 50.75)]
WHOLE = {"empty.csv": [], "urgent.csv": URGENT}     # all other logs have ARRIVALS
LPD = dict.fromkeys(result.STALE + result.LOST, 0) | \
    {"kind": "lpd", "qlen": 0, "drops": 7, "packets_in": 13, "stale_timer": 4,
     "stale_dequeue": 1, "overflow_limit": 2, "truncated": 0, "fast": 12, "slow_form": 0,
     "slow_shared": 0, "slow_order": 0, "slow_config": 1}
# three packets were cut; one of the cut packets is among the two packets that found the queue full
CUTTING = LPD | {"packets_in": 10, "stale_timer": 0, "stale_dequeue": 0, "truncated": 3}
DROP_TAIL = {"kind": "pfifo", "qlen": 1, "drops": 6}

# (sequence, bytes, flags): 2800 bytes of data, 3 duplicates
SEGMENTS = [(0, 0, SYN),
            (1, 0, 0),              # an ACK without data is no duplicate
            (1, 1000, 0),
            (2001, 800, 0),         # before a segment that is still missing
            (2001, 800, 0),         # a duplicate
            (1001, 1000, 0),
            (1, 1000, 0),           # a duplicate
            (1801, 1000, FIN),      # only the FIN is new
            (1801, 1000, FIN)]      # a duplicate


def notes(queue, **changes):
    counters = LPD if queue == "LPD" else DROP_TAIL
    return {"kind": "UDP", "flow": "CBR", "queue": queue, "lifetime_ms": 5000, "sent": 13,
            "spikes_ns": SPIKES, "log": f"{queue}.csv", "counters": counters,
            "sink": {"valid": 3, "stale": 3, "headers": 0}} | changes


def cut_notes(**changes):
    return notes("LPD-headers", sent=10, counters=CUTTING, log="cut.csv",
                 sink={"valid": 3, "stale": 3, "headers": 2}) | changes


def pair_notes(**changes):
    """The urgent flow sent 8 packets, the patient flow 9."""
    patient = {"log": "patient.csv", "lifetime_ms": 5000,
               "sink": {"valid": 3, "stale": 3, "headers": 0}}
    return notes("LPD-EDF", sent=17, counters=LPD | {"packets_in": 17}, log="urgent.csv") | \
        {"kind": "pair", "flow": "pair", "lifetime_ms": 1000, "urgent_sent": 8,
         "sink": {"valid": 3, "stale": 1, "headers": 0}, "patient": patient} | changes


def tcp_notes(queue, **changes):
    counters = LPD | {"packets_in": 16} if queue == "LPD" else DROP_TAIL
    return notes(queue, counters=counters) | \
        {"kind": "TCP", "flow": "TCP", "sent": 16, "log": f"tcp-{queue}.csv",
         "sink": {"bytes": 2800}, "source": {"bytes": 2800}, "duplicates": 3, "timeouts": 2} | \
        changes


def uplink_notes(queue, **changes):
    """The network after the queue drops all packets; with strip it drops no packets."""
    counters = LPD | ({} if queue == "LPD-strip" else {"stale_timer": 3, "packets_in": 18})
    more = {"filtered": 0} if queue == "LPD-strip" else \
        {"filtered": 12, "sent": 18, "log": "empty.csv",
         "sink": {"valid": 0, "stale": 0, "headers": 0}}
    return notes(queue, counters=counters) | \
        {"kind": "uplink", "flow": "drone", "log": "uplink.csv"} | more | changes


def write_sink_log(path, whole, cut=()):
    """Write a log as a sink does."""
    with open(path, "w") as file:
        file.write("sequence,sent_ns,received_ns,remaining_ms,headers\n")
        for arrivals, is_cut in ((whole, 0), (cut, 1)):
            file.writelines(f"{number},{START + round(sent * S)},{START + round(received * S)},"
                            f"4000,{is_cut}\n" for number, sent, received in arrivals)


def write_log(copy, path):
    """Write the logs of a copy as its sinks or its capture do."""
    if copy["kind"] == "TCP":
        result_tcp.write_log(path, [Segment(START + number * S, *segment)
                                    for number, segment in enumerate(SEGMENTS)])
        return
    write_sink_log(path, WHOLE.get(copy["log"], ARRIVALS), CUT if copy["log"] == "cut.csv" else ())
    if copy["kind"] == "pair":
        write_sink_log(os.path.join(os.path.dirname(path), copy["patient"]["log"]), ARRIVALS)


def load(*copies):
    """Write the files of a run as the guest does, and read them as a run."""
    with tempfile.TemporaryDirectory() as directory:
        write(os.path.join(directory, "run.json"),
              {"start_ns": START, "where": "here", "copies": copies,
               "settings": {"UDP": "u", "TCP": "t", "pair": "p", "uplink": "d"}})
        for copy in copies:
            write_log(copy, os.path.join(directory, copy["log"]))
        return record.Run(directory)


def refused(words, copy):
    """check() refuses this run with these words."""
    try:
        load(copy).check()
    except result.Inconsistent as error:
        tap.true(f"{words!r} in {str(error)!r}", words in str(error))
        return
    raise tap.Failed(f"accepted: expected an error with {words!r}")


def counted(copy, *numbers):
    """check() accepts the run, and the run has these numbers."""
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


def test_headers_are_counted():
    """Headers that arrive are neither valid nor stale, and do not count as fresh after a spike."""
    counted(cut_notes(), 3, 3, 0, 2, 0)
    cut = load(cut_notes()).results[0]
    tap.equal("headers", (cut.headers, cut.arrived), (2, 8))
    tap.equal("waits", cut.waits(), [300 * MS, None])
    tap.equal("over", [load(cut_notes(sent=sent)).results[0].is_over for sent in (10, 11)],
              [True, False])


def test_pair_is_counted():
    """The counters are of both flows. Whether a packet is valid depends on the lifetime of the
    packet's own flow. The wait after a spike is the wait of the urgent flow."""
    counted(pair_notes(), 6, 4, 5, 2, 0)
    both = load(pair_notes()).results[0]
    tap.equal("urgent", (both.urgent_sent, both.urgent_valid), (8, 3))
    tap.equal("waits", both.waits(), [500 * MS, 750 * MS])


def test_tcp_is_counted():
    counted(tcp_notes("LPD"), 6, 3, 5, 2, 0)
    counted(tcp_notes("drop-tail"), 6, 3, 0, 6, 1)


def test_network_drops_are_counted():
    counted(uplink_notes("LPD"), 0, 0, 4, 2, 0)
    counted(uplink_notes("LPD-strip"), 3, 3, 5, 2, 0)
    refused("packets sent = 0 arrived + 4 discarded + 2 lost + 0 queued + 11 dropped behind it: "
            "18 is not 17", uplink_notes("LPD", filtered=11))
    tap.equal("over", [load(uplink_notes("LPD", filtered=dropped)).results[0].is_over
                       for dropped in (11, 12)], [False, True])


def test_validity_is_independent_of_the_queue():
    """The log's column with lpd's value of the remaining lifetime is not used. The column always
    contains 4 s here."""
    arrivals = load(notes("LPD")).results[0].arrivals
    tap.equal("remaining ns", [arrivals.remaining(a) for a in arrivals.packets],
              [4_700_000_000, 4_700_000_000, -3_300_000_000, 0, -1000, -2_500_000_000])


def test_first_fresh_packet():
    tap.equal("waits", load(notes("LPD")).results[0].waits(), [300 * MS, None])


def test_duplicate_segments():
    """A packet is a duplicate if every byte of it had arrived before. Each byte of data counts once."""
    arrivals = load(tcp_notes("LPD")).results[0].arrivals
    tap.equal("duplicates", [(s.sequence, s.received_ns - START) for s in arrivals.again],
              [(2001, 4 * S), (1, 6 * S), (1801, 8 * S)])
    tap.equal("bytes delivered", arrivals.delivered, 2800)
    tap.equal("nothing yet", (result_tcp.Arrivals([]).useful, result_tcp.Arrivals([]).delivered),
              (0, 0))


def test_paths_are_shown():
    """Each lpd has a row with the paths of its packets. The sum of all lpds decides."""
    lpd = load(notes("LPD"), notes("drop-tail"), notes("LPD", counters=LPD | {"fast": 3, "slow_order": 2}))
    results = [one for one in lpd.results if one.is_lpd]
    tap.equal("rows", [line.split() for line in table.of_paths(results)[2:]],
              [["CBR", "LPD", "13", "12", "0", "0", "0", "1"], ["CBR", "LPD", "6", "3", "0", "0", "2", "1"]])
    counters = paths.add(one.counters for one in results)
    tap.equal("text", paths.describe(counters), "0.789 of 19 packets (slow_order 2, slow_config 2)")
    tap.equal("none", (paths.part(dict.fromkeys(paths.PATHS, 0)),
                       paths.describe(dict.fromkeys(paths.PATHS, 0) | {"fast": 1})),
              (0, "1.000 of 1 packets"))


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


def test_counts_of_the_sink_are_checked():
    refused("valid packets by the sink's own count: 4 is not 3",
            notes("LPD", sink={"valid": 4, "stale": 3}))
    refused("stale packets by the sink's own count: 2 is not 3",
            notes("LPD", sink={"valid": 3, "stale": 2}))


def test_headers_are_those_of_cut_packets():
    refused("headers packets by the sink's own count: 3 is not 2",
            cut_notes(sink={"valid": 3, "stale": 3, "headers": 3}))
    refused("headers of packets that the queue did not cut: 1 is not 0",
            cut_notes(counters=CUTTING | {"truncated": 1}))
    refused("packets that the queue cut, neither here nor lost: 1 is not 0",
            cut_notes(counters=CUTTING | {"truncated": 5}))


def test_counts_of_the_pairs_sinks_are_checked():
    refused("the urgent flow's stale packets by the sink's own count: 2 is not 1",
            pair_notes(sink={"valid": 3, "stale": 2, "headers": 0}))
    patient = pair_notes()["patient"]
    refused("the other flow's valid packets by the sink's own count: 2 is not 3",
            pair_notes(patient=patient | {"sink": {"valid": 2, "stale": 3, "headers": 0}}))


def test_bytes_of_the_download_are_checked():
    refused("duplicates by the receiving kernel's count: 2 is not 3",
            tcp_notes("LPD", duplicates=2))
    refused("bytes written: 2801 is not 2800", tcp_notes("LPD", source={"bytes": 2801}))
    refused("bytes read: 2799 is not 2800", tcp_notes("LPD", sink={"bytes": 2799}))


def test_second_syn():
    """The receiving kernel does not count a SYN that arrives again."""
    download = load(tcp_notes("drop-tail", sent=17)).results[0]
    download.arrivals = result_tcp.Arrivals([Segment(START, *segment)
                                             for segment in (SEGMENTS[0], *SEGMENTS)])
    download.check()
    tap.equal("duplicates", download.duplicates, 4)


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


def test_part_of_a_run():
    """The part has only the requested kinds of flows and queues."""
    run = load(notes("drop-tail"), notes("LPD"), cut_notes(), tcp_notes("LPD"), pair_notes())
    part = run.only(("UDP", "TCP"), ("drop-tail", "LPD"))
    tap.equal("part", [(r.flow, r.queue) for r in part.results],
              [("CBR", "drop-tail"), ("CBR", "LPD"), ("TCP", "LPD")])
    tap.equal("kinds", (part.kinds, run.kinds), (["UDP", "TCP"], ["UDP", "TCP", "pair"]))


def rows(lines):
    tap.equal("line lengths aligned", len({line.index(" 1") for line in lines[2:]}), 1)
    return [line.split() for line in lines[2:]]


def test_tables():
    run = load(notes("drop-tail"), notes("LPD"), cut_notes(), tcp_notes("drop-tail"),
               tcp_notes("LPD"), pair_notes())
    tap.equal("datagrams", rows(table.udp(run.of_kind("UDP"))),
              ["CBR drop-tail 13 3 3 0 0 6 1 0.3 s, none".split(),
               "CBR LPD 13 3 3 0 5 2 0 0.3 s, none".split(),
               "CBR LPD-headers 10 3 3 2 0 2 0 0.3 s, none".split()])
    tap.equal("pair", rows(table.pair(run.of_kind("pair"))),
              ["pair LPD-EDF 17 6 4 5 2 0 8 3 0.5 s, 0.8 s".split()])
    tap.equal("download", rows(table.tcp(run.of_kind("TCP"))),
              ["TCP drop-tail 16 6 3 0 6 1 2 3 kB".split(),
               "TCP LPD 16 6 3 5 2 0 2 3 kB".split()])
    run = load(uplink_notes("LPD"), uplink_notes("LPD-strip"))
    tap.equal("uplink", rows(table.uplink(run.results)),
              ["drone LPD 18 0 0 4 2 0 12".split(), "drone LPD-strip 13 3 3 5 2 0 0".split()])


def test_sentences():
    tap.equal("sentence", table.udp_sentence(load(notes("drop-tail"), notes("LPD")).results),
              "After a delay spike nothing fresh arrives until the next one with drop-tail, "
              "until the next one with LPD. Stale packets among those that arrive: 50 % with drop-tail, "
              "50 % with LPD.")
    tap.equal("headers", table.udp_sentence(load(cut_notes()).results),
              "After a delay spike nothing fresh arrives until the next one with LPD-headers. Stale "
              "packets among those that arrive: 38 % with LPD-headers. Headers of packets that do "
              "not arrive whole: 2 of 4 with LPD-headers.")
    tap.equal("pair", table.pair_sentence(load(pair_notes()).results),
              "After a delay spike nothing fresh of the urgent flow arrives for 0.8 s with "
              "LPD-EDF.")
    tap.equal("headline", table.headline(load(notes("LPD", spikes_ns=SPIKES[:1])).results),
              "After a delay spike nothing fresh arrives for 0.3 s with LPD")
    tap.equal("download", table.tcp_sentence(load(tcp_notes("LPD")).results),
              "Duplicates among TCP's packets that arrive: 33 % with LPD.")
    tap.equal("uplink", table.uplink_sentence(load(uplink_notes("LPD"),
                                                   uplink_notes("LPD-strip")).results),
              "The drone's packets that arrive in time: none of 18 with LPD, 3 of 13 with LPD-strip. "
              "Stale packets among those that arrive: 50 % with LPD-strip.")
    for again, words in ((0, "none"), (1, "under 1 %"), (2, "1 %")):
        download = load(tcp_notes("LPD")).results[0]
        download.arrivals = result_tcp.Arrivals([Segment(START, 1, 9, 0)] * (again + 1) +
                                                [Segment(START, 0, 0, 0)] * (200 - 1 - again))
        tap.equal(f"{again} of 200", table.tcp_sentence([download]),
                  f"Duplicates among TCP's packets that arrive: {words} with LPD.")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
