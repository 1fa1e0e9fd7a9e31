#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two devices find each other, whichever starts first and whatever is lost, and notice when the
other one starts again. Frames of other sessions, nodes and versions change nothing."""
# run.sh: needs: simulated time
import errno
import struct
import time

from lib import arq_device, arq_frame, bench, cell, tap
from lib.arq_frame import ACK, ASK, BYPASS, DATA, FIRST, HELLO, LAST, MS, NACK, S, SKIP, US
from lib.arq_peer import SESSION, Scripted, near, whole

IFLA_CARRIER = 33
THIRD = bytes.fromhex("020000000003")   # address of a third node
NEW = 0x33333333                        # session of a peer that starts again
KINDS = ((DATA, whole(0)), (ACK, b""), (NACK, arq_frame.ranges((0, 1))), (SKIP, b""),
         (BYPASS, whole(0)))            # types of frames except HELLO, and a payload
QUIET = {"timer": arq_device.FIXED, "timeout": 60 * S}


def both_ways(pair, size=500, count=20):
    """Check that packets arrive in both directions, in order."""
    for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
        sniffer = other.sniffer()
        arq_device.flood(one, [arq_device.packet(number, size) for number in range(count)])
        tap.equal(f"packets of {one.name}",
                  [number for number, _ in cell.arrivals(sniffer, count)], list(range(count)))


def test_hello_each_second():
    """A device sends HELLO each second until its peer answers."""
    with Scripted(False) as test:
        peer, start = test.peer, test.peer.now
        for second in range(4):
            near("time of HELLO", [peer.expect(HELLO, flags=ASK, session=0).when - start],
                 [second * S])
        test.device.expect(connected=0, hellos=4)
        peer.connect()
        peer.nothing(5 * S)
        test.device.expect(connected=1, hellos=5, connections=1, in_hello=1, frames_in=1)


def test_carrier():
    """The device has a carrier while it is connected."""
    def carries():
        return test.device.netlink.link("arq0")[IFLA_CARRIER] == b"\1"

    with Scripted(False) as test:
        test.peer.heard(2 * S)
        tap.true("no carrier without a peer", not carries())
        test.peer.forget()
        test.connect()
        test.device.up(False)
        test.up()
        test.peer.heard(S // 2)
        tap.true("no carrier after the device went down", not carries())


def test_half_open():
    """A device whose answer was lost answers the next HELLO. The connection does not begin
    anew."""
    with Scripted() as test:
        test.send(0)
        test.peer.data(0)
        test.peer.hello(ask=True, after=100 * MS)
        test.peer.expect(HELLO, within=0, flags=0, session=SESSION, source=test.peer.theirs)
        test.peer.ack(1)
        test.send(1)
        test.peer.data(1)
        test.device.expect(connections=1, reset=0, sent=1)


def test_both_start():
    """Two devices that start at the same time, or one second after the other, are connected at
    once."""
    with arq_device.Pair() as pair:
        both_ways(pair)
        for first, second in ((pair.left, pair.right), (pair.right, pair.left)):
            for device in first, second:
                device.up(False)
            first.up()
            first.expect(connected=0)
            time.sleep(2.5)
            first.expect(connected=0)
            second.up()
            tap.equal("connected", [device.counters()["connected"] for device in (first, second)],
                      [1, 1])
            pair.connected()
            both_ways(pair)


def test_lost_hellos():
    """Devices are connected within a second after the link works, whichever HELLOs were lost
    before."""
    random = bench.seed()
    with arq_device.Pair() as pair:
        for _ in range(10):
            for device in pair.left, pair.right:
                device.up(False)
            for end in pair.lower.left, pair.lower.right:
                end.change(loss=random.choice((500_000, 800_000, 1_000_000)))
            for device in random.sample((pair.left, pair.right), 2):
                device.up()
                time.sleep(random.random() * 3)
            for end in pair.lower.left, pair.lower.right:
                end.change(loss=0)
            start = time.monotonic_ns()
            pair.connected()
            tap.within("time until both are connected", time.monotonic_ns() - start, 0,
                       S + 10 * MS)
            both_ways(pair, count=3)


def test_peer_starts_again():
    """When the peer has another session, both directions count from 0. Packets in the window are
    given up, and packets behind the window are sent in the new connection."""
    with Scripted(window=3, **QUIET) as test:
        peer, old = test.peer, test.peer.theirs
        for number in range(5):
            test.send(number)
        peer.data(0, 1, 2)
        peer.packets(0, 1)
        peer.expect(ACK, ack=2)
        peer.hello(ask=True, session=0, source=NEW)
        tap.equal("the device still has the old session",
                  peer.expect(HELLO, within=0, flags=ASK, session=NEW).source, old)
        test.device.expect(reset=0, connections=1, flight=3)
        peer.session, peer.count, peer.acked = NEW, 0, 0
        peer.hello()
        tap.equal("packets", [frame.payload for frame in peer.data(0, 1)],
                  [whole(number, 100) for number in (3, 4)])
        peer.packets(0)
        peer.expect(ACK, ack=1, session=NEW)
        test.device.expect(reset=3, connections=2, in_data=3, delivered=3, held=2, flight=2)


def test_half_a_packet_is_dropped():
    """Pieces of a packet from an earlier connection do not join pieces of the next connection."""
    with Scripted() as test:
        peer, data = test.peer, whole(0)
        peer.piece(data[:30], arq_frame.FIRST)
        peer.expect(ACK)
        peer.session, peer.acked = NEW, 0
        peer.hello()
        peer.piece(data[30:], arq_frame.LAST, number=0)
        peer.packets(1)
        peer.expect(ACK, ack=2)
        tap.equal("delivered packets", test.arrived(), [1])


def delivered(sniffer):
    """The numbers of the captured packets, on a device that was down for some time."""
    try:
        frames = sniffer.drain()
    except OSError as error:            # the kernel reports once that the device was down
        tap.equal("error", error.errno, errno.ENETDOWN)
        frames = sniffer.drain()
    return [number for number, _ in cell.ours(frames)]


def test_either_end_starts_again():
    """Under traffic in both directions, either end goes down and up again. Neither stalls, and no
    packet arrives twice or out of order."""
    with arq_device.Pair(channel={"rate": 10**6, "delay": 20 * MS}, window=16) as pair:
        ends, sent = (pair.left, pair.right), [0, 0]
        sniffers, ports = [end.sniffer() for end in ends], [end.port() for end in ends]

        def send(count):
            for _ in range(count):
                for index, port in enumerate(ports):
                    sent[index] += port.send(arq_device.packet(sent[index], 400))

        for again in ends * 3:
            send(20)
            time.sleep(0.05)
            again.up(False)
            again.up()
            pair.connected()
            send(10)
            for end in ends:
                end.expect(held=0)
        got = [delivered(sniffer) for sniffer in sniffers]
        for numbers, count in zip(got, reversed(sent)):
            tap.equal("order", numbers, sorted(set(numbers)))
            tap.equal("the last packet", numbers[-1], count - 1)
        for end, numbers in zip(ends, reversed(got)):
            lost = end.counters()
            tap.equal("connections", lost["connections"], 7)
            tap.true("packets were given up", lost["reset"] and lost["purged"])
            tap.within("packets that arrived", len(numbers), lost["sent"], lost["packets_in"])


def test_foreign_session():
    """A frame with a wrong session or a wrong source is dropped. The answer is a HELLO that asks,
    at most one in 100 ms."""
    wrong = ({"session": 1}, {"session": 0}, {"source": 1}, {"session": 1, "source": 1})
    with Scripted(**QUIET) as test:
        peer = test.peer
        for kind, payload in KINDS:
            for index, fields in enumerate(wrong):
                peer.send(kind, payload, after=100 * MS if not index else 20 * MS, **fields)
                if not index:
                    peer.expect(HELLO, within=0, flags=ASK, source=peer.theirs)
            peer.nothing(10 * MS)
        test.device.expect(session=20, frames_in=21, delivered=0, connections=1)
        peer.packets(0)
        peer.expect(ACK, ack=1)


def test_answer_after_100_ms():
    """The next answer is possible exactly 100 ms after the last one."""
    with Scripted(**QUIET) as test:
        test.peer.send(ACK, session=1)
        test.peer.expect(HELLO, within=0)
        test.peer.send(ACK, session=1, after=100 * MS - 10 * US)
        test.peer.nothing(0)
        test.peer.send(ACK, session=1, after=10 * US)
        test.peer.expect(HELLO, within=0)


def test_hello_of_another_session():
    """A HELLO with session 0 or another session changes nothing. The answer is a HELLO that asks,
    and goes to the source."""
    with Scripted(**QUIET) as test:
        test.send(0)
        test.peer.data(0)
        for session in 0, 1:
            for source, sender in ((SESSION, None), (NEW, None), (NEW, THIRD)):
                test.peer.hello(ask=True, session=session, source=source, sender=sender,
                                after=S)
                answer = test.peer.expect(HELLO, within=0, flags=ASK, session=source)
                tap.equal("target", answer.target, sender or arq_device.LOWER[1])
        test.peer.ack(1)
        test.device.expect(sent=1, reset=0, connections=1)


def test_third_node():
    """Frames of a third node with the right sessions are dropped and not answered, except
    HELLO."""
    with Scripted(**QUIET) as test:
        for kind, payload in KINDS:
            test.peer.send(kind, payload, sender=THIRD)
            test.peer.send(kind, payload, sender=THIRD, session=1)
        test.peer.nothing(S)
        test.device.expect(address=10, frames_in=11, delivered=0)


# a device that needs 42 ms for a HELLO
SLOW = {"rate": 1000} | QUIET


def flood(test, count):
    """A third node sends many HELLOs at once."""
    for number in range(count):
        test.peer.hello(ask=True, session=0, source=0x55550000 + number, sender=THIRD)


def test_flood_of_hellos_while_connected():
    """A third node floods HELLO over a slow link. The HELLO of a peer that starts again is answered
    as soon as the frame that is leaving has left, and the connection opens."""
    with Scripted(**SLOW) as test:
        peer = test.peer
        peer.heard(S)
        flood(test, 3)
        tap.equal("target", peer.expect(HELLO, within=0, session=0x55550000).target, THIRD)
        peer.hello(ask=True, session=0, source=NEW)
        flood(test, 3)
        answer = peer.expect(HELLO, within=50 * MS, flags=ASK, session=NEW)
        tap.equal("target", answer.target, arq_device.LOWER[1])
        flood(test, 3)
        peer.session = NEW
        peer.hello(ask=True)
        flood(test, 3)
        peer.expect(HELLO, within=50 * MS, flags=0, session=NEW)
        test.device.expect(connections=2)


def test_flood_of_hellos_before_the_connection():
    """While a third node floods HELLO over a slow link, a device goes on to send its own HELLO each
    second, and a peer that answers is connected."""
    with Scripted(False, **SLOW) as test:
        peer, start = test.peer, test.peer.expect(HELLO, session=0).when
        for second in range(1, 4):
            while peer.now < start + second * S:
                flood(test, 3)
                peer.now += 20 * MS
            own = [frame.when - start for frame in peer.heard(S // 10) if frame.session == 0]
            tap.equal(f"own HELLOs in second {second}", len(own), 1)
            tap.within("time", own[0], second * S, second * S + 50 * MS)
        flood(test, 3)
        peer.theirs = peer.expect(HELLO, within=50 * MS).source
        peer.hello(ask=True)
        flood(test, 3)
        peer.expect(HELLO, within=50 * MS, flags=0, session=SESSION)
        test.device.expect(connected=1)


def test_peer_moves():
    """Without `remote`, a third node that knows the session becomes the peer."""
    with Scripted(**QUIET) as test:
        test.send(0)
        test.peer.data(0)
        test.peer.hello(source=NEW, sender=THIRD)
        test.device.expect(reset=1, connections=2)
        test.send(1)
        frame = test.peer.expect(DATA, number=0, session=NEW)
        tap.equal("target", frame.target, THIRD)


def test_remote():
    """With `remote`, all frames go to this address, and only this node becomes the peer."""
    with Scripted(False, remote=arq_device.LOWER[1], **QUIET) as test:
        peer = test.peer
        hello = peer.expect(HELLO, flags=ASK, session=0)
        tap.equal("target", hello.target, arq_device.LOWER[1])
        peer.theirs = hello.source
        peer.hello(sender=THIRD)
        test.device.expect(connected=0, address=1)
        peer.hello()
        test.device.connected()
        peer.hello(source=NEW, sender=THIRD)
        test.device.expect(connections=1, address=2)
        test.send(0)
        tap.equal("target", peer.expect(DATA, session=SESSION).target, arq_device.LOWER[1])


def test_version():
    """A frame of another version is dropped, even if its checksum is wrong."""
    with Scripted(**QUIET) as test:
        for version in (0, 2, 15):
            for kind in range(16):
                test.peer.send(kind, version=version, checksum=5)
        test.peer.nothing(S)
        test.device.expect(version=48, frames_in=49)


def test_wrong_checksum():
    """A frame with a wrong checksum is dropped and not answered, also a frame of another
    session."""
    with Scripted(**QUIET) as test:
        for fields in ({}, {"session": 1}):
            right = test.peer.frame(DATA, whole(0), flags=FIRST | LAST, **fields).encode()
            for at in range(arq_frame.HEADER - 4, len(right), 5):
                test.peer.put(right[:at] + bytes([right[at] ^ 1]) + right[at + 1:])
        test.peer.nothing(S)
        told = test.device.counters()
        tap.equal("frames with a wrong checksum", told["checksum"], told["frames_in"] - 1)


def window_of(hello):
    """The window in a HELLO."""
    return struct.unpack("!HH", hello.payload)[0]


def test_new_window_is_told():
    """A device whose window changes asks the peer each second until the peer answers. If the window
    has changed again since the last HELLO, the device asks once more. The connection goes on."""
    with Scripted(window=8, **QUIET) as test:
        peer = test.peer
        both = {"flags": ASK, "session": SESSION, "source": peer.theirs}
        test.device.change(window=300)
        heard = [peer.expect(HELLO, **both) for _ in range(3)]
        near("times of HELLO", [frame.when - heard[0].when for frame in heard], [0, S, 2 * S])
        tap.equal("windows", [window_of(frame) for frame in heard], [300] * 3)
        test.device.change(window=5)
        peer.nothing(S // 2)
        peer.hello()
        tap.equal("window", window_of(peer.expect(HELLO, within=MS, **both)), 5)
        peer.hello()
        peer.nothing(5 * S)
        test.device.change(window=5, rate=10**9)
        peer.nothing(5 * S)
        peer.packets(*range(299, 0, -1))
        test.device.expect(connections=1, reset=0, in_data=299, outside=0)


def test_peer_has_a_new_window():
    """A HELLO of the present peer, also an old one that somebody repeats, changes what the peer
    accepts, and not the connection. Frames in flight stay. Each frame that the sender may send in
    addition leaves at once. The sender's own window is the limit."""
    with Scripted(window=10, ring=10**6, frame=100, offer={"window": 3}, **QUIET) as test:
        peer = test.peer
        for number in range(20):
            test.send(number)
        peer.data(0, 1, 2)
        peer.hello(window=5)
        peer.data(3, 4)
        peer.hello(window=1, largest=64)
        peer.nothing(S)
        peer.ack(4)
        peer.nothing(S)
        test.device.expect(flight=1, held=16, sent=4, reset=0)
        peer.ack(5)
        tap.equal("length", peer.data(5)[0].length, 64)
        peer.hello(window=4096)
        peer.data(*range(6, 15))
        peer.nothing(S)
        test.device.expect(connections=1, reset=0, flight=10)


def test_down():
    """Frames that arrive while the device is down are dropped and counted. Going down gives up all
    packets."""
    with Scripted(window=2, **QUIET) as test:
        for number in range(4):
            test.send(number)
        test.peer.data(0, 1)
        test.device.up(False)
        test.device.expect(purged=4, held=0, flight=0, connected=0)
        test.peer.packets(0)
        test.peer.hello(ask=True)
        test.peer.nothing(5 * S)
        test.device.expect(down=2, delivered=0)
        old = test.peer.theirs
        test.up()
        test.connect()
        tap.true("the session is new", test.peer.theirs != old)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
