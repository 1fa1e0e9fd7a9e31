# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5, scenario 4: beside TCP (reno) alone, by bit error rate; a buffer of 50 KB."""
from iftpv import scenario

TITLE = "A flow beside TCP, by bit error rate"
HEADLINE = "a fair share; IFTPV below TCP from 1e-3 to 1e-5, above it for fewer errors"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
CELLS = [{"tcp": name, "ber": ber} for name in scenario.CONTROLS for ber in scenario.BERS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("iftpv", "reno") and cell["ber"] == 1e-5]


def run(cell, seed, _directory):
    return scenario.run(cell, seed, scenario.BUFFER, ("reno",))


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, "ber", TITLE, "bit error rate")


def claims(rows):
    from pieces.claim import Claim
    fair = scenario.shares(rows, "ber")["iftpv"]
    own, beside = (rows[(rows["tcp"] == "iftpv") & (rows["flow"] == number)].groupby("ber")["kbit"].mean()
                   for number in (0, 1))
    many = [ber for ber in own.index if 1e-5 <= ber < 1e-3]
    few = [ber for ber in own.index if ber < 1e-5]
    told = "; ".join(f"at {ber:g} {own[ber]:.0f} and {beside[ber]:.0f} kbit/s" for ber in own.index)
    return [
        Claim("Jain's index of IFTPV and the TCP (reno) beside it, by bit error rate",
              "a fair share", "; ".join(f"at {ber:g} {fair[ber]:.2f}" for ber in few + many),
              bool((fair[few + many] >= 0.9).all()),
              "where losses are random IFTPV keeps what reno gives away"),
        Claim("IFTPV and that TCP from 1e-5 on", "IFTPV below", told,
              bool((own[many] < beside[many]).all()),
              "as alone: what is lost is not lost to congestion"),
        Claim("IFTPV and that TCP below 1e-5", "IFTPV above", told,
              bool((own[few] > beside[few]).all()))]
