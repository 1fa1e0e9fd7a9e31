# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 12: one run of figure 11 without and with LPD, over time. TFRC's lifetime is 5 s. Not in the paper are
the runs in which LPD cuts stale packets to their headers, or drops from the head."""
from lpd import figure11
from lpd.figure11 import CUT, DISCARD, NAMES, NO_SIGN, TAIL, TRACED, WHY_EVEN

TITLE = "TFRC and a download by TCP in one queue, over time"
HEADLINE = "with LPD TCP has no go-back-N duplicates, TFRC has no stale packets, and the throughputs are closer"
CELLS_OF = "figure11"
MARKS = {"segment": (0, "."), "again": (1, "x"), "valid": (2, "."), "stale": (3, "x")}
WORDS = {"segment": "TCP: new", "again": "TCP: had arrived before", "valid": "TFRC: valid",
         "stale": "TFRC: stale"}


def draw(rows, path):
    """Draw one seed: the arrivals of TCP above, those of TFRC below."""
    from pieces import picture, spikes
    seed = int(rows["seed"].min())
    shown = rows[(rows["seed"] == seed) & (rows["what"] != "sum")]
    sheet, axes = picture.sheet(2, len(NAMES), (15, 8), sharex=True, sharey="row")
    for column, (queue, name) in enumerate(NAMES.items()):
        here = shown[shown["queue"] == queue]
        for line, what in enumerate((("segment", "again"), ("valid", "stale"))):
            _panel(picture, axes[line, column], here, what)
            picture.shade(axes[line, column], [(s.start / 1e9, s.end / 1e9) for s in spikes.draw(seed)
                                               if s.start < figure11.SHOWN * 1e9])
        picture.title(axes[0, column], name)
        axes[1, column].set_xlabel("time [s]")
    axes[0, 0].set_ylabel("TCP: sequence number [kB]")
    axes[1, 0].set_ylabel("TFRC: sequence number [packets]")
    for each in axes[:, 0]:
        picture.legend(each)
    picture.save(sheet, path, f"{TITLE} ({TRACED['lifetime']} s, {TRACED['buffer']} packets, seed {seed})")


def _panel(picture, axes, here, kinds):
    axes.set_xlim(0, figure11.SHOWN)
    for what in kinds:
        number, mark = MARKS[what]
        points = here[here["what"] == what]
        axes.plot(points["at"], points["sequence"], mark, color=picture.COLORS[number], markersize=3.5,
                  label=WORDS[what])


def claims(rows):
    from pieces.claim import Claim
    from pieces.estimate import text
    sums = figure11.cells(rows)
    sums = sums[(sums["lifetime"] == TRACED["lifetime"]) & (sums["buffer"] == TRACED["buffer"])]
    by = {queue: sums[sums["queue"] == queue].set_index("seed") for queue in NAMES}
    found = []
    for queue in (DISCARD, CUT):
        here, tail = by[queue], by[TAIL]
        paper = queue == DISCARD
        own = here["stale"] - here["held"]
        found += [
            Claim(f"{NAMES[queue]}: segments that had arrived before", "no go-back-N" if paper else "",
                  f"{text(here['again'])}; with drop-tail {text(tail['again'])}",
                  bool(here["again"].mean() < 0.2 * tail["again"].mean())),
            Claim(f"{NAMES[queue]}: stale packets of TFRC that the queue sent", "none" if paper else "",
                  f"{int(own.sum())}; with drop-tail {text(tail['stale'])} in each run", bool(own.sum() == 0),
                  f"the link held {text(here['held'])} more in each run"),
            Claim(f"{NAMES[queue]}: the lower throughput, in percent of the higher", "closer" if paper else "",
                  f"{text(here['even'])}; with drop-tail {text(tail['even'])}",
                  bool(here["even"].mean() > tail["even"].mean()),
                  f"{WHY_EVEN}. The lower goodput: {text(here['fair'])} instead of {text(tail['fair'])}"
                  if paper else NO_SIGN)]
    return found
