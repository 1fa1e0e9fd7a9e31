# SPDX-License-Identifier: GPL-2.0-or-later
"""A decoder shows as many frames as pieces/frames.py counts. The decoder gets the frames that arrived in
time across an outage, and makes the right picture only of frames whose predecessors it also got."""
import time

from lib import tap
from lib.cell import MS, S
from pieces import decoder, frames, rtp, topology, video

TITLE = "A decoder's own count"
HEADLINE = "the frames that can be shown"
SECONDS, SEEDS = 12, 1
KBIT, LINK_KBIT, DELAY_MS, LATEST = 1000, 1200, 20, 300     # the last: ms until a frame is shown
QUEUES = {"pfifo": "pfifo limit 1000", "short": "pfifo limit 12",
          "lpd": f"lpd delay {DELAY_MS}ms lifetime {LATEST}ms share 0"}
CELLS = [{"queue": queue} for queue in QUEUES]
QUICK = CELLS
FILES = [video.clip(KBIT)]


def run(cell, seed, directory):
    path = topology.Path(1500, LINK_KBIT, delay=DELAY_MS * MS)
    path.router.run(f"tc qdisc add dev cell root {QUEUES[cell['queue']]}")
    flow = video.Video(path, KBIT)
    path.cell.change(outages=[(5 * S, 1 * S)])
    flow.begin(SECONDS)
    flow.wait()
    time.sleep(5)
    datagrams, packets = flow.captured()
    parts = rtp.parse(datagrams)
    shots = frames.assemble(parts, packets)
    expected = sum(frames.shown(shots, LATEST * MS))
    in_time = [shot.complete - shot.sent <= LATEST * MS for shot in shots]
    given = [datagram for datagram, [(frame, _)] in zip(datagrams, parts) if in_time[frame]]
    tap.within("frames in time", sum(in_time), expected + 1, SECONDS * 30 - 1)
    tap.equal("decoded", decoder.count(video.clip(KBIT), SECONDS, given, directory), expected)
    return [{"expected": expected, "in_time": sum(in_time)}]
