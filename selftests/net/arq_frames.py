#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every frame of arqlink has exactly the bytes that include/uapi/linux/arqlink.h describes. Bytes
behind the payload of a received frame are ignored."""
# run.sh: needs: simulated time
# run.sh: smoke: hello one_piece nack skip
import struct

from lib import arq_device, arq_frame, packet as pkt, tap
from lib.arq_frame import (ACK, ASK, BOUNDED, BYPASS, DATA, FIRST, HELLO, LAST, MS, NACK, PACKED, S,
                           SKIP)
from lib.arq_peer import SESSION, Scripted, packet, whole

HEAD = 14                               # bytes of a packet's Ethernet header
MARK = 7


def header(kind, flags, length, session, source, number=0, ack=0, oldest=0):
    """The header of a frame, without the checksum."""
    return struct.pack("!BBHIIHHHH", 0x10 | kind, flags, length, session, source, number, ack,
                       oldest, length)


def exact(frame, head, payload=b""):
    """Check all bytes of a frame."""
    checksum = arq_frame.crc32c(head + bytes(4) + payload)
    tap.equal(f"bytes of {frame}", frame.encode().hex(),
              (head + struct.pack("!I", checksum) + payload).hex())
    tap.equal(f"bytes behind {frame}", frame.padding, b"")
    tap.equal(f"source address of {frame}", frame.sender, arq_device.LOWER[0])


def test_checksum():
    """The codec of these tests computes the checksums in RFC 3720, appendix B.4."""
    for data, value in ((bytes(32), 0x8a9136aa), (bytes(32 * [255]), 0x62a8ab43),
                        (bytes(range(32)), 0x46dd794e), (bytes(range(31, -1, -1)), 0x113fdb5c)):
        tap.equal("CRC-32C", hex(arq_frame.crc32c(data)), hex(value))


def test_hello():
    """The first HELLO asks, and goes to all nodes without a session. The answer to a HELLO goes to
    its source, and does not ask."""
    with Scripted(False, window=77) as test:
        peer = test.peer
        first = peer.expect(HELLO)
        tap.equal("target", first.target, arq_frame.BROADCAST)
        window, largest = struct.unpack("!HH", first.payload)
        tap.equal("window", window, 77)
        tap.equal("largest piece", largest, arq_device.MTU - arq_frame.HEADER)
        exact(first, header(HELLO, ASK, 4, 0, first.source), arq_frame.offer(77, largest))
        peer.theirs = first.source
        peer.hello(ask=True)
        answer = peer.expect(HELLO, within=0)
        tap.equal("target", answer.target, arq_device.LOWER[1])
        exact(answer, header(HELLO, 0, 4, SESSION, first.source), first.payload)


def test_one_piece():
    """A packet of `frame` bytes and its Ethernet header are in one DATA frame."""
    for size in (36, 249, 250):
        with Scripted(frame=250) as test:
            test.send(0, size)
            frame, = test.peer.data(0)
            tap.equal("target", frame.target, arq_device.LOWER[1])
            exact(frame, header(DATA, FIRST | LAST, HEAD + size, SESSION, test.peer.theirs),
                  whole(0, size))


def test_several_pieces():
    """A longer packet is cut into pieces of `frame` bytes. Its first piece also has the Ethernet
    header. The first piece and the last piece have a flag."""
    for limit, size in ((250, 251), (250, 500), (250, 501), (64, 1500), (1499, 1500)):
        with Scripted(frame=limit, window=30) as test:
            test.send(0, size)
            data = whole(0, size)
            ends = [*range(HEAD + limit, HEAD + size, limit), HEAD + size]
            for number, (start, end) in enumerate(zip([0, *ends], ends)):
                flags = FIRST * (start == 0) | LAST * (end == len(data))
                exact(test.peer.data(number)[0],
                      header(DATA, flags, end - start, SESSION, test.peer.theirs, number),
                      data[start:end])
            test.peer.nothing(S)


def test_largest_piece_of_the_peer():
    """No piece is longer than the largest piece that the peer accepts."""
    with Scripted(frame=1000, offer={"largest": 300}) as test:
        test.send(0, 1000)
        frames = test.peer.heard(MS)
        tap.equal("longest piece", max(frame.length for frame in frames), 300)
        tap.equal("packet", b"".join(frame.payload for frame in frames), whole(0, 1000))


def test_ack():
    """The ACK has the number of the first DATA frame that has not arrived in sequence."""
    with Scripted() as test:
        test.peer.packets(0, 1)
        exact(test.peer.expect(ACK), header(ACK, 0, 0, SESSION, test.peer.theirs, ack=2))
        test.send(7)
        exact(test.peer.data(0)[0],
              header(DATA, FIRST | LAST, HEAD + 100, SESSION, test.peer.theirs, ack=2),
              whole(7, 100))


def test_nack():
    """The NACK has the ranges of the frames that are missing."""
    with Scripted(window=64, ack_delay=S) as test:
        for sent, missing in ((1, [(0, 1)]), (5, [(0, 1), (2, 3)]), (6, [(0, 1), (2, 3)]),
                              (3, [(0, 1), (2, 1), (4, 1)]),
                              (20, [(0, 1), (2, 1), (4, 1), (7, 13)])):
            test.peer.packets(sent)
            payload = arq_frame.ranges(*missing)
            exact(test.peer.expect(NACK, within=0),
                  header(NACK, 0, len(payload), SESSION, test.peer.theirs), payload)


def test_nack_with_many_ranges():
    """A NACK has at most eight ranges, which are the first ones."""
    with Scripted(window=64, ack_delay=S) as test:
        numbers = range(1, 25, 2)
        test.peer.packets(*numbers)
        heard = [test.peer.expect(NACK, within=0).missing() for _ in numbers]
        tap.equal("ranges", heard[-1], [(number, 1) for number in range(0, 16, 2)])


def test_skip():
    """The SKIP has the number of the first DATA frame that may still be sent."""
    with Scripted(timer=arq_device.FIXED, timeout=100 * MS, attempts=1) as test:
        test.send(0)
        test.peer.data(0)
        exact(test.peer.expect(SKIP), header(SKIP, 0, 0, SESSION, test.peer.theirs, oldest=1))


def test_oldest_travels_with_data():
    """A DATA frame says which earlier frames were given up."""
    with Scripted(timer=arq_device.FIXED, timeout=100 * MS, attempts=1) as test:
        test.send(0)
        test.peer.data(0)
        test.peer.expect(SKIP)
        test.send(1)
        exact(test.peer.data(1)[0],
              header(DATA, FIRST | LAST, HEAD + 100, SESSION, test.peer.theirs, 1, oldest=1),
              whole(1, 100))


def test_bypass():
    """A packet of the class "bypass" is in one BYPASS frame, even if the packet is longer than
    `frame`."""
    with Scripted(bypass_mark=MARK, bypass_mask=255) as test:
        test.port.mark(MARK)
        for size in (36, 250, 1500):
            test.send(0, size)
            exact(test.peer.expect(BYPASS),
                  header(BYPASS, 0, HEAD + size, SESSION, test.peer.theirs), whole(0, size))


def test_bounded():
    """A flag in the first piece says that the packet is useless after its lifetime."""
    for values, options, bounded in (({}, pkt.xlo4(500), BOUNDED), ({}, b"", 0),
                                     ({}, pkt.xlo4(pkt.NONE), 0),
                                     ({"lifetime": S}, b"", BOUNDED),
                                     ({"reliable_dscp": 1}, pkt.xlo4(500), 0)):
        with Scripted(frame=100, **values) as test:
            test.send(0, 200, options=options)
            first, last = test.peer.data(0, 1)
            tap.equal("flags", (first.flags, last.flags), (FIRST | bounded, LAST))


def test_packed():
    """Packets that wait at the same time are in one DATA frame, as far as they fit. A list of one
    packet is no list. The first packet does not wait for others."""
    with Scripted(window=1, pack=1, ring=10**6, frame=250) as test:
        options = {2: pkt.xlo4(500)}
        data = [whole(number, 60, options=options.get(number, b"")) for number in range(6)]
        for number in range(6):
            test.send(number, 60, options=options.get(number, b""))
        for number, (payload, flags) in enumerate((
                (data[0], 0), (arq_frame.packed(*data[1:4], bounded=[1]), PACKED),
                (arq_frame.packed(*data[4:]), PACKED))):
            exact(test.peer.data(number)[0],
                  header(DATA, FIRST | LAST | flags, len(payload), SESSION, test.peer.theirs,
                         number, oldest=number), payload)
            test.peer.ack(number + 1)
        test.device.expect(packed=5, sent=6, data=3, held=0)


def test_packed_ends_at_a_long_packet():
    """A packet that does not fit begins the next frame. A packet of several pieces is in no list.
    """
    for size, lists in ((192, [0, PACKED, 0]), (193, [0, 0, 0, 0]), (251, [0, 0, 0, 0, 0])):
        with Scripted(window=1, pack=1, ring=10**6, frame=250) as test:
            for number, length in enumerate((60, 40, size, 60)):
                test.send(number, length)
            for number, flag in enumerate(lists):
                tap.equal(f"frame {number} has a list, with a packet of {size} bytes",
                          test.peer.data(number)[0].flags & PACKED, flag)
                test.peer.ack(number + 1)
            test.device.expect(held=0, sent=4)


def test_packed_arrives():
    """The packets of a list are delivered in the order of the list."""
    with Scripted() as test:
        data = [whole(number, size) for number, size in enumerate((36, 60, 1000))]
        test.peer.piece(arq_frame.packed(*data, bounded=[1]), FIRST | LAST | PACKED,
                        padding=bytes(20))
        test.peer.packets(1)
        test.delivers(0, 1, 2, 1)
        test.device.expect(in_data=2, delivered=4, delivered_bytes=sum(map(len, data)) + 74)


def test_padding():
    """Bytes behind the payload are ignored, in all types of frames."""
    with Scripted(False) as test:
        peer = test.peer
        peer.theirs = peer.expect(HELLO).source
        peer.send(HELLO, arq_frame.offer(8, 9014), padding=b"\xff" * 20)
        test.device.expect(connected=1)
        peer.piece(whole(0, 40)[:3], flags=FIRST, padding=b"\xff" * 30)
        peer.piece(whole(0, 40)[3:], flags=LAST, padding=bytes(2000))
        peer.send(BYPASS, whole(1, 40), padding=b"\xff" * 30)
        tap.equal("delivered packets", [frame.packet.hex() for frame in test.delivered.drain()],
                  [packet(number, 40).hex() for number in (0, 1)])
        test.send(2)
        peer.expect(DATA, number=0, ack=2)
        peer.send(NACK, arq_frame.ranges((0, 1)), padding=b"\0\1\0\1")
        peer.expect(DATA, number=0, ack=2)
        peer.acked = 1
        peer.send(ACK, padding=b"\xff" * 30)
        peer.send(SKIP, padding=b"\xff" * 30)
        test.device.expect(flight=0, sent=1, frames_in=7, in_hello=1, in_data=2, in_bypass=1,
                           in_nack=1, in_ack=1, in_skip=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
