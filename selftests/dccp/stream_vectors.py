#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The library and selftests/lib/stream.py, which is written from the diagrams of the frames alone,
write the same bytes for a frame, read the same fields of it, and refuse the same wrong ones. The
frames are random; the environment variable `seed` repeats a run."""
# run.sh: once: the library is the same on every kernel
# run.sh: smoke on lab lab-debug smp-debug host: everything
import os
import random

from dccp.program import asked
from lib import stream, tap

SEED = int(os.environ.get("seed") or random.SystemRandom().randrange(2**32))
COUNT = 4000
# the order of a description; attempt stands for revision, too
NAMES = ("attempt", "unfinished", "number", "piece", "pieces", "submitted", "lifetime", "latency",
         "way", "srtt", "on_time", "late", "missing")


def a_number(rng, width):
    """A number of so many bytes, often at an edge."""
    most = 256**width - 1
    return rng.choice((rng.randrange(most + 1), 0, 1, most, most // 2 + 1))


def a_frame(rng):
    """The fields of a correct frame of any type."""
    kind = rng.choice(stream.TYPES)
    fields = {name: a_number(rng, width) for name, width in stream.LAYOUT[kind] if name}
    fields |= {"kind": kind, "flags": rng.randrange(16), "payload": b""}
    if stream.SECOND[kind]:
        fields[stream.SECOND[kind]] = rng.randrange(256)
    if kind == stream.MESSAGE:
        fields["pieces"] = max(1, fields["pieces"])
        fields["piece"] = min(fields["piece"], fields["pieces"] - 1)
        fields["payload"] = rng.randbytes(rng.choice((1, 2, 20, 1200)))
    return fields


def description(fields):
    """A frame as the program describes it."""
    known = {"attempt": fields.get("revision", 0)} | fields
    return " ".join(str(value) for value in (
        fields["kind"], fields["flags"], *(known.get(name, 0) for name in NAMES),
        fields["payload"].hex() or "-"))


def frames(name):
    """Random frames."""
    tap.note(f"seed={SEED}")
    rng = random.Random(f"{SEED} {name}")
    return rng, [a_frame(rng) for _ in range(COUNT)]


def test_written():
    """The library writes the bytes that the second writer writes, and the second reader finds the
    fields in them."""
    _, sent = frames("written")
    for fields, answer in zip(sent, asked("write", map(description, sent), "stream_vectors")):
        tap.equal(description(fields), answer, stream.write(**fields).hex())
        tap.equal("fields", stream.read(bytes.fromhex(answer)), fields)


def judged(data):
    """What the second reader reads."""
    try:
        return description(stream.read(data))
    except stream.Refused:
        return "refused"


def harmed(rng, data):
    """The bytes of a frame with an error, perhaps, in its first bytes or in its length."""
    data = bytearray(data)
    for _ in range(rng.randrange(3)):
        data[rng.randrange(min(len(data), 12))] = rng.choice((0, 1, 255, rng.randrange(256)))
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)):]
    if rng.random() < 0.1:
        data += rng.randbytes(rng.randrange(10))
    return bytes(data)


def test_read():
    """The library and the second reader judge each frame alike, also damaged ones."""
    rng, sent = frames("read")
    heard = [harmed(rng, stream.write(**fields)) for fields in sent]
    answers = asked("read", [data.hex() or "-" for data in heard], "stream_vectors")
    found = [judged(data) for data in heard]
    for data, answer, want in zip(heard, answers, found):
        tap.equal(data.hex(), answer, want)
    refused = found.count("refused")
    tap.true(f"{refused} of {COUNT} were refused", COUNT / 10 < refused < COUNT * 9 / 10)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
