# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and control packets, without other traffic: queues directly above the radio and in front of a
modem of 1 MB."""
from streams import links, scenario
from streams.bars import Bar
from streams.scenario import PACE, VIDEO

TITLE = "A video through queues above the radio and in front of a modem"
HEADLINE = "none; packets that wait in a modem cannot expire, and with pace they wait in lpd"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 1.5
RADIO, MODEM = 0, 1000                  # KB of the modem
ORDERS = ("lpd", "lpd-edf")
NOTHING = "pfifo-1000"                  # without lpd and without settings
LPD = "lpd-edf"
PACED = LPD + PACE
QUEUES = {RADIO: (NOTHING, "fq_codel", "cake", *ORDERS),
          MODEM: (NOTHING, "fq_codel", "cake", *ORDERS, *(order + PACE for order in ORDERS))}
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": VIDEO}
         for link in links.LINKS for modem in QUEUES for queue in QUEUES[modem]]
QUICK = [cell for cell in CELLS if cell["link"] == links.OUTAGE and cell["modem"] == MODEM and
         cell["queue"] in (NOTHING, PACED)]
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, VIDEO) for modem in QUEUES for queue in QUEUES[modem]]
_ABOVE = [((MODEM, order + PACE, VIDEO), (RADIO, order, VIDEO)) for order in ORDERS]
_WITHOUT = [((MODEM, order + PACE, VIDEO), (MODEM, NOTHING, VIDEO)) for order in ORDERS]
BARS = [
    Bar("with pace at least 0.95 of the frames of lpd above the radio", "part_500", _ABOVE, least=0.95),
    Bar("with pace no fewer frames than without anything", "part_500", _WITHOUT, least=1, each_seed=True),
    Bar("with pace the 99th percentile of the control packets' delay is at most 1.5 times the percentile "
        "above the radio", "control_p99", _ABOVE, most=1.5),
    Bar("with pace the first fresh packet arrives within 0.3 s of the end of each outage", "fresh_worst_s",
        [(kind, None) for kind, _ in _ABOVE], most=0.3)]
FOLLOWED = [(MODEM, NOTHING, VIDEO), (RADIO, LPD, VIDEO), (MODEM, PACED, VIDEO)]


def table(rows):
    from streams import results
    return results.table(rows)


def draw(rows, path):
    """Draw frames shown and control packets in time for each queue, by link, and both over time. Bars of
    the second colour: in front of the modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"),
                  ("control_part", "control within 200 ms [%]")])


def claims(rows):
    from streams import results
    return results.claims(rows, BARS)
