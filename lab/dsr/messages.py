# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages with a number and a time stamp: their times and sizes, the source and the sink."""
import random
import struct
import threading
import time
from typing import NamedTuple

from lib import wait
from lib.cell import MS, S

HEAD = struct.Struct("!IHHQ")       # number of the message, piece, pieces, time of submission in ns
FRAMES, KEY, LARGE = 30, 30, 6      # frames a second; each 30th is a key frame, 6 times as large
SPREAD = 0.2                        # of the sizes of frames


class Message(NamedTuple):
    """A message. `at` is in ns after the start."""

    at: int
    size: int


def even(kbit, size, seconds):
    """Messages of one size at equal intervals."""
    interval = size * 8 * MS // kbit
    return [Message(number * interval, size) for number in range(round(seconds * S) // interval)]


def video(kbit, seconds, seed):
    """Frames. A few are large, and the sizes vary."""
    chance = random.Random(f"video {seed}")
    small = kbit * 125 * KEY // FRAMES / (KEY - 1 + LARGE)
    return [Message(number * S // FRAMES, round(small * (LARGE if number % KEY == 0 else 1) *
                                                chance.uniform(1 - SPREAD, 1 + SPREAD)))
            for number in range(round(seconds * FRAMES))]


def cut(number, message, largest, now):
    """The payloads of a message, for a program that carries at most `largest` bytes in one."""
    pieces = -(-message.size // largest)
    size = -(-message.size // pieces)
    return [HEAD.pack(number, piece, pieces, now).ljust(min(size, message.size - piece * size), b"\0")
            for piece in range(pieces)]


def send(messages, largest, write):
    """Send messages at their times with write(), cut to payloads of at most `largest` bytes."""
    start = time.monotonic_ns()
    for number, message in enumerate(messages):
        wait.till(start + message.at)
        for payload in cut(number, message, largest, time.monotonic_ns()):
            write(payload)


class Sink:
    """Notes when messages are complete. read() blocks for the next payload. The time is that of the lab,
    which is the same at the sender and at the receiver."""

    def __init__(self, read):
        self.read = read
        self.missing, self.delays, self.twice = {}, {}, 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            self.note(self.read(), time.monotonic_ns())

    def note(self, payload, now):
        """A payload has arrived."""
        number, piece, pieces, submitted = HEAD.unpack_from(payload)
        left = self.missing.setdefault(number, set(range(pieces)))
        if piece not in left:
            self.twice += 1
            return
        left.remove(piece)
        if not left:
            self.delays[number] = now - submitted

    def on_time(self, deadline):
        """The numbers of the messages that were complete within a time in ns."""
        return [number for number, delay in self.delays.items() if delay <= deadline]
