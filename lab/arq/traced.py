# SPDX-License-Identifier: GPL-2.0-or-later
"""A download over a cellular link that follows a recorded trace and loses frames at random. This figure is
not in the paper. TRACES names files or folders in mahimahi's format.

Each opportunity of the trace carries one packet of 1400 bytes, with its headers. The way back has the
trace's mean rate. The seed chooses where in the trace the cell begins. The adaptive timer has the
device's defaults. Above arqlink fq_codel keeps TCP's queue short."""
import os
import time

from arq import timers
from arq.network import UNIFORM, Link, Network
from arq.scenario import of
from lib.cell import MS
from lpd import traces
from pieces import contest, download

TITLE = "A download over recorded traces, by the timer of the link"
HEADLINE = "not in the paper"
SECONDS, SEEDS, COST = 60, 5, 0.6
FILES = traces.FILES
SIZE, DELAY = 1400, 20 * MS
RING = 4                # frames below arqlink, because a trace has several opportunities at one time
LOSSES = (0, 1, 5, 10)                          # percent
ADAPTIVE = "adaptive"
FIXED = {f"{ms / 1000} s": f"timer fixed timeout {ms}ms" for ms in (100, 300, 1100)}
TIMERS = {**FIXED, ADAPTIVE: "timer adaptive", timers.RAW: None}
OPTIONS = "window 64 ack_delay 5ms"
CELLS = [{"trace": file, "timer": timer, "loss": loss} for file in FILES for timer in TIMERS
         for loss in LOSSES]
QUICK = []


def run(cell, seed, directory):
    file, start, kbit = traces.link_of(cell["trace"], seed, directory)
    words = TIMERS[cell["timer"]]
    net = Network(words and f"{OPTIONS} {words}", link=Link(SIZE, round(kbit), DELAY, ring=RING),
                  trace=(file, start))
    net.damage(seed, UNIFORM, cell["loss"])
    net.router.run(f"tc qdisc replace dev {net.device} root fq_codel")
    flow = download.Download(net, contest.ENDLESS)
    flow.begin()
    time.sleep(SECONDS)
    row = {"kbit": flow.give_up() / 125 / SECONDS, "link_kbit": kbit}
    upper = net.upper()[0]
    if upper:
        row |= {name: upper[name] for name in ("data", "repeats_timer", "repeats_nack")}
    return [row]


# --- on the host ---

def short(trace):
    return os.path.basename(trace)


def draw(rows, path):
    from pieces import picture
    names = sorted(set(rows["trace"]))
    sheet, axes = picture.sheet(1, len(names), (4.5 * len(names), 4.5), sharex=True)
    for each, name in zip(axes[0], names):
        picture.title(each, short(name))
        for style, timer in enumerate(TIMERS):
            if len(one := of(rows, trace=name, timer=timer)):
                picture.curve(each, one, "loss", "kbit", style, timer)
        each.set_xlabel("frame loss rate [%]")
        each.set_ylim(0)
    axes[0, 0].set_ylabel("download [kbit/s]")
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from arq import results
    found = []
    for trace, own in rows.groupby("trace"):
        found += results.no_lower(own, f"{short(trace)}: adaptive at least as good as each fixed timer",
                                  ADAPTIVE, FIXED, LOSSES)
        found += results.higher(own, f"{short(trace)}: adaptive above the raw link", "",
                                [(ADAPTIVE, timers.RAW)], losses=LOSSES[1:])
    return found
