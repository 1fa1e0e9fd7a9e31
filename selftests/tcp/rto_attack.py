#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An attacker knows the addresses and ports of a connection but is not on its path. A million of
the attacker's messages move the timeout no further than one message could. xlo_rto inspects no
more messages in a period than its limit allows. FL_SEED repeats a run."""
# run.sh: needs: simulated time
# run.sh: all on lab-debug: nothing (long transfers, sizes of windows)
# run.sh: soak on lab, 3600 s: everything
import struct
import time

from lib import bench, icmp, port, rto, soak, tap, wait
from lib.icmp import DEFER, DROP, LINK_UP
from lib.packet import ETHERNET, ethernet
from lib.peer import MS

MESSAGES = soak.amount(20_000, 1_000_000)
BATCH = MESSAGES // soak.amount(100, 1000)
RATE, PERIOD = 100, 100 * MS        # as kmod/xlo_rto/inbox.c has them
SEQUENCE = 24                           # in a quoted packet
CHECKSUM = 20 + 2                       # in a message
FIRST, LAST = 0.3, 0.9                  # when an attack begins and ends


def sent_sequence(flow):
    """The sequence number of the segment that is to be sent again."""
    return struct.unpack_from("!I", flow.segments[0].packet, SEQUENCE)[0]


def quoting(packet, sequence, code=DROP):
    """A message about a segment with another sequence number."""
    return icmp.message(code, packet[:SEQUENCE] + struct.pack("!I", sequence & 0xffffffff))


def moment(number, count, last=LAST):
    """When the number-th of this many batches is sent, as a fraction of the timeout."""
    return FIRST + (last - FIRST) * number / count


def attack(flow, batches, count, last=LAST):
    """Send this many batches, evenly."""
    flow.peer.port.sock.bind(("v0", 0x0800))
    for number, batch in enumerate(batches):
        wait.till(flow.at(moment(number, count, last)))
        tap.equal("messages that went", flow.peer.port.send_batch(batch), batch.count)
    wait.until("no message waits", lambda: 2 * (stats := flow.client.stats())["received"] ==
               sum(stats.values()))


def again_and_again(messages):
    """Send a batch of these messages until the total number is reached."""
    return [port.Batch([ethernet(message) for message in messages])] * (MESSAGES // BATCH)


class Guesses:
    """Messages that quote one sequence number after another, a batch at a time, and their checksums;
    anything else of them stays."""

    def __init__(self, packet, sequences, batch, code=DROP):
        template = quoting(packet, 0, code)
        self.batch = port.Batch([ethernet(template)] * batch)
        self.checksum, = struct.unpack_from("!H", template, CHECKSUM)
        self.sequences = sequences

    def __iter__(self):
        for start in range(0, len(self.sequences), self.batch.count):
            for number, sequence in enumerate(self.sequences[start:start + self.batch.count]):
                self._put(number * self.batch.size + len(ETHERNET) + 2, sequence)
            yield self.batch

    def _put(self, at, sequence):
        """RFC 1624, from 0."""
        value = self.checksum + (~sequence >> 16 & 0xffff) + (~sequence & 0xffff)
        value = (value & 0xffff) + (value >> 16)
        struct.pack_into("!H", self.batch.bytes, at + CHECKSUM, (value & 0xffff) + (value >> 16))
        # behind the headers of IP and ICMP
        struct.pack_into("!I", self.batch.bytes, at + 28 + SEQUENCE, sequence)


def scan(flow, count, step, right):
    """This many sequence numbers, one in each `step`. Only number `right` is in flight."""
    begin = sent_sequence(flow) - right * step
    return [begin + number * step & 0xffffffff for number in range(count)]


def all_refused(flow, during, *looked_into):
    """All messages were counted, and no more of them were looked into than may be in this time."""
    stats = flow.client.stats()
    tap.note(", ".join(f"{name} {value}" for name, value in stats.items() if value))
    seen = sum(stats[name] for name in looked_into)
    tap.equal("all are counted", (stats["received"], seen + stats["held"] + stats["queue_full"]),
              (MESSAGES, MESSAGES))
    tap.within("looked into", seen, RATE, RATE * (2 + int(during // PERIOD)))


def test_wrong_sequence():
    """Right addresses and ports, sequence numbers all over that are not in flight: nothing is
    moved, whatever is said."""
    for code in (DROP, LINK_UP):
        with rto.Flow() as flow:
            packet, sent = flow.segments[0].packet, sent_sequence(flow)
            during = (LAST - FIRST) * flow.rto
            others = range(sent + (1 << 16), sent + (1 << 32), (1 << 32) // BATCH)
            attack(flow, again_and_again([quoting(packet, other, code) for other in others]),
                   MESSAGES // BATCH)
            flow.times_out(1, 0)
            all_refused(flow, during, "sequence")


def test_scan():
    """The attacker tries all sequence numbers, as far apart as the number of messages allows. The
    right message is held like the others, or moves the timeout once, as one message does."""
    some = bench.seed()
    with rto.Flow() as flow:
        right, step = some.randrange(MESSAGES), (1 << 32) // MESSAGES
        during = (LAST - FIRST) * flow.rto
        told = moment(right // BATCH, MESSAGES // BATCH)
        attack(flow, Guesses(flow.segments[0].packet, scan(flow, MESSAGES, step, right), BATCH),
               MESSAGES // BATCH)
        stats = flow.client.stats()
        tap.within("accepted", stats["shortened"] + stats["at_once"], 0, 1)
        if stats["shortened"]:
            flow.times_out(told + 0.25, told)
        elif stats["at_once"]:
            flow.times_out(told, told)
        else:
            flow.times_out(1, 0)
        all_refused(flow, during, "sequence", "shortened", "at_once")


def test_scan_by_the_limit():
    """As many as are looked into, so that the right one is, too: it does what one message does, and
    the others nothing."""
    some, batch = bench.seed(), RATE // 2
    with rto.Flow() as flow:
        # two batches in a period
        batches = int((LAST - FIRST) * flow.rto // (PERIOD // 2 + rto.TICK))
        count = batch * batches
        # not among those that come when three quarters are over
        right = some.randrange(count * 2 // 3)
        told = moment(right // batch, batches)
        attack(flow, Guesses(flow.segments[0].packet,
                             scan(flow, count, rto.SEGMENTS * 1000, right), batch), batches)
        flow.times_out(told + 0.25, told)
        tap.note(f"{count} guesses, number {right} right, at {told:.3f} of the timeout; it came at "
                 f"{told + 0.25:.3f}")
        flow.account.expect(received=count, sequence=count - 1, shortened=1)


def test_scan_for_link_up():
    """The same with LINK-UP messages: the right one has the effect of one message, but not within a
    round-trip time."""
    some, batch = bench.seed(), RATE // 2
    with rto.Flow() as flow:
        batches = int((LAST - FIRST) * flow.rto // (PERIOD // 2 + rto.TICK))
        count = batch * batches
        right = some.randrange(count // 4, count * 2 // 3)
        told = moment(right // batch, batches)
        attack(flow, Guesses(flow.segments[0].packet, scan(flow, count, rto.SEGMENTS * 1000, right),
                             batch, LINK_UP), batches)
        flow.times_out(told, told)
        flow.account.expect(received=count, sequence=count - 1, link_up=1)


def test_replay_of_link_up():
    """A right LINK-UP message arrives again and again. No retransmission comes sooner than a
    round-trip time after the one before, and after the attack only TCP's own come."""
    with rto.Flow() as flow:
        last, came = 2.5, [flow.begin]

        def look(until):
            while segment := flow.peer.receive(until):
                came.append(segment.when)

        def batches():
            """Messages from the host are read between the batches, so that none is lost."""
            for batch in again_and_again([icmp.message(LINK_UP, flow.segments[0].packet)] * BATCH):
                yield batch
                look(time.monotonic_ns() + MS // 10)
        attack(flow, batches(), MESSAGES // BATCH, last)
        look(flow.at(last))
        gaps = [(after - before) / MS for before, after in zip(came, came[1:])]
        tap.note(f"ms between transmissions: {', '.join(f'{gap:.0f}' for gap in gaps)}")
        tap.true("it came again", gaps)
        tap.within("ms of the shortest", min(gaps), rto.RTT / MS - 1, 2 * rto.RTT / MS)
        stats = flow.client.stats()
        tap.equal("one message for each", stats["link_up"], len(gaps))
        tap.equal("all others are refused",
                  sum(stats[name] for name in ("too_soon", "held", "queue_full", "other_timer", "expired")),
                  MESSAGES - len(gaps))


def test_replay():
    """A right message again and again: as if it had come once."""
    with rto.Flow() as flow:
        attack(flow, again_and_again([icmp.message(DROP, flow.segments[0].packet)] * BATCH),
               MESSAGES // BATCH, last=0.5)
        flow.times_out(0.55, 0.3)
        stats = flow.client.stats()
        tap.equal("received", stats["received"], MESSAGES)
        tap.equal("accepted", stats["shortened"], 1)
        tap.equal("all others are refused or ignored",
                  sum(stats[name] for name in ("too_soon", "drop_again", "held", "queue_full")),
                  MESSAGES - 1)


def test_replay_of_both():
    """A right DROP and a right DEFER by turns: the timeout is moved no more often than once in an
    eighth of it, and stays within its bounds."""
    with rto.Flow() as flow:
        packet = flow.segments[0].packet
        attack(flow, again_and_again([icmp.message(code, packet) for code in (DROP, DEFER)] *
                                     (BATCH // 2)), MESSAGES // BATCH)
        stats, segment = flow.client.stats(), flow.peer.receive(flow.at(3))
        came = (segment.when - flow.begin) / flow.rto
        moved = {name: stats[name] for name in ("at_once", "shortened", "cancelled", "back",
                                                "extended")}
        tap.note(f"it came at {came:.3f} of the timeout: {moved}")
        tap.within("when it came", came, FIRST, 2 + rto.granularity(flow.rto) / flow.rto)
        tap.within("how often it was moved", sum(moved.values()), 1, 1 + (came - FIRST) * 8)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
