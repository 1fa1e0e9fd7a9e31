# SPDX-License-Identifier: GPL-2.0-or-later
"""H.264 in RTP (RFC 3550, RFC 6184): the frame that a datagram belongs to. All packets of a frame have
the same RTP time stamp. A frame with an IDR slice is a key frame."""
import struct

HEADER = 12
EXTENSION, CSRCS, PADDING = 0x10, 0x0f, 0x20
IDR, STAP_A, FU_A = 5, 24, 28           # NAL unit types
TYPE = 0x1f


def parse(datagrams):
    """Return [(frame, whether the datagram has a part of an IDR slice)] of each datagram, in the order
    in which the datagrams were sent. Frames are numbered from 0. A datagram that is not RTP raises
    ValueError."""
    found, frame, before = [], -1, None
    for datagram in datagrams:
        stamp, payload = _split(datagram)
        frame += stamp != before
        before = stamp
        found.append([(frame, IDR in _types(payload))])
    return found


def payload(datagram):
    """Return the payload of a datagram."""
    return _split(datagram)[1]


def _split(datagram):
    """The time stamp and the payload of an RTP packet."""
    if len(datagram) < HEADER or datagram[0] >> 6 != 2:
        raise ValueError(f"{datagram[:HEADER].hex()}: expected a header of RTP")
    at = HEADER + 4 * (datagram[0] & CSRCS)
    if datagram[0] & EXTENSION:
        at += 4 + 4 * struct.unpack_from("!H", datagram, at + 2)[0]
    end = len(datagram) - (datagram[-1] if datagram[0] & PADDING else 0)
    return struct.unpack_from("!I", datagram, 4)[0], datagram[at:end]


def _types(payload):
    """The types of the NAL units in a payload."""
    kind = payload[0] & TYPE if payload else 0
    if kind == FU_A:
        return [payload[1] & TYPE]
    if kind != STAP_A:
        return [kind]
    found, at = [], 1
    while at + 2 < len(payload):
        found.append(payload[at + 2] & TYPE)
        at += 2 + struct.unpack_from("!H", payload, at)[0]
    return found
