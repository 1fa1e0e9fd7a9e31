# SPDX-License-Identifier: GPL-2.0-or-later
"""Links that could deceive freshlink pace, on a link of 4 Mbit/s: a download that fills the way back,
other users that take half of the rate, a radio that sends in bursts, lost and reordered answers, and a
delay that triples."""
from streams import links, scenario
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO
from streams.scenario import BOTH, VIDEO
from streams.troubles import TROUBLES

TITLE = "Troubles of a link with pace"
HEADLINE = "none; with pace no worse than without"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 2
PLACES = [(RADIO, LPD), (MODEM, NOTHING), (MODEM, PACED)]
FILES = scenario.FILES

CELLS = [{"link": links.STEADY, "trouble": trouble, "modem": modem, "queue": queue, "flows": flows}
         for trouble in TROUBLES for flows in (VIDEO, BOTH) for modem, queue in PLACES]
QUICK = []
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, flows) for flows in (VIDEO, BOTH) for modem, queue in PLACES]
FOLLOWED = [(modem, queue, BOTH) for modem, queue in PLACES]


def _by_trouble(rows):
    """The rows with the trouble instead of the link."""
    return rows.assign(link=rows["trouble"])


def table(rows):
    from streams import results
    return results.table(_by_trouble(rows))


def draw(rows, path):
    """Draw frames shown and control packets in time for each queue, by trouble, and both over time. Bars
    of the second colour: in front of the modem."""
    from streams import results
    results.draw(_by_trouble(rows), path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"),
                  ("control_part", "control within 200 ms [%]"), ("upload_part", "upload [% of link]")])


def claims(rows):
    from streams import results
    return results.ratios(results.means(_by_trouble(rows)), [
        ([((MODEM, PACED, flows), (MODEM, NOTHING, flows)) for flows in (VIDEO, BOTH)], "part_500", 1,
         "with pace no fewer frames than without anything, with each trouble"),
        ([((MODEM, PACED, flows), (RADIO, LPD, flows)) for flows in (VIDEO, BOTH)], "part_500", 0.95,
         "with pace at least 0.95 of the frames of lpd above the radio, with each trouble"),
        ([((MODEM, PACED, BOTH), (MODEM, NOTHING, BOTH))], "upload_kbit", 0.9,
         "with pace, the upload beside the video is at least 0.9 of the upload without anything, with "
         "each trouble")])
