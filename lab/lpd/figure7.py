# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 7: the flow of figure 6 with headercasting. LPD cuts stale packets to their headers, so no loss is
reported, and the first feedback after the spike undoes what the nofeedback timer took from the rate. For
comparison the sender also runs without undoing it."""
from lpd import figure6
from lpd.figure6 import DELAYS, NEAR, RATES

TITLE = "TFRC across a delay spike with headercasting"
HEADLINE = "no loss is reported, and the reduction of the rate because of missing feedback is undone"
SECONDS, SEEDS, COST = figure6.SECONDS, figure6.SEEDS, figure6.COST
CELLS = [{"kbit": k, "delay": d, "queue": "LPD-cut", "undo": undo} for k in RATES for d in DELAYS
         for undo in ("on", "off")]
QUICK = [cell for cell in CELLS if cell["delay"] == NEAR]
TRIPS = 2                   # round trips after the first feedback until the rate is back


def run(cell, seed, directory):
    return figure6.measure(cell, seed, directory, f"--stale truncate --undo {cell['undo']}")


# --- on the host ---

def draw(rows, path):
    figure6.draw_columns(rows, path, TITLE, "undo", {"on": "with undo", "off": "without undo"})


def claims(rows):
    sums = rows[rows["what"] == "sum"]
    return [claim for (kbit, delay), here in sums.groupby(["kbit", "delay"])
            for claim in _of_link(here, f"{kbit} kbit/s, {delay} ms")]


def _of_link(here, where):
    from pieces.claim import Claim
    from pieces.estimate import is_less, span, text
    on, off = (here[here["undo"] == word].set_index("seed") for word in ("on", "off"))
    more = on["valid"] - off["valid"]
    trips = (on["back"] - on["first"]) / on["rtt"]
    return [
        Claim(f"{where}: runs in which losses are reported", "none", f"{(on['loss'] > 0).sum()} of {len(on)}",
              bool((on["loss"] == 0).all())),
        Claim(f"{where}: round trips from the first feedback after the spike until the rate is back; at most "
              f"{TRIPS}", "undone", span(trips), bool(trips.max() <= TRIPS)),
        Claim(f"{where}: the rate is back earlier than without undo", "",
              f"{text(on['back'], ' s')} after the spike, instead of {text(off['back'], ' s')}",
              is_less(on["back"], off["back"])),
        Claim(f"{where}: valid packets, no fewer than without undo", "", f"{span(more, digits=0)} more",
              bool((more >= 0).all()))]
