#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With `estimate stamp` each DATA frame has the time of its transmission, and each stamp that the
peer returns is a sample of the round-trip time. The receiver returns stamps whatever its own
option is."""
# run.sh: needs: simulated time
import struct
import time

from lib import arq_device, arq_frame, arq_peer, tap, uapi
from lib.arq_frame import (ACK, BYPASS, DATA, ECHO, FIRST, HELLO, LAST, MS, NACK, S, SKIP, STAMP,
                           US, crc32c)
from lib.arq_peer import Scripted, near, whole

ESTIMATE_ACK, ESTIMATE_STAMP = uapi.ARQLINK_ESTIMATE_ACK, uapi.ARQLINK_ESTIMATE_STAMP
FIXED = arq_device.FIXED
OLDEST = 60 * S                         # the oldest stamp that the sender accepts
# a stamp counts whole us
SLACK = 2 * arq_peer.PRECISION + US
MARK = 7
LOSSY = {"rate": 80_000, "delay": 10 * MS, "loss": 500_000}
# The round-trip time on this link is at most 60 ms: two delays, `ack_delay`, and 8 waiting frames.
# A timeout has three times the round-trip time, and twice its deviation.
LONG = 200 * MS


class Stamped(Scripted):
    """A device with `estimate stamp`."""

    def __init__(self, **values):
        super().__init__(**{"estimate": ESTIMATE_STAMP} | values)

    def stamp(self, ago):
        """The stamp of a transmission `ago` ns ago."""
        return (self.peer.now - ago) // US & 0xffffffff

    def measured(self, sample, samples, **more):
        """Check that all `samples` samples were equal to `sample`."""
        self.device.expect(samples=samples, **more)
        tap.within("mean", self.device.counters()["srtt"], sample - SLACK, sample + SLACK)


def echo(test, word, kind=ACK, payload=b"", after=0):
    """The peer returns a stamp."""
    test.peer.send(kind, payload, after, flags=ECHO, words=(word,))


def stamp_of(frame):
    return frame.word(STAMP)


def test_stamp():
    """Stamp and echo follow the header of a DATA frame in this order. The checksum covers both."""
    with Stamped() as test:
        test.peer.piece(whole(0), flags=FIRST | LAST | STAMP, words=(0x01020304,))
        test.send(0)
        frame, = test.peer.data(0)
        now = frame.when // US & 0xffffffff
        tap.within("stamp", stamp_of(frame), now - 2, now)
        data = whole(0, 100)
        head = struct.pack("!BBHIIHHHH", 0x11, 0x63, len(data), test.peer.session,
                           test.peer.theirs, 0, 1, 0, len(data))
        words = struct.pack("!II", stamp_of(frame), 0x01020304)
        tap.equal("bytes", frame.encode().hex(),
                  (head + struct.pack("!I", crc32c(head + bytes(4) + words + data)) + words +
                   data).hex())


def test_clock():
    """The stamp is the time at which the frame enters the queue of frames, or leaves it."""
    for clock, steps in ((arq_device.QUEUED, (0, 0, 0)), (arq_device.SENT, (0, 100, 200))):
        # with the stamp, a frame has 100 bytes
        with Stamped(clock=clock, rate=1000) as test:
            for number in range(3):
                test.send(number, 44, after=S * (number == 0))
            stamps = [stamp_of(frame) * US for frame in test.peer.data(0, 1, 2)]
            near("stamps", [stamp - stamps[0] for stamp in stamps], [step * MS for step in steps])


def test_retransmission():
    """Each transmission of a frame has its own stamp. A sample is of the transmission whose stamp
    returns, even if another one followed."""
    for answered in range(3):
        with Stamped(timer=FIXED, timeout=200 * MS) as test:
            test.send(0)
            frames = test.peer.data(0, 0, 0)
            stamps = [stamp_of(frame) * US for frame in frames]
            near("stamps", [stamp - stamps[0] for stamp in stamps], [0, 200 * MS, 400 * MS])
            test.peer.acked = 1
            echo(test, stamp_of(frames[answered]), after=30 * MS)
            test.measured((2 - answered) * 200 * MS + 30 * MS, 1, sent=1)


def test_every_type():
    """An echo in a frame of any type except HELLO is a sample, whether the acknowledgment is new or
    not. An acknowledgment without an echo is none."""
    kinds = ((ACK, b""), (NACK, arq_frame.ranges((5, 1))), (SKIP, b""), (BYPASS, whole(1)))
    with Stamped(ack_delay=S) as test:
        for samples, (kind, payload) in enumerate(kinds, 1):
            echo(test, test.stamp(70 * MS), kind, payload)
            test.measured(70 * MS, samples)
        test.peer.piece(whole(0), flags=FIRST | LAST | ECHO, words=(test.stamp(70 * MS),))
        test.measured(70 * MS, 5)
        test.peer.forget()          # the answer to SKIP
        test.send(0)
        test.peer.data(0)
        test.peer.ack(1, after=30 * MS)
        test.measured(70 * MS, 5, sent=1)


def test_hole():
    """A frame behind a missing frame gives a sample when it arrives. The acknowledgment that waits
    for the missing frame gives none, so the mean stays the same."""
    with Stamped(timer=FIXED, timeout=10 * S) as test:
        for number in range(2):
            test.send(number)
        _, second = test.peer.data(0, 1)
        echo(test, stamp_of(second), NACK, arq_frame.ranges((0, 1)), after=50 * MS)
        test.measured(50 * MS, 1, repeats_nack=1)
        again, = test.peer.data(0)
        test.peer.acked = 2
        echo(test, stamp_of(again), after=50 * MS)
        test.measured(50 * MS, 2, sent=2)


def test_least():
    """The least round-trip time counts from the sending of a frame that was sent once to its
    acknowledgment, and not from a stamp."""
    with Stamped(rate=1000) as test:
        for number in range(3):
            test.send(number, 44, after=S * (number == 0))
        frames = test.peer.data(0, 1, 2)
        test.peer.acked = 3
        echo(test, stamp_of(frames[2]), after=50 * MS)
        test.measured(250 * MS, 1)
        tap.within("least round-trip time", test.device.counters()["least_rtt"],
                   50 * MS - SLACK, 50 * MS + SLACK)


def test_absurd():
    """A stamp of the future, or of more than a minute ago, is no sample."""
    with Stamped() as test:
        for ago in (-MS, -S, -OLDEST, OLDEST + MS, 2 * OLDEST, 2**31 * US, 2**31 * US + S):
            echo(test, test.stamp(ago))
        test.device.expect(in_ack=7, samples=0, srtt=0)
        echo(test, test.stamp(OLDEST - MS))
        test.measured(OLDEST - MS, 1)


def test_own_option():
    """With `estimate ack` the device sends no stamps, and ignores echoes. The option changes under
    traffic."""
    with Stamped(estimate=ESTIMATE_ACK) as test:
        test.send(0)
        frame, = test.peer.data(0)
        tap.equal("flags", frame.flags, FIRST | LAST)
        test.peer.acked = 1
        echo(test, test.stamp(S), after=40 * MS)
        test.measured(40 * MS, 1)
        test.device.change(estimate=ESTIMATE_STAMP)
        test.send(1)
        frame, = test.peer.data(1)
        tap.equal("flags", frame.flags, FIRST | LAST | STAMP)
        test.peer.acked = 2
        echo(test, test.stamp(40 * MS))
        test.measured(40 * MS, 2)


def echoes(test, *frames):
    """Check the echoes in some frames."""
    tap.equal("echoes", [frame.word(ECHO) for frame in test.peer.heard(S)], list(frames))


def stamped(test, number, word, **more):
    """The peer sends a packet in a DATA frame with a stamp."""
    test.peer.piece(whole(number), FIRST | LAST | STAMP, number, words=(word,), **more)


def test_receiver():
    """The next frame returns the first stamp that has arrived since the previous frame, once. This
    does not depend on `estimate`. A frame that arrives again has a new stamp."""
    for estimate in (ESTIMATE_ACK, ESTIMATE_STAMP):
        with Stamped(estimate=estimate, ack_delay=20 * MS, window=64) as test:
            for number in range(3):
                stamped(test, number, 100 + number, after=MS)
            echoes(test, 100)
            test.peer.packets(3)
            stamped(test, 4, 104)
            echoes(test, 104)
            test.peer.packets(5)
            echoes(test, None)
            stamped(test, 4, 0xffffffff)
            echoes(test, 0xffffffff)
            test.device.expect(duplicate=1)


def test_types_of_the_receiver():
    """Each type of frame can return a stamp, except HELLO."""
    with Scripted(attempts=1, timer=FIXED, timeout=100 * MS, bypass_mark=MARK, bypass_mask=255,
                  ack_delay=S) as test:
        stamped(test, 1, 1)
        test.peer.expect(NACK, words=(1,))
        stamped(test, 0, 2)
        test.peer.hello(ask=True, ack=0)
        test.peer.expect(HELLO, words=())
        test.send(0)
        test.peer.expect(DATA, words=(2,))
        stamped(test, 2, 3)
        test.peer.expect(SKIP, words=(3,))
        test.peer.acked = 1
        stamped(test, 3, 4)
        test.port.mark(MARK)
        test.send(1)
        test.peer.expect(BYPASS, words=(4,), payload=whole(1, 100))
        stamped(test, 4, 5)
        test.peer.expect(ACK, words=(5,))


def test_new_connection():
    """A stamp of an earlier connection does not return in a new one."""
    with Scripted(ack_delay=10 * MS) as test:
        stamped(test, 0, 1)
        test.peer.session += 1
        test.peer.hello()
        test.device.expect(connections=2)
        test.peer.count = 0
        test.peer.packets(0)
        test.peer.expect(ACK, words=(), ack=1)


def lengths(test, number, size):
    """The lengths of the frames of a packet, behind the lower device's Ethernet header."""
    test.send(number, size)
    frames = test.peer.heard(MS)
    tap.equal("packet", b"".join(frame.payload for frame in frames), whole(number, size))
    test.peer.ack(frames[-1].number + 1)
    return [arq_frame.HEADER + 4 * len(frame.words) + frame.length for frame in frames]


def test_room():
    """If the lower device, or the peer's, carries no longer frames, pieces are shorter by the words
    in their frames."""
    for mtu, largest in ((300, 9000), (9000, 300 - arq_frame.HEADER)):
        with Stamped(frame=262, offer={"largest": largest}) as test:
            test.ns.link("low0", True, mtu=mtu)
            tap.equal("with a stamp", lengths(test, 0, 300), [300, 28 + 42])
            stamped(test, 0, 7)
            tap.equal("with stamp and echo", lengths(test, 1, 300), [300, 28 + 46])
            test.device.change(estimate=ESTIMATE_ACK)
            tap.equal("with echo", lengths(test, 2, 300), [296, 24 + 42])


def test_no_room():
    """A frame that has no room for a word leaves without it."""
    with Stamped(estimate=ESTIMATE_ACK, frame=262, timer=FIXED, timeout=S, bypass_mark=MARK,
                 bypass_mask=255) as test:
        test.ns.link("low0", True, mtu=300)
        test.send(0, 262)
        test.peer.expect(DATA, length=276, words=())
        test.device.change(estimate=ESTIMATE_STAMP)
        stamped(test, 0, 7)
        test.peer.expect(ACK, words=(7,))
        test.peer.expect(DATA, length=276, words=())
        stamped(test, 1, 8)
        test.port.mark(MARK)
        test.send(1, 262)
        test.peer.expect(BYPASS, length=276, words=())


def test_words_beyond_the_frame():
    """A frame whose words do not fit is malformed."""
    with Stamped() as test:
        for flags, words in ((STAMP, ()), (STAMP | ECHO, (1,)), (ECHO, ())):
            test.peer.send(DATA, b"", flags=FIRST | LAST | flags, words=words)
        test.device.expect(malformed=3)


def highest_timeout(estimate, seed):
    """The longest adaptive timeout while packets pass a link for 10 s."""
    highest = 0
    with arq_device.Pair(channel=LOSSY | {"seed": seed}, estimate=estimate) as pair:
        arq_device.flood(pair.left, [arq_device.packet(number, 200) for number in range(900)])
        end = time.monotonic() + 10
        while time.monotonic() < end:
            told = pair.left.counters()
            if told["samples"]:
                highest = max(highest, told["timeout"])
            time.sleep(0.05)
    tap.note(f"seed {seed}, estimate {estimate}: longest timeout {highest / MS:.0f} ms")
    return highest


def test_half_of_the_frames_lost():
    """On a link that loses half of the frames in both directions, the adaptive timeout stays near
    the round-trip time with `estimate stamp`. With `estimate ack` acknowledgments that wait for
    missing frames let it grow beyond."""
    for seed in range(1, 4):
        tap.true("with stamps", highest_timeout(ESTIMATE_STAMP, seed) < LONG)
        tap.true("with acknowledgments", highest_timeout(ESTIMATE_ACK, seed) > LONG)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
