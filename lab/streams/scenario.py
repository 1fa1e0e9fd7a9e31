# SPDX-License-Identifier: GPL-2.0-or-later
"""A vehicle sends a video and control packets to a server, and may upload a file at the same time:

    sender --- 100 Mbit/s, 1 ms --- router [queue] === modem, cellular link, 20 ms === receiver

The queue is on the router. Without a modem, the link takes one packet at a time from the queue. With a
modem, the link takes all packets at once, until the modem's buffer is full. The router marks packets by
their ports. lpd gives the video a lifetime of 500 ms and the control packets a lifetime of 200 ms, so
no program writes an option. With the flows "stamped", xlo on the sender writes the same lifetimes into
the packets. A row is about the whole cell (second -1) or about one second."""
import os
import time

from lib import wait
from lib.cell import MS, S

from pieces import frames, pacer, paths, senders, stream, topology, upload, video
from streams import autorate, links
from streams.troubles import Trouble

SECONDS = 30
MTU, DELAY, WIRE_RATE, WIRE_DELAY = 1500, 20, 10**8 // 8, 1 * MS    # bytes, ms, bytes/s, ns
CONTROL_SIZE, CONTROL_KBIT, CONTROL_PORT = 100, 40, 5001            # 50 packets a second
LIFETIMES = {"video": 500, "control": 200}                          # ms
DELAYS = (200, 500, 2000)                                           # ms: the receiver's delay
AFTER = 5           # s: an outage counts if the video continues for this time after the outage's end
VIDEO, BOTH, UPLOAD, REPEATS, STAMPED = "video", "both", "upload", "both-repeats", "stamped"
# the program that sends the video, or None; whether there is an upload
FLOWS = {VIDEO: ("rtp", False), BOTH: ("rtp", True), UPLOAD: (None, True), REPEATS: ("rtp", True),
         STAMPED: ("rtp", False),
         **{program: (program, False) for program in video.PROGRAMS if program != "rtp"}}
FILES = [video.clip(kbit) for kbit in video.RATES]

LPD = f"root handle 1: lpd limit 1000 delay {DELAY}ms match mark 1 {LIFETIMES['video']}ms " \
    f"match mark 2 {LIFETIMES['control']}ms"
# the qdisc of lpd's class, as on Debian. The lab kernel's default is pfifo_fast, as the kernel has it
CLASS = "parent 1:1 fq_codel"
PRIO = ["root handle 1: prio bands 3 priomap" + 16 * " 2", "parent 1:1 pfifo limit 50",
        "parent 1:2 fq_codel", "parent 1:3 fq_codel"]
QUEUES = {
    "pfifo-20": ["root pfifo limit 20"],
    "pfifo-50": ["root pfifo limit 50"],
    "pfifo-1000": ["root pfifo limit 1000"],
    "fq_codel": ["root fq_codel"],
    "fq_codel-slow": ["root fq_codel target 20ms interval 200ms"],
    "cake": ["root cake unlimited"],
    # a shaper in front of the queue, with a part of the link's mean rate
    "cake-shaped": ["root cake bandwidth {shaped}kbit rtt 200ms"],
    # autorate.py changes the bandwidth
    "cake-autorate": ["root cake bandwidth {mean}kbit rtt 200ms"],
    "lpd-shaped": ["root handle 1: tbf rate {shaped}kbit burst 5kb limit 1mb",
                   "parent 1:1 handle 2:" + LPD.removeprefix("root handle 1:") + " order edf",
                   "parent 2:1 fq_codel"],
    # control packets before the video, and the video before all others
    "prio": PRIO,
    "lpd": [LPD, CLASS],
    "lpd-edf": [LPD + " order edf", CLASS],
    # control packets before all others, in the way that tc-lpd(8) shows
    "lpd-prio": ["root handle 1: prio bands 2 priomap" + 16 * " 1",
                 f"parent 1:1 lpd limit 50 delay {DELAY}ms match mark 2 {LIFETIMES['control']}ms",
                 f"parent 1:2 lpd limit 200 delay {DELAY}ms order edf overflow stalest "
                 f"match mark 1 {LIFETIMES['video']}ms"],
    # one queue for all packets
    "lpd-flat": [LPD + " share 0"],
}
CLASSIFIED = ("prio", "lpd-prio")
PACE = "+pace"
SHAPED = 0.85
MARKS = """table inet marks {{ chain pre {{ type {hook};
udp dport {video} meta mark set 1{second}; udp dport {control} meta mark set 2{first}; }}; }}"""
# where the router marks packets, and where the sender marks its own packets
FORWARD, OUTPUT = "filter hook forward priority 0", "route hook output priority mangle"


def check(cell):
    """Raise ValueError for a cell with an unknown queue or trouble."""
    Trouble(cell.get("trouble"))
    name = cell["queue"].removesuffix(PACE)
    paced = name != cell["queue"]
    if name not in QUEUES or paced and LPD not in QUEUES[name][0]:
        raise ValueError(f"queue {cell['queue']}: expected one of {', '.join(QUEUES)}; lpd at the root "
                         f"also with {PACE}")


def run(cell, seed, directory):
    link = links.Link(cell["link"], seed, directory)
    path = topology.Path(MTU, link.rate, DELAY * MS, wire_rate=WIRE_RATE, wire_delay=WIRE_DELAY)
    path.reach(mtu=MTU)
    _queue(path, cell, link)
    flows = Flows(path, link, cell, directory)
    trouble = Trouble(cell.get("trouble"))
    outages, kbit = link.begin(path, SECONDS, trouble.cut)
    begin = time.time_ns()
    uploaded = flows.run(lambda second: trouble.at(second, path, link))
    rows = _rows(begin, outages, kbit, uploaded, *flows.finish())
    if cell["flows"] == STAMPED:
        rows[0] |= {name: path.lpd()[name] for name in paths.PATHS}
    return rows


def _queue(path, cell, link):
    """Install the queue, the modem and the marks. With pace, wait for its first answer."""
    if cell["modem"]:
        path.cell.change(buffer=cell["modem"] * 1000)
    name = cell["queue"].removesuffix(PACE)
    path.router.run("tc -batch -", stdin="\n".join(
        f"qdisc add dev cell {line.format(mean=round(link.kbit), shaped=round(link.kbit * SHAPED))}"
        for line in QUEUES[name]))
    path.router.run("nft -f -", stdin=_marks(FORWARD, name in CLASSIFIED))
    if cell["queue"].endswith(PACE):
        pacer.Pacer(path)
    elif name == "cake-autorate":
        autorate.Autorate(path, link.kbit)


def _marks(hook, classify=False):
    """The rules for nft. With `classify` they also choose the classes of a prio."""
    first, second = (f" meta priority set {0x10000 + number}" if classify else "" for number in (1, 2))
    return MARKS.format(hook=hook, video=video.PORT, control=CONTROL_PORT, first=first, second=second)


def _stamp(path):
    """Let xlo on the sender write the lifetimes into the packets."""
    path.sender.run("nft -f -", stdin=_marks(OUTPUT))
    for mark, lifetime in enumerate(LIFETIMES.values(), 1):
        senders.stamp(path, mark, f"{lifetime}ms", f"flow{mark}")


class Flows:
    """The flows of a cell."""

    def __init__(self, path, link, cell, directory):
        self.video = self.control = self.upload = None
        program, uploads = FLOWS[cell["flows"]]
        if program:
            self.video = video.PROGRAMS[program](path, link.clip)
            self.control = stream.Stream(path, os.path.join(directory, "control.csv"), CONTROL_SIZE,
                                         CONTROL_KBIT, port=CONTROL_PORT)
            self.control.listen()
        if cell["flows"] == REPEATS:
            senders.stamp(path, upload.MARK, "repeats")
        elif cell["flows"] == STAMPED:
            _stamp(path)
        if uploads:
            self.upload = upload.Upload(path)

    def run(self, also):
        """Run the flows, and call also(second) at the begin of each second, which may return another
        flow. Return the bytes that the upload has delivered after each second."""
        others = [also(0)]
        begin = time.monotonic_ns()
        for flow in filter(None, (self.video, self.control)):
            flow.begin(SECONDS)
        if self.upload:
            self.upload.begin()
        uploaded = [0]
        for second in range(1, SECONDS + 1):
            wait.till(begin + second * S)
            uploaded.append(self.upload.received() if self.upload else 0)
            others.append(also(second))
        for flow in filter(None, (self.upload, *others)):
            flow.end()
        return uploaded

    def finish(self):
        """Return the bytes of the video, its packets and its frames, and the number of control packets
        that were sent, and their arrivals."""
        if not self.video:
            return 0, [], [], 0, []
        self.video.wait()
        control = self.control.finish()     # when nothing arrives any more
        packets, shots = self.video.finish()
        return self.video.bytes, packets, shots, *control


def _rows(begin, outages, kbit, uploaded, sent_bytes, packets, shots, sent, control):
    """The row about the cell, and a row about each second."""
    rows = [{"second": -1, "link_kbit": kbit / SECONDS, "upload_kbit": uploaded[-1] / 125 / SECONDS,
             "need_kbit": (sent_bytes + sent * CONTROL_SIZE) / 125 / SECONDS}]
    if shots:
        rows[0] |= of_video(packets, shots, outages) | of_control(sent, control)
    shown = frames.shown(shots, LIFETIMES["video"] * MS)
    for second in range(SECONDS):
        at = begin + second * S
        inside = [ok for frame, ok in zip(shots, shown) if at <= frame.sent < at + S]
        delays = [c.received - c.sent for c in control if at <= c.sent < at + S]
        rows.append({"second": second, "upload_kbit": (uploaded[second + 1] - uploaded[second]) / 125,
                     "shown": sum(inside), "control_ms": max(delays, default=0) / MS,
                     "outage": any(start < at + S and end > at for start, end in outages)})
    return rows


def of_video(packets, shots, outages):
    """The results of the video. A time that no packet ends is as long as the cell."""
    ends = [end for _, end in outages if end <= shots[-1].sent - AFTER * S]
    found = {"frames": len(shots), "outages": len(ends),
             "stale": frames.stale(packets, LIFETIMES["video"] * MS)}
    for delay in DELAYS:
        found[f"shown_{delay}"] = sum(frames.shown(shots, delay * MS))
    fresh, first = ([min(function(some, end, LIFETIMES["video"] * MS) / S, SECONDS)
                     for end in ends]
                    for function, some in ((frames.first_fresh, packets),
                                           (frames.first_shown, shots)))
    if ends:
        found |= {"fresh_s": sum(fresh) / len(fresh), "fresh_worst_s": max(fresh),
                  "first_s": sum(first) / len(first)}
    return found


def of_control(sent, arrivals):
    """The results of the control packets. The percentiles are of the packets that arrived."""
    delays = [(a.received - a.sent) / MS for a in arrivals]
    found = {"control_sent": sent, "control_in_time": sum(d <= LIFETIMES["control"] for d in delays)}
    if delays:
        found |= {"control_p50": frames.percentile(delays, 0.5),
                  "control_p99": frames.percentile(delays, 0.99)}
    return found
