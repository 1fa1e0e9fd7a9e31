# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and a download share a cellular link that follows a trace. The paper has no such
experiment. The video has 30 frames per second with a lifetime of 150 ms.

A frame is one datagram. The size of a frame is chosen so that the video takes a given part of the
link's mean rate. A frame that is larger than a packet is sent in fragments. If LPD drops one
fragment, it drops all fragments of the frame (section VI.C). The download is Linux's own TCP. With
LPD the lifetime of its segments is the retransmission timeout, so that earliest deadline first can
send the video first. `freshlink trace make` makes two traces. TRACES adds a user's files or
folders, in mahimahi's format."""
import os
import random
import time

from lib.cell import MS

from pieces import datagrams, download, freshness, queues, senders, stream, topology, trace

TITLE = "A video and a download that share a link, over cellular traces"
HEADLINE = "not in the paper"
SECONDS = 20
FPS, LIFETIME_MS, PART = 30, 150, 0.3
MTU, LIMIT, DELAY = 1500, 300, 20               # bytes; packets; ms
WIRE_RATE = 10**8 // 8                          # bytes/s
MADE = {"handover": "--kind handover --states 8mbit:8s,2mbit:4s --outage 200ms,2s",
        "markov": "--kind markov --states 6mbit:4s,1500kbit:3s,300kbit:1s,0bit:500ms"}
MADE_SECONDS = 60
QUEUES = ("drop-tail", "fq_codel", "CAKE", "age limit", "LPD", "LPD-EDF")
TWICE = ("drop-tail", "LPD-EDF")                # also over IPv6
FILES = trace.of_user(os.environ.get("TRACES", ""))
TRACES = FILES + list(MADE)

CELLS = [{"trace": t, "queue": q, "ip": 4} for t in TRACES for q in QUEUES] + \
    [{"trace": t, "queue": q, "ip": 6} for t in MADE for q in TWICE]
QUICK = [cell for cell in CELLS if cell["trace"] == "handover"]


def run(cell, seed, directory):
    file, start, kbit = link_of(cell["trace"], seed, directory)
    path = topology.Path(MTU, delay=DELAY * MS, family=cell["ip"], wire_rate=WIRE_RATE)
    path.queue(cell["queue"], LIMIT, age=LIFETIME_MS)
    path.follow(file, start)
    senders.prepare(path, "Linux", MTU)
    lives = queues.looks_at_lifetimes(cell["queue"])
    if lives:
        senders.stamp(path, download.MARK)
    size = round(kbit * PART * 125 / FPS)
    carried = None if cell["queue"] == "age limit" else LIFETIME_MS
    video = stream.Stream(path, os.path.join(directory, "video.csv"), size,
                          size * FPS / 125, carried)
    return [_compete(path, video, wire_bytes(size, cell["ip"], carried is not None))]


def link_of(name, seed, directory):
    """The file of a trace, the time in the trace at which the run of a seed begins, in ms, and the
    trace's mean rate in kbit/s."""
    chance = random.Random(f"{os.path.basename(name)} {seed}")
    if name in MADE:
        file = os.path.join(directory, "trace")
        trace.make(f"{MADE[name]} --duration {MADE_SECONDS}s", chance.getrandbits(32), file)
    else:
        file = name
    shown = trace.show(file)
    return file, chance.randrange(shown["duration"] // MS), shown["rate"] / 125


def _compete(path, video, frame):
    """Run the video together with the download. Returns a row. `frame` is the number of bytes that a
    frame takes on the link."""
    air = datagrams.Counter(path.receiver, "eth0")
    bulk = download.Download(path, 1 << 40)
    video.listen()
    bulk.begin()
    video.begin(SECONDS)
    time.sleep(SECONDS)
    got = bulk.give_up()
    sent, arrivals = video.finish()
    judged = freshness.judge(arrivals, LIFETIME_MS * MS)
    median = freshness.delays(arrivals, [0.5])[0] if arrivals else 0.0
    return {"sent": sent, **judged, "bulk_kbit": got / 125 / SECONDS,
            "stale_bytes": air.bytes() - judged["valid"] * frame, "frame_bytes": frame,
            "median": median}


def wire_bytes(size, family, has_option):
    """The number of bytes that a datagram takes on a link. `size` includes the IP header. Each fragment
    has its own headers."""
    if family == 4:
        header, fragment = 20 + 8 * has_option, 0
    else:
        header, fragment = 40 + 16 * has_option, 8
    if size <= MTU:
        return size + topology.HEADER
    payload = (MTU - header - fragment) // 8 * 8
    number = -(-(size - header) // payload)
    return size - header + number * (header + fragment + topology.HEADER)


# --- on the host ---

def label(name):
    return os.path.basename(name)


def draw(rows, path):
    """Draw valid frames, stale bytes and the download's goodput for each queue, by trace."""
    from pieces import estimate, picture
    rows = _percent(rows)
    names = sorted(set(rows["trace"]), key=label)
    sheet, axes = picture.sheet(3, len(names), (3.2 * len(names) + 1, 9), sharey="row")
    for column, name in enumerate(names):
        picture.title(axes[0, column], label(name))
        for line, value in enumerate(("valid_pct", "stale_kbit", "bulk_kbit")):
            table = estimate.means(rows[rows["trace"] == name], value, ["ip", "queue"])
            for number, one in table.iterrows():
                at = QUEUES.index(one["queue"]) + (0.4 if one["ip"] == 6 else 0)
                axes[line, column].bar(at, one["mean"], 0.4, yerr=one["half"], capsize=2,
                                       color=picture.COLORS[one["ip"] == 6],
                                       hatch="//" if one["ip"] == 6 else None)
            axes[line, column].set_xticks(range(len(QUEUES)), QUEUES, rotation=60, fontsize=8)
    for line, text in enumerate(("valid frames [%]", "stale video on the link [kbit/s]",
                                 "download [kbit/s] (hatched: IPv6)")):
        axes[line, 0].set_ylabel(text)
        axes[line, 0].set_ylim(0, 100 if line == 0 else None)
    picture.save(sheet, path, TITLE)


def _percent(rows):
    return rows.assign(valid_pct=100 * rows["valid"] / rows["sent"],
                       stale_kbit=rows["stale_bytes"] / 125 / SECONDS)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import span
    rows = _percent(rows)
    mean = rows[rows["ip"] == 4].groupby(["queue", "trace"])[
        ["valid_pct", "stale_kbit", "bulk_kbit"]].mean()
    tail, edf = mean.loc["drop-tail"], mean.loc["LPD-EDF"]
    rivals = mean.loc[[q for q in QUEUES if not q.startswith("LPD")]]["valid_pct"]
    return [
        Claim("LPD-EDF delivers more valid frames than each queue without LPD, on each trace", "",
              _by_queue(mean, "valid_pct", " %", span),
              bool((edf["valid_pct"] > rivals.groupby("trace").max()).all()),
              "in order of arrival the video waits behind the download, and LPD discards it"),
        Claim("LPD-EDF sends less stale video over the link than drop-tail, on each trace", "",
              _by_queue(mean, "stale_kbit", " kbit/s", span),
              bool((edf["stale_kbit"] < tail["stale_kbit"]).all()),
              "the rest are packets that the link held when it stalled, and fragments of frames that "
              "lost another fragment"),
        Claim("the download has at least 90 % as much goodput with LPD-EDF as with fq_codel, on each "
              "trace", "", _by_queue(mean, "bulk_kbit", " kbit/s", span),
              bool((edf["bulk_kbit"] > 0.9 * mean.loc["fq_codel"]["bulk_kbit"]).all())),
        Claim("LPD-EDF delivers as many valid frames over IPv6 as over IPv4", "", _families(rows, span),
              _same(rows))]


def _by_queue(mean, value, unit, span):
    return "; ".join(f"{q}: {span(mean.loc[q][value], unit, 0)}" for q in QUEUES)


def _valid(rows, family):
    """Valid frames with LPD-EDF, over the traces that are measured with both address families."""
    rows = rows[(rows["queue"] == "LPD-EDF") & rows["trace"].isin(MADE) & (rows["ip"] == family)]
    return rows.groupby("trace")["valid_pct"].mean()


def _families(rows, span):
    return "; ".join(f"IPv{family}: {span(_valid(rows, family), ' %')}" for family in (4, 6))


def _same(rows):
    return bool((_valid(rows, 4) - _valid(rows, 6)).abs().max() < 3)
