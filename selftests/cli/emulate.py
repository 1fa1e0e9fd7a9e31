#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink emulate holds packets in the queue under test during its spikes. After a spike packets
leave even if no packet arrives. Delay and loss have the values of the command line."""
# run.sh: all on lab-debug: nothing (programs: the checkers watch the kernel)
import csv
import json
import socket
import tempfile

from cli import pair
from lib import hosts, sniff, tap, tc, wait

HOST = hosts.ADDRESSES["right"][0]
BACK = hosts.ADDRESSES["left"][0]
MS = 10**6
FRAME = 1514		# bytes: MTU and Ethernet header
PACKET = 514		# bytes of a 500-byte packet on the wire
# How late a process may be, in ms. In simulated time a process is never late. In real time a
# process may have to wait for a CPU of a shared host.
LATE = 1 if wait.virtual_time() else 250


def on_time(what, late_ns):
    """Fail if something happened too early or much too late."""
    tap.within(f"{what}: late by, ms", late_ns / MS, 0, LATE)


def takes(what, delays, least, most):
    """No delay is below `least` ms, and the median is at most `most` ms. Single packets may have to
    wait for a CPU."""
    tap.true(f"{what}: packets to judge by", len(delays) > 20)
    tap.within(f"{what}: least delay, ms", min(delays), least, most + LATE)
    tap.within(f"{what}: median delay, ms", sorted(delays)[len(delays) // 2], least, most + LATE)


def delay_ms(row):
    return (int(row["received_ns"]) - int(row["sent_ns"])) / MS


def test_spike():
    """During a spike at most as many bytes pass as the longest frame has. All other packets wait
    until the end of the spike and then leave, although the source has already stopped."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 120 --duration 60s --log {log.name}")
        emulation = p.start(p.left, "emulate v0 -j --rate 1mbit --first 2s --period 60s "
                            "--spike 3s --child bfifo limit 100kb")
        begin = pair.ready(emulation)
        # packets for 2.4 s, the last of them during the spike
        p.source(f"{HOST} --rate 200kbit --count 120")
        tap.equal("received", pair.result(sink)[0]["received"], 120)
        rows = list(csv.DictReader(log))
        emulation.terminate()
        seen = pair.events(emulation)
    start, end = begin + 2000 * MS, begin + 5000 * MS
    on_time("start of the spike", seen["spike_start"] - start)
    on_time("end of the spike", seen["spike_end"] - end)
    tap.true("the source stopped during the spike", int(rows[-1]["sent_ns"]) < end)
    arrived = [int(row["received_ns"]) for row in rows]
    during = [t for t in arrived if seen["spike_start"] < t < end]
    tap.within("packets that arrived during the spike", len(during), 0, FRAME // PACKET)
    waited = [t for t in arrived if t >= end]
    tap.true("packets waited", len(waited) > 5)
    tap.within("last packet after the spike's end, ms", (arrived[-1] - seen["spike_end"]) // MS,
               0, len(waited) * PACKET * 8 // 1000 + LATE)


def burst_in_spike(emulation, sock, number):
    """Send eight packets at the start of a spike and nothing more until it has ended. Returns the
    two events of the spike."""
    start = json.loads(emulation.stdout.readline())
    for i in range(8):
        sock.sendto(pair.payload(8 * number + i, 0, 0, 472), (HOST, 5001))
    return start, json.loads(emulation.stdout.readline())


def test_periodic_spikes():
    """Spikes start a period apart, with lengths that vary by the jitter. Each spike holds the
    packets that arrive. These packets leave after the spike, although no other packet arrives."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 24 --duration 60s --log {log.name}")
        emulation = p.start(p.left, "emulate v0 -j --rate 1mbit --first 1s --period 4s --spike 3s "
                            "--jitter 1s --seed 7 --duration 12500ms --child bfifo limit 100kb")
        begin = pair.ready(emulation)
        sock = p.left.socket(socket.AF_INET, socket.SOCK_DGRAM)
        spikes = [burst_in_spike(emulation, sock, number) for number in range(3)]
        tap.equal("received", pair.result(sink)[0]["received"], 24)
        arrived = [int(row["received_ns"]) for row in csv.DictReader(log)]
        tap.equal("events that follow", [e["event"] for e in pair.result(emulation)],
                  ["restored"])
    lengths = [start["length_s"] for start, _ in spikes]
    tap.within("shortest spike, s", min(lengths), 2, max(lengths) - 0.001)
    tap.within("longest spike, s", max(lengths), 2, 3)
    for number, (start, end) in enumerate(spikes):
        due = begin + (1 + 4 * number) * 1000 * MS
        over = due + int(start["length_s"] * 1000 * MS)
        on_time(f"start of spike {number}", start["time_ns"] - due)
        on_time(f"end of spike {number}", end["time_ns"] - over)
        waited = [t for t in arrived[8 * number:8 * number + 8] if t >= over]
        tap.within(f"packets that waited in spike {number}", len(waited), 8 - FRAME // PACKET, 8)
        tap.within(f"last packet after spike {number}, ms", (waited[-1] - over) // MS,
                   0, 8 * PACKET * 8 // 1000 + 2 * LATE)


def spike_lengths(seed):
    with pair.Pair() as p:
        emulation = p.start(p.left, "emulate v0 -j --first 10ms --period 50ms --spike 20ms "
                            f"--jitter 10ms --duration 1s --seed {seed}")
        return [event["length_s"] for event in pair.result(emulation) if "length_s" in event]


def test_seed_repeats():
    """The same seed makes spikes of the same lengths, and another seed makes spikes of other
    lengths. Each length is at most --spike, and at least --spike minus --jitter."""
    first = spike_lengths(7)
    tap.equal("spikes in a second", len(first), 20)
    tap.equal("same seed", spike_lengths(7), first)
    tap.true("another seed", not set(spike_lengths(8)) & set(first))
    tap.within("shortest, s", min(first), 0.010, 0.013)
    tap.within("longest, s", max(first), 0.017, 0.020)


def test_wake_up_is_not_traffic():
    """The packet that wakes the token bucket is dropped by the token bucket. This packet reaches
    neither the queue under test nor the wire."""
    with pair.Pair() as p:
        sniffer = sniff.Sniffer(p.right, "v1", header=12)
        emulation = p.start(p.left, "emulate v0 -j --first 100ms --period 60s --spike 100ms "
                            "--child pfifo limit 5")
        pair.ready(emulation)
        for _ in range(2):
            emulation.stdout.readline()
        shown = {q["kind"]: q for q in tc.show(p.left, "v0")}
        p.source(f"{HOST} --count 1")
        pair.settled("a packet", lambda: any(b"FLTR" in f.packet for f in sniffer.drain()))
        emulation.terminate()
        pair.events(emulation)
    tap.equal("dropped by tbf", shown["tbf"]["drops"], 1)
    tap.equal("dropped by the queue", shown["pfifo"]["drops"], 0)
    tap.equal("accepted by both", shown["tbf"]["packets"], shown["pfifo"]["packets"])


def test_fifo_keeps_its_limit():
    """A fifo under test has the requested limit during a spike and afterwards, although each change
    of tbf sets the fifo's limit."""
    for child, limit in (("pfifo limit 7", 7), ("bfifo limit 7kb", 7168)):
        with pair.Pair() as p:
            emulation = p.start(p.left, f"emulate v0 -j --first 100ms --period 60s --spike 100ms "
                                f"--child {child}")
            pair.ready(emulation)
            for _ in range(2):
                emulation.stdout.readline()
                fifo = tc.show(p.left, "v0")[1]
                tap.equal(child, fifo["options"]["limit"], limit)
            emulation.terminate()
            pair.events(emulation)


def test_lpd_as_child():
    """emulate creates an lpd under test from the same words that tc accepts."""
    tc.need("lpd")
    with pair.Pair() as p:
        emulation = p.start(p.left, "emulate v0 -j --child lpd limit 7 memory 1mb rate 1mbit "
                            "delay 5ms match dscp ef 1s lifetime 3s exempt stale truncate keep 12 "
                            "noadu order edf match mark 1 none importance 5 overflow head "
                            "strip notify share 20")
        pair.ready(emulation)
        shown = next(q for q in tc.show(p.left, "v0") if q["kind"] == "lpd")
        tap.equal("options", shown["options"], {
            "limit": 7, "memory": 1 << 20, "rate": 125000, "delay": 5 * MS,
            "lifetime": 3000 * MS, "exempt": True, "stale": "truncate", "keep": 12, "adu": False,
            "order": "edf", "overflow": "head", "strip": True, "notify": True, "share": 20,
            "match": [{"dscp": 46, "lifetime": 1000 * MS, "stale": "discard", "importance": 0},
                      {"mark": 1, "mask": 2**32 - 1, "lifetime": 0, "stale": "discard",
                       "importance": 5}]})
        emulation.terminate()
        pair.events(emulation)


def test_far_side():
    """The device of --far may be in another namespace. Packets that pass this device are delayed by
    --delay, and the share --loss of the packets is lost. Of 1000 packets, 25 % are lost, within
    five standard deviations."""
    tc.need("netem")
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        emulation = p.start(p.left, f"emulate v0 -j --far v1@{p.right.path} --delay 300ms "
                            "--loss 25%")
        pair.ready(emulation)
        sink = p.sink(f"--idle 5s --log {log.name}", p.left)
        p.source(f"{BACK} --rate 2mbit --size 100 --count 1000", p.right)
        tap.within("received", pair.result(sink)[0]["received"], 750 - 68, 750 + 68)
        delays = [delay_ms(row) for row in csv.DictReader(log)]
        emulation.terminate()
        pair.events(emulation)
    takes("far side", delays, 300, 300)


def test_netem_mode():
    """In mode netem, each packet is delayed by its transmission time. During a spike, each packet
    is also delayed by the length of the spike. No packet overtakes another packet, and no packet is
    lost."""
    tc.need("netem")
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 400 --duration 60s --log {log.name}")
        emulation = p.start(p.left, "emulate v0 -j --mode netem --rate 1mbit --first 3s "
                            "--period 60s --spike 2s")
        pair.ready(emulation)
        # 8 s of packets, from before the spike to after it
        p.source(f"{HOST} --rate 200kbit --count 400")
        tap.equal("received", pair.result(sink)[0]["received"], 400)
        rows = list(csv.DictReader(log))
        emulation.terminate()
        seen = pair.events(emulation)
    tap.equal("order", [int(row["sequence"]) for row in rows], list(range(400)))

    def sent(first, last):
        """The delays of the packets that were sent between two times, with a margin for processes
        that run late."""
        return [delay_ms(row) for row in rows
                if first + LATE * MS <= int(row["sent_ns"]) <= last - LATE * MS]

    transmission = PACKET * 8 / 1000
    start, end = seen["spike_start"], seen["spike_end"]
    takes("before the spike", sent(0, start), transmission, transmission)
    takes("in the spike", sent(start, end), 2000 + transmission, 2000 + transmission)
    takes("after the spike", sent(end + 2100 * MS, 1 << 63), transmission, transmission)


def test_schedule():
    """With --schedule, spikes start and end at the times in the file."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("w") as file:
        file.write("# START LENGTH\n100ms 50ms\n0.3s 100ms # the second\n")
        file.flush()
        emulation = p.start(p.left, f"emulate v0 -j --duration 1s --schedule {file.name}")
        found = pair.result(emulation)
    tap.equal("events", [event["event"] for event in found],
              ["ready", "spike_start", "spike_end", "spike_start", "spike_end", "restored"])
    tap.equal("lengths", [event["length_s"] for event in found if "length_s" in event],
              [0.05, 0.1])
    begin = found[0]["time_ns"]
    for event, due in zip(found[1:], (100, 150, 300, 400, 1000)):
        on_time(event["event"], event["time_ns"] - begin - due * MS)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
