#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The option never causes a datagram to be fragmented, refused or made larger than the MTU. If a
datagram is too large even without the option, every fragment carries the option."""
import errno
import itertools
import socket

from lib import hosts, kmod, packet as pkt, segments, tap, wait
from lib.sender import FAMILIES, PORT, Sender

MTU = 1400
HEADERS = {socket.AF_INET: 28, socket.AF_INET6: 48}
OPTION = {socket.AF_INET: 8, socket.AF_INET6: 16}
UDP_SEGMENT, SOL_UDP = 103, 17
IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, PMTUDISC_DO = 10, 23, 2


def test_up_to_the_mtu():
    """A datagram that fits into the MTU with the option carries the option. A datagram that fits
    only without the option is sent without the option. A larger datagram is fragmented."""
    with Sender(MTU, lifetime=300) as s:
        for family in FAMILIES:
            room = MTU - HEADERS[family]
            for size in range(room - OPTION[family] - 2, room + 2):
                packets = s.send(b"x" * size, family, count=1 + (size > room))
                tap.equal(f"size {size}: fragments", len(packets), 1 + (size > room))
                has = [pkt.lifetime(packet) for packet in packets]
                fits = size <= room - OPTION[family]
                tap.equal(f"size {size}: lifetimes", has,
                          [300] if fits else [None] if size <= room else [300, 300])
                tap.true(f"size {size}: within the MTU", max(map(len, packets)) <= MTU)
            s.account.expect(stamped_output=4, no_room_mtu=OPTION[family])


def test_every_fragment():
    """Each fragment of a datagram of 9000 bytes carries the option. The receiver reassembles the
    datagram."""
    payload = bytes(range(250)) * 36
    with Sender(MTU, lifetime=300) as s:
        for family in FAMILIES:
            with s.right.socket(family, socket.SOCK_DGRAM) as sink:
                sink.bind((hosts.address("right", family), PORT))
                sink.settimeout(wait.patient(5))
                packets = s.send(payload, family, count=7)
                tap.true("there are more than six fragments",
                         len(packets) > 6 and all(map(segments.is_fragment, packets)))
                tap.equal("lifetimes", {pkt.lifetime(packet) for packet in packets}, {300})
                tap.true("all fragments are within the MTU", max(map(len, packets)) <= MTU)
                if family == socket.AF_INET:
                    tap.true("header checksums are right", all(map(pkt.checksum_right, packets)))
                tap.equal("reassembled payload", sink.recv(10000), payload)
            s.account.expect(stamped_output=1)


def test_do_not_fragment():
    """If path MTU discovery is on, a datagram as long as the MTU is sent without the option and is
    not refused."""
    with Sender(MTU, lifetime=300) as s:
        for family, level, name in ((socket.AF_INET, socket.IPPROTO_IP, IP_MTU_DISCOVER),
                                    (socket.AF_INET6, socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER)):
            with s.socket(family) as sock:
                sock.setsockopt(level, name, PMTUDISC_DO)
                sock.sendto(b"x" * (MTU - HEADERS[family]), (hosts.address("right", family), PORT))
                [packet] = s.arrived()
                tap.equal("length and lifetime", (len(packet), pkt.lifetime(packet)), (MTU, None))
        s.account.expect(no_room_mtu=2)


def test_gso():
    """All segments of a UDP GSO packet carry the option if the option fits into each segment. If
    the option does not fit, no segment carries it."""
    with Sender(MTU, lifetime=300) as s:
        # the device does not accept GSO packets, so the stack segments them after the hook
        hosts.offload(s.left, "v0", tx_udp_segmentation=False)
        for family in FAMILIES:
            room = MTU - HEADERS[family]
            for segment, lifetime in ((room - OPTION[family], 300),
                                      (room - OPTION[family] + 1, None)):
                with s.socket(family) as sock:
                    sock.setsockopt(SOL_UDP, UDP_SEGMENT, segment)
                    sock.sendto(b"x" * (segment * 10 - 5), (hosts.address("right", family), PORT))
                packets = s.arrived(10)
                tap.equal("lifetimes", [pkt.lifetime(packet) for packet in packets],
                          [lifetime] * 10)
                tap.equal("lengths", [len(packet) for packet in packets[:9]],
                          [segment + HEADERS[family] + (OPTION[family] if lifetime else 0)] * 9)
            s.account.expect(stamped_output=1, no_room_mtu=1)


def sent_in_segments(s, family, mark, payload, size):
    """Send a datagram in segments. Returns the error's name or None, the payloads that the right
    host reads, and the packets on the wire."""
    with s.right.socket(family, socket.SOCK_DGRAM) as sink, s.socket(family, mark) as sock:
        sink.bind((hosts.address("right", family), PORT))
        sink.settimeout(wait.patient(5))
        sock.setsockopt(SOL_UDP, UDP_SEGMENT, size)
        try:
            sock.sendto(payload, (hosts.address("right", family), PORT))
        except OSError as error:
            return errno.errorcode[error.errno], [], []
        count = -(-len(payload) // size)
        return None, [sink.recv(2000) for _ in range(count)], s.arrived(count)


def test_gso_without_checksum_offload():
    """Each segment of a stamped UDP GSO packet has the right checksum on a device without checksum
    offload. Many modems, ppp and tun have no checksum offload. Kernels before 6.11 refuse UDP GSO
    packets on a device without checksum offload, with and without the option."""
    known = kmod.RELEASE >= (6, 11)
    with Sender(MTU, lifetime=300) as s:
        hosts.offload(s.left, "v0", tx=False)
        for family, size in itertools.product(FAMILIES, (1000, 1250)):
            payload = bytes(range(250)) * (size // 250)
            pieces = [payload[at:at + 500] for at in range(0, size, 500)]
            plain, *_ = sent_in_segments(s, family, 0, payload, 500)
            error, read, packets = sent_in_segments(s, family, 1, payload, 500)
            tap.equal("errors without and with the option",
                      (plain, error), (None, None) if known else ("EIO", "EIO"))
            if not known:
                continue
            tap.equal("payloads that are read", read, pieces)
            tap.equal("lifetimes", [pkt.lifetime(packet) for packet in packets], [300] * len(pieces))
            tap.equal("whether checksums are right",
                      [segments.checksum_right(packet, 17) for packet in packets],
                      [True] * len(pieces))
            s.account.expect(stamped_output=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
