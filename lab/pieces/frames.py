# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames of a video that can be shown. A receiver shows each frame at a fixed time after the sender
has sent the frame's first packet. The receiver can show a frame if all packets of the frame have arrived
by then, and if the same is true for each frame before, back to a key frame. All times are in ns."""
import collections
import math
from typing import NamedTuple

NEVER = math.inf


class Packet(NamedTuple):
    """A packet of a video. `arrived` is NEVER for a lost packet."""

    sent: int
    arrived: float

    @property
    def age(self):
        return self.arrived - self.sent


class Frame(NamedTuple):
    """A frame. `complete` is the time of its last packet's arrival, or NEVER."""

    sent: int
    complete: float
    key: bool


def arrivals(sent, arrived):
    """Return the time of arrival of each sent datagram. Both parameters are lists of (datagram, time).
    The same datagram may occur several times, and the first copy of an arrival counts."""
    times = collections.defaultdict(collections.deque)
    for datagram, when in arrived:
        times[datagram].append(when)
    return [times[datagram].popleft() if times[datagram] else NEVER for datagram, _ in sent]


def assemble(parts, packets):
    """Return the frames of packets. `parts` has a list of (frame, key) for each packet, as the parsers
    return it."""
    groups, keys = collections.defaultdict(list), collections.defaultdict(bool)
    for found, packet in zip(parts, packets, strict=True):
        for frame, key in found:
            groups[frame].append(packet)
            keys[frame] |= key
    return [Frame(min(p.sent for p in group), max(p.arrived for p in group), keys[frame])
            for frame, group in sorted(groups.items())]


def shown(frames, delay):
    """Return for each frame whether a receiver with this delay can show it."""
    found, whole = [], False
    for frame in frames:
        in_time = frame.complete - frame.sent <= delay
        whole = in_time and (whole or frame.key)
        found.append(whole)
    return found


def stale(packets, delay):
    """Return the share of the packets that arrived, but arrived too late."""
    late = sum(delay < packet.age < NEVER for packet in packets)
    return late / len(packets)


def first_fresh(packets, end, delay):
    """Return the time from the end of an outage to the next packet that arrives in time."""
    return min((p.arrived for p in packets if p.arrived >= end and p.age <= delay),
               default=NEVER) - end


def first_shown(frames, end, delay):
    """Return the time from the end of an outage to the next frame that is complete and can be
    shown."""
    return min((f.complete for f, ok in zip(frames, shown(frames, delay))
                if ok and f.complete >= end), default=NEVER) - end


def percentile(delays, share):
    """Return the delay that a share of the packets does not exceed."""
    ordered = sorted(delays)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
