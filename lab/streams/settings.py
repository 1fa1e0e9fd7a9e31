# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and control packets through other queues, and in front of modems of other sizes."""
from streams import links, scenario
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO, table
from streams.scenario import VIDEO

TITLE = "Other queues, and modems of other sizes"
HEADLINE = "none; a shaper with a constant rate is too fast or too slow for a link that changes"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 2
OTHERS = ("pfifo-20", "pfifo-50", "fq_codel-slow", "cake-shaped", "lpd-shaped")
SMALL, LARGE = 250, 4000                # KB
QUEUES = {RADIO: (*OTHERS, NOTHING, LPD), SMALL: (NOTHING, LPD, PACED), MODEM: (*OTHERS, NOTHING, PACED),
          LARGE: (NOTHING, LPD, PACED)}
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": VIDEO}
         for link in (links.OUTAGE, *links.TRACES) for modem in QUEUES for queue in QUEUES[modem]]
QUICK = []
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, VIDEO) for modem in QUEUES for queue in QUEUES[modem]]
FOLLOWED = [(MODEM, "cake-shaped", VIDEO), (MODEM, "lpd-shaped", VIDEO), (MODEM, PACED, VIDEO)]


def draw(rows, path):
    """Draw frames shown and control packets in time for each queue, by link, and both over time. Bars of
    the second colour: in front of a modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"),
                  ("control_part", "control within 200 ms [%]")])


def claims(rows):
    from streams import results
    found = results.means(rows)
    pairs = [((modem, PACED, VIDEO), (modem, NOTHING, VIDEO)) for modem in (SMALL, MODEM, LARGE)]
    return results.ratios(found, [
        (pairs, "part_500", 1, "with pace no fewer frames than without anything, for each modem, on "
         "each link"),
        ([((MODEM, PACED, VIDEO), (MODEM, queue, VIDEO)) for queue in OTHERS], "part_500", 1,
         "with pace no fewer frames than through each other queue, on each link")])
