#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""On a link that loses half of the frames in each direction, all packets of a long flow arrive once
and in order. A soak test sends a million frames."""
# run.sh: needs: simulated time
# run.sh: once: very many frames
# run.sh: all on lab-debug: nothing (very many frames)
# run.sh: soak on lab, 72000 s: everything
from lib import arq_device, bench, cell, packet as pkt, port, soak, tap, wait
from lib.arq_frame import MS

FRAMES = soak.amount(5000, 1_000_000)
BATCH = 500                             # frames; the queue above the device stores two batches
SIZE = 100                              # bytes of a packet, which fits into a frame
HALF = {"loss": 500_000, "delay": 5 * MS}


class Flow:
    """Packets with consecutive numbers, sent from the left end of a pair."""

    def __init__(self, pair):
        self.port, self.sniffer = pair.left.port(), pair.right.sniffer()
        self.port.sock.bind((pair.left.name, pkt.ETH_P_IP))
        self.sent = self.arrived = 0

    def send(self):
        """Send the next batch."""
        numbers = range(self.sent, self.sent + BATCH)
        batch = port.Batch([pkt.ethernet(arq_device.packet(number, SIZE)) for number in numbers])
        tap.equal("sent", self.port.send_batch(batch), BATCH)
        self.sent += BATCH

    def receive(self):
        """Check the numbers of the packets that have arrived since the last call. Returns the
        number of packets that are on the way."""
        numbers = [number for number, _ in cell.ours(self.sniffer.drain())]
        tap.equal("packets in order", numbers,
                  list(range(self.arrived, self.arrived + len(numbers))))
        self.arrived += len(numbers)
        return self.sent - self.arrived


def all_arrive(**settings):
    chance = bench.seed()
    there, back = (HALF | {"seed": chance.getrandbits(32)} for _ in range(2))
    with arq_device.Pair(there, back, **settings) as pair:
        flow = Flow(pair)
        while flow.sent < FRAMES:
            flow.send()
            wait.until("a batch arrives", lambda: flow.receive() <= BATCH, 1000, 0.05)
        wait.until("all packets arrive", lambda: not flow.receive(), 1000, 0.05)
        flow.sniffer.lossless()
        pair.left.expect(packets_in=FRAMES, sent=FRAMES, data=FRAMES, held=0)
        pair.right.expect(delivered=FRAMES, in_data=FRAMES)
        told = pair.left.counters()
        tap.note(f"{FRAMES} frames, sent again {told['repeats_nack']} times after a NACK, "
                 f"{told['repeats_timer']} times after a timeout")


def test_default():
    """With the default settings, all packets arrive in order."""
    all_arrive()


def test_large_window():
    """With a large window and a fixed timer, all packets arrive in order."""
    all_arrive(window=64, timer=arq_device.FIXED, timeout=20 * MS)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
