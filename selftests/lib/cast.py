# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes TCP, UDP and DCCP packets with a lifetime. For each packet the module also makes the packet
that remains when lpd cuts the packet to its headers (headercasting). All bytes follow RFC 9293, 768
and 4340, independently of the C code under test."""
import socket
import struct
import typing

from . import packet as pkt

TCP, UDP, DCCP = 6, 17, 33
FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32
TIME_STAMPS = bytes.fromhex("0101080a0000000900000008")
CHECK = {TCP: 16, UDP: 6, DCCP: 6}
SOURCE_PORT, PORT = 4000, 5000


def tcp(flags=PSH | ACK, sequence=1):
    """A TCP header with time stamps and without a checksum."""
    return struct.pack("!HHIIBBHHH", SOURCE_PORT, PORT, sequence, 1, 0x80, flags, 1000, 0, 0) + \
        TIME_STAMPS


def udp(length):
    return struct.pack("!HHHH", SOURCE_PORT, PORT, length, 0)


def dccp(coverage):
    """The header of a DCCP-DataAck packet with 48-bit sequence numbers."""
    return struct.pack("!HHBBHBBHIII", SOURCE_PORT, PORT, 6, coverage, 0, 4 << 1 | 1, 0, 0, 7, 0,
                       6)


class Shape(typing.NamedTuple):
    """The form of a packet, without its payload. `version` is the IP version. `keep` is the number
    of payload bytes that remain when the packet is cut. `coverage` is the checksum coverage of
    DCCP. `summed` says whether the packet has a checksum. If `begun` is true, the checksum covers
    only the pseudo header, and a device completes it. `option` says whether the packet has the
    cross-layer option. `ends` contains the source and target address, if they differ from the
    default."""
    version: int
    proto: int
    keep: int = 0
    coverage: int = 0
    summed: bool = True
    begun: bool = False
    option: bool = True
    ends: tuple = ()

    def transport(self):
        """Offset of the transport header."""
        if self.version == 4:
            return 20 + 8 * self.option
        return 40 + 16 * self.option

    def packet(self, payload, fields=None, **ip):
        """The complete packet. `fields` has arguments of tcp(), and `ip` has arguments of
        network()."""
        if self.proto == TCP:
            header = tcp(**fields or {})
        elif self.proto == UDP:
            header = udp(8 + len(payload))
        else:
            header = dccp(self.coverage)
        return self.network(self.checked(header, payload), **ip)

    def cut(self, payload, fields=None, **ip):
        """The packet after lpd has cut it."""
        shape = self._replace(coverage=min(self.coverage, 1))
        return shape.packet(payload[:self.keep], fields, **ip)

    def checksum_place(self):
        """The position of the checksum, as an argument of Port.send_virtio()."""
        return self.transport(), CHECK[self.proto]

    def headers(self):
        """The length of the packet after the cut."""
        return len(self.cut(bytes(self.keep)))

    def addresses(self):
        source, target = self.ends or ((pkt.SOURCE4, pkt.TARGET4) if self.version == 4 else
                                       (pkt.SOURCE6, pkt.TARGET6))
        family = socket.AF_INET if self.version == 4 else socket.AF_INET6
        return socket.inet_pton(family, source) + socket.inet_pton(family, target)

    def checked(self, header, payload):
        """Return header and payload, with the checksum in the header."""
        length, check = len(header) + len(payload), CHECK[self.proto]
        pseudo = self.addresses() + struct.pack("!II", length, self.proto)
        covered = payload[:(self.coverage - 1) * 4] if self.coverage else payload
        value = pkt.checksum(pseudo + header + covered)
        if self.proto == UDP:
            value = (value or 0xffff) if self.summed else 0
        if self.begun:
            value = ~pkt.checksum(pseudo) & 0xffff
        return header[:check] + struct.pack("!H", value) + header[check + 2:] + payload

    def network(self, data, lifetime=0, identification=1, flags=0, fragment=None, proto=None):
        """An IP packet with the given data. `flags` are the flags of IPv4. `fragment` is (offset in
        units of 8 bytes, whether more fragments follow). If `fragment` is None, the packet is not a
        fragment. If `fragment` is (0, False), an IPv4 packet is complete, and an IPv6 packet has an
        atomic fragment header."""
        proto = self.proto if proto is None else proto
        if self.version == 4:
            place, more = fragment or (0, False)
            return self._ipv4(data, lifetime, identification, flags | more << 13 | place, proto)
        following, extension = proto, b""
        if fragment is not None:
            following = 44
            extension = struct.pack("!BBHI", proto, 0, fragment[0] << 3 | fragment[1],
                                    identification)
        if self.option:
            extension = pkt.hop_by_hop(pkt.xlo6(lifetime, pkt.TRUNCATE), following) + extension
            following = 0
        return struct.pack("!IHBB", 6 << 28, len(extension) + len(data), following, 64) + \
            self.addresses() + extension + data

    def _ipv4(self, data, lifetime, identification, fragment, proto):
        option = pkt.xlo4(lifetime, pkt.TRUNCATE) if self.option else b""
        length = 20 + len(option)
        head = struct.pack("!BBHHHBBH", 0x40 | length // 4, 0, length + len(data),
                           identification, fragment, 64, proto, 0) + self.addresses() + option
        return head[:10] + struct.pack("!H", pkt.checksum(head)) + head[12:] + data


VERSIONS = (4, 6)
_KINDS = {
    "tcp": Shape(0, TCP), "udp": Shape(0, UDP), "udp_keep_12": Shape(0, UDP, keep=12),
    "udp_keep_13": Shape(0, UDP, keep=13), "udp_unsummed": Shape(0, UDP, keep=7, summed=False),
    "dccp": Shape(0, DCCP), "dccp_header_covered": Shape(0, DCCP, coverage=1),
    "dccp_partly_covered": Shape(0, DCCP, coverage=5)}
SHAPES = {f"ipv{version}_{name}": kind._replace(version=version)
          for version in VERSIONS for name, kind in _KINDS.items()}
