# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes and reads DCCP packets and their options. The bytes follow RFC 4340, RFC 4342 and
Documentation/dccp.rst, independently of the C code under test."""
import collections
import dataclasses
import socket
import struct

from . import packet as pkt
from .siphash import siphash

PROTOCOL, UDP_PORT = 33, 6511
REQUEST, RESPONSE, DATA, ACK, DATAACK, CLOSEREQ, CLOSE, RESET, SYNC, SYNCACK = range(10)
TYPES = range(10)
# option types
PADDING, MANDATORY, SLOW_RECEIVER = 0, 1, 2
CHANGE_L, CONFIRM_L, CHANGE_R, CONFIRM_R = 32, 33, 34, 35
INIT_COOKIE, NDP_COUNT, ACK_VECTOR, ACK_VECTOR_1, DATA_DROPPED = 36, 37, 38, 39, 40
TIMESTAMP, TIMESTAMP_ECHO, ELAPSED_TIME, DATA_CHECKSUM = 41, 42, 43, 44
LENGTH, MOVE_TOKEN, CHALLENGE, CHALLENGE_ANSWER, SENSITIVE, ARRIVED = 120, 121, 122, 123, 124, 126
LOSS_EVENT_RATE, LOSS_INTERVALS, RECEIVE_RATE = 192, 193, 194
# features
CCID, SHORT_SEQ, SEQUENCE_WINDOW, ECN_INCAPABLE, ACK_RATIO = 1, 2, 3, 4, 5
SEND_ACK_VECTOR, SEND_NDP_COUNT, MIN_COVERAGE, CHECK_DATA_CHECKSUM = 6, 7, 8, 9
FRESHLINK, NO_UDP_CHECKSUM, SEND_LOSS_EVENT_RATE = 120, 121, 192
# states of a packet in an Ack Vector
RECEIVED, MARKED, MISSING = 0, 1, 3
LARGEST_VALUE, LARGEST_HEADER = 253, 1020


class Refused(Exception):
    """A receiver must ignore the packet. The text says why."""


# `value` is None for an option of one byte. `error` is set for a Mandatory without an option, and
# for an option with a nonsensical length.
Option = collections.namedtuple("Option", "type value mandatory error", defaults=(False, False))


def option(kind, value=b"", mandatory=False):
    """An option with a value."""
    return Option(kind, bytes(value), mandatory)


def flag(kind, mandatory=False):
    """An option of one byte."""
    return Option(kind, None, mandatory)


def write_options(options):
    """The bytes of a list of options, without Padding at the end."""
    out = b""
    for one in options:
        out += bytes([MANDATORY] * one.mandatory + [one.type])
        if one.value is not None:
            out += bytes([2 + len(one.value)]) + one.value
    return out


def read_options(data):
    """The options in an options area (RFC 4340 section 5.8), without Padding."""
    options, at, mandatory = [], 0, False
    while at < len(data):
        kind = data[at]
        if kind == MANDATORY and mandatory:
            options.append(Option(MANDATORY, None, True, True))
            mandatory = False
            continue
        if kind in (PADDING, MANDATORY):
            at, mandatory = at + 1, kind == MANDATORY
            continue
        size = 1 if kind < 32 else data[at + 1] if at + 1 < len(data) else 0
        if size < (1 if kind < 32 else 2) or at + size > len(data):
            return options + [Option(kind, None, mandatory, True)]
        value = None if kind < 32 else data[at + 2:at + size]
        options.append(Option(kind, value, mandatory))
        at, mandatory = at + size, False
    return options + [Option(MANDATORY, None, True, True)] * mandatory


def _has_ack(kind):
    return kind not in (REQUEST, DATA)


def fixed_size(kind, extended=True):
    """The size of the header without options."""
    word = kind in (REQUEST, RESPONSE, RESET)
    if extended:
        return 16 + 8 * _has_ack(kind) + 4 * word
    return 12 + 4 * _has_ack(kind)


def pseudo_header(addresses, length):
    """The pseudo-header of RFC 793 section 3.1 or RFC 2460 section 8.1."""
    family = socket.AF_INET6 if ":" in addresses[0] else socket.AF_INET
    packed = b"".join(socket.inet_pton(family, text) for text in addresses)
    if family == socket.AF_INET:
        return packed + struct.pack("!BBH", 0, PROTOCOL, length)
    return packed + struct.pack("!II", length, PROTOCOL)


def covered_size(coverage, header, length):
    """How many bytes of a packet its checksum covers (RFC 4340 section 9.2)."""
    size = length if coverage == 0 else header + 4 * (coverage - 1)
    if size > length:
        raise Refused("uncovered")
    return size


@dataclasses.dataclass
class Packet:
    """A packet. `area` are the bytes of the options; encode() makes them of `options` if it is
    None. `reset` are the reset code and its data. With `extended` False, the numbers have 24
    bits."""
    kind: int
    seq: int = 0
    ack: int = 0
    source: int = 1000
    dest: int = 2000
    options: list = dataclasses.field(default_factory=list)
    data: bytes = b""
    service: int = 0
    reset: bytes = bytes(4)
    ccval: int = 0
    coverage: int = 0
    extended: bool = True
    area: bytes = None

    def _numbers(self):
        """The header behind the checksum, without reserved bits."""
        first = bytes([self.kind << 1 | self.extended])
        if not self.extended:
            out = first + self.seq.to_bytes(3, "big")
            return out + (bytes(1) + self.ack.to_bytes(3, "big") if _has_ack(self.kind) else b"")
        out = first + bytes(1) + self.seq.to_bytes(6, "big")
        if _has_ack(self.kind):
            out += bytes(2) + self.ack.to_bytes(6, "big")
        if self.kind in (REQUEST, RESPONSE):
            out += struct.pack("!I", self.service)
        return out + (self.reset if self.kind == RESET else b"")

    def encode(self, addresses=None):
        """The bytes. Without a pair of addresses, the checksum is 0."""
        area = write_options(self.options) if self.area is None else self.area
        area += bytes(-len(area) % 4)
        numbers = self._numbers()
        words = (8 + len(numbers) + len(area)) // 4
        head = struct.pack("!HHBB", self.source, self.dest, words,
                           self.ccval << 4 | self.coverage)
        rest = numbers + area + self.data
        if addresses is None:
            return head + bytes(2) + rest
        packet = head + bytes(2) + rest
        size = covered_size(self.coverage, 4 * words, len(packet))
        value = pkt.checksum(pseudo_header(addresses, len(packet)) + packet[:size])
        return head + struct.pack("!H", value) + rest


def decode(data, addresses=None):
    """Read a packet. Without a pair of addresses, the checksum is not verified. Raises Refused for
    packets that step 1 of RFC 4340 section 8.5 drops."""
    if len(data) < 12:
        raise Refused("refused")
    kind, extended = data[8] >> 1 & 15, bool(data[8] & 1)
    if kind not in TYPES or not extended and kind not in (DATA, ACK, DATAACK):
        raise Refused("refused")
    fixed, header = fixed_size(kind, extended), 4 * data[4]
    if not fixed <= header <= len(data):
        raise Refused("refused")
    size = covered_size(data[5] & 15, header, len(data))
    if addresses is not None and pkt.checksum(pseudo_header(addresses, len(data)) + data[:size]):
        raise Refused("damaged")
    source, dest = struct.unpack_from("!HH", data)
    seq = data[10:16] if extended else data[9:12]
    ack = (data[18:24] if extended else data[13:16]) if _has_ack(kind) else b""
    word = data[fixed - 4:fixed]
    area = data[fixed:header]
    return Packet(kind, int.from_bytes(seq, "big"), int.from_bytes(ack, "big"), source, dest,
                  read_options(area), data[header:],
                  int.from_bytes(word, "big") if kind in (REQUEST, RESPONSE) else 0,
                  word if kind == RESET else bytes(4), data[5] >> 4, data[5] & 15, extended, area)


# Values of options. Each function makes an option, or a list of options where one may be too small.
# The function read_... is its reverse.

def number(kind, value, size):
    """An option with a number of `size` bytes."""
    return option(kind, value.to_bytes(size, "big"))


def read_number(value):
    """The number in a value."""
    return int.from_bytes(value, "big")


def feature(kind, which, *values, mandatory=False):
    """Change or Confirm. The value of Sequence Window and of Ack Ratio is one number; other
    features have preferences of one byte (RFC 4340 section 6). Without a value, Confirm is
    empty."""
    size = {SEQUENCE_WINDOW: 6, ACK_RATIO: 2}.get(which, 1)
    return option(kind, bytes([which]) + b"".join(v.to_bytes(size, "big") for v in values),
                  mandatory)


def read_feature(value):
    """The feature's number and its values."""
    size = {SEQUENCE_WINDOW: 6, ACK_RATIO: 2}.get(value[0], 1)
    return value[0], [read_number(value[at:at + size]) for at in range(1, len(value), size)]


def ndp_count(count):
    """NDP Count in its smallest form, of one to six bytes (RFC 4340 section 7.7)."""
    return number(NDP_COUNT, count, max(1, (count.bit_length() + 7) // 8))


def _runs(states, longest):
    """The runs of equal states, as pairs of a state and a length of at most longest(state)."""
    runs = []
    for state in states:
        if runs and runs[-1][0] == state and runs[-1][1] < longest(state):
            runs[-1][1] += 1
        else:
            runs.append([state, 1])
    return runs


def _split(kind, value):
    return [option(kind, value[at:at + LARGEST_VALUE])
            for at in range(0, len(value), LARGEST_VALUE)]


def ack_vector(states, kind=ACK_VECTOR):
    """Ack Vectors. The first state is that of the packet with the acknowledgment number, and older
    packets follow (RFC 4340 section 11.4)."""
    runs = _runs(states, lambda _: 64)
    return _split(kind, bytes(state << 6 | count - 1 for state, count in runs))


def read_ack_vector(value):
    """The states in an Ack Vector."""
    return [byte >> 6 for byte in value for _ in range((byte & 63) + 1)]


def data_dropped(codes):
    """Data Dropped options. A code is a drop code, or None for packets of a Normal Block (RFC 4340
    section 11.7)."""
    runs = _runs(codes, lambda code: 128 if code is None else 16)
    return _split(DATA_DROPPED, bytes(count - 1 if code is None else 128 | code << 4 | count - 1
                                      for code, count in runs))


def read_data_dropped(value):
    """The codes in Data Dropped."""
    codes = []
    for byte in value:
        codes += [byte >> 4 & 7] * ((byte & 15) + 1) if byte & 128 else [None] * (byte + 1)
    return codes


def timestamp(ticks):
    """Timestamp. A tick has 10 us (RFC 4340 section 13.1)."""
    return number(TIMESTAMP, ticks % 2**32, 4)


def _elapsed(ticks):
    """A time in its smallest form. The largest number stands for longer times, too."""
    ticks = min(ticks, 2**32 - 1)
    return ticks.to_bytes(2 if ticks < 65536 else 4, "big")


def elapsed_time(ticks):
    """Elapsed Time in its smallest form (RFC 4340 section 13.2)."""
    return option(ELAPSED_TIME, _elapsed(ticks))


def timestamp_echo(ticks, elapsed=0):
    """Timestamp Echo in its smallest form (RFC 4340 section 13.3)."""
    more = _elapsed(elapsed) if elapsed else b""
    return option(TIMESTAMP_ECHO, struct.pack("!I", ticks) + more)


def read_timestamp_echo(value):
    """The timestamp and the elapsed time."""
    return read_number(value[:4]), read_number(value[4:])


def _crc_row(value):
    for _ in range(8):
        value = value >> 1 ^ 0x82f63b78 * (value & 1)
    return value


_CRC_ROWS = [_crc_row(value) for value in range(256)]


def crc32c(data):
    """The value of Data Checksum. The order of the bytes is that of SCTP (RFC 3309)."""
    value = 0xffffffff
    for byte in data:
        value = _CRC_ROWS[(value ^ byte) & 255] ^ value >> 8
    return struct.pack("<I", value ^ 0xffffffff)


def data_checksum(data):
    """Data Checksum of application data (RFC 4340 section 9.3)."""
    return option(DATA_CHECKSUM, crc32c(data))


def sensitive(data, length):
    """Sensitive of application data: its first `length` bytes (Documentation/dccp.rst)."""
    return option(SENSITIVE, struct.pack("!H", length) + crc32c(data[:length]))


# lengths are in packets; `nonce` is the ECN Nonce Echo
Interval = collections.namedtuple("Interval", "lossless nonce loss data")


def loss_intervals(skip, intervals):
    """Loss Intervals, the latest first (RFC 4342 section 8.6). 28 fit into an option."""
    value = bytes([skip])
    for one in intervals:
        value += one.lossless.to_bytes(3, "big") + \
            (one.nonce << 23 | one.loss).to_bytes(3, "big") + one.data.to_bytes(3, "big")
    return option(LOSS_INTERVALS, value)


def read_loss_intervals(value):
    """Skip Length and the intervals."""
    intervals = []
    for at in range(1, len(value), 9):
        lossless, loss, data = (read_number(value[at + i:at + i + 3]) for i in (0, 3, 6))
        intervals.append(Interval(lossless, loss >> 23, loss & 2**23 - 1, data))
    return value[0], intervals


def challenge_answer(token, challenge, port, peer_port):
    """Challenge Answer. The token and the port are those of the end that challenges."""
    value = siphash(token, challenge + struct.pack("!HH", port, peer_port))
    return number(CHALLENGE_ANSWER, value, 8)


def in_udp(packet, addresses):
    """An IP packet with DCCP in UDP (RFC 6773)."""
    make = pkt.ipv6 if ":" in addresses[0] else pkt.ipv4
    return make(payload=packet, source=addresses[0], target=addresses[1], port=UDP_PORT)


def of_udp(packet):
    """The packet of DCCP in a packet of UDP, whose lifetime is skipped, or None."""
    if packet[0] >> 4 == 4:
        kind, at = packet[9], (packet[0] & 15) * 4
    else:
        kind, at = packet[6], 40
        if kind == socket.IPPROTO_HOPOPTS:
            kind, at = packet[40], 40 + 8 * (packet[41] + 1)
    return packet[at + 8:] if kind == socket.IPPROTO_UDP else None


def in_ip(packet, addresses):
    """An IP packet with DCCP."""
    if ":" in addresses[0]:
        head = struct.pack("!IHBB", 6 << 28, len(packet), PROTOCOL, 64)
        return head + b"".join(socket.inet_pton(socket.AF_INET6, a) for a in addresses) + packet
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(packet), 1, 0, 64, PROTOCOL, 0) + \
        b"".join(socket.inet_aton(a) for a in addresses)
    return head[:10] + struct.pack("!H", pkt.checksum(head)) + head[12:] + packet
