#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send and recv with --psk, over a lossy cellink and below a router that cuts packets.
The messages arrive, and nothing on the way can read them."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

from dccp import way
from lib import cell, dccp, sniff, tap, tc

MS, S = cell.MS, cell.S
DELAY = 20 * MS
RATE = 2 * 10**6 // 8           # of the channel
# so short that the sender hears what became of a packet before it takes it for lost
SPIKES = {"outage": 200 * MS, "outage_start": S, "outage_every": S}
LOSS = 200_000                  # of a million
TEXT = b"what only the receiver may read."
COUNT = 200


@contextlib.contextmanager
def keys():
    """A file with a key. Returns its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "psk")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"alice:{'0123456789abcdef' * 4}\n")
        yield path


def receive(w, words):
    process = w.start(w.sink, f"recv -j --streams 1 {words}")
    tap.equal("the receiver", process.stderr.readline(), "listening on port 5002\n")
    return process


def exchange(w, words, secret, **how):
    """Run a sender and a receiver. Returns both summaries."""
    receiver = receive(w, secret)
    sender = w.start(w.source, f"send {way.SINK[0]} -j {secret} {words}", **how)
    sent, got = way.result(sender), way.result(receiver)
    tap.note({name: number for name, number in sent["ends"].items() if number} | sent["packets"])
    tap.equal("sum of ends", sum(sent["ends"].values()), sent["submitted"])
    return sent, got


def check_encryption(*summaries):
    """Both ends agree, and each record of the peer authenticates."""
    for summary in summaries:
        found = summary["encryption"]
        tap.equal("encryption", (found["suite"], found["not_agreed"]),
                  ("TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", 0))
        tap.equal("refused", summary["packets"]["refused"], 0)


def test_loss():
    """With a fifth of all packets lost both ways the handshake ends, and every message arrives."""
    with keys() as path, way.Way(back={"delay": DELAY, "loss": LOSS}, delay=DELAY, rate=RATE,
                                 loss=LOSS) as w:
        sent, got = exchange(w, f"--control reliable --count {COUNT} --size 2000", f"--psk {path}")
        check_encryption(sent, got)
        tap.true("packets were lost", w.cell.counters()["lost"] > COUNT / 10)
        tap.equal("acknowledged, delivered", (sent["ends"]["acknowledged"], got["delivered"]),
                  (COUNT, COUNT))


def test_interrupted():
    """A sender that nobody answers any more still tells how its messages were encrypted."""
    with keys() as path, way.Way(back={"delay": DELAY}, delay=DELAY, rate=RATE) as w:
        receive(w, f"--psk {path}")
        sender = w.start(w.source, f"send {way.SINK[0]} -j --psk {path} --interval 50ms")
        time.sleep(1)
        w.sink.link("cell1", False)
        for _ in range(2):
            time.sleep(0.1)
            sender.send_signal(signal.SIGINT)
        sent = json.loads(sender.communicate()[0])
        tap.equal("end", sent["end"], "interrupted")
        check_encryption(sent)


def test_cut():
    """A router cuts stale packets to their headers, which DCCP reports before DTLS sees them: no
    record is refused, and as many messages end as cut as the router has cut."""
    with keys() as path, way.Way(back={"delay": DELAY}, delay=DELAY, rate=RATE, **SPIKES) as w:
        tc.need("lpd")
        w.lpd(keep=64)
        sent, got = exchange(w, f"--control none --count {COUNT} --interval 40ms --lifetime 60ms "
                             "--size 1000 --via option --stale truncate", f"--psk {path}")
        check_encryption(sent, got)
        tap.equal("records refused", (sent["encryption"]["records_refused"],
                                      got["encryption"]["records_refused"]), (0, 0))
        ends, cut = sent["ends"], w.counters()["truncated"]
        tap.true("packets were cut", cut > 5)
        tap.equal("ends", ends["acknowledged"] + ends["cut"] + ends["expired"], COUNT)
        tap.equal("cut", ends["cut"], cut)
        tap.equal("whole pieces", got["packets"]["pieces"], sent["packets"]["pieces"] - cut)


def test_refused_sender():
    """A receiver refuses a sender with another key and serves the next one. Both ends say why, and
    count it."""
    with keys() as path, way.Way(back={"delay": DELAY}, delay=DELAY, rate=RATE) as w:
        receiver = receive(w, f"--psk {path}")
        wrong = path + ".wrong"
        with open(os.open(wrong, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"alice:{'f' * 64}\n")
        refused = w.start(w.source, f"send {way.SINK[0]} -j --psk {wrong}")
        out, err = refused.communicate()
        reason = "the peer refused: another key for this identity"
        tap.equal("the refused sender", (refused.returncode, err),
                  (1, f"freshlink send: no encryption with {way.SINK[0]}: {reason}\n"))
        found = json.loads(out)
        tap.equal("its encryption", found["encryption"], {
            "suite": "none", "records_refused": 0, "not_agreed": 1, "reason": reason})
        tap.equal("its messages", found["submitted"], 0)
        sent = way.result(w.start(w.source, f"send {way.SINK[0]} -j --psk {path} --control "
                                  f"reliable --count {COUNT}"))
        check_encryption(sent)
        got = way.result(receiver)
        tap.equal("delivered", (got["streams"], got["delivered"]), (1, COUNT))
        tap.equal("what the receiver says", (got["encryption"]["not_agreed"],
                                             got["encryption"]["reason"]),
                  (1, "the peer has another key for this identity"))
        tap.true("records that did not open", got["encryption"]["records_refused"] >= 3)


def crossing(secret):
    """The datagrams of messages from standard input, and how many of them show the text."""
    with way.Way(back={"delay": DELAY}, delay=DELAY, rate=RATE) as w:
        sniffer = sniff.Sniffer(w.sink, "cell1")
        with tempfile.TemporaryFile() as file:
            file.write(TEXT * COUNT)
            file.seek(0)
            exchange(w, f"--control reliable --input - --size {len(TEXT)}", secret, stdin=file)
        packets = [bytes(frame.packet) for frame in sniffer.drain()]
        sniffer.lossless()
    data = [p for p in map(dccp.of_udp, packets) if p]
    return len(data), sum(TEXT[:8] in packet for packet in packets)


def test_capture():
    """Nothing of the messages can be read on the way; without encryption all of it can."""
    with keys() as path:
        packets, readable = crossing(f"--psk {path}")
        tap.true("packets", packets >= COUNT)
        tap.equal("readable", readable, 0)
    # a message may be sent twice
    tap.true("readable without encryption", crossing("")[1] >= COUNT)


def test_refusals():
    """A file that others can read, and keys of both kinds, are refused before anything is sent."""
    with keys() as path:
        os.chmod(path, 0o644)
        for words, message in (
                (f"--psk {path}",
                 f"{path}: others than its owner have access (mode 0644): expected mode 0600"),
                (f"--psk {path} --ca {path}", "expected either pre-shared keys or certificates")):
            for command in "send 127.0.0.1", "recv":
                done = subprocess.run([way.FRESHLINK, *command.split(), *words.split()],
                                      capture_output=True, text=True, check=False)
                tap.equal(f"{command} {words}", (done.returncode, done.stdout, done.stderr),
                          (1, "", f"freshlink {command.split()[0]}: {message}\n"))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
