# SPDX-License-Identifier: GPL-2.0-or-later
"""A video and control packets while a program uploads a file by TCP: queues directly above the radio and
in front of a modem of 1 MB. For comparison the video and the upload also run alone. In other cells a profile
of xlo on the sender gives repeated segments of TCP a lifetime."""
from streams import links, scenario
from streams.bars import Bar
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO, table
from streams.scenario import BOTH, REPEATS, UPLOAD, VIDEO

TITLE = "A video and an upload that share a link"
HEADLINE = "none; with lpd's class both get their share"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 2.3
QUEUES = {RADIO: (NOTHING, "fq_codel", "cake", "prio", "lpd-flat", "lpd", LPD),
          MODEM: (NOTHING, "cake-autorate", "prio", LPD, PACED)}
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
SHARE = 0.5             # of the packets with a lifetime, lpd's default
# with the upload, compared with the video alone
_BESIDE = {queue: [((modem, queue, BOTH), (modem, queue, VIDEO))] for modem, queue in ALONE}
BARS = [
    Bar("above the radio, with the upload at least 0.9 of the frames without the upload, if the video needs "
        "at most its share", "part_500", _BESIDE[LPD], least=0.9, need=SHARE),
    Bar("with pace, with the upload at least 0.9 of the frames without the upload, if the video needs at most "
        "its share", "part_500", _BESIDE[PACED], least=0.9, need=SHARE),
    Bar("above the radio, with the upload at least 0.95 of the control packets within 200 ms",
        "control_part", _BESIDE[LPD], least=0.95),
    Bar("with pace, with the upload at least 0.95 of the control packets within 200 ms", "control_part",
        _BESIDE[PACED], least=0.95),
    Bar("above the radio, the upload beside the video is at least 0.9 of the upload through prio with "
        "fq_codel, also with the profile repeats", "upload_kbit",
        [((RADIO, LPD, flows), (RADIO, "prio", BOTH)) for flows in (BOTH, REPEATS)], least=0.9),
    Bar("with pace, with the upload no fewer frames than without anything", "part_500",
        [((MODEM, PACED, BOTH), (MODEM, NOTHING, BOTH))], least=1, each_seed=True),
    Bar("with pace, an upload alone is at least 0.9 of the upload without anything", "upload_kbit",
        [((MODEM, PACED, UPLOAD), (MODEM, NOTHING, UPLOAD))], least=0.9),
    # payload of TCP, of at most 0.956 of the link's bytes
    Bar("with pace, an upload alone uses at least 0.9 of the link", "upload_part",
        [((MODEM, PACED, UPLOAD), None)], least=0.9)]
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
    return results.claims(rows, BARS)
