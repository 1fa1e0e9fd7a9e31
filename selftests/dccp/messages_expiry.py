#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send tells when much of what it sends goes stale again and again, and adapts as it was
asked. An outage of 10 s is no reason."""
# run.sh: needs: simulated time
# run.sh: once: what the library makes of the fates of packets is the same on every kernel
import contextlib
import json
import statistics
import subprocess
import time

from dccp import way
from dccp.line import MS, S, SENT_TIMES, Line
from lib import tap, xlo

RATE = 3750                     # bytes/s, 30 kbit/s
DELAY = 20 * MS
SIZE = 500                      # of a message; its packet takes about 0.16 s
STATS = "--stats 1s"            # only for who reads them: 64 lines fill a pipe, and the sender waits then
WORDS = f"--size {SIZE} --expiry"
FIXED = f"--control fixed --rate 100kbit {WORDS}"
# 60, 40, 32 and 13 kbit/s of content; headers add a sixth. Of 60, more than half does not arrive, and
# the circuit breaker ends a connection to which that happens for 11 s. Of 32, hardly anything is
# stale in some round trips.
TWICE, THIRD, MORE, HALF = (f"--interval {us}us" for us in (66667, 100000, 125000, 300000))
# A limit has been found after 20 s. It may just rise, or have fallen, and the messages go to a queue of
# two or three packets at random times. So one run tells little.
SETTLED, RUNS = 20, 7
TREATMENTS = {"discard": "--via txtime", "truncate": "--via option --stale truncate"}


class Slow(Line):
    """The line with a link of 30 kbit/s, behind an lpd that knows it, or a FIFO."""

    def __init__(self, fifo=False, delay=DELAY, **there):
        super().__init__(rate=RATE, ring_packets=1, delay=delay, **there)
        if not fifo:
            self.lifetimes(rate=RATE, delay=delay, notify=1, keep=64)
        xlo.Client(self.source).set(txtime=1)


def messages(process):
    """Wait for a sender that succeeds. Returns its lines of totals, its summary and its messages."""
    out, err = process.communicate()
    tap.equal(f"exit status ({err.strip()}, {out[-60:].strip()})", process.returncode, 0)
    *lines, summary = [json.loads(line) for line in out.splitlines()]
    tap.note({name: number for name, number in summary["ends"].items() if number} |
             summary["expiry"])
    return lines, summary, err


def stale(w):
    """The packets that lpd has discarded or cut as stale, and all that it got."""
    found = w.counters()
    return (found["truncated"] + sum(number for name, number in found.items()
                                     if name.startswith("stale_") and name != "stale_forwarded"),
            found["packets_in"])


def result(w, process, seconds, before, after):
    """What became of messages: the summary, what was said, and of what arrived when that had settled
    the messages in a second, and those in time; of packets, the share that went stale then."""
    gone, packets = (now - then for now, then in zip(after, before))
    _, sent, err = messages(process)
    first = w.rows("sent.csv", SENT_TIMES)[0]["submitted_ns"]
    times = [row for row in w.rows("got.csv", ("arrived_ns", "deadline_ns"))
             if SETTLED * S <= row["arrived_ns"] - first < (seconds - 2) * S]
    valid = sum(row["late"] == "0" for row in times)
    found = {"came": len(times) / (seconds - SETTLED - 2),
             "valid": valid / (seconds - SETTLED - 2), "stale": gone / packets}
    tap.note(found)
    return sent["expiry"], err, found


def busy(words, treatment="discard", seconds=40, common=FIXED, runs=1):
    """Send more than the link takes, at the same time on so many links. Returns a result of each."""
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(Slow()) for _ in range(runs)]
        for w in lines:
            w.recv("--fixed --late deliver")
        sources = [w.send(f"{common} {words} {TREATMENTS[treatment]} --lifetime 1s "
                          f"--duration {seconds}s") for w in lines]
        time.sleep(SETTLED)
        before = [stale(w) for w in lines]
        time.sleep(seconds - SETTLED - 2)
        after = [stale(w) for w in lines]
        return [result(w, source, seconds, *counts)
                for w, source, *counts in zip(lines, sources, before, after)]


def usual(words, treatment="discard", seconds=40, common=FIXED):
    """The medians of several runs, also of the events, their place, and the limit in messages."""
    runs = []
    for expiry, err, found in busy(words, treatment, seconds, common, RUNS):
        tap.equal("lines", len(err.splitlines()), expiry["events"])
        runs.append(found | {"events": expiry["events"], "place": expiry["place"],
                             "limit": expiry["limit"] / SIZE})
    medians = {name: statistics.median_low(run[name] for run in runs) for name in runs[0]}
    tap.note({"treatment": treatment, "medians": medians})
    return medians


def test_tell():
    """When more is sent than the link takes, the sender says so, once, and changes nothing."""
    for treatment in TREATMENTS:
        (expiry, err, found), = busy(f"tell {THIRD}", treatment, 30)
        tap.equal("events", expiry["events"], 1)
        tap.equal("place", expiry["place"], "router")
        tap.within("share", expiry["share"], 0.12, 0.9)
        tap.equal("lifetime and limit", (expiry["lifetime"], expiry["limit"]), (1, 0))
        tap.equal("lines", len(err.splitlines()), 1)
        tap.true(f"message: {err}", err.startswith("freshlink send: stream 0: ") and
                 err.endswith(" % of the last packets went stale, most of them on the way: --expiry "
                              "rate sends less, --expiry lifetime lets messages live longer\n"))
        tap.true("much is stale", found["stale"] > 0.12)


def test_rate():
    """60 kbit/s of messages with 1 s to live are sent to a link of 30. With less that is taken, under
    5 % of the packets go stale after 20 s. The messages in time are at least 95 % of what arrives
    when the link is always busy, also where headers of what is cut take a part of it at first."""
    full = usual(f"tell {MORE}", seconds=56)
    for treatment in TREATMENTS:
        found = usual(f"rate {TWICE}", treatment, 56)
        tap.equal("events and place", (found["events"], found["place"]), (1, "router"))
        tap.within("limit", found["limit"], 0.8 * full["came"], 2.1 * full["came"])
        tap.within("stale", found["stale"], 0, 0.05)
        tap.within("valid, of what came", found["valid"] / found["came"], 0.99, 1)
        tap.within("valid", found["valid"] / full["came"], 0.95, 1.02)


def test_controlled():
    """With CCID 2, and with CCID 3 where nothing stale counts as lost, what is too much goes stale in
    this host as well, and less is taken, too. What is left arrives in time."""
    for ccid, treatment in (2, "discard"), (3, "truncate"):
        found = usual(f"rate {TWICE}", treatment, common=f"--ccid {ccid} {WORDS}")
        tap.equal("events", found["events"], 1)
        tap.within("limit, messages", found["limit"], 5, 10)
        tap.within("stale", found["stale"], 0, 0.05)
        tap.within("valid", found["valid"], 5.5, 6.3)


def test_short_timeout():
    """The handshake's packets are small, so the first timeout is shorter than a message needs on the
    slow link. The lifetime of repeats doubles, so that messages arrive, and the path is measured."""
    for ccid in 2, 3:
        with Slow() as w:
            w.recv()
            _, sent, _ = messages(w.send(f"--ccid {ccid} {WORDS} tell {TREATMENTS['discard']} "
                                         f"{HALF} --lifetime 1s --count 40"))
            tap.true("the first was discarded", stale(w)[0] > 0)
            tap.within("acknowledged", sent["ends"]["acknowledged"], 30, 40)


def test_lifetime():
    """Messages that live too shortly for the path live longer, up to the time that was allowed. Of
    500 and 1000 bytes in turn, which take 0.36 s and 0.49 s to arrive, the second ones do not live
    for 0.4 s, but for 0.6 s, and for 0.5 s."""
    for longest, found in ("5s", 0.6), ("500ms", 0.5):
        with Slow(delay=200 * MS) as w:
            w.recv("--fixed")
            trace = w.path("trace", "".join(f"{n / 2},{500 + n % 2 * 500}\n" for n in range(120)))
            lines, sent, _ = messages(w.send(
                f"--control fixed --rate 100kbit {STATS} --expiry lifetime --lifetime 400ms "
                f"--lifetime-max {longest} --via txtime --input {trace}"))
            tap.equal("events", sent["expiry"]["events"], 1)
            tap.equal("lifetimes", sorted({line["expiry"]["lifetime"] for line in lines}),
                      [0.4, found])
            rows = w.rows("sent.csv", SENT_TIMES)
            tap.true("the second ones end before they arrive",
                     all(row["end"] != "acknowledged" for row in rows[3:15:2]))
            tap.equal("after 30 s", {row["end"] for row in rows[60:]}, {"acknowledged"})


def test_outage():
    """An outage of 10 s makes everything stale, and is no event: neither lifetime nor rate moves,
    whatever the router does, and whatever controls the rate."""
    remedies = "rate", "lifetime --lifetime-max 5s"
    for common, how, words, remedy in (
            *((FIXED, how, words, remedy) for remedy in remedies
              for how, words in (*TREATMENTS.items(), ("fifo", "--via off"))),
            (f"--ccid 2 {WORDS}", "discard", TREATMENTS["discard"], "rate"),
            (f"--ccid 3 {WORDS}", "truncate", TREATMENTS["truncate"], "rate")):
        with Slow(fifo=how == "fifo", outage=10 * S, outage_start=15 * S,
                  outage_every=1000 * S) as w:
            w.recv("--fixed")
            lines, sent, err = messages(w.send(f"{common} {remedy} {words} {HALF} {STATS} "
                                               "--lifetime 1s --count 120"))
            ends = sent["ends"]
            tap.true("stale or lost", 120 - ends["acknowledged"] + sent["late"] > 25)
            tap.equal("lifetimes and limits",
                      {(line["expiry"]["lifetime"], line["expiry"]["limit"])
                       for line in (*lines, sent)}, {(1, 0)})
            tap.equal("events", (sent["expiry"]["events"], sent["expiry"]["place"]),
                      (0, "none"))
            tap.equal("share", sent["expiry"]["share"], 0)
            tap.true(f"said: {err}", "went stale" not in err)


def test_refused():
    """What does not go together is refused before anything is sent."""
    for words, what, expected in (
            ("--expiry lifetime", "lifetime", "--lifetime-max with --expiry lifetime, and only then"),
            ("--lifetime-max 2s", "tell", "--lifetime-max with --expiry lifetime, and only then"),
            ("--expiry rate --control reliable", "rate",
             "another --control than reliable, which has no lifetimes"),
            ("--expiry lifetime --lifetime-max 1s --lifetime 1001ms", "lifetime",
             "a --lifetime-max that is not below --lifetime")):
        done = subprocess.run([way.FRESHLINK, "send", "192.0.2.1", *words.split()],
                              capture_output=True, text=True, check=False)
        tap.equal(words, (done.returncode, done.stderr),
                  (2, f"freshlink send: --expiry {what}: expected {expected}\n"))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
