#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An XDP program at one end of the channel sees each packet before the stack. The program drops,
passes or returns short packets, long packets and GSO packets. The counters of the program's device
contain only the packets that the program returns."""
# run.sh: needs: BPF
# run.sh: all on vm: everything
import os
import time

from lib import bench, bpf, cell, child, netlink, packet as pkt, port, tap, wait
from lib.cell import MS

COUNT = 300
ROUNDS = 20
UDP, TCP = 28, 40                       # bytes of headers


def watched(pair, headers):
    """Load a program on the right end. The program takes its verdict from the byte after the
    packet's number."""
    program = bpf.load(bpf.verdict_at(cell.HEADER + headers + len(pkt.body(0, 0))))
    bpf.attach(pair.right.netlink, "cell1", program)
    os.close(program)


def payload(number, verdict, size):
    return pkt.body(number, 0) + bytes([verdict]) + bytes(size)


def each_has_its_verdict(**values):
    """The program treats each packet of random size as the verdict in the packet says."""
    random = bench.seed()
    said = [random.choice((bpf.DROP, bpf.PASS, bpf.TX)) for _ in range(COUNT)]
    with cell.Pair(**values) as pair:
        watched(pair, UDP)
        right, left = pair.sniffer(), cell.sniff.Sniffer(pair.left.ns, "cell0")
        port = pair.port()
        for number, verdict in enumerate(said):
            port.send(pkt.ipv4(b"", payload(number, verdict, random.randrange(1400))))
        port.close()
        back = [number for number, verdict in enumerate(said) if verdict == bpf.TX]
        pair.left.expect(packets_in=COUNT, delivered=COUNT, held=0)
        pair.right.expect(packets_in=len(back), delivered=len(back), held=0)
        passed = [number for number, verdict in enumerate(said) if verdict == bpf.PASS]
        tap.equal("passed", [n for n, _ in cell.arrivals(right, len(passed))], passed)
        tap.equal("returned", [n for n, _ in cell.arrivals(left, len(back))], back)


def test_at_once():
    """The program's verdicts apply to a channel without rate and delay."""
    each_has_its_verdict()


def test_after_a_delay():
    """The program's verdicts apply to a channel with a rate and a delay."""
    each_has_its_verdict(rate=10**7, delay=MS)


def test_super_packets():
    """The program sees a complete GSO packet. A GSO packet that passes arrives as it was sent."""
    with cell.Pair() as pair:
        watched(pair, TCP)
        sniffer, port = pair.sniffer(), pair.port()
        for number, verdict in enumerate((bpf.PASS, bpf.DROP, bpf.PASS)):
            port.send_gso(pkt.tcp4(payload(number, verdict, 20_000)), 1000)
        pair.left.expect(delivered=3)
        seen = sniffer.until("two packets", lambda frames: len(cell.ours(frames)) >= 2)
        tap.equal("passed", [number for number, _ in cell.ours(seen)], [0, 2])
        tap.equal("lengths", {len(frame.packet) for frame in seen},
                  {len(pkt.tcp4(payload(0, 0, 20_000)))})


def test_down_while_returned():
    """A device goes down while a program returns its packets. Afterwards the device contains no
    packet."""
    with cell.Pair(back={"delay": 20 * cell.S}) as pair:
        program = bpf.load(bpf.verdict_at(cell.HEADER + UDP))
        bpf.attach(pair.right.netlink, "cell1", program)
        os.close(program)
        packet = pkt.ipv4(b"", bytes([bpf.TX]) * 60)
        frames = port.Batch([pkt.ethernet(packet)] * 500)
        sender = pair.port()
        sender.sock.bind(("cell0", pkt.protocol(packet)))

        def flood():
            try:
                return sender.send_batch(frames)
            except OSError:             # no carrier
                time.sleep(0.001)
                return 0
        with child.Beside(flood):
            for _ in range(ROUNDS):
                before = pair.right.counters()["packets_in"]
                wait.until("some packets are returned",
                           lambda: pair.right.counters()["packets_in"] > before + 100)
                pair.right.up(False)
                tap.equal("held while down", pair.right.counters()["held"], 0)
                pair.right.up()
                wait.until("cell0 has a carrier", lambda: pair.left.netlink.operstate("cell0") ==
                           netlink.IF_OPER_UP)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
