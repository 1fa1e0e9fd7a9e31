#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The library and selftests/lib/dccp.py, which is written from the RFCs alone, write the same bytes
for a packet, read the same fields of it, and ignore the same damaged packets. The packets are
random; the environment variable `seed` repeats a run."""
# run.sh: once: the library is the same on every kernel
# run.sh: smoke on lab lab-debug smp-debug host: everything
import os
import random

from dccp.program import asked, description
from lib import dccp, tap

SEED = int(os.environ.get("seed") or random.SystemRandom().randrange(2**32))
ADDRESSES = (("192.0.2.1", "198.51.100.9"), ("2001:db8::1", "2001:db8:ffff::fedc:9"))
COUNT = 4000
EDGES = (0, 1, 2**24 - 1, 2**24, 2**32, 2**47, 2**48 - 1)


def a_number(rng, bits):
    """A number of up to so many bits, often at an edge."""
    return rng.choice((rng.getrandbits(bits), rng.choice(EDGES) % 2**bits))


def an_option(rng):
    """One option of any kind, with a value that fits."""
    choices = (
        lambda: dccp.flag(dccp.SLOW_RECEIVER),
        lambda: dccp.feature(rng.randrange(32, 36), dccp.CCID, *rng.sample(range(2, 5), 2)),
        lambda: dccp.feature(dccp.CHANGE_L, dccp.SEQUENCE_WINDOW, a_number(rng, 46)),
        lambda: dccp.feature(dccp.CONFIRM_R, dccp.ACK_RATIO, a_number(rng, 16)),
        lambda: dccp.feature(dccp.CONFIRM_L, rng.randrange(256)),
        lambda: dccp.option(dccp.INIT_COOKIE, rng.randbytes(rng.randrange(60))),
        lambda: dccp.ndp_count(a_number(rng, 48)),
        lambda: dccp.ack_vector(rng.choices((0, 1, 3), (9, 1, 1), k=rng.randrange(1, 300)))[0],
        lambda: dccp.data_dropped(rng.choices((None, 0, 1, 2, 3, 7), k=rng.randrange(1, 40)))[0],
        lambda: dccp.timestamp(a_number(rng, 32)),
        lambda: dccp.timestamp_echo(a_number(rng, 32), rng.choice((0, 1, 65535, 65536))),
        lambda: dccp.elapsed_time(rng.choice((0, 1, 65535, 65536, 2**32 - 1, 2**40))),
        lambda: dccp.data_checksum(rng.randbytes(rng.randrange(50))),
        lambda: dccp.number(dccp.LENGTH, rng.getrandbits(16), 2),
        lambda: dccp.option(dccp.MOVE_TOKEN, rng.randbytes(16)),
        lambda: dccp.option(dccp.CHALLENGE, rng.randbytes(8)),
        lambda: dccp.challenge_answer(rng.randbytes(16), rng.randbytes(8), 1, 2),
        lambda: dccp.number(dccp.LOSS_EVENT_RATE, a_number(rng, 32), 4),
        lambda: dccp.number(dccp.RECEIVE_RATE, a_number(rng, 32), 4),
        lambda: dccp.loss_intervals(rng.randrange(4), [
            dccp.Interval(a_number(rng, 24), rng.getrandbits(1), a_number(rng, 23),
                          a_number(rng, 24)) for _ in range(rng.randrange(1, 29))]),
        lambda: dccp.option(rng.randrange(32, 256), rng.randbytes(rng.randrange(254))),
        lambda: dccp.flag(rng.randrange(2, 32)),
    )
    return rng.choice(choices)()._replace(mandatory=rng.random() < 0.1)


def a_packet(rng, extended=True):
    """A correct packet of any type."""
    kind = rng.choice(dccp.TYPES if extended else (dccp.DATA, dccp.ACK, dccp.DATAACK))
    bits = 48 if extended else 24
    options = [an_option(rng) for _ in range(rng.choice((0, 1, 2, 5)))]
    while len(dccp.write_options(options)) > dccp.LARGEST_HEADER - 28:
        options.pop()
    data = rng.randbytes(rng.choice((0, 1, 3, 60, 61, 1400)))
    return dccp.Packet(
        kind, a_number(rng, bits), a_number(rng, bits) if kind not in (0, 2) else 0,
        rng.getrandbits(16), rng.getrandbits(16), options, data,
        rng.getrandbits(32) if kind in (dccp.REQUEST, dccp.RESPONSE) else 0,
        rng.randbytes(4) if kind == dccp.RESET else bytes(4), rng.getrandbits(4),
        rng.randrange(1 + min(15, 1 + len(data) // 4)), extended)


def packets(name, **more):
    """Random packets with the addresses they go from and to."""
    tap.note(f"seed={SEED}")
    rng = random.Random(f"{SEED} {name}")
    return rng, [(rng.choice(ADDRESSES), a_packet(rng, **more)) for _ in range(COUNT)]


def test_written():
    """The library writes the bytes that the second writer writes, and the second reader finds the
    fields in them."""
    _, sent = packets("written")
    answers = asked("write", [" ".join((*way, description(packet))) for way, packet in sent])
    for (way, packet), answer in zip(sent, answers):
        tap.equal(description(packet), answer, packet.encode(way).hex())
        tap.equal("fields", description(dccp.decode(bytes.fromhex(answer), way)),
                  description(packet))


def lines_of(heard):
    """Lines for the program, of pairs of addresses and bytes."""
    return [f"{way[0]} {way[1]} {data.hex() or '-'}" for way, data in heard]


def padded(rng, options):
    """The bytes of options with Padding anywhere between them."""
    return b"".join(dccp.write_options([one]) + bytes(rng.choice((0, 0, 1, 2, 3)))
                    for one in options)


def test_read():
    """The library reads the fields of packets that the second writer writes, with Padding between
    the options, and with numbers of 24 bits."""
    for extended in True, False:
        rng, sent = packets(f"read {extended}", extended=extended)
        heard = []
        for way, packet in sent:
            area = padded(rng, packet.options)
            if len(area) <= dccp.LARGEST_HEADER - 28:
                packet.area = area
            heard.append((way, packet.encode(way)))
        for (_, packet), answer in zip(sent, asked("read", lines_of(heard))):
            tap.equal("what the library reads", answer, description(packet))


def judged(data, way):
    """What the second reader reads, or why it ignores the packet."""
    try:
        return description(dccp.decode(data, way))
    except dccp.Refused as why:
        return str(why)


def harmed(rng, packet, way):
    """The bytes of a packet that was cut, or that has wrong bytes in its header."""
    data = bytearray(packet.encode(way))
    for _ in range(rng.randrange(3)):
        data[rng.randrange(min(len(data), 40))] = rng.choice((0, 1, 2, 255, rng.getrandbits(8)))
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)):]
    return bytes(data)


def summed(data, way):
    """The packet with the right checksum, if it has one."""
    try:
        size = dccp.covered_size(data[5] & 15, 4 * data[4], len(data)) if len(data) > 11 else 0
    except dccp.Refused:
        return data
    if not 12 <= size <= len(data):
        return data
    bare = data[:6] + bytes(2) + data[8:]
    value = dccp.pkt.checksum(dccp.pseudo_header(way, len(data)) + bare[:size])
    return data[:6] + value.to_bytes(2, "big") + data[8:]


def test_harmed():
    """The library and the second reader judge each damaged packet alike. Most have a right
    checksum, so that wrong lengths, types and options are seen."""
    rng, sent = packets("harmed")
    heard = [(way, harmed(rng, packet, way)) for way, packet in sent]
    heard = [(way, summed(data, way) if rng.random() < 0.8 else data) for way, data in heard]
    found = [judged(data, way) for way, data in heard]
    for (way, data), answer, want in zip(heard, asked("read", lines_of(heard)), found):
        tap.equal(f"{data.hex()} {way}", answer, want)
    for kind in "refused", "uncovered", "damaged":
        tap.true(f"some packets were {kind}", kind in found)
    tap.true("some options were nonsensical", any("?" in text for text in found))


NOT_DROPPED = 8


def arrivals(rng):
    """Packets as they arrive, {number: (marked, code)} in this order, with losses and reordering.
    The first number may be near the end of the circle."""
    first = rng.choice((0, 1000, 2**48 - 50))
    offsets = [at for at in range(rng.choice((1, 2, 100, 300))) if at == 0 or rng.random() > 0.2]
    rng.shuffle(offsets)
    odds = rng.choice((0, 0.05, 0.5))
    return first, {(first + at) % 2**48: (
        rng.random() < 0.3, rng.choice((0, 1, 2, 3, 7)) if rng.random() < odds else NOT_DROPPED)
        for at in offsets}


def without_end(codes):
    """The codes up to the last one that is not None."""
    while codes and codes[-1] is None:
        codes = codes[:-1]
    return codes


def test_reports():
    """The Ack Vector and Data Dropped of the library report each packet as it arrived."""
    tap.note(f"seed={SEED}")
    rng = random.Random(f"{SEED} reports")
    cases = [arrivals(rng) for _ in range(500)]
    lines = [" ".join([str(first), *(f"{seq}:{int(marked)}:{code}"
                                     for seq, (marked, code) in seen.items())])
             for first, seen in cases]
    for line, (first, seen), answer in zip(lines, cases, asked("report", lines)):
        options = dccp.read_options(bytes.fromhex(answer))
        states = [state for one in options if one.type == dccp.ACK_VECTOR
                  for state in dccp.read_ack_vector(one.value)]
        codes = [code for one in options if one.type == dccp.DATA_DROPPED
                 for code in dccp.read_data_dropped(one.value)]
        span = max((seq - first) % 2**48 for seq in seen)
        packets = [seen.get((first + at) % 2**48) for at in range(span, -1, -1)]
        tap.equal(f"states of {line}", states,
                  [dccp.MISSING if one is None else int(one[0]) for one in packets])
        tap.equal(f"codes of {line}", without_end(codes), without_end(
            [None if one is None or one[1] == NOT_DROPPED else one[1] for one in packets]))


def test_answers():
    """The library answers a Challenge as the second writer does."""
    tap.note(f"seed={SEED}")
    rng = random.Random(f"{SEED} answers")
    cases = [(rng.randbytes(16), rng.randbytes(8), rng.getrandbits(16), rng.getrandbits(16))
             for _ in range(100)]
    answers = asked("answer", [f"{token.hex()} {challenge.hex()} {port} {peer_port}"
                               for token, challenge, port, peer_port in cases])
    for case, answer in zip(cases, answers):
        tap.equal(f"answer to {case}", answer, dccp.challenge_answer(*case).value.hex())


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
