# SPDX-License-Identifier: GPL-2.0-or-later
"""The transactions that `freshlink traffic web` must make from a seed. The module is a second
implementation of the command's model, with the tables of the command. All numbers are integers, so
the result is the same on every host."""
import functools
import os
import re
import struct

from . import nrt

MODEL = os.path.join(os.path.dirname(__file__), "..", "..", "userspace", "cli", "web.c")
HEADER = struct.Struct("!4sII")


@functools.cache
def table(name):
    """A table of the model: [(value, number of measured values that are at most this value)]."""
    with open(MODEL) as file:
        text = re.search(rf"\b{name}\[\] = {{(.*?)\n}};", file.read(), re.S)[1]
    text = text.replace("sizeof(struct web_request)", str(HEADER.size)).replace(
        f"{HEADER.size} - 1", str(HEADER.size - 1))
    return [(int(value), int(count)) for value, count in re.findall(r"{ (\d+), (\d+) }", text)]


def draw(random, name):
    points = table(name)
    rank = random.between(1, points[-1][1])
    above = next(i for i, (_, count) in enumerate(points) if count >= rank)
    return random.between(points[above - 1][0] + 1, points[above][0])


def transactions(seed, count, objects=0):
    """The transactions of a seed: for each of them a list of its files (length of the request,
    length of the reply). `objects` is the number of files that the model's number does not
    count."""
    random = nrt.Random(seed)
    return [[(draw(random, "requests"), draw(random, "replies"))
             for _ in range(draw(random, "connections") + objects)] for _ in range(count)]


def request(length, reply, magic=b"FLWB"):
    """A request. The parameters may be wrong. A request that is too short has only its start."""
    return HEADER.pack(magic, length, reply).ljust(length, b"\0")
