#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An attacker knows the addresses and ports of a connection but is not on its path. The attacker
sends 20,000 messages, in a soak test a million. Messages that quote a wrong sequence number do not
move the timeout. Right messages that are repeated move it only within its bounds. In each period,
xlo_rto inspects at most as many messages as its limit allows. Set FL_SEED to the seed of a run to
repeat the run."""
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
RATE, PERIOD = 100, 100 * MS            # the limit of kmod/xlo_rto/inbox.c
SEQUENCE = 24                           # offset of the sequence number in a quoted packet
CHECKSUM = 20 + 2                       # offset of the checksum in a message
FIRST, LAST = 0.3, 0.9                  # begin and end of an attack, as fractions of the timeout


def sent_sequence(flow):
    """The sequence number of the segment that the timer will send again."""
    return struct.unpack_from("!I", flow.segments[0].packet, SEQUENCE)[0]


def quoting(packet, sequence, code=DROP):
    """A message that quotes the packet with another sequence number."""
    return icmp.message(code, packet[:SEQUENCE] + struct.pack("!I", sequence & 0xffffffff))


def moment(number, count, last=LAST):
    """The time when batch `number` of `count` batches is sent, as a fraction of the timeout."""
    return FIRST + (last - FIRST) * number / count


def attack(flow, batches, count, last=LAST):
    """Send `count` batches at regular intervals, until the fraction `last` of the timeout."""
    flow.peer.port.sock.bind(("v0", 0x0800))
    for number, batch in enumerate(batches):
        wait.till(flow.at(moment(number, count, last)))
        tap.equal("sent messages", flow.peer.port.send_batch(batch), batch.count)
    wait.until("no message waits", lambda: 2 * (stats := flow.client.stats())["received"] ==
               sum(stats.values()))


def again_and_again(messages):
    """Yield as many batches of these messages as the total number of messages requires."""
    return [port.Batch([ethernet(message) for message in messages])] * (MESSAGES // BATCH)


class Guesses:
    """Messages that quote one sequence number after another. The messages differ only in sequence
    number and checksum. Each iteration yields a batch."""

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
        """Write the sequence number into a message, and update the checksum as in RFC 1624. The old
        sequence number was 0."""
        value = self.checksum + (~sequence >> 16 & 0xffff) + (~sequence & 0xffff)
        value = (value & 0xffff) + (value >> 16)
        struct.pack_into("!H", self.batch.bytes, at + CHECKSUM, (value & 0xffff) + (value >> 16))
        # after the headers of IP and ICMP
        struct.pack_into("!I", self.batch.bytes, at + 28 + SEQUENCE, sequence)


def scan(flow, count, step, right):
    """A list of `count` sequence numbers, `step` apart. Only the number at index `right` is in
    flight."""
    begin = sent_sequence(flow) - right * step
    return [begin + number * step & 0xffffffff for number in range(count)]


def all_refused(flow, during, *looked_into):
    """Check that all messages are counted. xlo_rto must have inspected at most as many messages as
    its limit allows in this time."""
    stats = flow.client.stats()
    tap.note(", ".join(f"{name} {value}" for name, value in stats.items() if value))
    seen = sum(stats[name] for name in looked_into)
    tap.equal("(received messages, messages counted elsewhere)",
              (stats["received"], seen + stats["held"] + stats["queue_full"]),
              (MESSAGES, MESSAGES))
    tap.within("inspected messages", seen, RATE, RATE * (2 + int(during // PERIOD)))


def test_wrong_sequence():
    """Messages have the right addresses and ports, but quote sequence numbers that are not in
    flight. These messages do not move the timeout."""
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
    """The attacker tries sequence numbers over the whole range, at equal distances. Either the
    right message is refused by the limit, as the other messages are, or it moves the timeout
    once."""
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
    """The attacker sends only as many messages as the limit allows. The right message moves the
    timeout once, and the other messages do not move it."""
    some, batch = bench.seed(), RATE // 2
    with rto.Flow() as flow:
        # two batches in a period
        batches = int((LAST - FIRST) * flow.rto // (PERIOD // 2 + rto.TICK))
        count = batch * batches
        # the right message must arrive before three quarters of the timeout are over
        right = some.randrange(count * 2 // 3)
        told = moment(right // batch, batches)
        attack(flow, Guesses(flow.segments[0].packet,
                             scan(flow, count, rto.SEGMENTS * 1000, right), batch), batches)
        flow.times_out(told + 0.25, told)
        tap.note(f"{count} guesses, number {right} right, at {told:.3f} of the timeout; sent again "
                 f"at {told + 0.25:.3f}")
        flow.account.expect(received=count, sequence=count - 1, shortened=1)


def test_scan_for_link_up():
    """The attacker guesses with LINK-UP messages. Only the right guess moves the timeout, and only
    once. The right guess arrives later than a round-trip time after the last transmission."""
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
    """A right LINK-UP message arrives many times. Retransmissions are at least a round-trip time
    apart, and each retransmission belongs to one accepted message."""
    with rto.Flow() as flow:
        last, came = 2.5, [flow.begin]

        def look(until):
            while segment := flow.peer.receive(until):
                came.append(segment.when)

        def batches():
            """Yield the batches. Between two batches, read the segments that the host sends, so
            that no segment is lost."""
            for batch in again_and_again([icmp.message(LINK_UP, flow.segments[0].packet)] * BATCH):
                yield batch
                look(time.monotonic_ns() + MS // 10)
        attack(flow, batches(), MESSAGES // BATCH, last)
        look(flow.at(last))
        gaps = [(after - before) / MS for before, after in zip(came, came[1:])]
        tap.note(f"ms between transmissions: {', '.join(f'{gap:.0f}' for gap in gaps)}")
        tap.true("there are retransmissions", gaps)
        tap.within("shortest time between transmissions, ms",
                   min(gaps), rto.RTT / MS - 1, 2 * rto.RTT / MS)
        stats = flow.client.stats()
        tap.equal("effective messages", stats["link_up"], len(gaps))
        tap.equal("refused messages",
                  sum(stats[name] for name in ("too_soon", "held", "queue_full", "other_timer", "expired")),
                  MESSAGES - len(gaps))


def test_replay():
    """A right message that is replayed many times has the same effect as one message."""
    with rto.Flow() as flow:
        attack(flow, again_and_again([icmp.message(DROP, flow.segments[0].packet)] * BATCH),
               MESSAGES // BATCH, last=0.5)
        flow.times_out(0.55, 0.3)
        stats = flow.client.stats()
        tap.equal("received", stats["received"], MESSAGES)
        tap.equal("accepted", stats["shortened"], 1)
        tap.equal("refused or ignored messages",
                  sum(stats[name] for name in ("too_soon", "drop_again", "held", "queue_full")),
                  MESSAGES - 1)


def test_replay_of_both():
    """Right DROP and DEFER messages arrive alternately. The messages move the timeout at most once
    in each eighth of the timeout. The timeout stays within its bounds."""
    with rto.Flow() as flow:
        packet = flow.segments[0].packet
        attack(flow, again_and_again([icmp.message(code, packet) for code in (DROP, DEFER)] *
                                     (BATCH // 2)), MESSAGES // BATCH)
        stats, segment = flow.client.stats(), flow.peer.receive(flow.at(3))
        came = (segment.when - flow.begin) / flow.rto
        moved = {name: stats[name] for name in ("at_once", "shortened", "cancelled", "back",
                                                "extended")}
        tap.note(f"sent again at {came:.3f} of the timeout: {moved}")
        tap.within("time of the retransmission, as a fraction of the timeout",
                   came, FIRST, 2 + rto.granularity(flow.rto) / flow.rto)
        tap.within("number of moves", sum(moved.values()), 1, 1 + (came - FIRST) * 8)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
