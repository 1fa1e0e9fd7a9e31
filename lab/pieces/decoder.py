# SPDX-License-Identifier: GPL-2.0-or-later
"""The number of pictures that a decoder makes from received packets, and that equal the pictures of the
sent video. frames.py computes the same number from the packets' times alone."""
import os
import struct
import subprocess

from pieces import rtp

START = b"\0\0\0\1"             # start code of the byte stream format (H.264, annex B)
FFMPEG = "ffmpeg -nostdin -hide_banner -loglevel quiet "
PARAMETERS = (7, 8)             # NAL unit types of parameter sets, which are not in RTP
REFERENCE = 0xe0                # the bits of a NAL unit's header besides its type


def count(clip, seconds, datagrams, directory):
    """Decode the frames in RTP datagrams, all of whose packets must be there. Return the number of
    decoded pictures that also are in the first seconds of the sent video."""
    whole, received = (os.path.join(directory, name) for name in ("whole.h264", "received.h264"))
    _run(f"-i {clip} -t {seconds} -c copy -f h264 {whole}")
    with open(whole, "rb") as file:
        units = file.read().replace(START, START[1:]).split(START[1:])[1:]
    sets = dict.fromkeys(unit for unit in units if unit[0] & rtp.TYPE in PARAMETERS)
    with open(received, "wb") as file:
        file.write(b"".join(START + unit for unit in (*sets, *nal_units(datagrams))))
    known = set(_pictures(whole))
    return sum(picture in known for picture in _pictures(received))


def nal_units(datagrams):
    """Return the NAL units in RTP datagrams."""
    found = []
    for payload in map(rtp.payload, datagrams):
        kind = payload[0] & rtp.TYPE
        if kind == rtp.FU_A:
            if payload[1] & 0x80:       # the first fragment
                found.append(bytes([payload[0] & REFERENCE | payload[1] & rtp.TYPE]))
            found[-1] += payload[2:]
        elif kind == rtp.STAP_A:
            found += _aggregated(payload)
        else:
            found.append(payload)
    return found


def _aggregated(payload):
    found, at = [], 1
    while at < len(payload):
        [length] = struct.unpack_from("!H", payload, at)
        found.append(payload[at + 2:at + 2 + length])
        at += 2 + length
    return found


def _run(words):
    return subprocess.run((FFMPEG + words).split(), text=True, stdout=subprocess.PIPE,
                          check=True).stdout


def _pictures(path):
    """Digests of the pictures that ffmpeg decodes from a file."""
    lines = _run(f"-threads 1 -f h264 -i {path} -fps_mode passthrough -f framemd5 -").splitlines()
    return [line.rsplit(",", 1)[1].strip() for line in lines if not line.startswith("#")]
