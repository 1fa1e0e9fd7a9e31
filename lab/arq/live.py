# SPDX-License-Identifier: GPL-2.0-or-later
"""A live video beside a download, on a faster link with uniform losses. This figure is not in the paper.
A packet of the video is useful for 150 ms. The link retransmits

- each packet up to 3, 8 or 16 times, or without a limit,
- each packet of the video during its lifetime, and the download without a limit ("lifetime"),
- the same, and a packet of the video does not wait for earlier packets of the link ("reorder"),
- only the download ("bypass").

fq_codel separates the flows, so the video does not wait behind the download above the link. In the
link it does, so the window is not much larger than the link needs: a round trip has 6 packets."""
import os
import time

from arq import airtime
from arq.network import BYPASS_PORT, UNIFORM, Link, Network
from lib.cell import MS
from pieces import contest, download, freshness, stream

TITLE = "A live video of 150 ms beside a download, by the persistency of the link"
HEADLINE = "not in the paper"
SECONDS, SEEDS, COST = 30, 5, 0.5
LINK = Link(size=1250, kbit=2000, delay=10 * MS)
KBIT, LIFETIME, PORT = 500, 150, 5001           # of the video; ms
LOSSES = (5, 10, 20, 40)                        # percent
OPTIONS = "timer adaptive window 16 ack_delay 5ms"
ATTEMPTS = ("3", "8", "16", "unlimited")
UNLIMITED, BY_LIFETIME, REORDER, BYPASS = "unlimited attempts", "lifetime", "reorder", "bypass"
PERSISTENCIES = (*(f"{number} attempts" for number in ATTEMPTS), BY_LIFETIME, REORDER, BYPASS)
BOUNDED = (BY_LIFETIME, REORDER)                # the video's packets have a lifetime
OTHERS = (*BOUNDED, BYPASS)
CELLS = [{"persistency": name, "loss": loss} for name in PERSISTENCIES for loss in LOSSES]
QUICK = [cell for cell in CELLS if cell["loss"] == 20 and
         cell["persistency"] in (UNLIMITED, REORDER)]


def run(cell, seed, directory):
    persistency = cell["persistency"]
    attempts = persistency.removesuffix(" attempts") if persistency not in OTHERS else "unlimited"
    net = Network(f"{OPTIONS} attempts {attempts}", link=LINK)
    net.damage(seed, UNIFORM, cell["loss"])
    net.router.run(f"tc qdisc replace dev {net.device} root fq_codel")
    air = airtime.Airtime(net)
    video = stream.Stream(net, os.path.join(directory, "video.csv"), LINK.size, KBIT,
                          LIFETIME if persistency in BOUNDED else None,
                          BYPASS_PORT if persistency == BYPASS else PORT,
                          "--reorder 255" if persistency == REORDER else "")
    beside = download.Download(net, contest.ENDLESS)
    video.listen()
    beside.begin()
    video.begin(SECONDS)
    time.sleep(SECONDS)
    kbit = beside.give_up() / 125 / SECONDS
    sent, arrivals = video.finish()
    frames = air.frames()
    return [{"in_time": 100 * freshness.judge(arrivals, LIFETIME * MS)["valid"] / sent,
             "arrived": 100 * len(arrivals) / sent, "download": kbit,
             "frames": len(frames) / sent,
             "expired": 100 * airtime.expired(frames, LIFETIME) / len(frames)}]


# --- on the host ---

def draw(rows, path):
    from arq import results
    from pieces import picture
    shown = {"in_time": "video packets in time [%]", "frames": "frames sent for a video packet",
             "expired": "frames whose packet had expired [% of the video's frames]",
             "download": "download [kbit/s]"}
    sheet, axes = picture.sheet(2, 2, (12, 8), sharex=True)
    for each, (value, label) in zip(axes.flat, shown.items()):
        results.by_loss(each, rows, value, label, "persistency", PERSISTENCIES)
    picture.legend(axes[0, 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import is_less, text
    found = []
    for loss, own in rows.groupby("loss"):
        values = {name: part.set_index("seed") for name, part in own.groupby("persistency")}
        for name in BOUNDED:
            if name not in values or UNLIMITED not in values:
                continue
            one, other = values[name], values[UNLIMITED]
            found.append(Claim(
                f"{loss} %: more video packets in time with {name} than with {UNLIMITED}", "",
                f"{text(one['in_time'], ' %')} instead of {text(other['in_time'], ' %')}; expired frames "
                f"{text(one['expired'], ' %')} instead of {text(other['expired'], ' %')}; download "
                f"{text(one['download'], ' kbit/s', 0)} instead of {text(other['download'], ' kbit/s', 0)}",
                is_less(other["in_time"], one["in_time"])))
        if REORDER in values and BYPASS in values:
            one, other = (values[name]["in_time"] for name in (REORDER, BYPASS))
            found.append(Claim(
                f"{loss} %: no fewer video packets in time with {REORDER} than with {BYPASS}", "",
                f"{text(one, ' %')} instead of {text(other, ' %')}", not is_less(one, other), WHY_BYPASS))
    bounded = rows[rows["persistency"].isin(BOUNDED)]
    if len(bounded):
        found.append(Claim("with a lifetime, no frame is sent for an expired video packet", "",
                           f"{text(bounded['expired'], ' %')}", bool((bounded["expired"] == 0).all())))
    return found


WHY_BYPASS = "while the window is full, packets of the video wait, and expire. A packet that bypasses " \
    "does not wait"
