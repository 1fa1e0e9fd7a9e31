# SPDX-License-Identifier: GPL-2.0-or-later
"""A video in an MPEG-2 transport stream (ISO/IEC 13818-1), in datagrams: the frames that a datagram has a
part of. Each frame is a PES packet of its own. A random access indicator tells a key frame."""

SIZE, SYNC = 188, 0x47
START = 0x40                            # payload unit start indicator
PAYLOAD, ADAPTATION = 0x10, 0x20        # adaptation field control
RANDOM_ACCESS = 0x40
VIDEO = range(0xe0, 0xf0)               # stream_id of a PES packet


def parse(datagrams):
    """Return a list of (frame, whether the frame begins here as a key frame) for each datagram, in the
    order in which the datagrams were sent. Frames are numbered from 0. A datagram that does not consist
    of packets of a transport stream raises ValueError."""
    found, frame, video = [], -1, None
    for datagram in datagrams:
        parts = {}
        for pid, start, key, payload in map(_split, _packets(datagram)):
            if start and payload[:3] == b"\0\0\1" and payload[3] in VIDEO:
                video, frame = pid, frame + 1
            if pid == video:
                parts[frame] = parts.get(frame, False) or key
        found.append(list(parts.items()))
    return found


def _packets(datagram):
    packets = [datagram[at:at + SIZE] for at in range(0, len(datagram), SIZE)]
    if not packets or len(packets[-1]) != SIZE or any(p[0] != SYNC for p in packets):
        raise ValueError(f"{datagram[:4].hex()}, {len(datagram)} bytes: expected packets of a "
                         "transport stream")
    return packets


def _split(packet):
    """The PID, whether a PES packet starts, the random access indicator, and the payload."""
    pid, control, at, key = (packet[1] & 0x1f) << 8 | packet[2], packet[3], 4, False
    if control & ADAPTATION:
        at += 1 + packet[4]
        key = packet[4] > 0 and bool(packet[5] & RANDOM_ACCESS)
    return pid, bool(packet[1] & START), key, packet[at:] if control & PAYLOAD else b""
