# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes and reads STAMP packets. The functions follow RFC 8762 (and RFC 4656 for the error
estimate, RFC 8972 for the TLVs), independently of the C code under test."""
import collections
import hashlib
import hmac
import struct

from . import tap

PORT = 862
LEN, LEN_AUTH = 44, 112
FROM_1900_TO_1970 = (70 * 365 + 17) * 86400
SYNCHRONIZED = 0x8000

# "x" is a byte that must be zero
TEST, TEST_AUTH = "!IQH30x", "!I12xQH70x"
REFLECTED, REFLECTED_AUTH = "!IQHxxQIQHxxBxxx", "!I12xQH6xQ8xI12xQH6xB15x"

Reflected = collections.namedtuple(
    "Reflected", "sequence timestamp error received test_sequence test_timestamp test_error ttl")


def length(key):
    """The length of a packet without additional bytes."""
    return LEN_AUTH if key else LEN


def _signed(fields, key):
    """Six blocks of 16 bytes, followed by their HMAC."""
    return fields + hmac.new(key, fields, hashlib.sha256).digest()[:16] if key else fields


def test(sequence=1, timestamp=2, error=3, key=None):
    """A test packet."""
    return _signed(struct.pack(TEST_AUTH if key else TEST, sequence, timestamp, error), key)


def reflected(packet, key=None):
    """The fields of a reflected packet. The test fails if any other byte is wrong."""
    size = length(key)
    form = REFLECTED_AUTH if key else REFLECTED
    tap.true(f"{len(packet)} bytes", len(packet) >= size)
    fields = struct.unpack_from(form, packet)
    tap.equal("packet", packet[:size].hex(), _signed(struct.pack(form, *fields), key).hex())
    return Reflected(*fields)


def tlv(kind, value, flags=0x80):
    """An extension of a test packet. A sender sets the flag U, "unrecognized"."""
    return struct.pack("!BBH", flags, kind, len(value)) + value


def unix_ns(timestamp):
    """A time stamp as CLOCK_REALTIME in ns."""
    seconds, parts = divmod(timestamp, 1 << 32)
    return (seconds - FROM_1900_TO_1970) * 10**9 + (parts * 10**9 + (1 << 31) >> 32)


def error_ns(error):
    """The error that an error estimate states."""
    return (error & 0xff) * 2**(error >> 8 & 0x3f) * 10**9 / 2**32
