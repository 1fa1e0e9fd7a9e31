#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a key is set, xlo_rto accepts only messages with the token that the key makes. Without a key,
xlo_rto ignores tokens."""
# run.sh: needs: simulated time
import contextlib
import struct

from lib import icmp, netlink, rto, siphash, tap
from lib.icmp import BOTH, DEFER, DROP, EXTENSION, NATIVE

KEY = bytes(range(100, 116))
SEQUENCE = 24                   # offset of the sequence number in a quoted packet
TSVAL = 20 + 20 + 4             # offset of the time stamp: after two NOPs, kind and length
WITH_TIME_STAMP = 20 + 20 + 12  # bytes of a packet with a time stamp


def sequence(packet):
    return struct.unpack_from("!I", packet, SEQUENCE)[0]


def tsval(packet):
    return struct.unpack_from("!I", packet, TSVAL)[0]


def keyed(timestamps=True):
    """A flow whose host has a key."""
    flow = rto.Flow(accept=BOTH, timestamps=timestamps)
    flow.client.set(key=KEY)
    return flow


def test_siphash():
    """The tests' own SipHash function agrees with the paper and the test vectors of its authors."""
    tap.equal("hash of 15 bytes", siphash.siphash(bytes(range(16)), bytes(range(15))),
              0xa129ca6149be45e5)
    tap.equal("hash of no bytes", siphash.siphash(bytes(range(16)), b""), 0x726fdb47dd0e0e31)


def test_right():
    """xlo_rto accepts a message with the right token, in each encoding, with and without time
    stamps."""
    for encoding in (NATIVE, EXTENSION):
        for stamped in (True, False):
            with keyed(stamped) as flow:
                packet = flow.segments[0].packet
                right = icmp.token(KEY, DROP, sequence(packet), tsval(packet) if stamped else 0)
                flow.say(DROP, 0.5, encoding=encoding, token=right,
                         quote=WITH_TIME_STAMP if stamped else icmp.QUOTE)
                flow.times_out(0.75, 0.5)
                flow.account.expect(received=1, shortened=1)


def test_of_another():
    """On a connection with time stamps, xlo_rto refuses a message with a right token but without a
    time stamp. The token could belong to another connection that has the same sequence number and
    no time stamps."""
    with keyed() as flow:
        right = icmp.token(KEY, DROP, sequence(flow.segments[0].packet))
        for encoding in (NATIVE, EXTENSION):
            flow.say(DROP, 0.5, encoding=encoding, token=right, quote=icmp.QUOTE)
        flow.times_out(1, 0)
        flow.account.expect(received=2, timestamp=2)


def test_wrong():
    """xlo_rto refuses a message with no token or a wrong token. The wrong tokens are for another
    code, segment, time stamp or key, or have another byte order."""
    with keyed() as flow:
        packet = flow.segments[0].packet
        seq, stamp = sequence(packet), tsval(packet)
        right = icmp.token(KEY, DROP, seq, stamp)
        wrong = (None, 0, right ^ 1, right ^ 1 << 31, icmp.token(KEY, DEFER, seq, stamp),
                 icmp.token(KEY, DROP, seq + 1, stamp), icmp.token(KEY, DROP, seq),
                 icmp.token(bytes(16), DROP, seq, stamp),
                 int.from_bytes(right.to_bytes(4, "big"), "little"))
        for token in wrong:
            for encoding in (NATIVE, EXTENSION):
                flow.say(DROP, 0.8, encoding=encoding, quote=WITH_TIME_STAMP, token=token)
        flow.times_out(1, 0)
        flow.account.expect(received=2 * len(wrong), token=2 * len(wrong))


def test_no_key():
    """A host without a key accepts messages with a token."""
    for encoding in (NATIVE, EXTENSION):
        with rto.Flow(accept=BOTH) as flow:
            flow.say(DROP, 0.5, encoding=encoding, token=0x12345678)
            flow.times_out(0.75, 0.5)
            flow.account.expect(received=1, shortened=1)


def test_settings():
    """xlo_rto refuses a key of a wrong length and keeps all settings. An empty key removes the key.
    Requests for other settings keep the key, and no answer contains it."""
    with keyed() as flow:
        for key in (bytes(1), bytes(15), bytes(17), bytes(32)):
            with contextlib.suppress(netlink.Refused):
                flow.client.set(key=key, one_hop=1)
                tap.true(f"{len(key)} bytes are refused", False)
        flow.client.set(one_hop=1)
        flow.client.set(one_hop=0)
        got = flow.client.get()
        tap.equal("(keyed, key is in the answer)", (got["keyed"], "key" in got), (1, False))
        flow.say(DROP, 0.3)
        packet = flow.segments[0].packet
        flow.say(DROP, 0.4, quote=WITH_TIME_STAMP,
                 token=icmp.token(KEY, DROP, sequence(packet), tsval(packet)))
        flow.client.set(key=b"")
        tap.equal("keyed after the removal", flow.client.get()["keyed"], 0)
        flow.say(DROP, 0.55)
        flow.times_out(0.65, 0.4)
        flow.account.expect(received=3, token=1, shortened=1, drop_again=1)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
