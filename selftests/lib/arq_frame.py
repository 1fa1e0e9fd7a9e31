# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes and reads the frames of arqlink. The bytes follow the description in
include/uapi/linux/arqlink.h, independently of the C code under test."""
import dataclasses
import struct

from . import tap

ETHERTYPE, VERSION, HEADER, ETHERNET = 0x88b5, 1, 24, 14
HELLO, DATA, ACK, NACK, SKIP, BYPASS = range(6)
NAMES = ("HELLO", "DATA", "ACK", "NACK", "SKIP", "BYPASS")
FIRST, LAST, BOUNDED, PACKED, TOLERANT, STAMP, ECHO, ASK = 1, 2, 4, 8, 0x10, 0x20, 0x40, 1
FLAGS = {HELLO: ASK, DATA: FIRST | LAST | BOUNDED | PACKED | TOLERANT | STAMP | ECHO, ACK: ECHO,
         NACK: ECHO, SKIP: ECHO, BYPASS: TOLERANT | ECHO}
# flags that bring a word behind the header, in the order of their bits
WORDS = {kind: flags & (TOLERANT | STAMP | ECHO) for kind, flags in FLAGS.items()}
BROADCAST = bytes(6 * [255])
US, MS, S = 10**3, 10**6, 10**9


def _row(value):
    """An entry of the table for CRC-32C, whose polynomial is 0x1EDC6F41 with reversed bits."""
    for _ in range(8):
        value = value >> 1 ^ 0x82f63b78 * (value & 1)
    return value


TABLE = [_row(value) for value in range(256)]


def crc32c(data):
    """CRC-32C (RFC 3720 section 12.1)."""
    value = 0xffffffff
    for byte in data:
        value = TABLE[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xffffffff


def ranges(*pairs):
    """The payload of NACK. Each pair is the first missing number and the number of frames."""
    return b"".join(struct.pack("!HH", *pair) for pair in pairs)


def packed(*packets, bounded=()):
    """The payload of a PACKED frame. `bounded` are the indexes of bounded packets."""
    return b"".join(struct.pack("!H", len(data) | (index in bounded) << 15) + data
                    for index, data in enumerate(packets))


def offer(window, largest):
    """The payload of HELLO."""
    return struct.pack("!HH", window, largest)


@dataclasses.dataclass
class Frame:
    """A frame. If `length`, `sensitive` or `checksum` is None, encode() computes the right
    value. `words` are the words behind the header, whose flags are in `flags`."""
    kind: int
    payload: bytes = b""
    flags: int = 0
    session: int = 0
    source: int = 0
    number: int = 0
    ack: int = 0
    oldest: int = 0
    version: int = VERSION
    length: int = None
    sensitive: int = None
    checksum: int = None
    words: tuple = ()

    def encode(self):
        """The bytes from the header to the end of the payload."""
        length = len(self.payload) if self.length is None else self.length
        sensitive = length if self.sensitive is None else self.sensitive
        head = struct.pack("!BBHIIHHHH", self.version << 4 | self.kind, self.flags, length,
                           self.session, self.source, self.number, self.ack, self.oldest,
                           sensitive)
        words = b"".join(struct.pack("!I", word) for word in self.words)
        checksum = self.checksum
        if checksum is None:
            checksum = crc32c(head + bytes(4) + words + self.payload[:sensitive])
        return head + struct.pack("!I", checksum) + words + self.payload

    def missing(self):
        """The ranges of a NACK, as pairs."""
        return [struct.unpack_from("!HH", self.payload, at)
                for at in range(0, len(self.payload), 4)]


class Heard(Frame):
    """A frame that an arqlink device has sent to the address `target` from the address `sender` at
    the time `when`. Each frame must agree with the description."""

    def __init__(self, data, when):
        first, flags, length, session, source, number, ack, oldest, sensitive, checksum = \
            struct.unpack_from("!BBHIIHHHHI", data, ETHERNET)
        kind = first & 15
        words = struct.unpack_from(f"!{(flags & WORDS[kind]).bit_count()}I", data,
                                   ETHERNET + HEADER)
        begin = ETHERNET + HEADER + 4 * len(words)
        end = begin + length
        super().__init__(kind, data[begin:end], flags, session, source, number,
                         ack, oldest, first >> 4, length, sensitive, checksum, words)
        self.target, self.sender, self.padding, self.when = data[:6], data[6:12], data[end:], when
        self._check(data[ETHERNET:end])

    def _check(self, data):
        name = NAMES[self.kind]
        tap.equal(f"{name}: version", self.version, VERSION)
        tap.equal(f"{name}: bytes of the payload", len(self.payload), self.length)
        tap.true(f"{name}: bytes that the checksum covers", self.sensitive == self.length or
                 self.sensitive < self.length and self.flags & TOLERANT)
        rest = self.payload[self.sensitive:]
        tap.equal(f"{name}: checksum of the rest", self.word(TOLERANT) or 0, crc32c(rest))
        tap.equal(f"{name}: checksum", self.checksum,
                  crc32c(data[:HEADER - 4] + bytes(4) + data[HEADER:len(data) - len(rest)]))
        tap.equal(f"{name}: unknown flags", self.flags & ~FLAGS[self.kind], 0)
        tap.true(f"{name}: has a source", self.source)
        if self.kind != DATA:
            tap.equal(f"{name}: number", self.number, 0)
        if self.kind in (ACK, SKIP):
            tap.equal(f"{name}: payload", self.payload, b"")

    def word(self, flag):
        """The word that the flag brings, or None without the flag."""
        words = self.flags & WORDS[self.kind]
        return self.words[(words & flag - 1).bit_count()] if words & flag else None

    def __str__(self):
        return f"{NAMES[self.kind]} number {self.number} ack {self.ack} oldest {self.oldest} " \
            f"flags {self.flags} length {self.length} at {self.when}"


def ethernet(target, sender, frame):
    """A frame, or its bytes, behind the Ethernet header of the lower device."""
    data = frame if isinstance(frame, bytes) else frame.encode()
    return target + sender + struct.pack("!H", ETHERTYPE) + data
