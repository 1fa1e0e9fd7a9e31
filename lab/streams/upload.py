# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and control packets while a program uploads a file by TCP: queues directly above the radio and
in front of a modem of 1 MB. For comparison the video and the upload also run alone. In other cells a profile
of xlo on the sender gives repeated segments of TCP a lifetime."""
from streams import links, scenario
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO, table
from streams.scenario import BOTH, REPEATS, UPLOAD, VIDEO

TITLE = "A video and an upload that share a link"
HEADLINE = "none; with lpd's class both get their share"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 2
QUEUES = {RADIO: (NOTHING, "fq_codel", "cake", "prio", "lpd-flat", "lpd", LPD),
          MODEM: (NOTHING, "prio", LPD, PACED)}
ALONE = [(RADIO, LPD), (MODEM, PACED)]
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": BOTH}
         for link in links.LINKS for modem in QUEUES for queue in QUEUES[modem]] + \
    [{"link": link, "modem": modem, "queue": queue, "flows": flows}
     for link in links.LINKS for modem, queue in (*ALONE, (MODEM, NOTHING))
     for flows in (VIDEO, UPLOAD, REPEATS) if flows == UPLOAD or queue != NOTHING]
QUICK = [cell for cell in CELLS if cell["link"] == links.OUTAGE and cell["queue"] == PACED and
         cell["flows"] == BOTH]
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, BOTH) for modem in QUEUES for queue in QUEUES[modem]]
FOLLOWED = [(RADIO, "prio", BOTH), (RADIO, LPD, BOTH), (MODEM, NOTHING, BOTH), (MODEM, PACED, BOTH)]


def draw(rows, path):
    """Draw frames shown, control packets in time and the upload's share for each queue, by link, and the
    first two over time. Bars of the second colour: in front of the modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"),
                  ("control_part", "control within 200 ms [%]"), ("upload_part", "upload [% of link]")])


def claims(rows):
    from streams import results
    found = results.means(rows)
    pairs = [((modem, queue, BOTH), (modem, queue, VIDEO)) for modem, queue in ALONE]
    return results.ratios(found, [
        (pairs, "part_500", 0.9,
         "with the upload at least 0.9 of the frames without the upload, on each link"),
        (pairs, "control_part", 0.95,
         "with the upload at least 0.95 of the control packets within 200 ms, on each link"),
        ([((RADIO, LPD, flows), (RADIO, "prio", BOTH)) for flows in (BOTH, REPEATS)], "upload_kbit", 0.9,
         "above the radio, the upload beside the video is at least 0.9 of the upload through prio with "
         "fq_codel, on each link"),
        ([((MODEM, PACED, UPLOAD), (MODEM, NOTHING, UPLOAD))], "upload_kbit", 0.9,
         "with pace, an upload alone is at least 0.9 of the upload without anything, on each link")
    ]) + _link(results, found)


def _link(results, found):
    """The claim about the share of the link that an upload alone uses."""
    from pieces.claim import Claim
    if (MODEM, PACED, UPLOAD) not in {key[1:] for key in found.index}:
        return []
    values = found.xs((MODEM, PACED, UPLOAD), level=results.WHERE[1:])["upload_part"]
    return [Claim("with pace, an upload alone uses at least 0.9 of the link, on each link", "",
                  results.by_link(values), bool(values.min() >= 0.9),
                  "payload of TCP, of at most 0.956 of the link's bytes")]
