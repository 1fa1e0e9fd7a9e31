# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes and reads the frames of a stream. The bytes follow the diagrams in
userspace/stream/frame.h, independently of the C code under test."""
import struct

MESSAGE, SKIP, TERMS, REPORT = range(4)
TYPES = range(4)
FINAL = 1
SERVICE = 0x666c7374                    # SC:flst
DTLS_SERVICE = 0x666c7364               # SC:flsd

# the fields of each frame after byte 1, with their sizes in bytes; None is sent as 0 and ignored
LAYOUT = {
    MESSAGE: (("unfinished", 2), ("number", 4), ("piece", 2), ("pieces", 2), ("submitted", 4),
              ("lifetime", 4)),
    SKIP: ((None, 2), ("number", 4)),
    TERMS: ((None, 2), ("lifetime", 4), ("latency", 4), ("way", 4), ("srtt", 4)),
    REPORT: ((None, 2), ("on_time", 4), ("late", 4), ("missing", 4)),
}
# byte 1
SECOND = {MESSAGE: "attempt", SKIP: None, TERMS: "revision", REPORT: None}


class Refused(Exception):
    """A receiver must refuse the packet. The text says why."""


def size(kind):
    """Bytes of a frame without payload."""
    return 2 + sum(width for _, width in LAYOUT[kind])


def write(kind, flags=0, payload=b"", **fields):
    """The bytes of a frame."""
    out = struct.pack("BB", kind << 4 | flags, fields.get(SECOND[kind], 0))
    for name, width in LAYOUT[kind]:
        out += fields.get(name, 0).to_bytes(width, "big")
    return out + payload


def read(data):
    """The fields of a frame: {"kind": ..., "flags": ..., ..., "payload": ...}."""
    kind = data[0] >> 4 if data else None
    if kind not in LAYOUT or len(data) < size(kind):
        raise Refused("type or length")
    fields = {"kind": kind, "flags": data[0] & 15, "payload": data[size(kind):]}
    if SECOND[kind]:
        fields[SECOND[kind]] = data[1]
    at = 2
    for name, width in LAYOUT[kind]:
        if name:
            fields[name] = int.from_bytes(data[at:at + width], "big")
        at += width
    if kind != MESSAGE and fields["payload"]:
        raise Refused("length")
    if kind == MESSAGE and (not fields["payload"] or fields["piece"] >= fields["pieces"]):
        raise Refused("piece")
    return fields
