# SPDX-License-Identifier: GPL-2.0-or-later
"""A link layer that repeats what its channel damages, as Prabhakar, Kuri et al. describe it (An Adaptive
Timeout Scheme for Short TCP Flows over 3G Wireless Networks, sections II and V): selective repeat with
a window of three packets, six attempts at each, delivery in order, and when an attempt at a packet was
the last nothing is kept of any (FLUSH). Two others are ours. With PROBE the link then goes on sending the
packet that it gave up, until another one comes; when it arrives, the link is up. With PERSIST it never
gives up. Here is what it decides, and what it has to tell of it; basestation.py has devices.

A frame is a packet behind its number and that of the first frame that has not been given up. Moments
are in ns, on one clock."""
import collections
import struct

from lib.icmp import DEFER, DROP, LINK_UP

WINDOW, ATTEMPTS = 3, 6
BACKLOG = 3                     # packets in the link's buffer of which DEFER tells
LIMIT = 50                      # packets behind the window; the paper does not say
HEADER = struct.Struct("!II")
FLUSH, PROBE, PERSIST = range(3)    # what follows the last attempt


class Frame:
    """A packet in the window: how often it was sent, and when it is to be sent again; or one that was
    given up, with which the link finds out whether it is up."""

    def __init__(self, number, packet, probes=False):
        self.number, self.packet, self.probes = number, packet, probes
        self.attempts = self.due = 0
        self.arrived = False


class Sender:
    """The base station's end. What it does not hear of so long after the end of a frame is lost."""

    def __init__(self, patience, then=FLUSH):
        self.patience, self.then = patience, then
        self.window, self.behind = [], collections.deque()
        self.next = 0           # the next frame's number
        self.told = []          # messages, and the packets they are about: the caller's to empty

    def take(self, packet):
        """A packet comes."""
        if len(self.behind) == LIMIT:
            return
        if self.window and self.window[0].probes:
            self.window.clear()
        self.behind.append(packet)
        self._fill()
        if len(self._missing()) + len(self.behind) >= BACKLOG:
            self.told.append((DEFER, packet))

    def _missing(self):
        """The frames in the window that have not arrived, as far as is known."""
        return [frame for frame in self.window if not frame.arrived]

    def _append(self, packet, probes=False):
        self.window.append(Frame(self.next, packet, probes))
        self.next += 1

    def _fill(self):
        while self.behind and len(self.window) < WINDOW:
            self._append(self.behind.popleft())

    def moment(self):
        """When there is something to be done next; None for never."""
        return min((frame.due for frame in self._missing()), default=None)

    def choose(self, now):
        """The oldest frame that is to be sent now; None if there is none, also where all has been given
        up for it."""
        frame = next((frame for frame in self._missing() if frame.due <= now), None)
        if frame and frame.attempts >= ATTEMPTS and not frame.probes and self.then != PERSIST:
            self._flush(frame)
            return None
        return frame

    def encode(self, frame):
        return HEADER.pack(frame.number, self.window[0].number) + frame.packet

    def sent(self, frame, end):
        """Its last byte will have been sent at a moment."""
        frame.attempts += 1
        frame.due = end + self.patience

    def acknowledge(self, number):
        """A frame has arrived; or that has been heard before, or too late."""
        for frame in self._missing():
            if frame.number == number:
                frame.arrived = True
                if frame.probes:
                    self.told.append((LINK_UP, frame.packet))
                elif frame.attempts == ATTEMPTS:
                    self.told.append((DEFER, frame.packet))
        while self.window and self.window[0].arrived:
            del self.window[0]
        self._fill()

    def _flush(self, frame):
        self.told.append((DROP, frame.packet))
        self.window.clear()
        self.behind.clear()
        if self.then == PROBE:
            self._append(frame.packet, probes=True)


class Receiver:
    """The mobile's end: packets leave it in order, and each once."""

    def __init__(self):
        self.next, self.held = 0, {}

    def take(self, data):
        """A frame comes: its number, which is to be acknowledged, and the packets that go on now."""
        number, first = HEADER.unpack_from(data)
        if number >= self.next:
            self.held[number] = data[HEADER.size:]
        ready = []
        while self.next < first or self.next in self.held:
            ready += [self.held.pop(self.next)] if self.next in self.held else []
            self.next += 1
        return number, ready
