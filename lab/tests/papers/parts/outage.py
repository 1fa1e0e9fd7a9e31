# SPDX-License-Identifier: GPL-2.0-or-later
"""After an outage that loses all packets on the way, QUIC sends again, and the later messages arrive in
time."""
from lib import tap
from lib.cell import MS
from dsr import peers, scenes

TITLE = "QUIC after an outage"
HEADLINE = "later messages in time"
SECONDS, SEEDS = 5, 1
OUTAGE = 1000, 2000     # ms
AGAIN = 4000            # ms: QUIC's timeouts double, and the last of the outage may end this late
CELLS = [{"program": program} for program in ("QUIC", "QUIC BBR")]
QUICK = CELLS


def run(cell, seed, directory):
    scene = scenes.Scene(scenes.BASE | {"loss": 0}, seed, directory, peers.starter(cell["program"]))
    sent = scenes.source(scene.scene, SECONDS, seed)
    scene.path.damage(seed, back=True, bad_loss=10**6)
    scene.path.turn(OUTAGE)
    scene.carry(sent)
    on_time = scene.sink.on_time(scene.scene["deadline"] * MS)
    times = {number: message.at // MS for number, message in enumerate(sent)}
    lost = range(OUTAGE[0], OUTAGE[1] - scene.scene["deadline"])
    tap.equal("messages during the outage", [number for number in on_time if times[number] in lost], [])
    late = {number for number, at in times.items() if at >= AGAIN}
    tap.equal("later messages that are not in time", late - set(on_time), set())
    return [{"messages": len(sent), "on_time": len(on_time)}]
