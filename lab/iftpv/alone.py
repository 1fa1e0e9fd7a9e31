# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of IFTP or IFTPV alone on the paper's link, with errors of bits. The paper's packets have 1464 bytes,
of which 40 are header. Here a packet has the most data that the library sends over Ethernet, which is 16 bytes
less, and longer headers. The buffer drops no packet, as in scenario 1. So each packet that was sent comes to
the receiver, whole or damaged. When it comes is known when it leaves the router, from its length.

Bits are damaged from the time when the first data packet leaves the router, and the time is measured from
there."""
import time
from statistics import mean
from typing import NamedTuple

from lib import dccp, sniff, wait
from lib.cell import HEADER, S, TOLERANT

from iftpv import flow, scenario
from pieces import topology

SIZE, COUNTED = 1464, 40                # bytes of the paper's packet, and of its header
PAYLOAD = 1408
SLACK = 2                               # s that the source sends longer than is measured
# Each reading of a clock takes 256 ns of simulated time. If several programs wake up at once, a packet is read
# a few us after it has come. A packet takes 12 ms on the link.
CLOCKS = 20_000                         # ns


class Arrival(NamedTuple):
    """When a packet comes, in ns of CLOCK_MONOTONIC, and the length of its IP packet in bytes."""

    when: int
    length: int


def run(ccid, sensitive, ber, seed, directory):
    """Run a flow. `sensitive` is the length of the sensitive part with the paper's header, or None if a packet
    must be whole. Return its numbers in a row."""
    path = topology.Path(SIZE, scenario.KBIT, delay=scenario.DELAY)
    path.queue("drop-tail", scenario.INFINITE)
    part = "" if sensitive is None else f"--sensitive {min(sensitive - COUNTED, PAYLOAD)}"
    one = flow.Flow(path, directory, PAYLOAD, f"--carrier ip --ccid {ccid} --causes off {part}",
                    "--carrier ip --coverage 1")
    sniffer = sniff.Sniffer(path.router, "cell", outgoing=True)
    one.begin(scenario.SECONDS + SLACK)
    came = {}
    wait.until("the first data packet", lambda: came or note(came, sniffer, path), step=0.002)
    path.damage(seed, back=True, ber=round(ber * 1e12), corrupt=TOLERANT)
    start = time.monotonic_ns()
    time.sleep(scenario.SECONDS + SLACK)
    # a receiver that hears of no end waits longer; what is still missing is of no interest
    path.damage(seed, back=True, ber=0)
    one.finish()
    note(came, sniffer, path)
    check(one.packets, came, one.whole, one.got["damaged"])
    within = [packet for packet in one.packets if 0 < came[packet.seq].when - start <= scenario.SECONDS * S]
    return {**row(one, within), "headers": mean(came[packet.seq].length for packet in within) - PAYLOAD}


def row(one, within):
    """The numbers of a flow, of the packets that came within the time."""
    whole = [one.whole[packet.number] for packet in within if packet.number in one.whole]
    return {**rates(within, one.whole), "jitter_ms": flow.jitter(whole),
            "timeouts": one.summary["verdicts"]["timeout"], "end": one.end}


def check(packets, came, whole, damaged):
    """Each packet that was sent has left the router. Those that are whole came at the computed time. The source
    was told of no packet what the sink knows to be wrong, and of all of them but those that count as lost or
    unknown. `damaged` is the number of packets that the sink got damaged."""
    def refuse(what, found):
        if found:
            raise RuntimeError(f"{what}: {found}")
    sequence = [packet.seq for packet in packets]
    refuse("sent, or left the router, and not the other", set(sequence) ^ set(came))
    late = {packet: whole[packet.number][1] - came[packet.seq].when
            for packet in packets if packet.number in whole}
    refuse("came at another time", {p: time for p, time in late.items() if abs(time) > CLOCKS})
    refuse("not whole", [p for p in packets if p.fate == "acknowledged" and p.number not in whole])
    refuse("whole", [p for p in packets if p.fate in ("marked", "damaged") and p.number in whole])
    marked = sum(packet.fate == "marked" for packet in packets)
    unsure = sum(packet.fate in ("lost", "unknown") for packet in packets)
    refuse("damaged packets", not marked <= damaged <= marked + unsure and (marked, damaged, unsure))


def note(came, sniffer, path):
    """Add the data packets that leave the router, by sequence number."""
    for frame in sniffer.drain():
        if packet := data_packet(frame.packet):
            took = (len(frame.packet) + HEADER) * S // path.rate + path.delay
            came[packet.seq] = Arrival(frame.when + took, len(frame.packet))
    sniffer.lossless()
    return came


def data_packet(packet):
    """Return the data packet of DCCP in a packet of IPv4, or None."""
    header = 4 * (packet[0] & 15)
    if packet[0] >> 4 != 4 or packet[9] != dccp.PROTOCOL:
        return None
    found = dccp.decode(packet[header:])
    return found if found.kind in (dccp.DATA, dccp.DATAACK) else None


def rates(packets, whole):
    """Three rates in kbit/s, with the paper's header: packets that came, that were whole, and whose
    sensitive part was whole."""
    counts = {"came": len(packets), "whole": sum(p.number in whole for p in packets),
              "usable": sum(p.number in whole or p.fate == "marked" for p in packets)}
    return {name: count * (PAYLOAD + COUNTED) / 125 / scenario.SECONDS for name, count in counts.items()}
