# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and control packets that carry the option, through lpd. Packets with an option can take the fast
path of lpd."""
from pieces import paths
from streams import links, places, scenario
from streams.bars import Bar
from streams.places import LPD, MODEM, ORDERS, PACED, RADIO
from streams.scenario import STAMPED

TITLE = "A video whose packets carry the option"
HEADLINE = "none; nearly all packets take the fast path of lpd"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 1.6
QUEUES = (*((RADIO, order) for order in ORDERS), (MODEM, PACED))
FILES = places.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": STAMPED}
         for link in links.LINKS for modem, queue in QUEUES]
QUICK = [cell for cell in CELLS if cell["link"] == links.OUTAGE and cell["queue"] in (LPD, PACED)]
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, STAMPED) for modem, queue in QUEUES]
BARS = [Bar(f"at least {paths.LEAST} of the packets with an option take the fast path of lpd", "fast_part",
            [(kind, None) for kind in KINDS], least=paths.LEAST, each_seed=True)]


def table(rows):
    from streams import results
    return f"{results.table(rows)}\n\n{results.taken(rows)}"


def draw(rows, path):
    """Draw frames shown and control packets in time for each queue, by link, and both over time. Bars of
    the second colour: in front of the modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, KINDS, [("part_500", "frames shown at 0.5 s [%]"),
                                                   ("control_part", "control within 200 ms [%]")])


def claims(rows):
    from streams import results
    return results.claims(rows, BARS)
