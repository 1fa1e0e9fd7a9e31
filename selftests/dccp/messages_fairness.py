#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A stream of messages and a download by TCP reno share a link of 2 Mbit/s and 40 ms fairly, with
both rate controls: Jain's index of their rates is at least 0.9. The stream's repeats count."""
# run.sh: needs: simulated time
# run.sh: all: nothing (minutes of processor time)
# run.sh: soak on lab, 1200 s: everything

from dccp import fairness
from dccp.line import Line
from lib import netlink, soak, tap

SEEDS = soak.amount(1, 3)
RATE = 2 * 10**6
# what the stream wants to send is more than the link, and few messages wait at the sender, so
# that there is time for repeats
WORDS = "--full drop --buffer 200 --interval 2ms --size 1000 --lifetime 2s --via off"


def shares(ccid, control, seed):
    """The rates of TCP and of the stream, bit/s, and the sender's summary."""
    with Line(rate=RATE // 8) as w:
        # one and a half times what is on the way
        w.queue("pfifo", netlink.u32(15))
        w.recv("--order ordered" if control == "reliable" else "")
        source, rates = fairness.measured(w, seed, lambda: w.send(
            f"--ccid {ccid} --control {control} {WORDS} --duration {fairness.DURATION}"))
        return rates, fairness.way.result(source)


def check(ccid, control):
    for seed in range(SEEDS):
        rates, sent = shares(ccid, control, seed)
        packets = sent["packets"]
        index = fairness.jain(rates)
        tap.note(f"{control}, seed {seed}: TCP {rates[0] / 1e6:.2f}, CCID {ccid} "
                 f"{rates[1] / 1e6:.2f} Mbit/s, Jain's index {index:.3f}, "
                 f"{packets['repeats']} of {packets['pieces']} pieces repeated, "
                 f"{packets['needless']} in vain")
        tap.true("repeats", packets["repeats"] > 20)
        # losses by congestion say nothing of the packet size
        tap.true("no message is cut into pieces",
                 packets["pieces"] - packets["repeats"] <= sent["submitted"])
        tap.within("Jain's index", index, 0.9, 1)


def test_ccid2():
    """CCID 2 shares the link with TCP reno, with deadlines and without."""
    check(2, "feasible")
    check(2, "reliable")


def test_ccid3():
    """CCID 3 shares the link with TCP reno, with deadlines and without."""
    check(3, "feasible")
    check(3, "reliable")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
