#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send tells how each message ended. Each end is provoked alone, and is as frequent as
the counters of lpd, xlo_rto and the channel say."""
# run.sh: needs: simulated time
# run.sh: all on lab-6.1 lab-6.12 lab-debug: expired_here discarded cut (the rest needs no module)
import json

from dccp import way
from dccp.line import MS, S, SENT_TIMES, Line
from lib import netlink, sniff, tap, tc, wait, xlo

CCIDS = 2, 3
SIZE = 1000                     # of a message


def only(sent, end, but=()):
    """The number of messages with an end. The others are acknowledged."""
    others = {name: number for name, number in sent["ends"].items()
              if number and name not in (end, "acknowledged", *but)}
    tap.equal(f"ends other than {end}", others, {})
    tap.true(f"{end}: {sent['ends'][end]}", sent["ends"][end] > 3)
    return sent["ends"][end]


def stale(counters):
    """The packets that lpd has discarded as stale."""
    return sum(value for name, value in counters.items() if name.startswith("stale_"))


def test_acknowledged():
    """Without losses, each message arrives with its first transmission."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            with Line() as w:
                sent, got, _, _ = w.exchange(f"--ccid {ccid} --count 200 --via off",
                                             family=family, nobody=True)
                tap.equal("acknowledged", sent["ends"]["acknowledged"], 200)
                tap.equal("pieces", sent["packets"]["pieces"], 200)
                tap.equal("on time", got["on_time"], 200)


def test_pauses():
    """A sender that pauses for longer than a round trip sends nothing twice without a loss, but for
    the first message: the receiver acknowledges what came before a pause."""
    for words in "--ccid 2", "--ccid 3", "--control fixed --rate 1mbit":
        with Line() as w:
            sent, *_ = w.exchange(f"{words} --via off --interval 100ms --lifetime 400ms --count 50",
                                  "--fixed")
            tap.within("pieces", sent["packets"]["pieces"], 50, 51)


def test_never_sent():
    """What cannot arrive in time any more is not sent."""
    for ccid in CCIDS:
        with Line() as w:
            trace = w.path("trace", "0,100,1s\n" + "".join(
                f"{0.5 + n / 100},100,10ms\n" for n in range(50)))
            sent, got, rows, _ = w.exchange(f"--ccid {ccid} --via off --input {trace}")
            tap.equal("never sent", only(sent, "never_sent"), 50)
            tap.equal("missing", got["missing"], 50)
            tap.equal("pieces", got["packets"]["bytes"], 100 * got["packets"]["pieces"])
            tap.equal("attempts", {row["attempts"] for row in rows[1:]}, {0})
            tap.true("each ends at once", all(row["ended_ns"] - row["submitted_ns"] < MS
                                              for row in rows[1:]))


def test_expired():
    """What waits for the rate control until its deadline ends then, and is never sent."""
    for ccid in CCIDS:
        with Line() as w:
            trace = w.path("trace", "0,1000,150ms\n" * 300)
            sent, got, rows, _ = w.exchange(f"--ccid {ccid} --via off --control none "
                                            f"--input {trace}")
            expired = only(sent, "expired")
            tap.equal("pieces", sent["packets"]["pieces"], 300 - expired)
            tap.equal("missing", got["missing"], expired)
            for row in rows:
                if row["end"] == "expired":
                    tap.equal("attempts", row["attempts"], 0)
                    late = row["ended_ns"] - row["deadline_ns"]
                    tap.within("end after the deadline", late, 0, MS)


def test_expired_here():
    """What becomes stale in a queue of the source's host ends as lpd there counts it."""
    for ccid in CCIDS:
        with Line() as w:
            tc.need("tbf", "lpd")
            xlo.Client(w.source).set(txtime=1)
            w.source.run("tc qdisc replace dev s0 root handle 1: tbf rate 400kbit burst 2000 "
                         "limit 1mb")
            netlink.Netlink(w.source).qdisc("s0", netlink.NLM_F_CREATE, "lpd", parent=0x10001)
            trace = w.path("trace", "".join(f"{n // 10 / 2},1000,100ms\n" for n in range(200)))
            sent, *_ = w.exchange(f"--ccid {ccid} --via txtime --control none --input {trace}",
                                  nobody=True)
            here = way.tree.checked(netlink.Netlink(w.source), "s0").lpd().counters
            tap.equal("expired here", only(sent, "expired_here", ("expired",)), stale(here))


def test_discarded():
    """What a router discards as stale ends as lpd counts it."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            with Line(rate=250_000, outage=300 * MS, outage_start=S, outage_every=S) as w:
                w.lifetimes(notify=1)
                sent, *_ = w.exchange(f"--ccid {ccid} --via txtime --control none --count 200 "
                                      "--interval 50ms --lifetime 150ms", family=family,
                                      nobody=True)
                tap.equal("discarded", only(sent, "discarded", ("expired",)), stale(w.counters()))


def test_cut():
    """What a router cuts to its headers ends as lpd counts it."""
    for family in way.FAMILIES:
        for ccid in CCIDS:
            with Line(rate=250_000, outage=200 * MS, outage_start=S, outage_every=S) as w:
                w.lifetimes(keep=64)
                sent, *_ = w.exchange(f"--ccid {ccid} --via option --stale truncate --control none "
                                      "--count 200 --interval 40ms --lifetime 100ms", family=family)
                tap.equal("cut", only(sent, "cut", ("expired",)), w.counters()["truncated"])


def pieces(sniffer):
    """The packets with a piece that a sniffer has captured. Others are smaller than a message, or, to
    find the path's MTU, 1280 bytes or more."""
    found = sum(SIZE < len(frame.packet) < 1280 for frame in sniffer.drain())
    sniffer.lossless()
    return found


def test_lost():
    """What the channel loses. It loses packets without a piece as well, which do not count."""
    for ccid in CCIDS:
        with Line(loss=30_000, seed=1) as w:
            before, behind = sniff.Sniffer(w.router, "r0"), sniff.Sniffer(w.sink, "cell1")
            sent, got, *_ = w.exchange(f"--ccid {ccid} --via off --control none --count 300 "
                                       f"--size {SIZE} --interval 20ms --lifetime 300ms")
            lost = only(sent, "lost", ("expired",))
            tap.equal("lost", lost, sent["packets"]["pieces"] - got["packets"]["pieces"])
            tap.equal("lost in the channel", lost, pieces(before) - pieces(behind))


def test_cancelled():
    """The controller `paper` cancels what is past its deadline: when the buffer is full, or
    also at an acknowledgment. Otherwise it sends all, even late."""
    for ccid in CCIDS:
        for cancel, buffer in ("ack", 1000), ("full", 50), ("full", 1000):
            with Line(outage=S, outage_start=S, outage_every=9 * S) as w:
                sent, _, rows, _ = w.exchange(
                    f"--ccid {ccid} --via off --control paper --count 300 --lifetime 100ms "
                    f"--buffer {buffer} --cancel {cancel}")
                past = [row for row in rows if row["end"] == "cancelled"]
                tap.equal("cancelled", bool(past), (cancel, buffer) != ("full", 1000))
                tap.equal("sum", sent["ends"]["acknowledged"] + len(past), 300)
                tap.true("after the deadline",
                         all(row["ended_ns"] >= row["deadline_ns"] for row in past))
                # nothing is acknowledged in the second half of the outage
                tap.equal("cancelled in the outage", any(
                    1.5 * S < row["ended_ns"] - rows[0]["submitted_ns"] < 1.9 * S for row in past),
                    buffer == 50)


def test_closed():
    """What is outstanding when the receiver dies ends as closed, as soon as another receiver
    says that it knows no such connection. The other receiver takes the messages of the next
    sender."""
    for ccid in CCIDS:
        with Line() as w:
            sink = w.recv()
            source = w.send(f"--ccid {ccid} --via off --interval 1ms --lifetime 10s")
            wait.until("messages", lambda: w.lines("got.csv") > 100, step=0.1)
            sink.kill()
            sink.wait()
            second = w.recv(log="second.csv")
            out, _ = source.communicate()
            sent = json.loads(out)
            rows = w.rows("sent.csv", SENT_TIMES)
            tap.note({name: number for name, number in sent["ends"].items() if number})
            tap.equal("exit status", source.returncode, 1)
            tap.equal("end", sent["end"], "no connection")
            closed = [row for row in rows if row["end"] == "closed"]
            tap.equal("closed", len(closed), only(sent, "closed"))
            ended = [row["ended_ns"] for row in closed]
            tap.within("from the first to the last", max(ended) - min(ended), 0, MS)
            tap.equal("sum of ends", sum(sent["ends"].values()), sent["submitted"])
            third = way.result(w.send(f"--ccid {ccid} --via off --count 10"))
            tap.equal("acknowledged", third["ends"]["acknowledged"], 10)
            tap.equal("delivered", way.result(second)["delivered"], 10)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
