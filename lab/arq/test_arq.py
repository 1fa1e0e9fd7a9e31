#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The experiments in lab/arq: their channels, timers, claims, and what a link's airtime was spent on."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pandas

from arq import airtime, network, results, scenario, speaker, timeouts, timers, web
from lib import tap
from lib.cell import MS, S

ALIKE = (0.1, -0.1, 0.2)        # differences between seeds, in kbit/s


def test_channels():
    """The uniform channel loses frames, and the two-state channel has the durations of the paper. Without
    losses both are the same."""
    tap.equal("uniform", network.chances(network.UNIFORM, 9.8), {"loss": 98000})
    states = network.chances(network.TWO_STATE, 1.5)
    tap.equal("durations", (states["good"], states["bad"]), (10 * S, 100 * MS))
    tap.equal("no losses", network.chances(network.TWO_STATE, 0), {"loss": 0})


def test_time_of_a_packet():
    """At 64 kbit/s a packet of 250 bytes takes 34.25 ms with a header of 24 bytes, with and without arqlink,
    and 31.25 ms without a header. Ethernet headers take no time."""
    for arq, size in ((True, 14 + 24 + 14 + 250), (False, 14 + 250)):
        for header, ms in ((24, 34.25), (0, 31.25)):
            tap.within(f"arqlink {arq}, {header} bytes", size * 1000 /
                       network.Link(header=header).rate(arq), ms - 0.01, ms + 0.01)


def test_options_of_timers():
    """The adaptive timer has the factors of its channel. Changes replace options. The raw link has none."""
    words = timers.options(timers.ADAPTIVE, network.TWO_STATE).split()
    found = dict(zip(words[::2], words[1::2]))
    tap.equal("factors", (found["mean_factor"], found["deviation_factor"], found["variance"]),
              ("4", "0", "signed"))
    changed = timers.options(timers.LOW, network.UNIFORM, window=16)
    tap.true("changed", "window 16" in changed and "window 10" not in changed)
    tap.equal("raw link", timers.options(timers.RAW, network.UNIFORM), None)


def test_cells():
    """Each figure has all timers at the highest loss rate, and no cell twice. Without losses there is only
    the uniform channel."""
    for channel, losses, forms in ((network.UNIFORM, 5, 3), (network.TWO_STATE, 4, 2)):
        cells = web.Web((1, 2), channel, False).cells()
        worst = [cell["timer"] for cell in cells if cell["loss"] == scenario.WORST]
        tap.equal(f"{channel}: timers", len(set(worst)), len(timers.FIXED) + forms + 3)
        tap.equal("cells", (len(cells), len(set(map(str, cells)))),
                  2 * (len(worst) + (losses - 1) * len(timers.SOME),))


def test_talks():
    """The speaker talks for 1 s and is silent for 1.35 s on average, and has the packets of 56 kbit/s while
    talking. Each seed has its own times. With turns, the speaker talks only in every other turn."""
    found = list(speaker.talks(1, 10**5))
    share = sum(number for _, number in found) * speaker.INTERVAL / S / 10**5
    # a time of talking ends within an interval, so it has half of a packet more
    tap.within("share of the time", share, 0.43, 0.45)
    tap.within("times of talking", len(found) * 2.35 / 10**5, 0.98, 1.02)
    tap.true("seeds", found != list(speaker.talks(2, 10**5)))
    turns = list(speaker.talks(1, 10**5, 60))
    tap.true("a part of the others", {at for at, _ in turns} <= {at for at, _ in found})
    tap.within("half of the packets", sum(number for _, number in turns) /
               sum(number for _, number in found), 0.48, 0.52)
    ends = [(at % (120 * S) + (number - 1) * speaker.INTERVAL) / S for at, number in turns]
    tap.true(f"last packet of a turn {max(ends)}", max(ends) < 60)


def table(means, loss=scenario.WORST):
    """Rows of three seeds for each timer, whose throughputs differ a little between the seeds."""
    return pandas.DataFrame([{"timer": timer, "loss": loss, "seed": seed, "kbit": mean + alike}
                             for timer, mean in means.items() for seed, alike in enumerate(ALIKE)])


def test_gap():
    """A gap is a percentage of the second throughput. A claim holds if the gap is near the paper's."""
    rows = table({timers.LOW: 22, timers.HIGH: 20})
    for paper, holds in ((10, True), (12, True), (15, False)):
        [claim] = results.gap_claim(rows, "", timers.LOW, timers.HIGH, paper)
        tap.equal(f"{paper} %", claim.holds, holds)
    [claim] = results.gap_claim(rows, "", timers.HIGH, timers.LOW, 10)
    tap.true("reversed", not claim.holds)
    tap.equal("a timer is missing", results.gap_claim(rows, "", timers.LOW, timers.RAW, 10), [])


def test_order():
    """The order of the fixed timers must be steady and from the best to the worst timer."""
    falling = dict(zip(timers.FIXED, (25, 24, 23, 22, 21)))
    [claim] = results.order_claim(table(falling), "", timers.LOW, timers.HIGH)
    tap.true("falling", claim.holds)
    [claim] = results.order_claim(table(falling), "", timers.HIGH, timers.LOW)
    tap.true("not rising", not claim.holds)
    [claim] = results.order_claim(table(falling | {timers.MIDDLE: 24.5}), "", timers.LOW, timers.HIGH)
    tap.true("not steady", not claim.holds)


def test_higher():
    """A comparison holds only if each difference is significant, at each loss rate with results."""
    rows = pandas.concat([table({timers.LOW: 20, timers.RAW: 21}),
                          table({timers.LOW: 20, timers.RAW: 19}, 5.4)])
    for losses, holds in (((scenario.WORST,), True), ((scenario.WORST, 5.4), False),
                          ((scenario.WORST, 1.5), True)):
        [claim] = results.higher(rows, "", "", [(timers.RAW, timers.LOW)], losses=losses)
        tap.equal(f"{losses}", claim.holds, holds)


def test_higher_only_on_average():
    """A comparison does not hold if the sign of the difference depends on the seed."""
    rows = table({timers.LOW: 20, timers.RAW: 21})
    rows.loc[(rows["timer"] == timers.RAW) & (rows["seed"] == 0), "kbit"] = 18.5
    [claim] = results.higher(rows, "", "", [(timers.RAW, timers.LOW)])
    tap.true(claim.ours, not claim.holds)


def test_no_lower():
    """A timer is at least as good as others unless one of them is significantly better at a loss rate."""
    rows = pandas.concat([table({timers.LOW: 20, timers.RAW: 20.05}), table({timers.LOW: 20,
                                                                              timers.RAW: 19}, 5.4)])
    wide = rows.copy()
    wide.loc[(wide["timer"] == timers.RAW) & (wide["seed"] == 0), "kbit"] -= 1
    for name, some, losses, holds in (("wide", wide, (scenario.WORST, 5.4), True),
                                      ("lower", rows, (scenario.WORST,), False),
                                      ("higher", rows, (5.4,), True)):
        [claim] = results.no_lower(some, "", timers.LOW, (timers.RAW,), losses)
        tap.equal(f"{name}: {claim.ours}", claim.holds, holds)


def test_regrets():
    """The regret of a timeout is its loss on its worst link, compared with the best fixed timeout there."""
    kbit = {("a", "no"): {0.4: 20, 1.1: 10, 0: 19}, ("a", "yes"): {0.4: 5, 1.1: 10, 0: 11}}
    rows = pandas.DataFrame([{"channel": channel, "contention": contention, "timeout": timeout,
                              "kbit": value} for (channel, contention), values in kbit.items()
                             for timeout, value in values.items()])
    tap.equal("percent", timeouts.regrets(rows).round(6).to_dict(), {0: 5, 0.4: 50, 1.1: 50})


def test_frames_of_expired_packets():
    """A frame is expired if it is sent after the packet's lifetime. The header is found behind the headers
    of arqlink, and behind options."""
    header = airtime.MAGIC.pack(0, 1000, 214, 7, 5 * S)
    for options in (0, 8):
        packet = bytes([0x45 + options // 4]) + bytes(8) + b"\x11" + bytes(10 + options + 8) + header
        tap.equal("raw", airtime.header(packet, False)[3], 7)
        for kind in (airtime.DATA, airtime.BYPASS):
            frame = bytes([0x10 | kind]) + bytes(23 + 14) + packet
            tap.equal(f"arqlink, type {kind}", airtime.header(frame, True)[3], 7)
    tap.equal("TCP", airtime.header(b"\x45" + bytes(8) + b"\x06" + bytes(60), False), None)
    tap.equal("ACK", airtime.header(bytes([0x12]) + bytes(23), True), None)
    tap.equal("expired", airtime.expired([(0, 999 * MS), (1, 1000 * MS), (2, 1001 * MS)], 1000), 1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
