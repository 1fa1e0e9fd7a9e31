# SPDX-License-Identifier: GPL-2.0-or-later
"""The same video by other programs: MPEG-TS over UDP (ffmpeg), RTP with RTCP (GStreamer), and SRT with a
latency of 125 to 1000 ms. SRT repeats lost packets, and shows a packet after its latency."""
from streams import links, scenario
from streams.bars import Bar
from streams.places import LPD, MODEM, NOTHING, PACED, RADIO, table

TITLE = "The video by other programs"
HEADLINE = "none; a program that repeats packets also needs a queue that discards stale packets"
SECONDS, SEEDS, COST = scenario.SECONDS, 3, 3.6
PLACES = [(RADIO, LPD), (MODEM, NOTHING), (MODEM, PACED)]
FLOWS = ["ts", "gstreamer", "srt-400"]
LATENCIES = ["srt-125", "srt-1000"]     # only on some links: SRT takes much processor time
FILES = links.FILES + scenario.FILES

CELLS = [{"link": link, "modem": modem, "queue": queue, "flows": flows}
         for link in (links.OUTAGE, *links.TRACES)
         for flows in FLOWS + LATENCIES * (link == links.OUTAGE or link in links.MADE)
         for modem, queue in PLACES]
QUICK = []
check, run = scenario.check, scenario.run


# --- on the host ---

KINDS = [(modem, queue, flows) for flows in FLOWS + LATENCIES for modem, queue in PLACES]
FOLLOWED = [(modem, queue, "srt-400") for modem, queue in PLACES]
BARS = [
    Bar("with pace at least 0.95 of the frames of lpd above the radio, shown at 2 s, for each program",
        "part_2000", [((MODEM, PACED, flows), (RADIO, LPD, flows)) for flows in FLOWS + LATENCIES],
        least=0.95),
    Bar("with pace no fewer frames than without anything, shown at 0.5 s, for each program except SRT with "
        "a longer latency", "part_500",
        [((MODEM, PACED, flows), (MODEM, NOTHING, flows)) for flows in FLOWS + LATENCIES[:1]], least=1,
        each_seed=True)]


def draw(rows, path):
    """Draw frames shown at 0.5 s and 2 s for each program and queue, by link, and over time. Bars of the
    second colour: in front of the modem."""
    from streams import results
    results.draw(rows, path, TITLE, KINDS, FOLLOWED,
                 [("part_500", "frames shown at 0.5 s [%]"), ("part_2000", "frames shown at 2 s [%]")])


def claims(rows):
    from streams import results
    return results.claims(rows, BARS)
