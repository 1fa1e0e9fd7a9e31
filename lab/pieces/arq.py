# SPDX-License-Identifier: GPL-2.0-or-later
"""A link layer that repeats frames that its channel damages. Prabhakar, Kuri et al. describe it (An
Adaptive Timeout Scheme for Short TCP Flows over 3G Wireless Networks, sections II and V): selective
repeat with a window of three packets, up to six attempts for each packet, and delivery in order. If the
last attempt for a packet fails, the link discards all packets that it holds (FLUSH). Two more behaviours
are ours. With PROBE the link then continues to send the packet that it gave up, until another packet
comes; if the probe arrives, the link is up. With PERSIST the link never gives up. This module makes the
decisions and the reports; basestation.py has the devices.

A frame consists of its number, the number of the oldest frame that has not been given up, and the packet.
Times are in ns, on one clock."""
import collections
import struct

from lib.icmp import DEFER, DROP, LINK_UP

WINDOW, ATTEMPTS = 3, 6
BACKLOG = 3                     # DEFER is reported if the link's buffer holds this number of packets
LIMIT = 50                      # packets behind the window; the paper gives no number
HEADER = struct.Struct("!II")
FLUSH, PROBE, PERSIST = range(3)    # behaviour after the last attempt


class Frame:
    """A packet in the window, how often it was sent, and when it is due again. A frame that "probes"
    holds a packet that was given up; the link sends it to find out whether it is up."""

    def __init__(self, number, packet, probes=False):
        self.number, self.packet, self.probes = number, packet, probes
        self.attempts = self.due = 0
        self.arrived = False


class Sender:
    """The base station's end. A frame is lost if no acknowledgment comes within `patience` after the
    frame's end. `then` is the behaviour after the last attempt."""

    def __init__(self, patience, then=FLUSH):
        self.patience, self.then = patience, then
        self.window, self.behind = [], collections.deque()
        self.next = 0           # the next frame's number
        self.reports = []       # (code, packet that it is about); the caller empties the list

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
        """When the next frame is due; None if there is no frame."""
        return min((frame.due for frame in self._missing()), default=None)

    def choose(self, now):
        """The oldest frame that is due now; None if there is none. If that frame has used up its
        attempts, the link gives up all frames, and there is none either."""
        frame = next((frame for frame in self._missing() if frame.due <= now), None)
        if frame and frame.attempts >= ATTEMPTS and not frame.probes and self.then != PERSIST:
            self._flush(frame)
            return None
        return frame

    def encode(self, frame):
        return HEADER.pack(frame.number, self.window[0].number) + frame.packet

    def sent(self, frame, end):
        """Count an attempt. The frame's last byte leaves at `end`."""
        frame.attempts += 1
        frame.due = end + self.patience

    def acknowledge(self, number):
        """A frame has arrived. The number may belong to a frame that was acknowledged before, or given
        up; then nothing changes."""
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
    """The mobile's end. It delivers packets in order, each of them once."""

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
