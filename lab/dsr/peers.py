# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages with deadlines versus today's rivals: the share of messages that are on time, versus the
airtime. Around one scene, one thing is varied at a time. The paper has no such comparison.

Airtime is all bytes of IP packets that either end of the link sends, also of those that it loses, per byte
of all messages."""
import os

from lib.cell import MS

from dsr import rivals
from dsr.scenes import BASE, LPD, SPIKE, Scene, source
from pieces import trace

TITLE = "Messages with deadlines versus SRT, RIST, PR-SCTP, TCP and QUIC"
HEADLINE = "not in the paper"
SECONDS, SEEDS, COST = 12, 30, 0.8
TRACES = trace.of_user(os.environ.get("TRACES", ""))
FILES = [*TRACES, rivals.QUIC]
# {scene: what differs from BASE}; the machine does not know TRACES
SCENES = {
    "base": {}, "rate 64": {"kbit": 64}, "voice": {"kbit": 64, "size": 160},
    "rate 4000": {"kbit": 4000}, "video": {"shape": "video"}, "delay 10": {"delay": 10},
    **{f"deadline {ms}": {"deadline": ms} for ms in (100, 200, 500, 800)},
    **{f"loss {percent}": {"loss": percent} for percent in (0, 1, 2, 10, 20)},
    "bursts": {"burst": True}, "bottleneck": {"link": 1000},
    "spike": {"spike": True}, "spike, lpd": {"spike": True} | LPD}
# {program: the class, and the words of our sender, or which part of the time before the deadline a rival
# may use: SRT and RIST as latency, PR-SCTP as lifetime, TCP's writer and QUIC's before it drops a message}
PROGRAMS = {
    "fixed": (rivals.Freshlink, "--control fixed --rate {kbit}kbit"),
    "CCID 2": (rivals.Freshlink, "--ccid 2"), "CCID 3": (rivals.Freshlink, "--ccid 3"),
    "TCP 1/4": (rivals.Tcp, 0.25), "TCP": (rivals.Tcp, 1),
    "QUIC": (rivals.Quic, 1), "QUIC BBR": (rivals.QuicBbr, 1),
    "PR-SCTP 1/4": (rivals.Sctp, 0.25), "PR-SCTP": (rivals.Sctp, 1),
    "SRT 1/2": (rivals.Srt, 0.5), "SRT 3/4": (rivals.Srt, 0.75), "SRT": (rivals.Srt, 1),
    "RIST": (rivals.Rist, 1)}
MARGIN = 20                 # ms: for the timers of rivals
CELLS = [{"scene": scene, "program": program} for scene in [*SCENES, *TRACES] for program in PROGRAMS]
QUICK = [cell for cell in CELLS if cell["scene"] == "base" and "/" not in cell["program"]]


def settings(name):
    return BASE | SCENES.get(name, {"trace": name})


def starter(program):
    """A function that starts a program. A rival's time ends so early that what it gives then is on time."""
    kind, setting = PROGRAMS[program]

    def start(path, scene, kbit):
        if kind is rivals.Freshlink:
            # packets have lifetimes only where a router reads them
            via = "" if scene["queue"] == LPD["queue"] else "--via off "
            return kind(path, f"{via}--lifetime {scene['deadline']}ms {setting.format(kbit=round(kbit))}")
        return kind(path, round((scene["deadline"] - scene["delay"] - MARGIN) * setting))
    return start


def run(cell, seed, directory):
    setting = settings(cell["scene"])
    scene = Scene(setting, seed, directory, starter(cell["program"]))
    sent = source(setting, SECONDS + SPIKE * setting["spike"], seed)
    carried = scene.carry(sent)
    delays, on_time = scene.sink.delays, scene.sink.on_time(setting["deadline"] * MS)
    row = {"messages": len(sent), "arrived": len(delays), "on_time": len(on_time),
           "share": 100 * len(on_time) / len(sent), "twice": scene.sink.twice,
           "airtime": carried / sum(message.size for message in sent),
           "longest_ms": max(delays.values(), default=0) / MS}
    if setting["spike"]:
        fresh = scene.fresh(sent, on_time)
        # none: the time is as long as the cell
        row["fresh_ms"] = SECONDS * 1000 if fresh is None else fresh / MS
    return [row]


# --- on the host ---

def table(rows):
    from dsr import comparison
    return comparison.table(rows)


def draw(rows, path):
    from dsr import comparison
    comparison.draw(rows, path, TITLE)


def claims(rows):
    from dsr import comparison
    return comparison.claims(rows)
