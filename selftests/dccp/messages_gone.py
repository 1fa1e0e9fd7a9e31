#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send and recv notice that the other end has gone, say why they ended, and do not take an
outage for that."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
import json
import signal
import time

from dccp import way
from dccp.line import S, SENT_TIMES, Line
from lib import tap, wait

CCIDS = 2, 3
SILENT = "the peer does not answer"


def messages(w, count, log="got.csv"):
    wait.until("messages", lambda: w.lines(log) > count, step=0.1)


def ended(process):
    """Wait for a sender that fails. Returns its summary, and when it ended."""
    out, _ = process.communicate()
    tap.equal("exit status", process.returncode, 1)
    return json.loads(out), time.monotonic()


def test_host():
    """When the receiver's host goes, the sender ends after 90 s of silence, or --silence, with an end
    for each message. So does the receiver's stream, when the sender's host goes."""
    for ccid, words, silence in ((2, "", 90), (3, "--silence 20s", 20)):
        with Line() as w:
            sink = w.recv(words)
            source = w.send(f"--ccid {ccid} --via off --interval 50ms {words}")
            messages(w, 40)
            gone = time.monotonic()
            w.sink.link("cell1", False)
            sent, end = ended(source)
            tap.within("silence", end - gone, silence - 0.1, silence + 0.1)
            tap.equal("end", sent["end"], SILENT)
            tap.equal("sum", sum(sent["ends"].values()), sent["submitted"])
            got = way.result(sink)
            tap.within("silence of the other end", time.monotonic() - gone, silence - 0.1,
                       silence + 0.1)
            tap.equal("ended, failed", (got["ended"], got["failed"]), (1, 1))


def test_never():
    """When no receiver answers at all, the sender ends after --silence, and tells once what to check."""
    for words, seconds, port in (("--silence 20s --streams 3", 20, "UDP port 6511"),
                                 ("--silence 5s --udp-port 7000", 5, "UDP port 7000"),
                                 ("--silence 5s --carrier ip", 5, "IP protocol 33")):
        with Line() as w:
            w.sink.link("cell1", False)
            start = time.monotonic()
            source = w.send(f"--via off --port 5003 {words}")
            out, err = source.communicate()
            tap.within("time", time.monotonic() - start, seconds - 0.1, seconds + 0.1)
            tap.equal("exit status", source.returncode, 1)
            tap.equal("message", err, f"freshlink send: no answer from {way.SINK[0]} in {seconds} s: "
                      "check that freshlink recv runs there with --port 5003, and that firewalls "
                      f"let {port} pass\n")
            tap.equal("end", json.loads(out)["end"], SILENT)


def test_idle():
    """A stream without messages stays."""
    for ccid in CCIDS:
        with Line() as w:
            sink = w.recv("--silence 6s")
            trace = w.path("trace", "0,100,1s\n20,100,1s\n")
            sent = way.result(w.send(f"--ccid {ccid} --via off --silence 6s --input {trace}"))
            got = way.result(sink)
            tap.equal("acknowledged", sent["ends"]["acknowledged"], 2)
            tap.equal("ended, failed", (got["ended"], got["failed"]), (1, 0))


def test_outage():
    """An outage of 10 s ends nothing. With a fixed rate, the messages go on at once."""
    for control in "--ccid 2", "--ccid 3", "--control fixed --rate 1mbit":
        with Line(back={"outage": 10 * S, "outage_start": 3 * S, "outage_every": 1000 * S},
                  loss=0, outage=10 * S, outage_start=3 * S, outage_every=1000 * S) as w:
            sink = w.recv("--fixed")
            sent = way.result(w.send(f"{control} --via off --lifetime 300ms --interval 50ms "
                                     "--count 800"))
            got = way.result(sink)
            tap.equal("end", (sent["end"], got["failed"]), ("closed", 0))
            late = w.rows("sent.csv", SENT_TIMES)[400:]
            tap.equal("after the outage",
                      {row["end"] for row in late[200:]}, {"acknowledged"})
            if "fixed" in control:
                lost = [row for row in late if row["end"] != "acknowledged"]
                tap.equal("lost 20 s after the begin, and later", lost, [])


def test_killed():
    """When a sender is killed, the receiver ends its stream, and goes on for others."""
    with Line() as w:
        sink = w.recv("--silence 12s --stats 1s", streams=2)
        first = w.send("--via off --interval 50ms", log="first.csv")
        messages(w, 40)
        gone = time.monotonic()
        first.kill()
        first.wait()
        sent = way.result(w.send("--via off --interval 50ms --count 100"))
        tap.equal("acknowledged", sent["ends"]["acknowledged"], 100)
        lines = [json.loads(line) for line in sink.communicate()[0].splitlines()]
        tap.within("silence", time.monotonic() - gone, 11.9, 12.2)
        tap.equal("exit status", sink.returncode, 0)
        tap.equal("streams, ended, failed",
                  [lines[-1][name] for name in ("streams", "ended", "failed")], [2, 2, 1])
        tap.true("the statistics tell an end", {1} <= {line["ended"] for line in lines})
        tap.true("both were served", lines[-1]["delivered"] > 140)


def test_interrupted():
    """Whoever does not want to wait sends two signals."""
    with Line() as w:
        w.recv()
        source = w.send("--via off --interval 50ms")
        messages(w, 40)
        w.sink.link("cell1", False)
        time.sleep(1)
        source.send_signal(signal.SIGINT)
        time.sleep(0.1)
        source.send_signal(signal.SIGINT)
        sent, _ = ended(source)
        tap.equal("end", sent["end"], "interrupted")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
