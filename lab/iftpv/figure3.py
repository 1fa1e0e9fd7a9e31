# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 3, scenario 2: the flow shares the link with TCP (reno) and with UDP of 1 Mbit/s. The UDP
flow alone would fill the link. The buffer has 50 KB. (The paper's fourth flow is IFTP, a transport
that does not exist here yet.)"""
from iftpv import scenario

TITLE = "A flow that shares the link with UDP and TCP, by bit error rate"
HEADLINE = "TCP is better at congestion; IFTPV above IFTP"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
UDP_KBIT = 1000
CELLS = [{"tcp": name, "ber": ber} for name in scenario.CONTROLS for ber in scenario.BERS]
QUICK = [cell for cell in CELLS if cell["tcp"] in ("iftpv", "reno") and cell["ber"] == 1e-5]


def run(cell, seed, _directory):
    return scenario.run(cell, seed, scenario.BUFFER, ("reno",), UDP_KBIT)


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, "ber", TITLE, "bit error rate")


def claims(rows):
    from pieces.claim import Claim
    own, other = (rows[(rows["tcp"] == "iftpv") & (rows["flow"] == number)].groupby("ber")["kbit"].mean()
                   for number in (0, 1))
    few = [ber for ber in own.index if ber < 1e-3]
    return [
        Claim("IFTPV and TCP (reno) that share the link with UDP", "TCP above",
              "; ".join(f"at {ber:g} {own[ber]:.0f} and {other[ber]:.0f} kbit/s" for ber in few),
              bool((own[few] < other[few]).all()),
              "the paper's IFTPV does not retransmit; UDP leaves hardly any capacity to the two flows")]
