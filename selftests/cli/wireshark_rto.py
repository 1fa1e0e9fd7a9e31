#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark with the plug-in userspace/wireshark/freshlink shows each field of the messages of links
about packets, verifies their tokens, and reports exactly those messages as malformed that the kernel
counts as malformed."""
# run.sh: all: nothing (needs no kernel module, so lab/check runs this on the host)
import struct

from lib import dissect, icmp, notice, packet as pkt, tap
from lib.icmp import DEFER, DISCARDED, DROP, EXTENSION, LINK_UP, NATIVE

KEY = bytes(range(50, 66))
CODES = (DROP, DEFER, DISCARDED, LINK_UP)
BAD, GOOD, UNVERIFIED = range(3)
TCP4, TCP6 = notice.ipv4(notice.segment(), options=pkt.xlo4(300)), \
    notice.ipv6(notice.segment(), following=0, before=pkt.hop_by_hop(pkt.xlo6(400), 6))
EXPERTS = ("malformed", "code.unknown", "token.bad", "not_ours")


def message(code, packet, encoding, **more):
    if packet[0] >> 4 == 4:
        return icmp.message(code, packet, encoding, icmp.QUOTE_MIN, **more)
    return icmp.message6(code, packet, encoding, quote=icmp.QUOTE_MIN, **more)


def shown(*packets, key=None, **recorded):
    """The fields of messages that tshark shows for each packet: {name: [(text, value in hex), ...]}."""
    preferences = [f"xlo_rto.key:{key.hex()}"] if key else []
    found = dissect.tshark(packets, plugin=True, preferences=preferences, **recorded)
    for fields in found:
        tap.equal("errors in Lua", fields.get("_ws.lua.error", []), [])
    return found


def numbers(fields, *names):
    return [[dissect.number(text) for text, _ in fields.get(name, [])] for name in names]


def reports(fields):
    return [name for name in EXPERTS if f"xlo_rto.{name}" in fields]


def test_fields():
    """Code, encoding, token and quote are shown, in both families and both encodings, with the
    option of the quoted packet."""
    sent = [(code, packet, encoding, token) for code in CODES for packet in (TCP4, TCP6)
            for encoding in (NATIVE, EXTENSION) for token in (0x89abcdef, None)]
    found = shown(*(message(code, packet, encoding, token=token)
                    for code, packet, encoding, token in sent))
    for fields, (code, packet, encoding, token) in zip(found, sent):
        tap.equal("code, encoding, ports, sequence number, time stamp", numbers(
            fields, "xlo_rto.code", "xlo_rto.encoding", "xlo_rto.quote.srcport",
            "xlo_rto.quote.dstport", "xlo_rto.quote.seq", "xlo_rto.quote.tsval"),
            [[code], [encoding - NATIVE], [80], [4000], [notice.SEQ], [notice.TSVAL]])
        without = [] if encoding == EXTENSION else [0]
        tap.equal("token", numbers(fields, "xlo_rto.token"), [without if token is None else [token]])
        tap.equal("lifetime", numbers(fields, "xlo.lifetime"), [[300 if packet is TCP4 else 400]])
        tap.equal("reports", reports(fields), [])


def test_addresses():
    """The addresses of the quote are shown. A message to another host than the quote's source is
    reported."""
    other4 = icmp.ipv4(pkt.SOURCE4, bytes(4), icmp.icmp(icmp.TYPE4, DROP, TCP4))
    other6 = icmp.message6(DROP, TCP6, target=TCP6[24:40], quote=icmp.QUOTE_MIN)
    found = shown(message(DROP, TCP4, NATIVE), message(DROP, TCP6, EXTENSION), other4, other6)
    for fields, (name, source, target) in zip(found, [
            ("ip", notice.LEFT4, notice.FAR4), ("ipv6", notice.LEFT6, notice.FAR6)] * 2):
        tap.equal("source", fields[f"xlo_rto.quote.{name}_src"][0][0], source)
        tap.equal("destination", fields[f"xlo_rto.quote.{name}_dst"][0][0], target)
        tap.equal("protocol", numbers(fields, "xlo_rto.quote.proto"), [[6]])
    tap.equal("reports", [reports(fields) for fields in found], [[], [], ["not_ours"], ["not_ours"]])


def test_token():
    """With the key, a right token is good and any other is bad. Without the key, or without a quoted
    segment, it is not verified."""
    stampless = notice.ipv4(notice.segment(options=b""))
    right = icmp.token(KEY, DROP, notice.SEQ, notice.TSVAL)
    sent = [message(DROP, TCP4, NATIVE, token=right), message(DROP, TCP6, EXTENSION, token=right),
            message(DEFER, TCP4, NATIVE, token=right), message(DROP, TCP4, NATIVE, token=right ^ 1),
            message(LINK_UP, TCP6, EXTENSION,
                    token=icmp.token(KEY, LINK_UP, notice.SEQ, notice.TSVAL)),
            message(DROP, stampless, EXTENSION, token=icmp.token(KEY, DROP, notice.SEQ)),
            message(DISCARDED, pkt.ipv4(pkt.xlo4(1), bytes(40)), NATIVE, token=0)]
    status = [values for fields in shown(*sent, key=KEY)
              for values in numbers(fields, "xlo_rto.token.status")]
    tap.equal("with the key", status, [[GOOD], [GOOD], [BAD], [BAD], [GOOD], [GOOD], [UNVERIFIED]])
    tap.equal("reports", [reports(fields) for fields in shown(*sent[:3], key=KEY)],
              [[], [], ["token.bad"]])
    for key in None, bytes(3):
        found = shown(*sent, key=key)
        tap.equal("without the key", [numbers(fields, "xlo_rto.token.status") for fields in found],
                  [[[UNVERIFIED]]] * len(sent))


def with_objects(packet, objects):
    """An extension message with any objects of the extension."""
    quoted = packet[:icmp.QUOTE_MIN].ljust(icmp.QUOTE_MIN, b"\0")
    if packet[0] >> 4 == 4:
        return icmp.ipv4(pkt.TARGET4, packet[12:16],
                         icmp.icmp(icmp.UNREACHABLE4, 0, quoted + objects, 32 << 16))
    head = struct.pack("!BBHI", icmp.UNREACHABLE6, 0, 0, 16 << 24)
    data = head + quoted + objects
    return struct.pack("!IHBB", 6 << 28, len(data), 58, 255) + packet[24:40] + packet[8:24] + data


def test_other_objects():
    """The object is found among others. A message without it is not ours, nor an ICMP error with
    another code."""
    other = struct.pack("!HBBI", 8, 1, 1, 77)
    ours = [with_objects(packet, icmp.extension(other + icmp.ours(DEFER, 5) + other))
            for packet in (TCP4, TCP6)]
    unsummed = with_objects(TCP4, b"\x20\0\0\0" + icmp.ours(DEFER, 5))
    for fields in shown(*ours, unsummed):
        tap.equal("code and token", numbers(fields, "xlo_rto.code", "xlo_rto.token"), [[DEFER], [5]])
        tap.equal("reports", reports(fields), [])
    port = bytearray(ours[0])
    port[21] = 3
    foreign = [with_objects(TCP4, icmp.extension(other)), with_objects(TCP6, icmp.extension(b"")),
               bytes(port), icmp.ipv4(pkt.TARGET4, TCP4[12:16], icmp.icmp(3, 0, TCP4[:60])),
               icmp.ipv4(pkt.TARGET4, TCP4[12:16], icmp.icmp(8, 0, bytes(60)))]
    tap.equal("others", [[name for name in fields if name.startswith("xlo_rto")]
                         for fields in shown(*foreign)], [[]] * len(foreign))


def with_quote(packet, quote):
    """A native message about `quote`, to the source of the packet."""
    if packet[0] >> 4 == 4:
        return icmp.ipv4(pkt.TARGET4, packet[12:16], icmp.icmp(icmp.TYPE4, DROP, quote))
    data = struct.pack("!BBHI", icmp.TYPE6, DROP, 0, 0) + quote
    return struct.pack("!IHBB", 6 << 28, len(data), 58, 255) + packet[24:40] + packet[8:24] + data


def malformed():
    """Messages that the kernel counts as malformed."""
    for packet, head in (TCP4, 28), (TCP6, 56):
        for cut in 0, 19, head - 1, head + 7:
            yield with_quote(packet, packet[:cut])
        for objects in (b"", b"\x20\0\0", b"\x10\0\0\0" + icmp.ours(DROP),
                        b"\x20\0\1\1" + icmp.ours(DROP), icmp.extension(icmp.ours(DROP) * 2),
                        icmp.extension(icmp.ours(DROP) + b"\0\0"),
                        icmp.extension(b"\0\3\xf7\0"), icmp.extension(b"\0\x09\xf7\0" + bytes(4))):
            yield with_objects(packet, objects)
        yield with_quote(packet, TCP6 if packet is TCP4 else TCP4)
    yield icmp.ipv4(pkt.TARGET4, TCP4[12:16], icmp.icmp(    # a quote of less than 128 bytes
        icmp.UNREACHABLE4, 0, TCP4[:124] + icmp.extension(icmp.ours(DROP)), 31 << 16))
    yield icmp.ipv4(pkt.TARGET4, TCP4[12:16], icmp.icmp(icmp.TYPE4, DROP, b"")[:7])


def test_malformed():
    """Each malformed message is reported. A capture that has cut off the packet says nothing."""
    sent = list(malformed())
    for packet, fields in zip(sent, shown(*sent)):
        tap.equal(f"reports for {packet.hex()}", reports(fields), ["malformed"])
    for fields in shown(*sent, more=20):
        tap.equal("reports for a cut packet", reports(fields), [])


def test_unknown_code():
    """An unknown code is reported."""
    for encoding in NATIVE, EXTENSION:
        fields, = shown(message(4, TCP4, encoding))
        tap.equal("code", numbers(fields, "xlo_rto.code"), [[4]])
        tap.equal("reports", reports(fields), ["code.unknown"])


def test_extension_headers():
    """The transport header of a quote is found behind extension headers, and that of a later
    fragment is not."""
    routing = bytes([6, 0]) + bytes(6)
    destination = bytes([44, 0, 1, 4, 0, 0, 0, 0])
    for offset, want in ((1, [[notice.SEQ], [80]]), (8, [[], []])):
        fragment = struct.pack("!BBHI", 6, 0, offset, 1)
        packet = notice.ipv6(notice.segment(), following=60, before=destination + fragment)
        fields, = shown(with_quote(packet, packet[:128]))
        tap.equal("sequence number and port", numbers(fields, "xlo_rto.quote.seq",
                                                      "xlo_rto.quote.srcport"), want)
        tap.equal("reports", reports(fields), [])
    packet = notice.ipv6(notice.segment(), following=43, before=routing)
    fields, = shown(with_quote(packet, packet[:128]))
    tap.equal("sequence number", numbers(fields, "xlo_rto.quote.seq"), [[notice.SEQ]])


def test_datagrams():
    """The ports of a quoted UDP packet are shown, and no sequence number."""
    for packet in pkt.ipv4(pkt.xlo4(1), bytes(100)), pkt.ipv6(pkt.xlo6(1), bytes(100)):
        fields, = shown(message(DROP, packet, EXTENSION))
        tap.equal("ports and sequence number", numbers(
            fields, "xlo_rto.quote.srcport", "xlo_rto.quote.dstport", "xlo_rto.quote.seq"),
            [[4000], [5000], []])
        tap.equal("reports", reports(fields), [])


def test_every_cut():
    """No dissector has an error with a message that ends after any of its bytes, and none with one
    that the capture has cut off there."""
    whole = [message(DROP, packet, encoding, token=1) for packet in (TCP4, TCP6)
             for encoding in (NATIVE, EXTENSION)] + list(malformed())
    cut = dissect.every_cut([pkt.ethernet(packet) for packet in whole])
    for more in 0, 100:
        dissect.no_lua_error(cut, dissect.ETHERNET, more=more)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
