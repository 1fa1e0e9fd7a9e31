#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink emulate holds packets in the queue under test during its spikes, lets them flow
afterwards even if none arrives, and gives the devices back what they had, whoever is killed."""
import contextlib
import csv
import json
import os
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cli import pair, tools
from lib import bench, sniff, tap, tc

HOST = pair.ADDRESSES["right"][0]
MS = 10**6
FRAME = 1514		# bytes: MTU and Ethernet header
PACKET = 514		# bytes of a 500-byte packet on the wire
# What a process may be late, ms: time stands still while it computes, or it has to wait for
# a CPU of a shared machine.
LATE = 1 if bench.virtual_time() else 250


def events(process):
    """The events of an emulation that has ended, by name and time."""
    found = pair.result(process)
    return {event["event"]: event["time_ns"] for event in found}


def ready(process):
    """Wait for an emulation to be at work; since when comes back."""
    line = process.stdout.readline()
    if '"event": "ready"' in line:
        return json.loads(line)["time_ns"]
    message = process.communicate()[1].strip()
    if "does not know the qdisc" in message:
        tap.skip(message)
    raise tap.Failed(f"not ready: {message}")


def worker(process):
    """The process id of the worker: the one whose parent is the command."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/stat") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == process.pid:
                return int(entry)
    raise tap.Failed("no worker")


def on_time(what, late_ns):
    """Fail if something happened before its time or long after it."""
    tap.within(f"{what}: late by, ms", late_ns / MS, 0, LATE)


def test_spike():
    """During a spike one frame's worth of packets gets through and no more; the rest waits,
    and leaves from the spike's end on although the source has stopped by then."""
    with pair.Pair() as p, tempfile.NamedTemporaryFile("r") as log:
        sink = p.sink(f"--count 120 --duration 60s --log {log.name}")
        emulation = p.start(p.left, "emulate v0 -j --rate 1mbit --first 2s --period 60s "
                            "--spike 3s --duration 10s --child bfifo limit 100kb")
        begin = ready(emulation)
        # 2.4 s of packets: into the spike, and not to its end
        p.source(f"{HOST} --rate 200kbit --count 120")
        counted = pair.result(sink)[0]
        rows = list(csv.DictReader(log))
        seen = events(emulation)
    tap.equal("received", counted["received"], 120)
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


def test_wake_up_is_not_traffic():
    """What wakes the token bucket is dropped there: the queue under test and the wire never
    see it."""
    with pair.Pair() as p:
        sniffer = sniff.Sniffer(p.right, "v1", header=12)
        emulation = p.start(p.left, "emulate v0 -j --first 100ms --period 60s --spike 100ms "
                            "--child pfifo limit 5")
        ready(emulation)
        for _ in range(2):
            emulation.stdout.readline()
        shown = {q["kind"]: q for q in tc.show(p.left, "v0")}
        p.source(f"{HOST} --count 1")
        pair.settled("a packet", lambda: any(b"FLTR" in f.packet for f in sniffer.drain()))
        emulation.terminate()
        events(emulation)
    tap.equal("dropped by tbf", shown["tbf"]["drops"], 1)
    tap.equal("dropped by the queue", shown["pfifo"]["drops"], 0)
    tap.equal("taken in by both", shown["tbf"]["packets"], shown["pfifo"]["packets"])


def test_fifo_keeps_its_limit():
    """tbf sets a fifo's limit on each change of its own; the child's is what was asked for,
    in a spike and out of it."""
    for child, limit in (("pfifo limit 7", 7), ("bfifo limit 7kb", 7168)):
        with pair.Pair() as p:
            emulation = p.start(p.left, f"emulate v0 -j --first 100ms --period 60s --spike 100ms "
                                f"--child {child}")
            ready(emulation)
            for _ in range(2):
                emulation.stdout.readline()
                fifo = tc.show(p.left, "v0")[1]
                tap.equal(child, fifo["options"]["limit"], limit)
            emulation.terminate()
            events(emulation)


def restored_after(end, before=""):
    """Run an emulation, end it in the middle of a spike, and compare the root qdisc."""
    with pair.Pair() as p:
        if before:
            p.left.run(f"tc qdisc add dev v0 root {before}")
        root = pair.root_qdisc(p.left, "v0")
        emulation = p.start(p.left, "emulate v0 -j --replace --first 50ms --period 60s --spike 30s "
                            "--child pfifo limit 5")
        ready(emulation)
        tap.true("the spike has begun", "spike_start" in emulation.stdout.readline())
        tap.equal("at work", pair.root_qdisc(p.left, "v0")[0]["kind"], "tbf")
        end(emulation)
        pair.settled("restored", lambda: pair.root_qdisc(p.left, "v0") == root)
        return emulation.communicate(timeout=20) + (emulation.returncode,)


def test_restored_at_the_end():
    """SIGINT and SIGTERM to the command end it with status 0, and the device is as before."""
    for number in (signal.SIGINT, signal.SIGTERM):
        out, err, status = restored_after(lambda e, n=number: e.send_signal(n))
        tap.equal("status", (status, err), (0, ""))
        tap.true(out, '"event": "restored"' in out)


def test_restored_after_the_worker_is_killed():
    """SIGKILL to the worker: the parent restores, says so, and fails."""
    out, err, status = restored_after(lambda e: os.kill(worker(e), signal.SIGKILL))
    tap.equal("status", (status, err),
              (1, "freshlink emulate: the worker was killed by signal 9\n"))
    tap.true(out, '"event": "restored"' in out)


def test_restored_after_the_parent_is_killed():
    """SIGKILL to the command itself: the worker restores."""
    out, _, status = restored_after(lambda e: e.kill())
    tap.equal("status", status, -signal.SIGKILL)
    tap.true(out, '"event": "restored"' in out)


def test_previous_qdisc_comes_back():
    """With --replace a fifo that was there comes back with its handle and options."""
    for before in ("handle 5: pfifo limit 77", "handle 6: bfifo limit 12345"):
        restored_after(lambda e: e.terminate(), before)


def test_lpd_comes_back():
    """So does an lpd, which is also made from the same words as tc takes."""
    tc.need("lpd")
    words = "lpd limit 7 memory 1mb rate 1mbit delay 5ms lifetime 3s stale forward"
    restored_after(lambda e: e.terminate(), f"handle 7: {words}")
    with pair.Pair() as p:
        emulation = p.start(p.left, f"emulate v0 -j --child {words}")
        ready(emulation)
        shown = tc.show(p.left, "v0")[1]
        tap.equal("options", shown["options"], {
            "limit": 7, "memory": 1 << 20, "rate": 125000, "delay": 5 * MS,
            "lifetime": 3000 * MS, "stale": "forward"})
        emulation.terminate()
        events(emulation)


def refusal(p, words):
    """The message of an emulation that is refused and changes nothing."""
    before = pair.root_qdisc(p.left, "v0")
    out, err = p.start(p.left, f"emulate {words}").communicate(timeout=20)
    tap.equal("nothing on standard output", out, "")
    tap.equal("nothing changed", pair.root_qdisc(p.left, "v0"), before)
    return err.removeprefix("freshlink emulate: ").rstrip("\n")


def test_refusals():
    """A root qdisc of somebody's is left alone, also with --replace if it could not be
    restored; what an earlier run left behind is named."""
    with pair.Pair() as p:
        p.left.run("tc qdisc add dev v0 root handle 5: pfifo limit 77")
        tap.equal("without --replace", refusal(p, "v0"), "v0: has the root qdisc pfifo 5: "
                  "already: remove it, or use --replace")
        p.left.run("tc qdisc replace dev v0 root handle 6: tbf rate 1mbit burst 2000 limit 9")
        tap.equal("with a child", refusal(p, "v0 --replace"), "v0: its root qdisc tbf 6: "
                  "could not be restored exactly afterwards: remove it first")
        p.left.run("tc qdisc del dev v0 root")
        p.left.run("tc qdisc add dev v0 root handle 7f01: tbf rate 1mbit burst 2000 limit 9")
        tap.equal("left behind", refusal(p, "v0 --replace"), "v0: freshlink emulate is at work "
                  "here, or was killed with its parent: remove it with "
                  "\"tc qdisc del dev v0 root\"")


def without(p, capability, words):
    """Run emulate on the left without a capability."""
    return p.left.run(f"setpriv --bounding-set=-{capability} --inh-caps=-{capability} "
                      f"{tools.FRESHLINK} emulate {words}", check=False)


def test_missing_capability():
    """Without CAP_NET_ADMIN or CAP_NET_RAW it says which one is missing, and the device is as
    before."""
    with pair.Pair() as p:
        before = pair.root_qdisc(p.left, "v0")
        for drop, said in (("net_admin", "changing qdiscs needs CAP_NET_ADMIN"),
                           ("net_raw", "cannot open a packet socket: it needs CAP_NET_RAW")):
            done = without(p, drop, "v0")
            tap.equal(drop, (done.returncode, done.stderr),
                      (1, f"freshlink emulate: v0: {said} (root has it)\n"))
            tap.equal("afterwards", pair.root_qdisc(p.left, "v0"), before)


def test_half_made_is_undone():
    """When the near side cannot be made, the far side, made before, is undone."""
    with pair.Pair() as p:
        before = pair.root_qdisc(p.right, "v1")
        done = without(p, "net_raw", f"v0 --far v1@{p.right.path} --delay 1s")
        if "load module sch_netem" in done.stderr:
            tap.skip(done.stderr.strip())
        tap.true(done.stderr, "v0: cannot open a packet socket" in done.stderr)
        tap.equal("status", done.returncode, 1)
        tap.equal("far", pair.root_qdisc(p.right, "v1"), before)


def test_far_side():
    """--far puts netem with --delay on the other device, in its namespace, and removes it."""
    with pair.Pair() as p:
        before = pair.root_qdisc(p.right, "v1")
        emulation = p.start(p.left, f"emulate v0 -j --far v1@{p.right.path} --delay 300ms "
                            "--loss 25%")
        ready(emulation)
        netem = pair.root_qdisc(p.right, "v1")[0]
        emulation.terminate()
        events(emulation)
        tap.equal("kind", netem["kind"], "netem")
        tap.equal("delay", netem["options"]["delay"]["delay"], 0.3)
        tap.within("loss", netem["options"]["loss-random"]["loss"], 0.249999, 0.250001)
        tap.equal("afterwards", pair.root_qdisc(p.right, "v1"), before)


def netem_at(event, length):
    """netem's rate and delay after an event of an emulation in mode netem."""
    with pair.Pair() as p:
        emulation = p.start(p.left, "emulate v0 -j --mode netem --rate 1mbit --first 100ms "
                            f"--period 60s --spike {length}")
        ready(emulation)
        while event not in emulation.stdout.readline():
            pass
        options = pair.root_qdisc(p.left, "v0")[0]["options"]
        emulation.terminate()
        events(emulation)
    return options["rate"]["rate"], options.get("delay", {}).get("delay", 0)


def test_netem_mode():
    """In mode netem a spike is netem's delay, and the delay ends with it."""
    tap.equal("in a spike", netem_at("spike_start", "30s"), (125000, 30))
    tap.equal("after a spike", netem_at("spike_end", "100ms"), (125000, 0))


def test_schedule():
    """Spikes come when a file says."""
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
