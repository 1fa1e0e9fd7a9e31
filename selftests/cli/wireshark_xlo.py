#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark with the plug-in userspace/wireshark/freshlink shows each field of the cross-layer option, and
reports exactly those headers as malformed that the kernel counts as malformed."""
# run.sh: all: nothing (needs no kernel module, so lab/check runs this on the host)
import os
import random
import struct

from lib import dissect, hostile, icmp, notice, packet as pkt, stamped, tap

PAGE = os.path.join(os.path.dirname(os.path.dirname(dissect.PLUGIN)), "..", "Documentation",
                    "xlo-option.rst")
NOON, MIDNIGHT = 43_200_000, 1_600_041_600      # ms of a day, s since 1970
FIELDS = ("type", "length", "reorder", "flags", "lifetime", "kind", "left", "deadline")
EXPERTS = ("malformed", "short", "reserved", "unknown")
RELATIVE, ABSOLUTE, NO_LIFETIME, WRONG = range(4)


def shown(*packets, **recorded):
    """The fields of the option that tshark shows for each packet."""
    names = FIELDS + EXPERTS
    found = dissect.columns(packets, *(f"xlo.{name}" for name in names), **recorded)
    return [dict(zip(names, values)) for values in found]


def reports(fields):
    return [name for name in EXPERTS if fields[name]]


def numbers(fields, *names):
    return [[int(text, 0) for text in fields[name]] for name in names]


def test_fields():
    """Each field has its value, at each place in the header, in both families and in all types."""
    options = [(pkt.ipv4, pkt.xlo4(300, 0x1b, 5), 158, 8, 300),
               (pkt.ipv4, b"\1" + pkt.xlo4(pkt.NONE, 0, 0) + b"\0", 158, 8, pkt.NONE),
               (pkt.ipv4, b"\x44\4\5\0" + pkt.xlo4(0, 4, 255), 158, 8, 0),
               (pkt.ipv6, b"\1\0" + pkt.xlo6(65534, 8, 1), 0x3e, 6, 65534),
               (pkt.ipv6, b"\0" + pkt.xlo6(pkt.NONE, 1, 2), 0x3e, 6, pkt.NONE),
               (pkt.ipv6, pkt.xlo6(pkt.NONE + NOON, 4, 3), 0x1e, 6, pkt.NONE + NOON)]
    found = shown(*(make(option) for make, option, *_ in options), when=MIDNIGHT)
    for fields, (_, option, kind, length, lifetime) in zip(found, options):
        at = option.index(bytes([kind, length]))
        tap.equal("fields", numbers(fields, "type", "length", "reorder", "flags", "lifetime"),
                  [[kind], [length], [option[at + 2]], [option[at + 3]], [lifetime]])
        tap.equal("reports", reports(fields), [])


def test_flags():
    """Each flag is shown by itself. The reserved treatment and unknown flags are reported."""
    names = ("corrupt_ok", "corrupted", "stale", "slow", "unknown")
    sent = [pkt.ipv4(pkt.xlo4(1, 1 << bit)) for bit in range(8)] + [pkt.ipv4(pkt.xlo4(1, 0x0c))]
    found = dissect.columns(sent, *(f"xlo.flags.{name}" for name in names))
    got = [[dissect.number(text) for [text] in values] for values in found]
    tap.equal("flags", got, [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 2, 0, 0],
                             [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 2], [0, 0, 0, 0, 4],
                             [0, 0, 3, 0, 0]])
    tap.equal("reports", [reports(fields) for fields in shown(*sent)],
              [[]] * 5 + [["unknown"]] * 3 + [["reserved"]])


def test_time_left():
    """A relative lifetime is the time left. A deadline is on the day that is nearest to the
    capture: 12 h ahead at most."""
    lifetimes = [0, 300, pkt.NONE, pkt.NONE + 1, pkt.NONE + NOON, pkt.NONE + NOON + 1,
                 pkt.NONE + pkt.DAY_MS - 1]
    found = shown(*(pkt.ipv4(pkt.xlo4(lifetime)) for lifetime in lifetimes), when=MIDNIGHT)
    tap.equal("kind and time left", [numbers(fields, "kind", "left") for fields in found],
              [[[RELATIVE], [0]], [[RELATIVE], [300]], [[NO_LIFETIME], []], [[ABSOLUTE], [1]],
               [[ABSOLUTE], [NOON]], [[ABSOLUTE], [1 - NOON]], [[ABSOLUTE], [-1]]])
    tap.equal("deadlines", [fields["deadline"] for fields in found],
              [[], [], [], ["00:00:00.001"], ["12:00:00.000"], ["12:00:00.001"], ["23:59:59.999"]])


def test_malformed():
    """Each malformed header is reported, and the other fields of a wrong option are not shown."""
    long, short = b"\x9e\x0a" + bytes(8), b"\x9e\x06" + bytes(4)
    bad = [pkt.ipv4(long), pkt.ipv4(short), pkt.ipv4(pkt.xlo4(86_465_535)),
           pkt.ipv4(pkt.xlo4(1) + pkt.xlo4(2)), pkt.ipv4(b"\x44\x30\5\0"),
           pkt.ipv4(b"\1\1\1\x9e"), pkt.ipv4(b"\x44\1\0\0"), pkt.ipv4(pkt.xlo4(1) + b"\x44\0\0\0"),
           pkt.ipv6(b"\x3e\4" + bytes(4)), pkt.ipv6(pkt.xlo6(pkt.NONE + 1, kind=0x3e)),
           pkt.ipv6(pkt.xlo6(5, kind=0x1e)), pkt.ipv6(pkt.xlo6(2**32 - 1)),
           pkt.ipv6(pkt.xlo6(1) + pkt.xlo6(pkt.NONE + 5)), pkt.ipv6(b"\5\xff\0\0"),
           b"\x43" + pkt.ipv4()[1:]]
    for packet, fields in zip(bad, shown(*bad)):
        tap.equal(f"reports for {packet.hex()}", reports(fields), ["malformed"])
    tap.equal("fields of options of a wrong length",
              [numbers(fields, "length", "lifetime", "flags") for fields in shown(*bad[:2])],
              [[[10], [], []], [[6], [], []]])
    wrong_version = pkt.ethernet(b"\x45" + pkt.ipv4()[1:])[:14] + b"\x55" + pkt.ipv4()[1:]
    fields, = shown(wrong_version, link=dissect.ETHERNET)
    tap.equal("reports for a wrong version", reports(fields), ["malformed"])


def test_others():
    """Without the option, nothing is shown: other options, padding behind the end of the list, and
    hop-by-hop headers that are not directly behind the IPv6 header."""
    none = [pkt.ipv4(), pkt.ipv4(b"\x44\4\5\0"), pkt.ipv4(b"\0\x9e\x07\xff"), pkt.ipv6(),
            pkt.ipv6(b"\5\2\0\0"), pkt.ipv6(pkt.xlo6(3), before=b"\0\0\1\4\0\0\0\0")]
    for fields in shown(*none):
        tap.equal("fields", [name for name, values in fields.items() if values], [])


def test_tunnel_and_quote():
    """The option of a packet in a tunnel is shown, and that of a packet that an ICMP error quotes."""
    inner, outer = pkt.ipv4(pkt.xlo4(7)), pkt.ipv6(pkt.xlo6(9))
    tunnel = stamped.checksummed(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(outer), 1, 0, 64, 41, 0) +
                                 pkt.ipv4()[12:20] + outer)
    error = icmp.ipv4(pkt.TARGET4, pkt.ipv4()[12:16], icmp.icmp(11, 0, inner))
    found = shown(tunnel, error)
    tap.equal("lifetimes", [numbers(fields, "lifetime") for fields in found], [[[9]], [[7]]])


def verdict(packet):
    """What <linux/xlo.h> says about a header: the lifetime of its option, "malformed", or None."""
    ipv6 = packet[0] >> 4 == 6
    if ipv6 and packet[6]:
        return None
    at, end = (42, 40 + 8 * (packet[41] + 1)) if ipv6 else (20, (packet[0] & 15) * 4)
    extra, types = (2, (0x1e, 0x3e)) if ipv6 else (0, (158,))
    found = None
    if end < 20 or len(packet) < end:
        return "malformed" if end < 20 else "short"
    while at < end:
        kind = packet[at]
        if kind == (0 if ipv6 else 1):
            at += 1
            continue
        if kind == 0:
            break
        size = packet[at + 1] + extra if end - at > 1 else 0
        if size < 2 or size > end - at or kind in types and (size != 8 or found is not None):
            return "malformed"
        if kind in types:
            found, = struct.unpack_from("!I", packet, at + 4)
            if found > 86_465_534 or kind == 0x1e and found < 65535 or \
                    kind == 0x3e and found > 65535:
                return "malformed"
        at += size
    return found


def garbled(packets, count, seed):
    """Packets with options of random bytes, most of which are bytes of real options."""
    chance = random.Random(seed)
    common = bytes([0, 1, 2, 4, 6, 8, 10, 158, 0x1e, 0x3e])
    for _ in range(count):
        packet = bytearray(chance.choice(packets))
        if packet[0] >> 4 == 4 and chance.random() < 0.1:
            packet[0] = 0x40 | chance.randrange(16)
        first = 20 if packet[0] >> 4 == 4 else 41
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(first, min(len(packet), first + 24))
            packet[at] = chance.choice(common) if chance.random() < 0.7 else chance.randrange(256)
        yield bytes(packet)


def agrees(packet, fields):
    """Compare what tshark shows with verdict()."""
    want = verdict(packet)
    got = "malformed" if fields["malformed"] else "short" if fields["short"] else \
        int(fields["lifetime"][0]) if fields["lifetime"] else None
    tap.equal(f"verdict on {packet.hex()}", got, want)


def test_same_verdict():
    """For random headers, the plug-in has the same verdict as the description of the option."""
    base = [pkt.ipv4(pkt.xlo4(300) + pkt.xlo4(5)), pkt.ipv4(b"\1\1" + pkt.xlo4(300) + bytes(6)),
            pkt.ipv4(bytes(24)), pkt.ipv6(pkt.xlo6(300) + bytes(10)),
            pkt.ipv6(b"\0\0" + pkt.xlo6(10**7) + b"\1\1\0"), pkt.ipv6(pkt.xlo6(1) + pkt.xlo6(2))]
    sent = list(garbled(base, 1500, seed=1))
    found = [verdict(packet) for packet in sent]
    tap.true("all verdicts occur", {"malformed", "short", None} <= set(found) and
             sum(isinstance(one, int) for one in found) > 50)
    for packet, fields in zip(sent, shown(*sent)):
        agrees(packet, fields)


def test_every_cut():
    """No dissector has an error with a packet that ends after any of its bytes, and none with a
    packet that the capture has cut off there."""
    packets = [pkt.ipv4(b"\1" + pkt.xlo4(300), b"x"), pkt.ipv6(pkt.xlo6(pkt.NONE + 1), b"x"),
               notice.ipv4(notice.segment(payload=b""), options=pkt.xlo4(1)),
               notice.ipv6(notice.segment(payload=b""), following=0,
                           before=pkt.hop_by_hop(pkt.xlo6(1), 6))]
    cut = dissect.every_cut([pkt.ethernet(packet) for packet in packets])
    for more in 0, 100:
        dissect.no_lua_error(cut, dissect.ETHERNET, more=more)


def test_hostile():
    """No dissector has an error with the packets of selftests/hostile, and with 2000 that its program
    makes from them."""
    hostile.need()
    for family in 4, 6:
        with open(hostile.corpus(family), encoding="utf-8") as lines:
            dissect.no_lua_error([bytes.fromhex(line.strip()) for line in lines
                                  if line.strip() and not line.startswith("#")])
        frames = hostile.frames(family, 1, 1000)
        virtio = 10
        dissect.no_lua_error([b"".join(pieces)[virtio:] for pieces in frames], dissect.ETHERNET)


def commands():
    """The commands with output in the page xlo-option.rst: [(command, output), ...]."""
    with open(PAGE, encoding="utf-8") as page:
        block = page.read().split("above::\n\n    $ ")[1].split("\n\n")[0]
    for part in block.replace("\n    ", "\n").replace("\\\n  ", "").split("\n$ "):
        command, _, output = part.partition("\n")
        yield command, output


def test_page():
    """The commands of the page print what the page shows."""
    with dissect.home() as folder:
        for command, output in commands():
            done = dissect.start(command, folder, shell=True, text=True)
            tap.equal(command, done.stdout.strip(), output)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
