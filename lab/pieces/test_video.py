#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames of a video are counted correctly: which frames a datagram has parts of, which frames are
complete, in time and behind a key frame, and what follows an outage."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pieces
from pieces import decoder, frames, mpegts, rtp, trace
from pieces.frames import NEVER, Frame, Packet
from lib import tap


def packet(stamp, payload, extra=b"", flags=0x80):
    """An RTP packet."""
    return struct.pack("!BBHII", flags, 96, 0, stamp, 1) + extra + payload


def test_rtp():
    """A frame has all packets of one time stamp. IDR slices are found in single NAL units, in aggregates
    and in fragments, behind CSRCs and extensions, and not in padding."""
    parameters = struct.pack("!H", 2) + b"\x67\x05"
    cases = [(packet(1, b"\x78" + parameters + struct.pack("!H", 1) + b"\x65"), True),
             (packet(1, b"\x7c\x85"), True), (packet(1, b"\x7c\x45"), True),
             (packet(2, b"\x41\x05"), False), (packet(2, b"\x7c\x81\x05"), False),
             (packet(3, b"\x65", b"\x41" * 8, 0x82), True),
             (packet(3, b"\x65", struct.pack("!HHI", 0, 1, 0), 0x90), True),
             (packet(1, b"\x78" + parameters), False), (packet(1, b"\x01", b"", 0xa0), False)]
    tap.equal("frames and keys", rtp.parse([datagram for datagram, _ in cases]),
              [[pair] for pair in zip([0, 0, 0, 1, 1, 2, 2, 3, 3], [key for _, key in cases])])


def ts(pid, start=False, key=False, payload=b""):
    """A packet of a transport stream."""
    field = bytes([1, mpegts.RANDOM_ACCESS]) if key else b""
    return (bytes([mpegts.SYNC, start << 6 | pid >> 8, pid & 255, 0x30 if key else 0x10]) + field +
            payload).ljust(mpegts.SIZE, b"\xff")


def test_mpegts():
    """A frame begins with a PES packet of the video, and lasts until the next one. A datagram may have
    parts of several frames, and parts of tables and sound."""
    begin, sound = b"\0\0\1\xe0", b"\0\0\1\xc0"
    datagrams = [ts(0, True) + ts(0x101, True, True, begin) + ts(0x101),
                 ts(0x102, True, True, sound), ts(0x101) + ts(0x101, True, payload=begin),
                 ts(0x101, True, payload=begin) + ts(0x101, True, True, begin)]
    tap.equal("frames and keys", mpegts.parse(datagrams),
              [[(0, True)], [], [(0, False), (1, False)], [(2, False), (3, True)]])


def test_other_datagrams():
    """Datagrams of another format are refused."""
    for parse, datagram in ((rtp.parse, bytes(11)), (rtp.parse, b"\x40" + bytes(20)),
                            (mpegts.parse, b""), (mpegts.parse, ts(0)[:-1]),
                            (mpegts.parse, ts(0) + bytes(188))):
        try:
            parse([datagram])
        except ValueError:
            continue
        raise tap.Failed(f"{datagram}: accepted")


def test_nal_units():
    """NAL units come out of single units, aggregates and fragments."""
    datagrams = [packet(1, b"\x78" + struct.pack("!H", 2) + b"\x67a" + struct.pack("!H", 1) + b"\x68"),
                 packet(1, b"\x7c\x85bc"), packet(1, b"\x7c\x05d"), packet(1, b"\x7c\x45e"),
                 packet(2, b"\x41f")]
    tap.equal("units", decoder.nal_units(datagrams), [b"\x67a", b"\x68", b"\x65bcde", b"\x41f"])


def test_arrivals():
    """Each copy of a datagram counts once, and a lost copy has no time."""
    tap.equal("times", frames.arrivals([("a", 1), ("b", 2), ("a", 3), ("a", 4)],
                                       [("a", 5), ("a", 7), ("c", 8)]), [5, NEVER, 7, NEVER])


def test_assemble():
    """A frame is complete with its last packet, and a key frame if any of its packets is part of a key
    frame."""
    parts = [[(0, False)], [(0, True), (1, False)], [], [(2, False)], [(2, False)]]
    packets = [Packet(1, 8), Packet(2, 9), Packet(3, NEVER), Packet(3, 5), Packet(3, NEVER)]
    tap.equal("frames", frames.assemble(parts, packets),
              [Frame(1, 9, True), Frame(2, 9, False), Frame(3, NEVER, False)])


def test_shown():
    """A frame is shown if it and all frames back to a key frame are complete in time."""
    shots = [Frame(0, 5, False), Frame(10, 20, True), Frame(20, 30, False), Frame(30, 41, False),
             Frame(40, 41, False), Frame(50, NEVER, True), Frame(60, 61, True)]
    tap.equal("10 ns", frames.shown(shots, 10), [False, True, True, False, False, False, True])
    tap.equal("11 ns", frames.shown(shots, 11), [False, True, True, True, True, False, True])


def test_stale():
    packets = [Packet(0, 5), Packet(0, 6), Packet(0, NEVER), Packet(0, 7)]
    tap.equal("share", frames.stale(packets, 5), 0.5)


def test_after_an_outage():
    """The first fresh packet after an outage is in time, and so is the first shown frame, which also has
    all frames before it."""
    packets = [Packet(0, 99), Packet(0, 101), Packet(96, 103), Packet(95, 102)]
    tap.equal("fresh", frames.first_fresh(packets, 100, 10), 2)
    tap.equal("none is fresh", frames.first_fresh(packets, 104, 10), NEVER)
    shots = [Frame(80, 102, True), Frame(98, 104, False), Frame(100, 105, True), Frame(99, 103, True)]
    tap.equal("shown", frames.first_shown(shots, 100, 10), 3)


def test_percentile():
    for share, value in ((0.5, 6), (0.99, 10), (0, 1)):
        tap.equal(str(share), frames.percentile(range(10, 0, -1), share), value)


def test_window():
    """A trace repeats at its last time."""
    times = [0, 5, 9, 10]
    tap.equal("in one round", trace.window(times, 4, 6), [1, 5])
    tap.equal("repeated", trace.window(times, 8, 10), [1, 2, 2, 7])
    tap.equal("later", trace.window(times, 28, 10), [1, 2, 2, 7])


def test_gaps():
    tap.equal("gaps", trace.gaps([3, 7, 8, 12], 4), [(3, 7), (8, 12)])
    tap.equal("at the begin", trace.gaps([4], 4), [(0, 4)])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
