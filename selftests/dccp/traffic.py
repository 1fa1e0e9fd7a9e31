#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink traffic dccp-source tells the fate of every packet that it sent through a router with
lpd above a cellink with delay spikes. The numbers of packets by fate are those that the router and
the channel counted."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import contextlib
import csv
import json
import tempfile
import time

from dccp import way
from lib import bench, cell, dccp, netlink, sniff, tap, tc, wait, xlo

MS, S = cell.MS, cell.S
EXTENSION = 1                   # XRTO_ENCODING_EXTENSION
DELAY = 20 * MS
RATE = 2 * 10**6 // 8           # of the channel
SPIKES = {"outage": 600 * MS, "outage_start": S, "outage_every": 3 * S}
STEADY = dict.fromkeys(SPIKES, 0)
# a source of 1 Mbit/s for 12 s
COUNT = 1500
SOURCE = f"--rate 1mbit --count {COUNT} --lifetime 300ms"
TWO_SPIKES = "--rate 1mbit --count 600 --lifetime 300ms"
SLOW = "--rate 200kbit --count 400 --lifetime 300ms"
CCIDS = 2, 3
BER = 10**9                     # per 10**12 bits: 1e-3


@contextlib.contextmanager
def spiky(options, back=None, **there):
    """The way with spikes, lpd and xlo_rto in the router, and xlo with txtime in the source."""
    with way.Way(back={"delay": DELAY} | (back or {}),
                 **({"delay": DELAY, "rate": RATE} | SPIKES | there)) as w:
        w.lpd(**options)
        xlo.Client(w.router, "xlo_rto").set(encoding=EXTENSION)
        xlo.Client(w.source).set(txtime=1)
        yield w


def run(w, words, family=way.FAMILIES[0], root=False):
    """Run a source and its sink. Returns both summaries and the source's log, by packet."""
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log.csv"
        sink = w.listen()
        with open(log, "w"):
            pass
        if not root:
            give(folder, log)
        sent = way.result(w.send(f"{words} --log {log}", family, root))
        got = way.result(sink)
        with open(log) as file:
            rows = sorted(csv.DictReader(file), key=lambda row: int(row["packet"]))
    check_account(sent, got, rows)
    return sent, got, rows


def give(folder, log):
    """Let a program without privilege write a log."""
    way.os.chmod(folder, 0o755)
    way.os.chown(log, way.child.NOBODY, way.child.NOBODY)


def check_account(sent, got, rows):
    """The fates' sum is what was sent, and the log has a line for each packet that was sent. What
    the sink received was acknowledged."""
    fates = sent["fates"]
    tap.note({"sent": sent["sent"], "held_back": sent["held_back"]} |
             {name: number for name, number in fates.items() if number})
    tap.equal("sum of fates", sum(fates.values()), sent["sent"])
    tap.equal("lines of the log", len(rows), sent["sent"])
    tap.equal("packets in the log", len({row["packet"] for row in rows}), len(rows))
    tap.equal("fates in the log",
              {name: sum(row["fate"] == name for row in rows) for name in fates}, fates)
    tap.equal("received", got["received"], fates["acknowledged"] + fates["marked"])


def stale(w):
    """The packets that lpd has discarded as stale."""
    counters = w.counters()
    return sum(value for name, value in counters.items() if name.startswith("stale_"))


def check_state(sent, ccid):
    """The summary has state, features, rate and round-trip time of the connection."""
    tap.equal("state and end", (sent["state"], sent["end"]), ("open", "closed"))
    tap.equal("CCIDs", (sent["features"]["ccid"], sent["features"]["peer_ccid"]), (ccid, ccid))
    tap.equal("freshlink", sent["features"]["freshlink"], "yes")
    # the delay of both directions is the least
    tap.within("rtt", sent["rtt"], 2 * DELAY / S, 1)
    tap.true("rate", sent["rate"] > 0)
    tap.equal("what the rate follows", "loss_event_rate" in sent, ccid == 3)


def test_discarded():
    """What a router discards as stale has the fate `discarded`, exactly as often as lpd counts it,
    and nothing is lost. Packets have their lifetimes by deadline, without privilege, or as
    option."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            for via, root in (("txtime", False), ("option", True)):
                with spiky({"notify": 1}) as w:
                    sent, *_ = run(w, f"--ccid {ccid} --via {via} {SLOW}", family, root)
                    check_state(sent, ccid)
                    tap.equal("via", sent["via"], via)
                    tap.true("packets were discarded", sent["fates"]["discarded"] > 10)
                    tap.equal("discarded", sent["fates"]["discarded"], stale(w))
                    tap.equal("lost, unknown", (sent["fates"]["lost"], sent["fates"]["unknown"]),
                              (0, 0))


def test_forgiven():
    """Now and then a router discards a few packets as stale, and says so. CCID 3 has a loss event rate
    then, but none with --forgive stale."""
    delay = 200 * MS
    for forgives in False, True:
        with spiky({"notify": 1}, back={"delay": delay}, delay=delay, outage=340 * MS,
                   outage_start=8 * S, outage_every=10 * S) as w:
            sent, *_ = run(w, f"--ccid 3 --via txtime --rate 1mbit --duration 30s --lifetime 300ms "
                           f"--forgive {'stale' if forgives else 'nothing'}")
            tap.within("discarded", sent["fates"]["discarded"], 2, 30)
            tap.equal("discarded", sent["fates"]["discarded"], stale(w))
            tap.equal("lost", sent["fates"]["lost"], 0)
            tap.equal("p is 0", sent["loss_event_rate"] == 0, forgives)


def test_limit_of_messages():
    """A router sends a host at most some ten messages a second. What it discards without a message
    has the fate `lost`."""
    with spiky({"notify": 1}) as w:
        sent, *_ = run(w, f"--ccid 3 --via txtime {SOURCE}")
        notices = xlo.Client(w.router, "xlo_rto", load=False).get()["notices"]
        tap.true("messages were left out", notices["host_limit"] > 10)
        tap.equal("discarded", sent["fates"]["discarded"], stale(w) - notices["host_limit"])
        tap.equal("lost", sent["fates"]["lost"], notices["host_limit"])


def test_expired_here():
    """What becomes stale in a queue of the source's host has the fate `expired`, exactly as often
    as the host's lpd counts it. The Close waits behind the data, so that every fate is known."""
    for ccid in CCIDS:
        with spiky({"notify": 1}, **STEADY) as w:
            tc.need("tbf", "lpd")
            w.source.run("tc qdisc replace dev s0 root handle 1: tbf rate 700kbit burst 2000 "
                         "limit 1mb")
            netlink.Netlink(w.source).qdisc("s0", netlink.NLM_F_CREATE, "lpd", parent=0x10001)
            sent, *_ = run(w, f"--ccid {ccid} --via txtime {SOURCE}")
            here = way.tree.checked(netlink.Netlink(w.source), "s0").lpd().counters
            tap.true("packets expired", sent["fates"]["expired"] > 10)
            stale = sum(value for name, value in here.items() if name.startswith("stale_"))
            tap.equal("expired", sent["fates"]["expired"], stale)
            tap.equal("lost, unknown", (sent["fates"]["lost"], sent["fates"]["unknown"]), (0, 0))


def test_cut():
    """What a router cuts to its headers has the fate `cut`, exactly as often as lpd counts it. The
    cuts are no losses, and CCID 3 measures none."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            with spiky({"keep": 64}) as w:
                sent, *_ = run(w, f"--ccid {ccid} --via option --stale truncate {SOURCE}", family,
                               root=True)
                tap.true("packets were cut", sent["fates"]["cut"] > 10)
                tap.equal("cut", sent["fates"]["cut"], w.counters()["truncated"])
                tap.equal("lost, unknown", (sent["fates"]["lost"], sent["fates"]["unknown"]),
                          (0, 0))
                tap.equal("p", sent.get("loss_event_rate", 0), 0)


def numbers(sniffer):
    """The sequence numbers of all packets and of the Acks, in the order of arrival."""
    packets = [p for p in (dccp.of_udp(frame.packet) for frame in sniffer.drain()) if p]
    sniffer.lossless()
    return [[int.from_bytes(p[10:16], "big") for p in packets if p[8] >> 1 & 15 in kinds]
            for kinds in (dccp.TYPES, (dccp.ACK,))]


def test_order():
    """All packets of a source arrive in the order in which they were sent, although lpd has a class
    for packets without a lifetime: an Ack waits behind the data that was sent before."""
    for family in way.FAMILIES:
        for words in "--ccid 2 --via option --stale truncate", "--ccid 3 --via txtime":
            with spiky({"keep": 64}) as w:
                sniffer = sniff.Sniffer(w.sink, "cell1")
                run(w, f"{words} {TWO_SPIKES}", family, root=True)
                every, acks = numbers(sniffer)
                tap.true("Acks without data", acks)
                tap.equal("in order", every, sorted(every))


def test_all_cut():
    """A router cuts every packet, which is no loss. CCID 2 still sends as fast as before. For CCID 3
    no byte crosses the link, so four packets in a round trip remain (RFC 5348 section 4.3): 1200 in
    12 s."""
    for ccid, least, most in (2, COUNT, COUNT), (3, 1150, 1250):
        with spiky({"keep": 64, "delay": 400 * MS}, **STEADY) as w:
            sent, *_ = run(w, f"--ccid {ccid} --via option --stale truncate {SOURCE}", root=True)
            tap.within("sent", sent["sent"], least, most)
            tap.equal("cut", sent["fates"]["cut"], sent["sent"])
            tap.equal("p", sent.get("loss_event_rate", 0), 0)


def test_lost():
    """What the channel loses has the fate `lost`. It loses packets without data as well, which have none."""
    for ccid in CCIDS:
        with spiky({}, loss=10_000, **STEADY) as w:
            sent, got, *_ = run(w, f"--ccid {ccid} --via txtime {SOURCE}")
            lost = sent["fates"]["lost"]
            tap.true("packets were lost", lost > 5)
            tap.equal("lost", lost, sent["sent"] - got["received"])
            tap.within("lost", lost, 0, w.cell.counters()["lost"])


def test_marked():
    """What a queue marks with ECN has the fate `marked`, as often as the queue marks packets with
    data, and nothing is lost."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            with way.Way(back={"delay": DELAY}, delay=DELAY, rate=RATE) as w:
                tc.need("codel")
                w.router.run("tc qdisc replace dev cell0 root codel limit 1000 ecn")
                sent, *_ = run(w, f"--ccid {ccid} --duration 10s", family)
                queue, = json.loads(w.router.run("tc -s -j qdisc show dev cell0").stdout)
                tap.true("packets were marked", sent["fates"]["marked"] > 5)
                # a packet without data may be marked, too
                marks = queue["ecn_mark"]
                tap.within("marked", sent["fates"]["marked"], marks - 3, marks)
                tap.equal("lost, unknown", (sent["fates"]["lost"], sent["fates"]["unknown"]),
                          (0, 0))


def refused(w, words, status, message, family=way.FAMILIES[0]):
    """A source without privilege says why it does not send, and prints no summary."""
    process = w.send(words, family)
    out, err = process.communicate()
    tap.equal(words, (process.returncode, out, err),
              (status, "", f"freshlink traffic dccp-source: {message}\n"))


def test_refusals():
    """The carrier ip without privilege, lifetimes that nothing can write, and a size above the
    path's are refused, and the message says what was expected."""
    needs_txtime = "lifetimes by deadline need the module xlo with its setting txtime: freshlink " \
                   "set --txtime on: Operation not supported"
    denied = "needs CAP_NET_RAW: Operation not permitted"
    for family, to, header in zip(way.FAMILIES, way.SINK, (20, 40)):
        # the headers of IP, UDP and DCCP
        largest = 1500 - header - 8 - 64
        with way.Way(back={"delay": DELAY}, delay=DELAY) as w:
            w.listen("")
            xlo.Client(w.source).set(txtime=0)
            for words, status, message in (
                    ("--carrier ip", 1, f"the carrier ip {denied}"),
                    ("--lifetime 300ms", 1, "--lifetime 300ms: expected the module xlo with its "
                     "setting txtime, or CAP_NET_RAW"),
                    ("--lifetime 300ms --via txtime", 1, needs_txtime),
                    ("--lifetime 300ms --via option", 1, f"a lifetime as option {denied}"),
                    (f"--size {largest + 1}", 2,
                     f"--size {largest + 1}: expected at most {largest} bytes on this path"),
                    ("--port 5002", 1, f"no connection to {to}: connection refused")):
                refused(w, f"{words} --count 1", status, message, family)
            xlo.Client(w.source).set(txtime=1)
            for via in ("auto", "txtime"):
                refused(w, f"--lifetime 300ms --via {via} --stale truncate --count 1", 2,
                        "--stale truncate: expected --via option", family)


def test_whole_lifetime():
    """A source without a rate makes a packet when the packet may be sent. So no packet becomes stale before
    it leaves, although the first round trips let only four packets a second pass."""
    with way.Way(back={"delay": S // 2}, delay=S // 2) as w:
        sent, got, _ = run(w, "--ccid 3 --via option --lifetime 1s --count 40", root=True)
        tap.equal("valid", got["valid"], 40)
        tap.equal("stale at the source", sent["counters"].get("stale", 0), 0)


def test_size_of_the_path():
    """The source waits until path MTU discovery has found room for the size."""
    with way.Way(back={"delay": DELAY}, delay=DELAY) as w:
        sent, got, _ = run(w, "--size 1400 --count 10")
        tap.equal("acknowledged", sent["fates"]["acknowledged"], 10)
        tap.equal("bytes", got["bytes"], 14000)


def lossy(words, await_size):
    """A source of 100 large packets sends for 8 s across a channel that damages nearly every large packet and
    few small ones, and then across a perfect one. Return what it said meanwhile, and both summaries."""
    with way.Way(back={"delay": DELAY}, delay=DELAY) as w:
        sink = w.listen()
        source = w.send(f"--size 1400 --count 100 {words}")
        wait.until("the first packets", lambda: w.cell.counters()["packets_in"] > 20, step=0.002)
        w.cell.change(seed=1, ber=BER)
        said = source.stderr.readline() if await_size else time.sleep(8)
        w.cell.change(ber=0)
        sent, got = way.result(source), way.result(sink)
        tap.true(f"lost: {sent['fates']['lost']}", sent["fates"]["lost"] >= 3)
        tap.equal("acknowledged and lost", sent["fates"]["acknowledged"] + sent["fates"]["lost"], 100)
        return said, sent, got


def test_black_hole():
    """Where losses look like a smaller MTU, a source of packets of one size says so, and waits until the MTU is
    as large as before. Then it sends the other packets."""
    said, sent, got = lossy("", True)
    tap.equal("message", said, "freshlink traffic dccp-source: packets of 1400 bytes wait: the path takes at "
              f"most {1280 - 20 - 8 - 64} bytes\n")
    tap.equal("sent, MTU at the end", (sent["sent"], sent["mtu"]), (100, 1500))
    tap.equal("bytes", got["bytes"], 1400 * sent["fates"]["acknowledged"])


def test_known_mtu():
    """With --mtu, the source does not take losses for a smaller MTU."""
    _, sent, _ = lossy("--mtu 1500", False)
    tap.equal("sent, MTU at the end", (sent["sent"], sent["mtu"]), (100, 1500))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
