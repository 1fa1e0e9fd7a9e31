# SPDX-License-Identifier: GPL-2.0-or-later
"""The hash function SipHash-2-4, from Aumasson and Bernstein, "SipHash: a fast short-input PRF"
(2012)."""
import struct

MASK = (1 << 64) - 1


def _turned(value, bits):
    return (value << bits | value >> 64 - bits) & MASK


def _round(v):
    a, b, c, d = v
    a, c = (a + b) & MASK, (c + d) & MASK
    b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
    a = _turned(a, 32)
    c, a = (c + b) & MASK, (a + d) & MASK
    b, d = _turned(b, 17) ^ c, _turned(d, 21) ^ a
    return a, b, _turned(c, 32), d


def siphash(key, data):
    """A hash of 64 bits. The key has 16 bytes."""
    first, second = struct.unpack("<QQ", key)
    v = (first ^ 0x736f6d6570736575, second ^ 0x646f72616e646f6d,
         first ^ 0x6c7967656e657261, second ^ 0x7465646279746573)
    whole = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 255])
    for word, in struct.iter_unpack("<Q", whole):
        v = _round(_round((v[0], v[1], v[2], v[3] ^ word)))
        v = (v[0] ^ word, *v[1:])
    v = (v[0], v[1], v[2] ^ 255, v[3])
    for _ in range(4):
        v = _round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]
