#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark with userspace/wireshark/freshlink/arqlink.lua dissects the frames of arqlink. It verifies
their checksums, and dissects the packets in them."""
# run.sh: all: nothing (needs no kernel module, so lab/check runs this on the host)
from lib import arq_device, arq_frame, dissect, packet as pkt, tap
from lib.arq_frame import (ACK, ASK, BOUNDED, BYPASS, DATA, ECHO, FIRST, HELLO, LAST, NACK, PACKED,
                           SKIP, STAMP, TOLERANT, Frame, crc32c, ethernet, packed)

PACKET = pkt.ethernet(pkt.ipv4(b"", pkt.body(5, 100)))
SESSIONS = {"session": 0x12345678, "source": 0x9abcdef0}


def dissected(*frames, more=b""):
    """The fields that tshark shows for each frame."""
    sent = [ethernet(arq_frame.BROADCAST, arq_device.LOWER[0], frame) + more for frame in frames]
    return dissect.tshark(sent, dissect.ETHERNET, plugin=True)


def shows(fields, **expected):
    """Check the values of some fields, as numbers."""
    for name, value in expected.items():
        name = f"arqlink.{name.replace('__', '.')}"
        tap.true(f"{name} is shown", name in fields)
        values = value if isinstance(value, list) else [value]
        tap.equal(name, [dissect.number(text) for text, _ in fields[name]], values)


def test_header():
    """Each field of the header has its value in all types of frames."""
    for kind in range(6):
        frame = Frame(kind, bytes(8), 0, number=1, ack=65535, oldest=3, **SESSIONS)
        fields, = dissected(frame)
        shows(fields, version=1, type=kind, flags=0, length=8, number=1, ack=65535, oldest=3,
              sensitive=8, checksum__status=1, **SESSIONS)


def test_hello():
    """HELLO has the window, the largest piece and the flag "ask"."""
    for flags in (0, ASK):
        fields, = dissected(Frame(HELLO, arq_frame.offer(8, 264), flags))
        shows(fields, flags__ask=flags, window=8, largest=264)


def test_nack():
    """NACK has all its ranges."""
    fields, = dissected(Frame(NACK, arq_frame.ranges((1, 2), (65535, 4))))
    shows(fields, range__first=[1, 65535], range__count=[2, 4])


def test_packets():
    """The packet in BYPASS, and in DATA with a whole packet, is dissected. A piece is not."""
    whole, half, bypass = dissected(Frame(DATA, PACKET, FIRST | LAST), Frame(DATA, PACKET, FIRST),
                                    Frame(BYPASS, PACKET))
    for fields, first, last in ((whole, 1, 1), (half, 1, 0)):
        shows(fields, flags__first=first, flags__last=last)
    for fields in whole, bypass:
        tap.equal("port", fields["udp.dstport"][0][0], "5000")
        tap.equal("UDP checksum", fields["udp.checksum.status"][0][0], "1")
    tap.true("a piece is not a packet", "udp.dstport" not in half)


def test_list():
    """Each packet of a list is dissected. The rest of a list that lies about its lengths is an
    error."""
    other = pkt.ethernet(pkt.ipv4(b"", pkt.body(6, 50)))
    flags = FIRST | LAST | PACKED
    good, cut, bounded = dissected(Frame(DATA, packed(PACKET, other, bounded=[1]), flags),
                                   Frame(DATA, packed(PACKET, other)[:-1], flags),
                                   Frame(DATA, PACKET[:30], FIRST | BOUNDED))
    shows(good, flags__packed=1, flags__bounded=0, item__length=[len(PACKET), len(other)],
          item__bounded=[0, 1])
    tap.equal("UDP checksums", [text for text, _ in good["udp.checksum.status"]], ["1", "1"])
    tap.true("no error", "arqlink.short" not in good)
    shows(cut, item__length=len(PACKET))
    tap.true("the report", "arqlink.short" in cut)
    shows(bounded, flags__packed=0, flags__bounded=1)


def test_without_payload():
    """ACK and SKIP have no payload."""
    for fields in dissected(Frame(ACK), Frame(SKIP)):
        shows(fields, length=0, checksum__status=1)
        tap.true("no payload", "arqlink.payload" not in fields)


def test_checksum():
    """A wrong checksum is reported."""
    good, bad = dissected(Frame(DATA, PACKET), Frame(DATA, PACKET, checksum=1))
    shows(good, checksum__status=1)
    shows(bad, checksum__status=0, checksum=1)
    tap.true("the report", "arqlink.checksum.bad" in bad and "arqlink.checksum.bad" not in good)


def test_words():
    """The words behind the header are shown, and the payload follows them. HELLO has none."""
    fields, = dissected(Frame(DATA, PACKET, FIRST | LAST | STAMP | ECHO, words=(7, 2**32 - 1)))
    shows(fields, stamp=7, echo=2**32 - 1, flags__stamp=1, flags__echo=1, flags__tolerant=0,
          checksum__status=1)
    tap.true("the packet in the frame", "udp.srcport" in fields)
    for kind, payload in ((ACK, b""), (SKIP, b""), (NACK, arq_frame.ranges((1, 2))),
                          (BYPASS, PACKET)):
        fields, = dissected(Frame(kind, payload, ECHO, words=(9,)))
        shows(fields, echo=9, checksum__status=1)
    fields, = dissected(Frame(HELLO, arq_frame.offer(8, 264), ECHO | STAMP | TOLERANT))
    shows(fields, window=8, checksum__status=1)
    tap.true("no word", not {"arqlink.echo", "arqlink.stamp", "arqlink.rest"} & set(fields))


def test_rest():
    """The status of the rest says whether bytes behind the sensitive part are damaged."""
    for kind in DATA, BYPASS:
        for sensitive in 50, len(PACKET):
            rest = crc32c(PACKET[sensitive:])
            frame = Frame(kind, PACKET, TOLERANT | FIRST | LAST, sensitive=sensitive, words=(rest,))
            data = bytearray(frame.encode())
            data[-1] ^= 1
            good, bad = dissected(frame, bytes(data))
            shows(good, rest=rest, rest__status=1, checksum__status=1, sensitive=sensitive)
            tap.true("no report", "arqlink.rest.bad" not in good)
            if sensitive < len(PACKET):
                shows(bad, rest__status=0, checksum__status=1)
                tap.true("a report", "arqlink.rest.bad" in bad)
            else:
                shows(bad, rest__status=1, checksum__status=0)


def test_padding():
    """Bytes behind the payload are padding, and not part of the checksum."""
    fields, = dissected(Frame(ACK), more=bytes(22))
    shows(fields, checksum__status=1)
    tap.equal("padding", fields["arqlink.padding"][0][1], "00" * 22)


def test_cut():
    """tshark also shows frames that end early or lie about their length. No dissector has an error
    with a frame that ends after any of its bytes."""
    data = Frame(DATA, PACKET, FIRST | LAST).encode()
    for fields in dissected(*(data[:size] for size in (0, 1, 23, 24, 30)),
                            Frame(NACK, bytes(3)).encode(), Frame(HELLO, bytes(3)).encode(),
                            Frame(DATA, b"", length=65535, sensitive=65535).encode()):
        tap.true("arqlink is shown", "arqlink" in fields or "_ws.malformed" in fields)
        tap.true("no error in the dissector", "_ws.lua.error" not in fields)
    items = packed(PACKET, PACKET, bounded=[1])
    whole = [Frame(DATA, PACKET, FIRST | LAST | STAMP | ECHO | TOLERANT, words=(7, 8, 9)),
             Frame(DATA, items, FIRST | LAST | PACKED), Frame(BYPASS, PACKET),
             Frame(HELLO, arq_frame.offer(8, 264), ASK), Frame(NACK, arq_frame.ranges((1, 2)))]
    cut = dissect.every_cut([ethernet(arq_frame.BROADCAST, arq_device.LOWER[0], frame)
                             for frame in whole])
    for more in 0, 100:
        dissect.no_lua_error(cut, dissect.ETHERNET, more=more)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
