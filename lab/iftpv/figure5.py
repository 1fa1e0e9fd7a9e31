# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5, scenario 4: the flow shares the link only with TCP (reno), by bit error rate. The
buffer has 50 KB. The flow is also measured with cubic, which the Internet uses. The results with
cubic are neither in the paper nor in the picture."""
from iftpv import scenario

TITLE = "A flow that shares the link with TCP, by bit error rate"
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
    own, other = (rows[(rows["tcp"] == "iftpv") & (rows["flow"] == number)].groupby("ber")["kbit"].mean()
                   for number in (0, 1))
    rates = "; ".join(f"at {ber:g} {own[ber]:.0f} and {other[ber]:.0f} kbit/s" for ber in own.index)
    many, few = ([ber for ber in own.index if least <= ber < most] for least, most in
                 ((1e-5, 1e-3), (0, 1e-5)))
    if many:
        found.append(Claim("IFTPV and reno, at bit error rates of 1e-5 and more", "IFTPV below", rates,
                           bool((own[many] < other[many]).all()),
                           "packets are not lost to congestion, as for a flow alone on the link"))
    if few:
        found.append(Claim("IFTPV and reno, at bit error rates below 1e-5", "IFTPV above", rates,
                           bool((own[few] > other[few]).all())))
    return found


def fair(rows, other):
    """The claim about the shares of IFTPV and another flow."""
    from pieces.claim import Claim
    index = scenario.shares(rows, "ber")["iftpv"]
    judged = [ber for ber in index.index if ber < 1e-3]
    return Claim(f"Jain's index of IFTPV and {other}, by bit error rate",
                 "a fair share" if other == "reno" else "",
                 "; ".join(f"at {ber:g} {index[ber]:.2f}" for ber in judged),
                 bool((index[judged] >= 0.9).all()),
                 "after random losses IFTPV keeps its window, while the other flow reduces its own")
