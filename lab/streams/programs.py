# SPDX-License-Identifier: GPL-2.0-or-later
"""The same video by other programs: MPEG-TS over UDP (ffmpeg), RTP with RTCP (GStreamer), and SRT with a
latency of 125 to 1000 ms. SRT repeats lost packets, and shows a packet after its latency."""
from pieces import video
from streams import links, scenario
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO, table
from streams.scenario import VIDEO

TITLE = "The video by other programs"
HEADLINE = "none; a program that repeats packets also needs a queue that discards stale packets"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 2
PLACES = [(RADIO, LPD), (MODEM, NOTHING), (MODEM, PACED)]
FLOWS = [VIDEO, *(program for program in video.PROGRAMS if program != "rtp")]
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": flows}
         for link in (links.OUTAGE, *links.TRACES) for flows in FLOWS for modem, queue in PLACES]
QUICK = []
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, flows) for flows in FLOWS for modem, queue in PLACES]
FOLLOWED = [(modem, queue, "srt-400") for modem, queue in PLACES]


def draw(rows, path):
    """Draw frames shown at 0.5 s and 2 s for each program and queue, by link, and over time. Bars of the
    second colour: in front of the modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"), ("part_2000", "frames shown at 2 s [%]")])


def claims(rows):
    from streams import results
    return results.ratios(results.means(rows), [
        ([((MODEM, PACED, flows), (RADIO, LPD, flows)) for flows in FLOWS], "part_2000", 0.95,
         "with pace at least 0.95 of the frames of lpd above the radio, shown at 2 s, for each program, "
         "on each link"),
        ([((MODEM, PACED, flows), (MODEM, NOTHING, flows)) for flows in FLOWS], "part_2000", 1,
         "with pace no fewer frames than without anything, shown at 2 s, for each program, on each "
         "link")])
