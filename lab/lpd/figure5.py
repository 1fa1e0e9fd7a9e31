# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5: a download by TCP across one delay spike of 10 s. Drop-tail causes a spurious timeout and
the duplicates of go-back-N. LPD causes no spurious timeout and no duplicates. The seed decides when
the spike begins."""
from lpd.fetch import fetch
from pieces import spikes
from pieces.segments import again, summary

TITLE = "TCP across a delay spike: the sender's and the receiver's trace"
HEADLINE = "without LPD a spurious timeout and go-back-N duplicates, with LPD no duplicates"
SECONDS = 60
SPIKE = 10, 12, 10          # s: earliest start, latest start, length
TOTAL = 120_000             # bytes
BUFFER = 100                # packets; the buffer never becomes full
CELLS = [{"kbit": 30, "tcp": "standard", "queue": q, "buffer": BUFFER}
         for q in ("drop-tail", "LPD")]
QUICK = CELLS


def run(cell, seed, _directory):
    [spike] = drawn = spikes.one(seed, *SPIKE)
    seconds, (seen, arrivals), _, [met] = fetch(cell, drawn, TOTAL)
    found = summary(seen, arrivals)
    rows = [{"what": "sum", "seconds": seconds, **found}]
    repeated = set(again(arrivals))
    start = met.start - spike.start
    for what, trace in (("sent", [s for s in seen if s.outgoing]), ("arrived", arrivals)):
        rows += [{"what": "again" if what == "arrived" and s in repeated else what,
                  "at": (s.when - start) / 1e9, "sequence": s.sequence}
                 for s in trace if s.bytes]
    return rows


# --- on the host ---

def draw(rows, path):
    """Draw one seed as in the paper: the receiver above, the sender below."""
    from pieces import picture
    shown = rows[rows["seed"] == rows["seed"].min()]
    sheet, axes = picture.sheet(2, 2, (11, 7), sharex=True, sharey=True)
    [met] = spikes.one(int(shown["seed"].iloc[0]), *SPIKE)
    for column, cell in enumerate(CELLS):
        trace = shown[shown["queue"] == cell["queue"]]
        picture.title(axes[0, column], f"{cell['queue']}: receiver (x: had arrived before)")
        picture.title(axes[1, column], f"{cell['queue']}: sender")
        for each, names in zip(axes[:, column], (("arrived", "again"), ("sent",))):
            picture.shade(each, [(met.start / 1e9, met.end / 1e9)])
            for name in names:
                points = trace[trace["what"] == name]
                each.plot(points["at"], points["sequence"] / 1000, "x" if name == "again" else ".",
                          color=picture.COLORS[name == "again"], markersize=4)
            each.set_ylabel("sequence number [kB]")
        axes[1, column].set_xlabel("time [s]")
    picture.save(sheet, path, f"{TITLE} (seed {int(shown['seed'].iloc[0])})")


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import text
    sums = rows[rows["what"] == "sum"].set_index("queue")
    tail, lpd = sums.loc[["drop-tail"]], sums.loc[["LPD"]]
    return [
        Claim("drop-tail: runs with a spurious timeout", "1 of 1",
              f"{(tail['spurious'] > 0).sum()} of {len(tail)}",
              bool((tail["spurious"] > 0).mean() > 0.9),
              "in the other runs the timer is longer than the spike; this depends on when the spike "
              "begins"),
        Claim("drop-tail: segments that had arrived before",
              "go-back-N duplicates", text(tail["again"]), bool(tail["again"].mean() > 10)),
        Claim("LPD: segments that had arrived before", "none",
              text(lpd["again"]), bool(lpd["again"].sum() == 0),
              "when the spike began, the link held a segment that no queue can call back; its copy "
              "follows it")]
