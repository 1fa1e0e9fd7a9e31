# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 2, scenario 1: a flow alone on the link, by bit error rate. The buffer is infinite, so packets
are lost only on the radio link."""
from iftpv import scenario

TITLE = "A flow alone, by bit error rate"
HEADLINE = "IFTPV above IFTP; both above TCP where the bit error rate is below 1e-5"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
CELLS = [{"tcp": name, "ber": ber} for name in scenario.CONTROLS for ber in scenario.BERS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("iftpv", "reno", "veno") and
         cell["ber"] in (1e-6, 1e-5)]


def run(cell, seed, _directory):
    return scenario.run(cell, seed, scenario.INFINITE)


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, "ber", TITLE, "bit error rate")


def claims(rows):
    from pieces.claim import Claim
    mean = scenario.means(rows, "ber")
    few, some = ([b for b in mean["iftpv"].index if b < 1e-5],
                 [b for b in mean["iftpv"].index if 1e-5 <= b < 1e-3])
    return [
        Claim("IFTPV and TCP (reno) where the bit error rate is below 1e-5", "IFTPV above",
              scenario.side_by_side(mean, "iftpv", "reno", few),
              bool((mean["iftpv"][few] > mean["reno"][few]).all()),
              "hardly any packet is lost, so IFTPV has nothing to gain, and TCP fills the link as well"),
        Claim("IFTPV and TCP (reno) at 1e-5 and 1e-4", "TCP above",
              scenario.side_by_side(mean, "iftpv", "reno", some),
              bool((mean["iftpv"][some] < mean["reno"][some]).all()),
              "the paper's IFTPV does not retransmit, but here both do; so only the decision after a loss "
              "differs, and it is made for random losses"),
        Claim("IFTPV and Veno, which has no congestion loss rate, at 1e-5 and 1e-4", "",
              scenario.side_by_side(mean, "iftpv", "veno", some),
              bool((mean["iftpv"][some] >= 0.95 * mean["veno"][some]).all()))]
