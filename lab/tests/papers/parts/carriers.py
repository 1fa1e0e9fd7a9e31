# SPDX-License-Identifier: GPL-2.0-or-later
"""Each program of dsr/rivals.py carries all messages in time across a link without losses, once, and the
airtime is that of the packets at the end of the link."""
from lib import sniff, tap
from lib.cell import MS
from dsr import peers, scenes

TITLE = "Programs that carry messages"
HEADLINE = "all messages in time"
SECONDS, SEEDS = 4, 1
SCENE = scenes.BASE | {"loss": 0, "kbit": 240}
CELLS = [{"program": program} for program in ("fixed", "CCID 2", "TCP", "QUIC", "QUIC BBR", "PR-SCTP",
                                             "SRT 1/2", "RIST")]
QUICK = CELLS
QUIET = ("fixed", "CCID 2", "TCP", "PR-SCTP")        # with nothing on the way before and afterwards


def run(cell, seed, directory):
    scene = scenes.Scene(SCENE, seed, directory, peers.starter(cell["program"]))
    ends = [sniff.Sniffer(scene.path.receiver, "eth0", outgoing) for outgoing in (False, True)]
    sent = scenes.source(SCENE, SECONDS, seed)
    airtime = scene.carry(sent)
    found = sum(len(frame.packet) for end in ends for frame in end.drain())
    on_time = scene.sink.on_time(SCENE["deadline"] * MS)
    tap.equal("messages on time", len(on_time), len(sent))
    tap.equal("messages that came twice", scene.sink.twice, 0)
    if cell["program"] in QUIET:
        tap.equal("bytes of packets", airtime, found)
    tap.within("of these per byte of payload", airtime / sum(message.size for message in sent), 1.02, 1.5)
    return [{"messages": len(sent), "airtime": airtime}]
