#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever frames arrive, the kernel reports no error, each frame is counted under one cause, and
the connection works afterwards."""
# run.sh: all on smp-debug: frames_with_* damaged_frames
# run.sh: smoke: piece_* oversized
# run.sh: soak on lab, 7200 s: everything
# run.sh: soak on lab-debug, 7200 s: everything
import time

from lib import arq_device, arq_frame, arq_peer, bench, cell, packet as pkt, port, soak, tap, wait
from lib.arq_frame import (ACK, ASK, BOUNDED, BYPASS, DATA, FIRST, HELLO, LAST, MS, NACK, PACKED, S,
                           Frame, offer, packed)
from lib.arq_peer import Peer, Scripted, whole

# on an emulated machine 5000 frames take about 10 s
FRAMES = soak.amount(50_000 if wait.virtual_time() else 5000, 1_000_000)
CHUNK = 1000
TIMEOUT = 100 * MS
LATEST = 12345                          # number of the packet that is sent afterwards
WINDOW = 16
AHEAD = 16384                           # how far "oldest" may be ahead
# options that let a packet overtake many, few or no others
OPTIONS = (b"", pkt.xlo4(500, reorder=255), pkt.xlo4(1, reorder=3), pkt.xlo4(0))
THIRD = bytes.fromhex("020000000003")


class Maker:
    """Makes frames. A valid frame has the right sessions. Its numbers are near the edges of the
    windows, which move."""

    def __init__(self, random, theirs):
        self.random, self.theirs = random, theirs
        self.past = []
        self.restart()

    def restart(self):
        """Choose another session, in which all numbers begin with 0. Returns the HELLO that opens
        the connection."""
        self.source, self.number, self.ack = self.random.randrange(1, 1 << 32), 0, 0
        return Frame(HELLO, offer(WINDOW, 9000), 0, self.theirs, self.source).encode()

    def near(self, middle):
        """A number near a number, and sometimes far from it."""
        far = self.random.choice((0, 0, 0, 0, 1, -1, 0x7fff, 0x8000, self.random.randrange(65536)))
        return middle + self.random.randrange(-3, WINDOW + 3) * (not far) + far & 0xffff

    def valid(self):
        """A frame that a peer could send."""
        random, kind = self.random, self.random.randrange(6)
        payload, flags = b"", 0
        if kind == HELLO:
            payload, flags = offer(random.randrange(1, 20), random.randrange(40, 9000)), ASK
        elif kind == NACK:
            payload = arq_frame.ranges(*((self.near(self.ack), random.randrange(1, WINDOW))
                                   for _ in range(random.randrange(1, 9))))
        elif kind in (DATA, BYPASS):
            data = whole(random.randrange(9), 60, options=random.choice(OPTIONS))
            payload = data[:random.choice((30, 60, len(data)))]
            flags = random.choice((0, FIRST, LAST, FIRST | LAST, FIRST | LAST)) * (kind == DATA)
            if kind == DATA and random.random() < 0.2:
                flags = FIRST | LAST | PACKED
                payload = packed(*(data for _ in range(random.randrange(2, 5))),
                                 bounded=[random.randrange(3)])
        jumps = random.random() < 0.003
        self.number += jumps * random.randrange(AHEAD)
        number = self.number if random.random() < 0.7 else self.near(self.number)
        self.number += kind == DATA
        self.ack += random.random() < 0.02
        back = 0 if jumps else random.randrange(WINDOW) if random.random() < 0.3 else 1000
        oldest = max(self.number - back, 0)
        return Frame(kind, payload, flags, self.theirs, self.source,
                     number & 0xffff if kind == DATA else 0,
                     self.near(self.ack) if random.random() < 0.5 else 0, oldest & 0xffff)

    def mutated(self):
        """A frame with some wrong fields, and usually with the right checksum."""
        random, frame = self.random, self.valid()
        for _ in range(random.randrange(1, 4)):
            name = random.choice(("kind", "flags", "number", "ack", "oldest", "length", "sensitive",
                                  "payload", "checksum", "version", "session", "source"))
            # a HELLO from another source opens another connection, which ends the present one
            if name == "source" and frame.kind == HELLO and random.random() < 0.95:
                continue
            # most frames behind a wrong "oldest" that is accepted are not
            if name == "oldest" and random.random() < 0.9:
                continue
            if name == "payload":
                frame.payload = random.randbytes(random.choice((0, 1, 3, 4, 5, 32, 36, 80)))
            else:
                bits = {"kind": 4, "version": 4, "flags": 8, "checksum": 32, "session": 32,
                        "source": 32}.get(name, 16)
                setattr(frame, name, random.choice((0, 1, len(frame.payload), (1 << bits) - 1,
                                                    random.getrandbits(bits))) % (1 << bits))
        return frame.encode()

    def cut(self):
        """A frame that ends early, or that is followed by other bytes."""
        data = self.valid().encode()
        if self.random.random() < 0.3:
            return data + bytes(self.random.choice((1, 26, 60)))
        return data[:self.random.randrange(len(data))]

    def next(self):
        """The next frame's bytes. Some frames repeat earlier ones."""
        random = self.random
        way = random.random()
        if way < 0.1 and self.past:
            return random.choice(self.past)
        if way < 0.5:
            data = self.valid().encode()
        elif way < 0.85:
            data = self.mutated()
        elif way < 0.95:
            data = self.cut()
        else:
            data = random.randbytes(random.choice((0, 1, 23, 24, 25, 60)))
        if random.random() < 0.01 and (not data or data[0] & 15 != HELLO):
            self.past.append(data)
        return data


def flood(test, frames, sender=arq_device.LOWER[1]):
    """Send many frames. Simulated time passes in between, so timers expire."""
    out = port.Port(test.far, "far0")
    out.sock.bind(("far0", 0))
    for start in range(0, len(frames), CHUNK // 10):
        batch = port.Batch([arq_frame.ethernet(arq_device.LOWER[0], sender, data)
                            for data in frames[start:start + CHUNK // 10]])
        tap.equal("sent", out.send_batch(batch), batch.count)
        time.sleep(0.02)
    out.close()


def without_answers(test):
    """Close the peer's socket, because nobody reads what the device answers."""
    test.peer.sniffer.sock.close()
    test.peer.sock.close()


def works(test):
    """Check that a new connection carries packets in both directions within a timeout."""
    peer = test.peer = Peer(test.far, "far0")
    peer.session = 0x44444444
    peer.hello(ask=True, session=0)
    while (frame := peer.next()).kind != HELLO:
        pass
    peer.theirs = frame.source
    peer.hello()
    start = peer.now
    test.arrived()
    peer.packets(0)
    test.delivers(0)
    tap.true("sent", test.port.send(arq_peer.packet(LATEST, 100)))
    while frame.payload != whole(LATEST, 100):
        frame = peer.next(wait.patient(TIMEOUT))
        tap.true("the packet is sent", frame)
        if frame.kind == DATA and frame.session == peer.session:
            peer.ack(frame.number + 1)
    if wait.virtual_time():
        tap.within("time", peer.now - start, 0, TIMEOUT)
    test.device.expect(held=0)


def test_frames_with_the_right_session():
    """The peer itself sends valid, wrong, repeated, cut and random frames."""
    random = bench.seed()
    with Scripted(window=WINDOW, timer=arq_device.FIXED, timeout=TIMEOUT, attempts=5,
                  ring=10**6) as test:
        without_answers(test)
        before, maker = test.device.counters()["frames_in"], Maker(random, test.peer.theirs)
        for _ in range(FRAMES // CHUNK):
            for number in range(10):
                test.port.send(arq_peer.packet(number, 300))
            flood(test, [maker.restart(), *(maker.next() for _ in range(CHUNK - 1))])
        test.device.expect(frames_in=before + FRAMES // CHUNK * CHUNK)
        told = test.device.counters()
        tap.note({name: value for name, value in told.items() if value})
        for name in arq_device.ENDS:
            if name not in ("address", "down", "in_nomem"):
                tap.true(f"frames counted as {name}", told[name])
        works(test)


def test_frames_of_others():
    """A node that does not know the sessions sends the same frames with other sessions, from its
    own address and from that of the peer. The connection goes on as if there were no such
    frames."""
    random = bench.seed()
    with Scripted(window=WINDOW, timer=arq_device.FIXED, timeout=60 * S) as test:
        peer = test.peer
        test.send(0)
        peer.data(0)
        peer.packets(0)
        peer.expect(ACK, ack=1)
        without_answers(test)
        maker = Maker(random, 0x55555555)
        for sender in THIRD, arq_device.LOWER[1]:
            flood(test, [maker.next() for _ in range(FRAMES // 4)], sender)
        told = test.device.counters()
        tap.equal("delivered, connections and samples",
                  [told[name] for name in ("delivered", "connections", "samples", "flight")],
                  [1, 1, 0, 1])
        fresh = test.peer = Peer(test.far, "far0")
        fresh.theirs, fresh.acked = peer.theirs, 1
        fresh.packets(1)
        fresh.expect(ACK, within=wait.patient(20 * MS), ack=2)
        fresh.ack(1)
        test.device.expect(sent=1, flight=0)
        test.send(1)
        fresh.data(1, within=wait.patient(MS))


def test_no_stall():
    """After any single frame of the peer except HELLO, a packet that is not acknowledged is sent
    again within each timeout, and the next packet of the peer is delivered at once."""
    random = bench.seed()
    with Scripted(window=WINDOW, timer=arq_device.FIXED, timeout=TIMEOUT, ack_delay=0) as test:
        peer, maker = test.peer, Maker(random, test.peer.theirs)
        maker.source = peer.session
        for number in range(300):
            test.send(number)
            sent, = peer.heard(MS)
            maker.ack, maker.number = sent.number, sent.ack
            while (data := maker.mutated()) and data[0] & 15 == HELLO:
                pass
            peer.put(data)
            last = sent
            for _ in range(2):
                frames = peer.heard(TIMEOUT + MS)
                last = frames[-1] if frames else last
                if test.device.counters()["flight"]:
                    tap.true("the packet is sent again",
                             any(frame.payload == sent.payload for frame in frames))
            test.arrived()
            peer.oldest = last.ack
            peer.ack(sent.number + 1)
            test.device.expect(held=0)
            peer.packets(peer.oldest)
            tap.true("the packet is delivered", peer.oldest in test.arrived())
            peer.forget()
        tap.true("some frames are reported as missing",
                 test.device.counters()["repeats_nack"] > 0)


def test_oversized():
    """Frames of up to the lower device's MTU that contradict themselves, or that are longer than
    the largest piece, are dropped."""
    with Scripted(window=WINDOW) as test:
        before = test.device.counters()["frames_in"]
        for size in (9076, 9000, 3000):
            for fields in ({}, {"length": 0}, {"length": size - 1}, {"length": size + 1},
                           {"length": 65535}, {"sensitive": 0}, {"sensitive": 65535}):
                for kind in range(6):
                    test.peer.send(kind, bytes(size), **fields)
        test.device.expect(frames_in=before + 3 * 7 * 6)
        works(test)


def test_malformed_lists():
    """A list that is not made of two or more whole packets, and of nothing else, is dropped as a
    whole. The frame is not acknowledged."""
    one, two = whole(0), whole(1)
    whole_list = FIRST | LAST | PACKED
    wrong = [(packed(one), whole_list), (packed(), whole_list), (packed(one, two[:13]), whole_list),
             (packed(one, b""), whole_list), (packed(two[:13], one), whole_list),
             *((packed(one, two)[:size], whole_list) for size in range(len(packed(one, two)))),
             *((packed(one, two) + bytes(size), whole_list) for size in (1, 2, 30)),
             (packed(one, two, bytes(14))[:-16] + b"\xff\xff" + bytes(14), whole_list),
             *((packed(one, two), whole_list ^ flag) for flag in (FIRST, LAST, BOUNDED))]
    with Scripted(window=WINDOW, ack_delay=0) as test:
        for payload, flags in wrong:
            test.peer.piece(payload, flags, number=0)
        test.peer.nothing(S)
        test.device.expect(malformed=len(wrong), in_data=0, delivered=0)
        test.peer.piece(packed(one, two), whole_list)
        test.peer.expect(ACK, ack=1)
        test.delivers(0, 1)


def test_piece_behind_an_early_packet():
    """Pieces that belong to no packet do not join a packet that was delivered early."""
    for lone in (LAST, 0):
        with Scripted(window=WINDOW) as test:
            data = whole(5, options=OPTIONS[1])
            test.peer.piece(data[:44], FIRST, number=5)
            test.peer.piece(data[44:], LAST, number=6)
            test.delivers(5)
            test.peer.piece(data[44:], lone, number=7)
            test.peer.piece(data[44:], LAST, number=8)
            test.peer.packets(0, 1, 2, 3, 4)
            test.delivers(0, 1, 2, 3, 4)
            test.device.expect(delivered=6)


def test_damaged_frames():
    """Over a link that delivers damaged frames, all packets arrive undamaged and in order."""
    channel = {"ber": 2 * 10**8, "corrupt": cell.DELIVER, "delay": 5 * MS}
    with arq_device.Pair(channel=channel, window=WINDOW, ring=10**6, timer=arq_device.FIXED,
                         timeout=20 * MS, ack_delay=MS) as pair:
        sniffer = pair.right.sniffer()
        packets = [arq_device.packet(number, 240) for number in range(500)]
        arq_device.flood(pair.left, packets)
        seen = sniffer.until("all packets", lambda frames: len(cell.ours(frames)) >= 500)
        tap.true("the packets are as they were sent", [frame.packet for frame in seen] == packets)
        tap.true("some frames were damaged", pair.right.counters()["checksum"] > 50)


def test_hello_loop():
    """Two devices that have lost each other's sessions do not answer each other without end."""
    with arq_device.Pair() as pair:
        spoof = Peer(pair.lower.right.ns, "cell1")
        for session in (0, 1):
            for source in (1, 2):
                spoof.hello(ask=True, session=session, source=source)
        time.sleep(5)
        tap.within("HELLOs", sum(end.counters()["hellos"] for end in (pair.left, pair.right)),
                   0, 30)
        pair.connected()


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
