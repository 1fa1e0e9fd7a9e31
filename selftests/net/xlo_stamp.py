#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a profile selects a packet that this host sends, the packet carries the option that the
profile describes. No other part of the packet changes, and all other packets stay unchanged."""
# run.sh: smoke: profile_is_written only_the_profiles_packets
import socket
import struct

from lib import clock, hosts, mib, packet as pkt, segments, tap, wait
from lib.sender import FAMILIES, PORT, Sender, pair_of

DCCP = 33


def stripped(packet):
    """The packet without our option. The packet must have no other options. Identification, header
    checksum and flow label become 0, because they differ between packets."""
    if packet[0] >> 4 == 4:
        size = (packet[0] & 15) * 4
        length, = struct.unpack_from("!H", packet, 2)
        return bytes([0x45, packet[1]]) + struct.pack("!HH", length - (size - 20), 0) + \
            packet[6:10] + b"\0\0" + packet[12:20] + packet[size:]
    extra = 8 * (packet[41] + 1) if packet[6] == 0 else 0
    following = packet[40] if extra else packet[6]
    length, = struct.unpack_from("!H", packet, 4)
    return b"\x60\0\0\0" + struct.pack("!HB", length - extra, following) + packet[7:40] + \
        packet[40 + extra:]


def transport(packet):
    """The packet without our option, the source port and the UDP checksum. Source port and UDP
    checksum differ between packets."""
    data = stripped(packet)
    at = 20 if packet[0] >> 4 == 4 else 40
    return data[:at], data[at + 2:at + 6], data[at + 8:]


def test_profile_is_written():
    """The option has the reordering degree, flags and lifetime of the profile. The headers are
    right, and all other bytes are the same as without the option."""
    with Sender(lifetime=300, reorder=5, stale=2, slow=True, corrupt_ok=True) as s:
        for family in FAMILIES:
            plain, stamped = pair_of(s, family)
            s.account.expect(stamped_output=1)
            option = pkt.xlo4(300, pkt.TRUNCATE | 0x11, 5) if family == socket.AF_INET else \
                pkt.xlo6(300, pkt.TRUNCATE | 0x11, 5)
            if family == socket.AF_INET:
                tap.equal("options", stamped[20:28].hex(), option.hex())
                tap.equal("header length", stamped[0], 0x47)
                tap.true("the header checksum is right", pkt.checksum_right(stamped))
            else:
                tap.equal("hop-by-hop header", stamped[40:56].hex(),
                          (b"\x11\x01\x01\x00" + option + b"\x01\x02\0\0").hex())
            tap.equal("everything else", transport(stamped), transport(plain))
        tap.equal("packets of the profile", s.xlo.profile_get()[0]["packets"], 2)


def test_receiver_accepts():
    """The receiving stack delivers stamped packets and counts no error. The UDP checksum is also
    right if the kernel computes it in software."""
    with Sender(lifetime=300) as s:
        hosts.offload(s.left, "v0", tx=False)
        for family in FAMILIES:
            with s.right.socket(family, socket.SOCK_DGRAM) as sink, mib.Errors(s.right):
                sink.bind((hosts.address("right", family), PORT))
                sink.settimeout(wait.patient(5))
                for payload in (b"", b"y", b"y" * 99, b"y" * 100, bytes(range(256)) * 5):
                    s.send(payload, family)
                    tap.equal(f"payload of {len(payload)}", sink.recv(2000), payload)


def test_only_the_profiles_packets():
    """Mark and mask select packets. Of the marks 0 to 15, mark 4 with mask 5 matches 4, 6, 12 and
    14."""
    with Sender(mark=4, mask=5, lifetime=300) as s:
        for family in FAMILIES:
            stamped = [mark for mark in range(16)
                       if pkt.lifetime(s.send(b"x", family, mark)[0]) is not None]
            tap.equal("marks", stamped, [4, 6, 12, 14])
        s.account.expect(stamped_output=8)


def test_clock_utc():
    """With the clock utc, xlo writes a deadline in ms since midnight."""
    with Sender(lifetime=5000, clock=1) as s:
        for family in FAMILIES:
            before = clock.ms_of_day()
            [packet] = s.send(b"x", family)
            late = (pkt.lifetime(packet) - clock.deadline(before + 5000)) % pkt.DAY_MS
            tap.within("deadline, ms after the reading of the clock", late, 0,
                       (clock.ms_of_day() - before) % pkt.DAY_MS)


def test_too_long_is_clamped():
    """A relative lifetime that is too long for the field is written as the longest lifetime, and
    the packet is counted."""
    with Sender(lifetime=65535) as s:
        for family in FAMILIES:
            [packet] = s.send(b"x", family)
            tap.equal("lifetime", pkt.lifetime(packet), 65534)
            s.account.expect(stamped_output=1, clamped=1)


def test_own_option_is_respected():
    """A packet keeps the option that its sender wrote, valid or malformed."""
    with Sender(lifetime=300) as s:
        for options in (pkt.xlo4(77, reorder=9), b"\x9e\x06" + bytes(6)):
            [packet] = s.send(b"x", socket.AF_INET, options=options)
            tap.equal("options", packet[20:28].hex(), options.hex())
        s.account.expect(present=1, bad_header=1)
        own = b"\0\x01\x01\0" + pkt.xlo6(77, reorder=9) + b"\x01\x02\0\0"
        [packet] = s.send(b"x", socket.AF_INET6, options=own)
        tap.equal("hop-by-hop header", packet[41:56].hex(), own[1:].hex())
        s.account.expect(present=1)


def test_other_options_stay():
    """The socket's own options stay first, and our option replaces the padding after them."""
    record = bytes([7, 7, 4]) + bytes(4)
    with Sender(lifetime=300) as s:
        [packet] = s.send(b"x", socket.AF_INET, options=record)
        tap.equal("record route, our option, first byte of the header",
                  (packet[20:22], packet[27:35].hex(), packet[0]),
                  (b"\x07\x07", pkt.xlo4(300, reorder=0).hex(), 0x49))
        tap.true("the header checksum is right", pkt.checksum_right(packet))
        unknown = b"\0\0" + bytes([0x1f, 3, 1, 2, 3]) + b"\0"
        [packet] = s.send(b"x", socket.AF_INET6, options=unknown)
        tap.equal("hop-by-hop header", packet[41:56].hex(),
                  (b"\x01\x1f\x03\x01\x02\x03\0" + pkt.xlo6(300, reorder=0)).hex())
        s.account.expect(stamped_output=2)


def test_full_header():
    """Forty bytes of IPv4 options, or eight hop-by-hop options, leave no space for our option. A
    packet with a full header leaves unchanged and is counted."""
    with Sender(lifetime=300) as s:
        full = bytes([7, 39, 4]) + bytes(36) + b"\x01"
        [packet] = s.send(b"x", socket.AF_INET, options=full)
        tap.equal("options", (packet[0], pkt.lifetime(packet)), (0x4f, None))
        eight = b"\0\x02" + b"\x1f\0" * 8 + b"\x01\x04" + bytes(4)
        [packet] = s.send(b"x", socket.AF_INET6, options=eight)
        tap.equal("hop-by-hop header", packet[41:64].hex(), eight[1:].hex())
        s.account.expect(no_room_header=2)


def test_raw_and_ping():
    """Packets of raw sockets are stamped like other packets, even if the program writes the IP
    header itself."""
    with Sender(lifetime=300) as s:
        echo = struct.pack("!BBHHH", 8, 0, 0xf7fd, 1, 1)
        with s.socket(socket.AF_INET, kind=socket.SOCK_RAW, protocol=socket.IPPROTO_ICMP) as sock:
            sock.sendto(echo, (hosts.address("right", socket.AF_INET), 0))
        with s.socket(socket.AF_INET, kind=socket.SOCK_RAW, protocol=socket.IPPROTO_RAW) as sock:
            whole = pkt.ipv4(b"", pkt.body(1, 20), source="10.1.0.1", target="10.1.0.2")
            sock.sendto(whole, (hosts.address("right", socket.AF_INET), 0))
        tap.equal("lifetimes", [pkt.lifetime(packet) for packet in s.arrived(2)], [300, 300])
        s.account.expect(stamped_output=2)


def test_dccp():
    """DCCP packets are stamped like datagrams of other protocols. The test sends DCCP packets
    through a raw socket, because recent kernels have no DCCP."""
    # a DCCP-Data packet of RFC 4340, 16 bytes of header
    packet = struct.pack("!HHBBHBBHI", 4000, 5000, 4, 0, 0, 2 << 1 | 1, 0, 0, 1) + pkt.body(1, 20)
    with Sender(lifetime=300) as s:
        for family in FAMILIES:
            with s.socket(family, kind=socket.SOCK_RAW, protocol=DCCP) as sock:
                sock.sendto(packet, (hosts.address("right", family), 0))
            [found] = s.arrived(1)
            tap.equal("lifetime", pkt.lifetime(found), 300)
            tap.true("payload", found.endswith(packet))
        s.account.expect(stamped_output=2)


def test_authenticated_tcp():
    """A TCP segment behind an Authentication Header is not stamped, and counts as authenticated
    with every kind of lifetime."""
    authentication = bytes([socket.IPPROTO_TCP, 4]) + bytes(22)
    segment = struct.pack("!HHIIBBHHH", 4000, PORT, 1, 0, 0x50, segments.SYN, 1000, 0, 0)
    for profile in ({"lifetime": 300}, {"rto": True}, {"repeats": True}):
        with Sender(**profile) as s:
            for family in FAMILIES:
                with s.socket(family, kind=socket.SOCK_RAW, protocol=socket.IPPROTO_AH) as sock:
                    sock.sendto(authentication + segment, (hosts.address("right", family), 0))
                [found] = s.arrived()
                tap.equal("lifetime", pkt.lifetime(found), None)
            s.account.expect(authenticated=2)


def test_short_before_authentication():
    """An IPv6 packet that ends within its extension headers is not stamped and counts as
    authenticated, because an Authentication Header may follow, as after a short first fragment."""
    # what follows the IPv6 header: less than 2 bytes of the Authentication Header
    short = (socket.IPPROTO_AH, b""), (socket.IPPROTO_AH, b"\x06"), \
        (socket.IPPROTO_DSTOPTS, bytes([socket.IPPROTO_AH, 0, 1, 4]) + bytes(4))
    with Sender(lifetime=300) as s:
        for protocol, payload in short:
            with s.socket(socket.AF_INET6, kind=socket.SOCK_RAW, protocol=protocol) as sock:
                sock.sendto(payload, (hosts.address("right", socket.AF_INET6), 0))
            [found] = s.arrived()
            tap.equal("headers", (found[6], found[40:]), (protocol, payload))
        s.account.expect(authenticated=len(short))


def test_nothing_without_profile():
    """Without a profile, no packet is stamped or counted."""
    with Sender() as s:
        for family in FAMILIES:
            [packet] = s.send(b"x", family)
            tap.equal("option", pkt.lifetime(packet), None)
        s.account.expect()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
