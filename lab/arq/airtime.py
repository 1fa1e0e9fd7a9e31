# SPDX-License-Identifier: GPL-2.0-or-later
"""What a link's airtime was spent on: the datagrams of `freshlink traffic` in frames of arqlink, or
without arqlink."""
import struct

from lib import sniff
from lib.cell import MS

from arq.network import ETHERNET, HEADER, LOWER

VERSION_4, PROTOCOL, UDP = 4, 9, 17  # of the IP header: its version, and a field and its value
UDP_HEADER = 8                      # bytes
MAGIC = struct.Struct("!IIIIQ")     # magic, lifetime in ms, size, sequence, sent in ns (traffic.h)
DATA, BYPASS = 1, 5                 # types of frames of arqlink


class Airtime(sniff.Sniffer):
    """Captures the frames that the router sends across the cellular link."""

    def __init__(self, net):
        super().__init__(net.router, LOWER, outgoing=True)
        self.arq = net.arq

    def frames(self):
        """Return (sequence, time since the datagram was sent, in ns) of each frame with a datagram
        since the last call."""
        found = [(header(frame.packet, self.arq), frame.when + self.offset) for frame in self.drain()]
        self.lossless()
        return [(fields[3], when - fields[4]) for fields, when in found if fields]


def header(packet, arq):
    """Return the header of the datagram in a frame, or None for a frame without a datagram."""
    if arq:
        if packet[0] & 15 not in (DATA, BYPASS):
            return None
        packet = packet[HEADER + ETHERNET:]
    if packet[0] >> 4 != VERSION_4 or packet[PROTOCOL] != UDP:
        return None
    return MAGIC.unpack_from(packet, (packet[0] & 15) * 4 + UDP_HEADER)


def expired(frames, lifetime_ms):
    """The number of frames whose datagram had expired when the frame was sent."""
    return sum(age > lifetime_ms * MS for _, age in frames)
