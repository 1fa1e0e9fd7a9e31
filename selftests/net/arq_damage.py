#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A packet whose option accepts damage (XLO_FLAG_CORRUPT_OK) is delivered although bytes behind its
headers are wrong, with XLO_FLAG_CORRUPTED. The frames of all other packets must be right."""
# run.sh: needs: simulated time
import socket
import struct

from lib import arq_device, arq_frame, cell, mib, packet as pkt, sniff, tap, uapi, wait
from lib.arq_frame import (ACK, BYPASS, DATA, ECHO, FIRST, HEADER, LAST, MS, NACK, STAMP, TOLERANT,
                           crc32c)
from lib.arq_peer import Scripted, whole
from net import cell_errors

OK, CORRUPTED = uapi.XLO_FLAG_CORRUPT_OK, uapi.XLO_FLAG_CORRUPTED
MARK = 7
WORD = 4
LENGTH4, LENGTH6 = 14 + 28 + 8, 14 + 56 + 8     # of all headers, with UDP


def ip4(number, size=100, flags=OK, reorder=1, **ip):
    return pkt.ipv4(pkt.xlo4(pkt.NONE, flags, reorder), pkt.body(number, size), **ip)


def ip6(number, size=100, flags=OK, reorder=1):
    return pkt.ipv6(pkt.xlo6(pkt.NONE, flags, reorder), pkt.body(number, size))


def extended6(kind, extension):
    """An IPv6 packet with another extension header behind the hop-by-hop header."""
    packet = bytearray(ip6(0))
    packet[4:6] = struct.pack("!H", len(packet) - 40 + len(extension))
    packet[40] = kind
    packet[56:56] = extension
    return bytes(packet)


def protocol4(number):
    """An IPv4 packet with another transport protocol."""
    packet = bytearray(ip4(0))
    packet[9] = number
    packet[10:12] = bytes(2)
    packet[10:12] = struct.pack("!H", pkt.checksum(bytes(packet[:28])))
    return bytes(packet)


def tolerates(frame, data, sensitive):
    """Check a frame with this payload, whose first `sensitive` bytes must be right."""
    tap.equal("flag", bool(frame.flags & TOLERANT), sensitive is not None)
    tap.equal("sensitive", frame.sensitive, len(data) if sensitive is None else sensitive)
    tap.equal("payload", frame.payload, data)


def test_headers():
    """The sensitive part of a frame is the headers of the packet."""
    option4, option6, data = pkt.xlo4(pkt.NONE, OK), pkt.xlo6(pkt.NONE, OK), pkt.body(0, 100)
    with Scripted() as test:
        for number, (packet, headers) in enumerate((
                (ip4(0), LENGTH4), (ip6(0), LENGTH6),
                (pkt.ipv4(b"\1" + option4, data), LENGTH4 + 4),
                (pkt.tcp4(data, option4), LENGTH4 + 12), (pkt.tcp6(data, option6), LENGTH6 + 12),
                (ip4(0, fragment=0x2000), LENGTH4), (ip4(0, fragment=5), LENGTH4 - 8),
                (extended6(60, bytes([17, 0, 1, 4, 0, 0, 0, 0])), LENGTH6 + 8),
                (extended6(44, bytes([17, 0, 0, 1, 0, 0, 0, 1])), LENGTH6 + 8),
                (extended6(44, bytes([17, 0, 0, 8, 0, 0, 0, 1])), LENGTH6),
                (protocol4(136), LENGTH4), (protocol4(50), None),
                (ip4(0, flags=0), None), (ip6(0, flags=0), None), (pkt.ipv4(b"", data), None))):
            test.put(packet)
            frame, = test.peer.data(number)
            tolerates(frame, pkt.ethernet(packet), headers)
            test.peer.ack(number + 1)


def test_bytes():
    """The word "rest" is the first behind the header. The checksum covers the words and the
    sensitive part."""
    with Scripted(estimate=uapi.ARQLINK_ESTIMATE_STAMP) as test:
        test.peer.piece(whole(0), FIRST | LAST | STAMP, words=(7,))
        test.put(ip4(0))
        frame, = test.peer.data(0)
        data = pkt.ethernet(ip4(0))
        head = struct.pack("!BBHIIHHHH", 0x11, 0x73, len(data), test.peer.session,
                           test.peer.theirs, 0, 1, 0, LENGTH4)
        words = struct.pack("!III", crc32c(data[LENGTH4:]), frame.word(STAMP), 7)
        checksum = crc32c(head + bytes(4) + words + data[:LENGTH4])
        tap.equal("bytes", frame.encode().hex(),
                  (head + struct.pack("!I", checksum) + words + data).hex())


def test_pieces():
    """Each piece of a tolerant packet has its own sensitive part."""
    for packet, parts in ((ip4(0), (LENGTH4, 0)),
                          (pkt.tcp6(pkt.body(0, 100), pkt.xlo6(pkt.NONE, OK)), (78, 12, 0))):
        with Scripted(frame=64) as test:
            test.put(packet)
            data = pkt.ethernet(packet)
            for number, sensitive in enumerate(parts):
                begin = number and 14 + 64 * number
                frame, = test.peer.data(number)
                tolerates(frame, data[begin:14 + 64 * (number + 1)], sensitive)


def test_bypass():
    """A BYPASS frame has a sensitive part too. If the frame has no room for the word, the whole
    packet must be right."""
    with Scripted(bypass_mark=MARK, bypass_mask=255) as test:
        test.ns.link("low0", True, mtu=300)
        test.port.mark(MARK)
        for size, headers in ((222, LENGTH4), (223, None), (226, None)):
            test.put(ip4(0, size))
            tolerates(test.peer.expect(BYPASS), pkt.ethernet(ip4(0, size)), headers)


def test_room():
    """If the lower device carries no longer frames, the piece of a tolerant packet is shorter."""
    with Scripted(frame=262) as test:
        test.ns.link("low0", True, mtu=300)
        test.put(ip4(0, 300))
        tap.equal("payloads", [frame.length for frame in test.peer.heard(MS)], [272, 78])


class Receiver(Scripted):
    """A device whose peer sends damaged frames."""

    def damaged(self, data, at, kind=DATA, flags=FIRST | LAST, headers=LENGTH4, **more):
        """Send a frame with a tolerant payload. The bits of its byte `at` are wrong. The payload
        begins at 0."""
        if kind == DATA:
            more = {"number": self.peer.count} | more
            self.peer.count += 1
        else:
            flags = 0
        sensitive = min(headers, len(data))
        frame = bytearray(self.peer.frame(kind, data, flags=flags | TOLERANT, sensitive=sensitive,
                                          words=(crc32c(data[sensitive:]),), **more).encode())
        if at is not None:
            frame[HEADER + WORD + at] ^= 0xff
        self.peer.put(bytes(frame))

    def delivered_packets(self):
        return [frame.packet for frame in self.delivered.drain()]


def marked(packet, at=None):
    """The packet as it is delivered after its byte `at` was damaged."""
    data = bytearray(packet)
    data[pkt.option_offset(packet) + 3] |= CORRUPTED
    if packet[0] >> 4 == 4:
        size = (packet[0] & 15) * 4
        data[10:12] = bytes(2)
        data[10:12] = struct.pack("!H", pkt.checksum(bytes(data[:size])))
    if at is not None:
        data[at] ^= 0xff
    return bytes(data)


def test_damage():
    """Damage to the header, to the words or to the sensitive part is a wrong checksum. Damage to
    the rest marks the packet."""
    for make, headers in ((ip4, LENGTH4), (ip6, LENGTH6)):
        for kind, counter in ((DATA, "in_data"), (BYPASS, "in_bypass")):
            with Receiver() as test:
                data = pkt.ethernet(make(0))
                wrong = (-HEADER - WORD + 4, -WORD, -1, 0, headers - 1)
                for at in wrong:
                    test.damaged(data, at, kind, headers=headers, number=0)
                test.device.expect(checksum=len(wrong), delivered=0)
                for number, at in enumerate((headers, len(data) - 1, None)):
                    test.damaged(data, at, kind, headers=headers, number=number * (kind == DATA))
                test.device.expect(checksum=len(wrong), delivered=3, damaged=2, **{counter: 3})
                tap.equal("packets", [packet.hex() for packet in test.delivered_packets()],
                          [marked(make(0), headers - 14).hex(),
                           marked(make(0), len(data) - 15).hex(), make(0).hex()])


def test_piece():
    """A packet is damaged if one of its pieces is."""
    for damaged in range(3):
        with Receiver() as test:
            data = pkt.ethernet(ip4(0, 200))
            for number, flags in enumerate((FIRST, 0, LAST)):
                test.damaged(data[90 * number:90 * (number + 1)],
                             60 if number == damaged else None, flags=flags,
                             headers=LENGTH4 * (number == 0))
            test.device.expect(in_data=3, delivered=1, damaged=1)
            tap.equal("packet", test.delivered_packets()[0].hex(),
                      marked(ip4(0, 200), 90 * damaged + 60 - 14).hex())


def test_packets_after_a_damaged_one():
    """A packet that follows a damaged one is not damaged, also if both waited for a frame, or have
    overtaken a missing frame."""
    for reorder, order in ((1, (0, 1, 2)), (255, (1, 2, 0))):
        with Receiver() as test:
            packets = [ip4(number, reorder=reorder) for number in range(3)]
            for number, at in ((1, LENGTH4), (2, None), (0, None)):
                test.damaged(pkt.ethernet(packets[number]), at, number=number)
            test.device.expect(delivered=3, damaged=1)
            packets[1] = marked(packets[1], LENGTH4 - 14)
            tap.equal("packets", test.delivered_packets(), [packets[number] for number in order])


def test_duplicate():
    """A damaged frame is acknowledged. A whole frame with the same number is a duplicate."""
    with Receiver() as test:
        data = pkt.ethernet(ip4(0))
        test.damaged(data, LENGTH4, number=0)
        test.peer.expect(ACK, ack=1)
        test.damaged(data, None, number=0)
        test.device.expect(in_data=1, duplicate=1, delivered=1, damaged=1)


def test_option_does_not_allow():
    """A damaged packet whose option does not accept damage is refused, whatever its frame says."""
    for packet in (ip4(0, flags=0), ip6(0, flags=0), pkt.ipv4(b"", pkt.body(0, 100))):
        for kind in (DATA, BYPASS):
            with Receiver() as test:
                test.damaged(pkt.ethernet(packet), 90, kind)
                test.device.expect(refused=1, delivered=0, damaged=0)


def test_malformed():
    """A frame whose sensitive part is longer than its payload, or that has no room for its words,
    is malformed. In other types the flag has no meaning, and all bytes must be right."""
    with Receiver() as test:
        data = pkt.ethernet(ip4(0))
        for kind in (DATA, BYPASS):
            for sensitive in (len(data) + 1, 65535):
                test.peer.send(kind, data, flags=TOLERANT, sensitive=sensitive, words=(0,))
            test.peer.send(kind, b"", flags=TOLERANT)
            test.peer.send(kind, b"", flags=TOLERANT | ECHO, words=(0,))
        test.device.expect(malformed=8, frames_in=9)
        test.peer.send(ACK, flags=TOLERANT)
        test.peer.send(NACK, arq_frame.ranges((0, 1)), flags=TOLERANT)
        test.device.expect(in_ack=1, in_nack=1)
        test.peer.send(NACK, arq_frame.ranges((0, 1)), flags=TOLERANT, sensitive=2)
        test.device.expect(checksum=1, malformed=8)


def test_the_stack_verifies():
    """The stack verifies the checksum of a damaged packet, and drops it."""
    with Receiver() as test:
        test.ns.ip("address add 10.9.0.2/24 dev arq0")
        with test.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
            sink.bind(("10.9.0.2", 5000))
            sink.settimeout(wait.patient(10))
            head = arq_device.UPPER[0] + arq_device.UPPER[1] + struct.pack("!H", pkt.ETH_P_IP)
            packets = [head + ip4(number, source="10.9.0.1", target="10.9.0.2")
                       for number in range(2)]
            before = mib.read(test.ns)
            test.damaged(packets[0], LENGTH4 + 20)
            test.damaged(packets[1], None)
            tap.equal("received", sink.recv(200), pkt.body(1, 100))
            tap.equal("wrong checksums",
                      mib.read(test.ns)["Udp.InCsumErrors"] - before["Udp.InCsumErrors"], 1)


def transmissions(make, count):
    """Send packets over a link with bit errors that delivers damaged frames. All packets arrive.
    Only the payload of those with the flag differs from what was sent. Returns the numbers of DATA
    frames that were sent, and of damaged packets."""
    channel = {"ber": cell_errors.BIT // 8000, "corrupt": cell.DELIVER, "delay": 5 * MS,
               "rate": 125_000, "seed": 1}
    with arq_device.Pair(channel=channel, window=32) as pair:
        sniffer = sniff.Sniffer(pair.right.ns, "arq1")
        packets = [make(number, 200) for number in range(count)]
        arq_device.flood(pair.left, packets)
        pair.left.expect(sent=count, packets_in=count)
        pair.right.expect(delivered=count)
        seen, damaged = [frame.packet for frame in sniffer.drain()], 0
        for number, (packet, sent) in enumerate(zip(seen, packets, strict=True)):
            if packet == sent:
                continue
            damaged += 1
            headers = len(packet) - 200
            tap.equal(f"headers of packet {number}", packet[:headers], marked(sent)[:headers])
            tap.true("damage", packet[headers:] != sent[headers:])
        there, told = pair.right.counters(), pair.left.counters()
        tap.equal("damaged", there["damaged"], damaged)
        tap.equal("refused", there["refused"] + there["incomplete"], 0)
        tap.true("frames were damaged", there["checksum"])
        return told["data"] + told["repeats_timer"] + told["repeats_nack"], damaged


def test_end_to_end():
    """Over a link that delivers damaged frames, tolerant packets all arrive, and need fewer
    transmissions than others, which arrive undamaged."""
    for make in (ip4, ip6):
        frames, damaged = transmissions(make, 600)
        strict, none = transmissions(lambda number, size: make(number, size, flags=0), 600)
        tap.note(f"{make.__name__}: {frames} frames, {damaged} packets damaged; "
                 f"{strict} frames if damage is not accepted")
        tap.equal("damaged although not tolerant", none, 0)
        tap.true("packets were damaged", damaged > 60)
        tap.true("airtime is saved", strict > frames + damaged / 2)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
