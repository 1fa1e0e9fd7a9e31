# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 4, scenario 3: the flow shares the link with TCP (reno) and with UDP of different rates,
at a bit error rate of 1e-5. The buffer has 50 KB."""
from iftpv import scenario

TITLE = "A flow that shares the link with TCP and UDP, by UDP's rate, at a bit error rate of 1e-5"
HEADLINE = "a rate similar to TCP's, mostly below it"
SECONDS, SEEDS = scenario.SECONDS, scenario.SEEDS
RATES = (10, 100, 200, 400, 600, 800, 1000)     # kbit/s
CELLS = [{"tcp": name, "udp": rate, "ber": 1e-5} for name in scenario.CONTROLS for rate in RATES]
QUICK = [cell for cell in CELLS if cell["tcp"] == "iftpv" and cell["udp"] == 400]


def run(cell, seed, _directory):
    return scenario.run(cell, seed, scenario.BUFFER, ("reno",), cell["udp"])


# --- on the host ---

def draw(rows, path):
    scenario.draw(rows, path, "udp", TITLE, "UDP [kbit/s]")


def claims(rows):
    from pieces.claim import Claim
    own, other = (rows[(rows["tcp"] == "iftpv") & (rows["flow"] == number)].groupby("udp")["kbit"].mean()
                   for number in (0, 1))
    return [
        Claim("IFTPV and TCP (reno), by UDP's rate", "similar, IFTPV mostly below",
              "; ".join(f"at {udp} kbit/s {own[udp]:.0f} and {other[udp]:.0f}" for udp in own.index),
              bool((own < other).mean() > 0.5 and (own > other / 2).all()),
              "at this bit error rate one packet in twelve is lost without congestion")]
