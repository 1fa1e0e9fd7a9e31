# SPDX-License-Identifier: GPL-2.0-or-later
"""The links of the experiments: a constant rate, the same rate with an outage, and traces. TRACES names a
user's files or folders in mahimahi's format. There are also the generated traces of lpd/traces.py. Any
link can have an outage in one direction or in both directions."""
import os

from lib.cell import MS, S

from lpd.traces import MADE, link_of
from pieces import spikes, trace, video

STEADY, OUTAGE = "steady", "outage"
KBIT = 4000                             # of these two links
LENGTHS, LATEST = (2, 10), 12           # s: length of the outage, and its latest begin
GAP = 1000                              # ms: an outage of a trace
# the devices that send nothing during an outage: in the direction of the video, and back
CUTS = {"outage": ("cell", "mobile"), "outage-up": ("cell",), "outage-down": ("mobile",)}
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

    def begin(self, path, seconds, cut=()):
        """Start the trace, and an outage of the devices `cut`. Return the outages of these seconds in the
        direction of the video as (begin, end), in ns of CLOCK_REALTIME, and the number of kbit that this
        direction can carry."""
        if self.file:
            path.follow(self.file, self.start, SIZE)
        outages = self._interrupt(path, CUTS[OUTAGE] if self.name == OUTAGE else cut)
        if self.file:
            return self._of_trace(path, seconds, outages)
        return outages, KBIT * (seconds - sum(end - begin for begin, end in outages) / S)

    def _interrupt(self, path, cut):
        """Start the outage of the seed. Return the outages in the direction of the video."""
        drawn = spikes.draw(self.seed, LENGTHS, LATEST, 1)
        met = {device: path.spikes(drawn, getattr(path, device)) for device in cut}
        return [(outage.start, outage.end) for outage in met.get("cell", ())]

    def _of_trace(self, path, seconds, outages):
        """The outages of a trace are its gaps, also those that the outages make."""
        now, position = path.trace_time()
        window = trace.window(trace.read(self.file), position // MS, seconds * 1000)
        used = [at for at in window
                if not any(begin <= now + at * MS <= end for begin, end in outages)]
        return [(now + begin * MS, now + end * MS) for begin, end in trace.gaps(used, GAP)], \
            len(used) * SIZE / 125

    def halve(self, path):
        """Let other users take half of the rate from now on. In a trace they take half of the bytes of
        each opportunity."""
        if self.file:
            path.follow(self.file, path.trace_time()[1] // MS, SIZE // 2)
        else:
            path.cell.change(rate=path.rate // 2)
