# SPDX-License-Identifier: GPL-2.0-or-later
"""The links of the experiments: a constant rate, the same rate with an outage, and traces. TRACES names a
user's files or folders in mahimahi's format. There are also the generated traces of lpd/traces.py."""
import os

from lib.cell import MS, S

from lpd.traces import MADE, link_of
from pieces import spikes, trace, video

STEADY, OUTAGE = "steady", "outage"
KBIT = 4000                             # of these two links
LENGTHS, LATEST = (2, 10), 12           # s: length of the outage, and its latest begin
GAP = 1000                              # ms: an outage of a trace
SIZE = 1514                             # bytes of an opportunity, with the link-layer header
FILES = trace.of_user(os.environ.get("TRACES", ""))
TRACES = FILES + list(MADE)
LINKS = [STEADY, OUTAGE, *TRACES]


def is_trace(name):
    """Return whether a link follows a trace. The machine does not know TRACES, so any other name is the
    name of a user's file."""
    return name not in (STEADY, OUTAGE)


def check(name):
    """Raise ValueError or OSError if a link follows a file that is not a trace."""
    if is_trace(name) and name not in MADE:
        trace.check(name)


class Link:
    """A link of a seed."""

    def __init__(self, name, seed, directory):
        self.name, self.seed = name, seed
        self.file, self.start, self.kbit = None, 0, KBIT
        if is_trace(name):
            self.file, self.start, self.kbit = link_of(name, seed, directory)

    @property
    def rate(self):
        """The constant rate in kbit/s, or None."""
        return None if self.file else KBIT

    @property
    def clip(self):
        """The rate of the video in kbit/s: the highest rate that takes at most half of the link's mean
        rate, or the lowest rate."""
        return max((rate for rate in video.RATES if rate <= self.kbit / 2), default=video.RATES[0])

    def begin(self, path, seconds):
        """Start the trace or the outage. Return the outages of these seconds as (begin, end), in ns of
        CLOCK_REALTIME, and the number of kbit that the link can carry."""
        if self.file:
            return self._follow(path, seconds)
        if self.name == STEADY:
            return [], KBIT * seconds
        [outage] = path.spikes(spikes.draw(self.seed, LENGTHS, LATEST, 1))
        return [(outage.start, outage.end)], KBIT * (seconds - outage.length / S)

    def _follow(self, path, seconds):
        path.follow(self.file, self.start, SIZE)
        now, position = path.trace_time()
        opportunities = trace.window(trace.read(self.file), position // MS, seconds * 1000)
        outages = [(now + begin * MS, now + end * MS)
                   for begin, end in trace.gaps(opportunities, GAP)]
        return outages, len(opportunities) * SIZE / 125
