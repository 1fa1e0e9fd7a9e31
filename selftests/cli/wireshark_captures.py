#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark with the plug-in userspace/wireshark/freshlink reads what the kernel modules send: the option
that xlo writes, the messages that xlo_rto sends, and the frames of arqlink with packets in them."""
# run.sh: once: what tshark shows does not depend on the kernel
import random
import time

from lib import arq_device, dissect, icmp, packet as pkt, sniff, tap
from lib.icmp import DROP, EXTENSION, LINK_UP, NATIVE
from lib.notice import SEQ, TSVAL, Link, ipv4, ipv6, segment
from lib.sender import FAMILIES, Sender

KEY = bytes(range(50, 66))
SECONDS = 300


def numbers(fields, *names):
    return [[dissect.number(text) for text, _ in fields.get(name, [])] for name in names]


def accepted(packets, **more):
    """The fields that tshark shows for each packet. Nothing is malformed."""
    found = dissect.tshark(packets, plugin=True, **more)
    for fields in found:
        tap.equal("errors", [name for name in fields if name in (
            "_ws.lua.error", "_ws.malformed", "xlo.malformed", "xlo_rto.malformed",
            "arqlink.short")], [])
    return found


def cut_at_random(packets, link, seed=1):
    """Check that no dissector has an error with a thousand of the packets that end after any of
    their bytes, or have wrong bytes."""
    chance = random.Random(seed)
    garbled = []
    for _ in range(1000):
        packet = bytearray(chance.choice(packets))
        for _ in range(chance.randrange(3)):
            packet[chance.randrange(len(packet))] = chance.randrange(256)
        garbled.append(bytes(packet[:chance.randrange(len(packet) + 1)]))
    dissect.no_lua_error(garbled, link)


def test_option():
    """Each field of the option is shown as xlo was told to write it, in both families and kinds."""
    kinds, sent = [], []
    for family in FAMILIES:
        for clock in (0, 1):
            with Sender(lifetime=SECONDS, reorder=4, clock=clock) as s:
                sent += s.send(b"x" * 100, family)
                kinds.append(clock)
    found = accepted(sent, when=int(time.time()))
    for kind, packet, fields in zip(kinds, sent, found):
        tap.equal("kind, reorder, flags, lifetime", numbers(
            fields, "xlo.kind", "xlo.reorder", "xlo.flags", "xlo.lifetime"),
            [[kind], [4], [packet[pkt.option_offset(packet) + 3]], [pkt.lifetime(packet)]])
        [left], = numbers(fields, "xlo.left")
        tap.within("time left", left, SECONDS - 200, SECONDS + 1200)
    cut_at_random(sent, dissect.IP)


def test_messages():
    """Code, token and quote of a message are shown as xlo_rto was told to send it, in both families
    and encodings, and the token is right."""
    kinds, got = [], []
    with Link() as link:
        for encoding in (NATIVE, EXTENSION):
            link.client.set(encoding=encoding - 1, key=KEY)
            for code in (DROP, LINK_UP):
                for make, option in ((ipv4, {"options": pkt.xlo4(200)}), (ipv6, {})):
                    link.tell(code, make(segment(), **option))
                    got += link.told()
                    kinds.append((encoding, code, [200] if option else []))
    found = accepted(got, preferences=[f"xlo_rto.key:{KEY.hex()}"])
    for (encoding, code, lifetime), fields in zip(kinds, found):
        tap.equal("message", numbers(
            fields, "xlo_rto.encoding", "xlo_rto.code", "xlo_rto.token", "xlo_rto.token.status",
            "xlo_rto.quote.seq", "xlo_rto.quote.tsval", "xlo.lifetime"),
            [[encoding - 1], [code], [icmp.token(KEY, code, SEQ, TSVAL)], [1], [SEQ], [TSVAL],
             lifetime])
    cut_at_random(got, dissect.IP)


def test_frames():
    """The packets in frames of arqlink are shown with their option."""
    with arq_device.Pair() as pair:
        below = sniff.Sniffer(pair.lower.left.ns, pair.lower.left.name, outgoing=True, header=0)
        port = pair.left.port()
        for number in range(3):
            port.send(pkt.ipv4(pkt.xlo4(500 + number), pkt.body(number, 60)))
        frames = below.until("frames with packets", lambda seen: sum(
            frame.packet.count(pkt.MAGIC) for frame in seen) >= 3)
    data = [frame.packet for frame in frames]
    found = accepted(data, link=dissect.ETHERNET)
    tap.equal("lifetimes", [value for fields in found
                            for value in numbers(fields, "xlo.lifetime")[0]], [500, 501, 502])
    cut_at_random(data, dissect.ETHERNET)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
