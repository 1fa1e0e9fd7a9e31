#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A device never has more frames than its window unacknowledged. All packets arrive once and in
order, whatever the link loses, also when the numbers of the frames wrap."""
# run.sh: needs: simulated time
import itertools

from lib import arq_device, bench, cell, packet as pkt, tap, wait
from lib.arq_frame import ACK, DATA, FIRST, LAST, MS, PACKED, S, US, packed
from lib.arq_peer import Scripted, near, whole

QUIET = {"timer": arq_device.FIXED, "timeout": 60 * S}
HALF = {"loss": 500_000, "delay": 5 * MS}
QUICK = {"timer": arq_device.FIXED, "timeout": 20 * MS, "ack_delay": MS, "ring": 10**5}
WRAP = 65536
SLOW = 0x10                             # flag: the flow responds slowly to congestion


def test_window_is_full():
    """The sender stops when the window is full. Each ACK makes space for as many frames as it
    covers."""
    for window in (1, 3, 8):
        with Scripted(window=window, ring=10**6, **QUIET) as test:
            for number in range(20):
                test.send(number)
            test.peer.data(*range(window))
            test.peer.nothing(S)
            test.device.expect(flight=window, held=20)
            for upto in range(1, 20 - window + 1):
                test.peer.ack(upto)
                test.peer.data(upto + window - 1)
                test.peer.nothing(0)
            test.peer.ack(20)
            test.device.expect(flight=0, held=0, sent=20, data=20)


def test_smaller_window():
    """The smaller of both windows applies."""
    for own, theirs in ((8, 3), (3, 8), (8, 1), (4096, 5)):
        with Scripted(window=own, ring=10**6, offer={"window": theirs}, **QUIET) as test:
            for number in range(20):
                test.send(number)
            test.peer.data(*range(min(own, theirs)))
            test.peer.nothing(S)


def test_ack_outside_the_window():
    """An acknowledgment of a frame that was not sent is dropped, also if it travels with DATA. An
    old acknowledgment changes nothing."""
    with Scripted(**QUIET) as test:
        for number in range(3):
            test.send(number)
        test.peer.data(0, 1, 2)
        for ack in (4, 100, 0x8000):
            test.peer.send(ACK, ack=ack)
            test.peer.piece(whole(0), number=0, ack=ack)
        test.device.expect(outside=6, in_data=0, in_ack=0, flight=3)
        test.peer.ack(3)
        test.device.expect(flight=0, sent=3, in_ack=1)


def test_data_outside_the_window():
    """A DATA frame beyond the receiver's window is dropped. A frame that has arrived before is
    acknowledged again."""
    with Scripted(window=4, reject=arq_device.NEVER) as test:
        test.peer.packets(0, 1, 2)
        test.peer.expect(ACK, ack=2)
        test.peer.expect(ACK, ack=3)
        test.peer.packets(7, 8, 3 + 0x8000)
        test.device.expect(in_data=3, outside=3)
        test.peer.packets(6, 6)
        test.device.expect(in_data=4, duplicate=1)
        test.peer.forget()
        test.peer.packets(0)
        test.peer.expect(ACK, ack=3)
        test.device.expect(in_data=4, duplicate=2)
        tap.equal("delivered packets", test.arrived(), [0, 1, 2])


def test_out_of_sequence():
    """Frames that arrive out of sequence are stored, and delivered in order."""
    random = bench.seed()
    for _ in range(20):
        order = random.sample(range(16), 16)
        with Scripted(window=16) as test:
            test.peer.packets(*order)
            tap.equal("delivered packets", test.arrived(), list(range(16)))
            test.device.expect(in_data=16, duplicate=0, outside=0)


def test_reorder():
    """A packet is delivered before a missing frame if its option allows this. Fewer than `reorder`
    packets overtake the frame."""
    for options, early in ((b"", 0), (pkt.xlo4(500, reorder=0), 0), (pkt.xlo4(500, reorder=1), 0),
                           (pkt.xlo4(500, reorder=2), 1), (pkt.xlo4(500, reorder=4), 3),
                           (pkt.xlo4(500, pkt.DISCARD | SLOW, reorder=4), 0)):
        with Scripted(window=16, ack_delay=S) as test:
            for number in range(1, 6):
                test.peer.piece(whole(number, options=options), number=number)
            tap.equal("packets that overtake", test.arrived(), list(range(1, early + 1)))
            test.peer.piece(whole(0, options=options), number=0)
            tap.equal("packets in order", test.arrived(), [0, *range(early + 1, 6)])
            test.peer.piece(whole(7, options=options), number=7)
            tap.equal("packets that overtake the next frame", test.arrived(), [7] * (early > 0))
            test.peer.packets(6, 7)
            test.device.expect(delivered=8, early=early + (early > 0), duplicate=1)


def test_reorder_behind_two_missing_frames():
    """When the first of two missing frames arrives, packets that had to wait for it overtake the
    second one. An option that allows less than the others keeps only its own packet back."""
    with Scripted(window=16, ack_delay=S) as test:
        for number, reorder in (1, 3), (2, 3), (4, 3), (5, 2), (6, 3), (7, 3):
            test.peer.piece(whole(number, options=pkt.xlo4(500, reorder=reorder)), number=number)
        tap.equal("packets that overtake the first frame", test.arrived(), [1, 2])
        test.peer.packets(0)
        tap.equal("packets that overtake the second frame", test.arrived(), [0, 4, 6])
        test.peer.packets(3)
        tap.equal("packets in order", test.arrived(), [3, 5, 7])
        test.device.expect(delivered=8, early=4)


def test_reorder_in_a_new_connection():
    """In a new connection, as many packets may overtake as in the first."""
    with Scripted(window=16, ack_delay=S) as test:
        for connection in range(3):
            for number in range(1, 6):
                test.peer.piece(whole(number, options=pkt.xlo4(500, reorder=3)), number=number)
            tap.equal("packets that overtake", test.arrived(), [1, 2])
            test.peer.session += 1
            test.peer.hello()
        test.device.expect(early=6, delivered=6, connections=4)


def test_reorder_pieces():
    """A packet of several pieces overtakes a missing frame when all its pieces are there. The
    option is in the first piece. A NACK does not report the pieces."""
    data = whole(1, options=pkt.xlo4(500))
    pieces = ((1, data[:44], FIRST), (2, data[44:47], 0), (3, data[47:], LAST))
    for order in itertools.permutations(range(3)):
        with Scripted(window=16, ack_delay=S) as test:
            for index in order:
                tap.equal("delivered packets", test.arrived(), [])
                number, payload, flags = pieces[index]
                test.peer.piece(payload, flags, number=number)
            tap.equal("delivered packets", test.arrived(), [1])
            tap.equal("missing", test.peer.heard(MS)[-1].missing(), [(0, 1)])
            test.peer.packets(0)
            tap.equal("delivered packets", test.arrived(), [0])
            test.device.expect(delivered=2, early=1, in_data=4)


def test_reorder_lists():
    """A frame with several packets overtakes a missing frame only if all its packets may. Each of
    them counts."""
    def options(reorder):
        return pkt.xlo4(500, reorder=reorder)
    for limits, early in (((3, 3), 2), ((2, 3), 2), ((3, 2), 0), ((255, 0), 0), ((0, 255), 0)):
        with Scripted(window=16, ack_delay=S) as test:
            data = [whole(number, options=options(limit)) for number, limit in enumerate(limits, 1)]
            test.peer.piece(packed(*data), FIRST | LAST | PACKED, number=1)
            tap.equal("packets that overtake", test.arrived(), [1, 2][:early])
            test.peer.piece(whole(3, options=options(4)), number=2)
            tap.equal("the next packet overtakes", test.arrived(), [3])
            test.peer.piece(whole(4, options=options(4)), number=3)
            tap.equal("one more", test.arrived(), [4] * (not early))
            test.peer.packets(0)
            tap.equal("packets in order", test.arrived(), [0, 4] if early else [0, 1, 2])
            test.device.expect(delivered=5, early=early + 1 + (not early))


def test_half_of_the_window():
    """When half of the window has arrived, the acknowledgment does not wait."""
    for window, half in ((1, 1), (2, 1), (8, 4)):
        with Scripted(window=window, ack_delay=S) as test:
            test.peer.packets(*range(half - 1))
            test.peer.nothing(0)
            test.peer.packets(half - 1)
            test.peer.expect(ACK, within=0, ack=half)


def test_ack_delay():
    """An acknowledgment waits for ack_delay from the first frame that it covers, unless a DATA
    frame carries it earlier."""
    for delay in (0, 1, 10 * MS, S):
        with Scripted(window=100, ack_delay=delay) as test:
            test.peer.packets(0)
            start = test.peer.now
            if delay > MS:
                test.peer.packets(1)
                test.peer.now += delay // 2
                test.peer.packets(2)
            near("time of the ACK", [test.peer.expect(ACK).when - start], [delay])
    with Scripted(window=100, ack_delay=S) as test:
        test.peer.packets(0)
        test.send(0, after=S // 2)
        test.peer.expect(DATA, within=0, ack=1)
        test.peer.acked = 0
        test.peer.nothing(S // 2 + 10 * MS)


def test_reject():
    """A missing frame is reported with each frame that arrives out of sequence, once, or not at
    all."""
    for reject, expected in ((arq_device.MULTI, [[(0, 1)], [(0, 1)], [(0, 1), (3, 1)]]),
                             (arq_device.SINGLE, [[(0, 1)], [(3, 1)]]), (arq_device.NEVER, [])):
        with Scripted(window=32, ack_delay=S, reject=reject) as test:
            test.peer.packets(1, 2, 4)
            heard = test.peer.heard(MS)
            tap.equal(f"ranges with reject {reject}", [frame.missing() for frame in heard],
                      expected)
            test.peer.packets(0, 3)
            tap.equal("delivered packets", test.arrived(), list(range(5)))


def test_nack_repeats():
    """The sender sends exactly the frames again that a NACK reports, and goes on."""
    with Scripted(window=10, ring=10**6, **QUIET) as test:
        for number in range(10):
            test.send(number)
        test.peer.data(*range(10))
        test.peer.nack((0, 1), (3, 2), (9, 1), after=50 * MS)
        test.peer.data(0, 3, 4, 9)
        test.peer.nothing(S)
        test.device.expect(repeats_nack=4, repeats_timer=0, data=10, in_nack=1)


def test_nack_outside_the_window():
    """Frames outside the window that a NACK reports are ignored."""
    with Scripted(window=10, **QUIET) as test:
        for number in range(3):
            test.send(number)
        test.peer.data(0, 1, 2)
        test.peer.acked = 1
        test.peer.nack((0, 1), (3, 100), (0x8000, 1), (0xffff, 2), after=50 * MS)
        test.peer.nothing(S)
        test.device.expect(repeats_nack=0, nacks_ignored=0)
        test.peer.nack((0, 0xffff))
        test.peer.data(1, 2)
        test.peer.nothing(S)
        test.device.expect(in_nack=2, repeats_nack=2, nacks_ignored=0)


def complete(pair, count, size):
    """Send `count` packets from the left end. Check that all arrive once and in order."""
    sniffer = pair.right.sniffer()
    arq_device.flood(pair.left, [arq_device.packet(number, size) for number in range(count)])
    seen = []

    def all_here():
        seen.extend(number for number, _ in cell.ours(sniffer.drain()))
        return len(seen) >= count
    wait.until("all packets arrive", all_here, seconds=100_000, step=0.05)
    sniffer.lossless()
    tap.equal("packets", seen, list(range(count)))
    pair.left.expect(held=0, sent=pair.left.counters()["packets_in"])


def test_half_is_lost():
    """All packets arrive in order although half of the frames in each direction are lost."""
    for reject in (arq_device.MULTI, arq_device.SINGLE, arq_device.NEVER):
        for window in (1, 8, 64):
            with arq_device.Pair(channel=HALF, window=window, reject=reject, **QUICK) as pair:
                complete(pair, 200, 400)
                told = pair.left.counters()
                tap.equal("frames sent once", told["data"], 400)
                tap.equal("NACKs", pair.right.counters()["nacks"] > 0,
                          reject != arq_device.NEVER and window > 1)


def test_packed_under_loss():
    """Packets that share frames all arrive in order although half of the frames are lost, also if
    copies of frames wait."""
    for copies in range(2):
        with arq_device.Pair(channel=HALF, window=8, pack=1, copies=copies, **QUICK) as pair:
            complete(pair, 1000, 60)
            pair.left.expect(packed=992, data=339)


def wrap(window, packets):
    """The numbers of the frames wrap under loss."""
    channel = {"loss": 20_000, "delay": 100 * US}
    with arq_device.Pair(channel=channel, window=window, frame=64, floor=5 * MS,
                         timeout=10 * MS, ring=10**6) as pair:
        pair.left.queue(10_000)
        complete(pair, packets, 64 * 20)
        tap.equal("the numbers have wrapped", pair.left.counters()["data"], packets * 20)
        tap.true("the link has lost frames", pair.left.counters()["repeats_timer"])


def test_wrap_1():
    """Numbers wrap with a window of 1."""
    wrap(1, WRAP // 20 + 50)


def test_wrap_8():
    """Numbers wrap with a window of 8."""
    wrap(8, WRAP // 20 + 50)


def test_wrap_4096():
    """Numbers wrap with the largest window."""
    wrap(4096, 2 * WRAP // 20)


def test_both_directions():
    """Acknowledgments travel with DATA frames if packets go in both directions."""
    with arq_device.Pair(channel=HALF, window=16, **QUICK) as pair:
        arq_device.flood(pair.right, [arq_device.packet(number, 400) for number in range(300)])
        complete(pair, 300, 400)
        pair.right.expect(held=0, sent=300)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
