# SPDX-License-Identifier: GPL-2.0-or-later
"""Troubles that could deceive freshlink pace, on each link: outages in both directions or in one, a download
that fills the way back, other users that take half of the rate, a radio that sends in bursts, lost and
reordered answers, and a delay that triples."""
from streams import links, scenario
from streams.bars import Bar
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO
from streams.scenario import BOTH, VIDEO
from streams.troubles import TROUBLES

TITLE = "Troubles of a link with pace"
HEADLINE = "none; with pace no worse than without"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 2
PLACES = [(MODEM, NOTHING), (MODEM, PACED)]
ABOVE = (RADIO, LPD)                    # only on the steady link
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "trouble": trouble, "modem": modem, "queue": queue, "flows": flows}
         for link in (links.STEADY, *links.TRACES) for trouble in TROUBLES for flows in (VIDEO, BOTH)
         for modem, queue in PLACES + [ABOVE] * (link == links.STEADY)]
QUICK = []
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(*place, flows) for flows in (VIDEO, BOTH) for place in (ABOVE, *PLACES)]
FOLLOWED = [(*place, BOTH) for place in (ABOVE, *PLACES)]
_WITHOUT = [((MODEM, PACED, flows), (MODEM, NOTHING, flows)) for flows in (VIDEO, BOTH)]
BARS = [
    Bar("with pace no fewer frames than without anything, with each trouble", "part_500", _WITHOUT, least=1,
        each_seed=True),
    Bar("with pace at least 0.95 of the frames of lpd above the radio, with each trouble on a steady link",
        "part_500", [((MODEM, PACED, flows), (RADIO, LPD, flows)) for flows in (VIDEO, BOTH)], least=0.95),
    Bar("with pace the first fresh packet arrives within 0.3 s of the end of each outage, with each trouble",
        "fresh_worst_s", [(kind, None) for kind, _ in _WITHOUT], most=0.3),
    Bar("with pace, the upload beside the video is at least 0.9 of the upload without anything, with each "
        "trouble", "upload_kbit", [((MODEM, PACED, BOTH), (MODEM, NOTHING, BOTH))], least=0.9)]


def by_trouble(rows):
    """The rows with the trouble and the link instead of the link."""
    from streams import results
    return rows.assign(link=rows["trouble"] + " on " + rows["link"].map(results.label))


def table(rows):
    from streams import results
    return results.table(by_trouble(rows))


def draw(rows, path):
    """Draw the frames shown for each queue, by trouble and link, and the steady link over time. Bars of the
    second colour: in front of the modem."""
    from pieces import picture
    from streams import results
    names = sorted(rows["link"].unique(), key=lambda name: name != links.STEADY)
    lasts = len(results.SERIES)
    sheet, axes = picture.sheet(len(names) + lasts, len(TROUBLES),
                                (3 * len(TROUBLES), 2.8 * (len(names) + lasts)), sharey="row")
    for at, trouble in enumerate(TROUBLES):
        some = rows[rows["trouble"] == trouble]
        picture.title(axes[0, at], trouble)
        for line, name in enumerate(names):
            results.bars(axes[line, at], results.means(some), name, KINDS, "part_500")
            axes[line, 0].set_ylabel(f"{results.label(name)}:\nframes shown at 0.5 s [%]")
        results.series(axes[len(names):, at], some, names[0], FOLLOWED)
    for line, (_, text) in enumerate(results.SERIES, len(names)):
        axes[line, 0].set_ylabel(f"{results.label(names[0])}:\n{text}")
    picture.legend(axes[len(names), 0])
    picture.save(sheet, path, TITLE)


def claims(rows):
    from streams import results
    return results.claims(by_trouble(rows), BARS)
