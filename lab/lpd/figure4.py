# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 4: an ON/OFF flow of datagrams across one delay spike of 10 s, through drop-tail and LPD.
The lifetime is 5 s, the time after which the program has new data. The paper does not say how much
the program sends; here it sends for 3.2 s of every 5 s at 25 kbit/s. The seed decides when the
spike begins within the 5 s."""
import os

from lib.cell import MS, S

from pieces import freshness, spikes, stream, topology

TITLE = "An ON/OFF flow across a delay spike"
HEADLINE = "after the spike drop-tail delivers only stale packets for about 7 s; LPD delivers fresh " \
    "packets at once, and no stale ones"
SECONDS = 50
KBIT, SIZE, LINK_KBIT, BUFFER = 25, 500, 30, 100
LIFETIME, ON_MS, OFF_MS = 5, 3200, 1800         # s; ms
SPIKE = 10, 15, 10                              # s: earliest start, latest start, length
CELLS = [{"queue": q, "buffer": BUFFER} for q in ("drop-tail", "LPD")]
QUICK = CELLS


def run(cell, seed, directory):
    path = topology.Path(SIZE, LINK_KBIT)
    path.queue(cell["queue"], cell["buffer"])
    flow = stream.Stream(path, os.path.join(directory, "flow.csv"), SIZE, KBIT, LIFETIME * 1000,
                         words=f"--on {ON_MS}ms --off {OFF_MS}ms --law constant")
    flow.listen()
    [spike] = drawn = spikes.one(seed, *SPIKE)
    [met] = path.spikes(drawn)
    flow.begin(SECONDS)
    sent, arrivals = flow.finish()
    held = freshness.held_by_link(arrivals, [met], path.delay)
    start, lifetime = met.start - spike.start, LIFETIME * 1000 * MS
    fresh = [a.received - met.end for a in arrivals
             if a.received > met.end + path.delay and a.received - a.sent <= lifetime]
    total = {"what": "sum", "sent": sent, "wait": min(fresh) / S,
             **freshness.judge(arrivals, lifetime, held)}
    return [total] + [{"what": "packet", "sequence": a.sequence, "left": (a.sent - start) / S,
                       "came": (a.received - start) / S} for a in arrivals]


# --- on the host ---

def draw(rows, path):
    """Draw one seed as in the paper: the remaining lifetime on arrival above, the sender's sequence
    numbers below."""
    from pieces import picture
    shown = rows[(rows["seed"] == rows["seed"].min()) & (rows["what"] == "packet")]
    seed = int(shown["seed"].iloc[0])
    [spike] = spikes.one(seed, *SPIKE)
    sheet, axes = picture.sheet(2, 2, (11, 7), sharex=True, sharey="row")
    for column, cell in enumerate(CELLS):
        packets = shown[shown["queue"] == cell["queue"]]
        for each in axes[:, column]:
            picture.shade(each, [(spike.start / S, spike.end / S)])
        picture.title(axes[0, column], f"{cell['queue']}: receiver")
        picture.title(axes[1, column], f"{cell['queue']}: sender (packets that arrive)")
        axes[0, column].plot(packets["came"], packets["left"] + LIFETIME - packets["came"], ".",
                             color=picture.COLORS[0], markersize=4)
        axes[0, column].axhline(0, color=picture.INK, linewidth=1)
        axes[1, column].plot(packets["left"], packets["sequence"], ".", color=picture.COLORS[1],
                             markersize=4)
        axes[1, column].set_xlabel("time [s]")
    axes[0, 0].set_ylabel("remaining lifetime on arrival [s]")
    axes[1, 0].set_ylabel("sequence number")
    picture.save(sheet, path, f"{TITLE} (seed {seed})")


def stale_by_arithmetic():
    """The time in s after the spike until drop-tail delivers a fresh packet. In this calculation
    packets arrive at the flow's mean rate from the start of the spike, and leave at the link's rate
    after the spike. The result is the time until a departing packet is no older than the
    lifetime."""
    mean = KBIT * ON_MS / (ON_MS + OFF_MS)
    return (SPIKE[2] - LIFETIME) / (LINK_KBIT / mean - 1)


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import text
    sums = rows[rows["what"] == "sum"].set_index("queue")
    tail, lpd = sums.loc[["drop-tail"]], sums.loc[["LPD"]]
    expected = stale_by_arithmetic()
    return [
        Claim("drop-tail: time until the first fresh packet after the spike", "about 7 s",
              text(tail["wait"], " s"), bool(abs(tail["wait"].mean() - 7) < 1),
              f"{expected:.1f} s follow from the mean rate of the flow and the rate of the link; the paper "
              "states neither rate"),
        Claim("LPD: time until the first fresh packet after the spike", "at once",
              text(lpd["wait"], " s"), bool((lpd["wait"] < 1.5).all()),
              "this includes the link's delay of 300 ms, and up to twice 133 ms for the packet that the "
              "link held and the next packet"),
        Claim("LPD: stale packets that the queue sent", "none",
              f"{int((lpd['stale'] - lpd['held']).sum())} of {int(lpd['arrived'].sum())}",
              bool((lpd["stale"] == lpd["held"]).all()),
              f"another {text(lpd['held'])} per run were in the link when the spike began")]
