# SPDX-License-Identifier: GPL-2.0-or-later
"""A link layer that retransmits damaged frames. Prabhakar, Kuri et al. describe this link layer (An
Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks, sections II and V). The link
layer uses selective repeat with a window of three packets, up to six attempts for each packet, and
delivery in order. If the last attempt for a packet fails, the link discards all its packets
(FLUSH). Two more behaviours are ours. With PROBE the link continues to send the packet whose last
attempt failed, until a new packet arrives at the link. If this probe reaches the receiver, the
link is up. With PERSIST the link never gives up. This module decides what to send and what to
report. basestation.py has the devices.

A frame consists of its number, the number of the oldest frame that has not been given up, and the packet.
All times are in ns on the same clock."""
import collections
import struct

from lib.icmp import DEFER, DROP, LINK_UP

WINDOW, ATTEMPTS = 3, 6
BACKLOG = 3                     # the link reports DEFER if its buffer contains this number of packets
LIMIT = 50                      # packets that wait for the window; the paper gives no number
HEADER = struct.Struct("!II")
FLUSH, PROBE, PERSIST = range(3)    # behaviour after the last attempt


class Frame:
    """A packet in the window, with the number of attempts and the time of the next attempt. A frame
    that "probes" contains a packet that the link has given up. The link sends such a frame to find
    out whether the channel is good again."""

    def __init__(self, number, packet, probes=False):
        self.number, self.packet, self.probes = number, packet, probes
        self.attempts = self.due = 0
        self.arrived = False


class Sender:
    """The base station's end of the link. A frame counts as lost if no acknowledgment arrives
    within `patience` after the end of the frame's transmission. `then` is the behaviour after the
    last attempt."""

    def __init__(self, patience, then=FLUSH):
        self.patience, self.then = patience, then
        self.window, self.behind = [], collections.deque()
        self.next = 0           # the next frame's number
        self.reports = []       # pairs (code, packet) for the caller, which empties the list

    def take(self, packet):
        """Accept a packet, if there is space."""
        if len(self.behind) == LIMIT:
            return
        if self.window and self.window[0].probes:
            self.window.clear()
        self.behind.append(packet)
        self._fill()
        if len(self._missing()) + len(self.behind) >= BACKLOG:
            self.reports.append((DEFER, packet))

    def _missing(self):
        """The frames in the window that are not acknowledged."""
        return [frame for frame in self.window if not frame.arrived]

    def _append(self, packet, probes=False):
        self.window.append(Frame(self.next, packet, probes))
        self.next += 1

    def _fill(self):
        while self.behind and len(self.window) < WINDOW:
            self._append(self.behind.popleft())

    def moment(self):
        """Return the time at which the next frame is due, or None if the link has no frame."""
        return min((frame.due for frame in self._missing()), default=None)

    def choose(self, now):
        """Return the oldest frame that is due now, or None if no frame is due. If the oldest due frame
        has used all its attempts, the link gives up all frames, and the result is None."""
        frame = next((frame for frame in self._missing() if frame.due <= now), None)
        if frame and frame.attempts >= ATTEMPTS and not frame.probes and self.then != PERSIST:
            self._flush(frame)
            return None
        return frame

    def encode(self, frame):
        return HEADER.pack(frame.number, self.window[0].number) + frame.packet

    def sent(self, frame, end):
        """Count an attempt. The frame's last byte is sent at the time `end`."""
        frame.attempts += 1
        frame.due = end + self.patience

    def acknowledge(self, number):
        """Handle the acknowledgment of a frame. An acknowledgment of a frame that was already
        acknowledged or given up has no effect."""
        for frame in self._missing():
            if frame.number == number:
                frame.arrived = True
                if frame.probes:
                    self.reports.append((LINK_UP, frame.packet))
                elif frame.attempts == ATTEMPTS:
                    self.reports.append((DEFER, frame.packet))
        while self.window and self.window[0].arrived:
            del self.window[0]
        self._fill()

    def _flush(self, frame):
        self.reports.append((DROP, frame.packet))
        self.window.clear()
        self.behind.clear()
        if self.then == PROBE:
            self._append(frame.packet, probes=True)


class Receiver:
    """The mobile's end of the link. The mobile delivers each packet once and in order."""

    def __init__(self):
        self.next, self.held = 0, {}

    def take(self, data):
        """Accept a frame. Returns its number, for the acknowledgment, and the packets to deliver now."""
        number, first = HEADER.unpack_from(data)
        if number >= self.next:
            self.held[number] = data[HEADER.size:]
        ready = []
        while self.next < first or self.next in self.held:
            ready += [self.held.pop(self.next)] if self.next in self.held else []
            self.next += 1
        return number, ready
