# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and control packets through other queues, and in front of modems of other sizes."""
from streams import links, scenario
from streams.bars import Bar
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO, table
from streams.scenario import VIDEO

TITLE = "Other queues, and modems of other sizes"
HEADLINE = "none; a shaper with a constant rate is too fast or too slow for a link that changes"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 1.6
OTHERS = ("pfifo-20", "pfifo-50", "fq_codel-slow")
SHAPERS = ("cake-shaped", "cake-autorate", "lpd-shaped")
SMALL, LARGE = 250, 4000                # KB
QUEUES = {RADIO: (*OTHERS, NOTHING, LPD, "lpd-prio"), SMALL: (NOTHING, PACED),
          MODEM: (*OTHERS, *SHAPERS, NOTHING, PACED), LARGE: (NOTHING, PACED)}
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": VIDEO}
         for link in (links.OUTAGE, *links.TRACES) for modem in QUEUES for queue in QUEUES[modem]]
QUICK = []
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, VIDEO) for modem in QUEUES for queue in QUEUES[modem]]
FOLLOWED = [*((MODEM, queue, VIDEO) for queue in SHAPERS), (MODEM, PACED, VIDEO)]
BARS = [
    Bar("with pace no fewer frames than without anything, with modems of 250 KB, 1 MB and 4 MB", "part_500",
        [((modem, PACED, VIDEO), (modem, NOTHING, VIDEO)) for modem in (SMALL, MODEM, LARGE)], least=1,
        each_seed=True),
    Bar("with pace no fewer frames than through any other queue in front of the modem", "part_500",
        [((MODEM, PACED, VIDEO), (MODEM, queue, VIDEO)) for queue in (*OTHERS, *SHAPERS)], least=1)]


def draw(rows, path):
    """Draw frames shown and control packets in time for each queue, by link, and both over time. Bars of
    the second colour: in front of a modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"),
                  ("control_part", "control within 200 ms [%]")])


def claims(rows):
    from streams import results
    return results.claims(rows, BARS)
