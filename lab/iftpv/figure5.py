# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5, scenario 4: beside TCP (reno) alone, by bit error rate; a buffer of 50 KB. Beside cubic,
which is what TCP is on the Internet, as well: not in the paper, and not in the picture."""
from iftpv import scenario

TITLE = "A flow beside TCP, by bit error rate"
HEADLINE = "a fair share; IFTPV below TCP from 1e-3 to 1e-5, above it for fewer errors"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
OTHERS = ("reno", "cubic")
CELLS = [{"tcp": name, "beside": other, "ber": ber} for other in OTHERS for name in scenario.CONTROLS
         for ber in scenario.BERS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("iftpv", "reno") and cell["ber"] == 1e-5]


def run(cell, seed, _directory):
    return scenario.run(cell, seed, scenario.BUFFER, (cell["beside"],))


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows[rows["beside"] == "reno"], path, "ber", TITLE, "bit error rate")


def claims(rows):
    from pieces.claim import Claim
    found = [fair(rows[rows["beside"] == other], other) for other in OTHERS]
    rows = rows[rows["beside"] == "reno"]
    own, beside = (rows[(rows["tcp"] == "iftpv") & (rows["flow"] == number)].groupby("ber")["kbit"].mean()
                   for number in (0, 1))
    told = "; ".join(f"at {ber:g} {own[ber]:.0f} and {beside[ber]:.0f} kbit/s" for ber in own.index)
    many, few = ([ber for ber in own.index if least <= ber < most] for least, most in
                 ((1e-5, 1e-3), (0, 1e-5)))
    if many:
        found.append(Claim("IFTPV and reno beside it from 1e-5 on", "IFTPV below", told,
                           bool((own[many] < beside[many]).all()),
                           "as alone: what is lost is not lost to congestion"))
    if few:
        found.append(Claim("IFTPV and reno beside it below 1e-5", "IFTPV above", told,
                           bool((own[few] > beside[few]).all())))
    return found


def fair(rows, other):
    """The claim about the shares beside one of the others."""
    from pieces.claim import Claim
    index = scenario.shares(rows, "ber")["iftpv"]
    judged = [ber for ber in index.index if ber < 1e-3]
    return Claim(f"Jain's index of IFTPV and {other} beside it, by bit error rate",
                 "a fair share" if other == "reno" else "",
                 "; ".join(f"at {ber:g} {index[ber]:.2f}" for ber in judged),
                 bool((index[judged] >= 0.9).all()),
                 "where losses are random IFTPV keeps what others give away")
