#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An XDP program on an arqlink device sees each packet before the stack, complete and once. The
program drops, passes or returns packets of any size, also packets that several frames carried."""
# run.sh: needs: BPF
# run.sh: all on vm: everything
import os

from lib import arq_device, bench, bpf, cell, packet as pkt, sniff, tap
from lib.arq_frame import MS

COUNT = 200
UDP = 28                                # bytes of headers


def test_verdicts():
    """Each packet is treated as the verdict in it says, although the link loses frames."""
    random = bench.seed()
    said = [random.choice((bpf.DROP, bpf.PASS, bpf.TX)) for _ in range(COUNT)]
    with arq_device.Pair(channel={"delay": MS, "loss": 50_000}, window=32, ring=10**6) as pair:
        program = bpf.load(bpf.verdict_at(14 + UDP + len(pkt.body(0, 0))))
        bpf.attach(pair.right.netlink, "arq1", program)
        os.close(program)
        right, left = pair.right.sniffer(), sniff.Sniffer(pair.left.ns, "arq0")
        out = pair.left.port()
        for number, verdict in enumerate(said):
            body = pkt.body(number, 0) + bytes([verdict]) + bytes(random.randrange(1400))
            tap.true("sent", out.send(pkt.ipv4(b"", body)))
        back = [number for number, verdict in enumerate(said) if verdict == bpf.TX]
        passed = [number for number, verdict in enumerate(said) if verdict == bpf.PASS]
        tap.equal("passed", [number for number, _ in cell.arrivals(right, len(passed))], passed)
        tap.equal("returned", [number for number, _ in cell.arrivals(left, len(back))], back)
        pair.left.expect(sent=COUNT, delivered=len(back))
        pair.right.expect(delivered=COUNT, sent=len(back), packets_in=len(back))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
