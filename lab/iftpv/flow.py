# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of DCCP, without retransmission, alone on the paper's link: `freshlink traffic` with IFTP or IFTPV.
The paper's packets have 1464 bytes, of which 40 are header. Here a packet has the most data that the library
sends over Ethernet, which is 16 bytes less, and longer headers. The buffer drops no packet, as in scenario 1.
So each packet that was sent comes to the receiver, whole or damaged. When it comes is known to the nanosecond
when it leaves the router, from its length.

The source knows the path's MTU, because path MTU discovery would take random losses for a smaller one. Bits
are damaged from the time when the first data packet leaves the router, and the time is measured from there."""
import csv
import json
import os
import time
from typing import NamedTuple

from lib import dccp, sniff, wait
from lib.cell import HEADER, S, TOLERANT

from iftpv import scenario
from pieces import topology, traffic

SIZE, COUNTED = 1464, 40                # bytes of the paper's packet, and of its header
PAYLOAD, MTU = 1408, 1500
SLACK = 2                               # s that the source sends longer than is measured
CLOCKS = 7000       # ns: readings of a clock take 256 ns of simulated time each, a byte takes 8 us on the link


class Sent(NamedTuple):
    """A packet that the source has sent, and its fate as far as the source was told."""

    number: int
    seq: int
    fate: str


def run(ccid, sensitive, ber, seed, directory):
    """Run a flow. `sensitive` is the length of the sensitive part with the paper's header, or None if a packet
    must be whole. Return its numbers in a row."""
    path = topology.Path(SIZE, scenario.KBIT, delay=scenario.DELAY)
    path.queue("drop-tail", scenario.INFINITE)
    log = [os.path.join(directory, name) for name in ("sent.csv", "received.csv")]
    sink = traffic.await_ready(traffic.start(path.receiver, "dccp-sink --carrier ip --coverage 1 "
                                             f"--connections 1 --log {log[1]}"), "listening")
    part = "" if sensitive is None else f" --sensitive {min(sensitive - COUNTED, PAYLOAD)}"
    sniffer = sniff.Sniffer(path.router, "cell", outgoing=True)
    source = traffic.start(path.sender, f"dccp-source {path.address} --carrier ip --ccid {ccid} --causes off "
                           f"--size {PAYLOAD} --mtu {MTU} --duration {scenario.SECONDS + SLACK}s "
                           f"--log {log[0]}{part}")
    came = {}
    wait.until("the first data packet", lambda: came or note(came, sniffer, path), step=0.002)
    path.damage(seed, back=True, ber=round(ber * 1e12), corrupt=TOLERANT)
    start = time.monotonic_ns()
    time.sleep(scenario.SECONDS + SLACK)
    # a receiver that hears of no end waits longer; what is still missing is of no interest
    path.damage(seed, back=True, ber=0)
    summary, end = finish(source)
    got = traffic.end(sink)
    note(came, sniffer, path)
    packets, whole = sent(log[0]), received(log[1])
    check(packets, came, whole, got["damaged"])
    within = [packet for packet in packets if 0 < came[packet.seq] - start <= scenario.SECONDS * S]
    return {**rates(within, whole), "jitter_ms": jitter([whole[p.number] for p in within if p.number in whole]),
            "timeouts": summary["verdicts"]["timeout"], "end": end}


def finish(source):
    """Wait for a source. Return its summary, and why it ended early, or ""."""
    output, errors = source.communicate()
    if not output:
        raise RuntimeError(f"{' '.join(source.args)}: status {source.returncode}: {errors}")
    summary = json.loads(output)
    return summary, errors.strip() or (summary["end"] if source.returncode else "")


def check(packets, came, whole, damaged):
    """Each packet that was sent has left the router. Those that are whole came at the computed time. The source
    was told of no packet what the sink knows to be wrong, and of all of them but those that count as lost or
    unknown. `damaged` is the number of packets that the sink got damaged."""
    def refuse(what, found):
        if found:
            raise RuntimeError(f"{what}: {found}")
    sequence = [packet.seq for packet in packets]
    refuse("sent, or left the router, and not the other", set(sequence) ^ set(came))
    refuse("came at another time", [(packet, whole[packet.number][1] - came[packet.seq]) for packet in packets
                                    if packet.number in whole and
                                    abs(whole[packet.number][1] - came[packet.seq]) > CLOCKS])
    refuse("not whole", [p for p in packets if p.fate == "acknowledged" and p.number not in whole])
    refuse("whole", [p for p in packets if p.fate in ("marked", "damaged") and p.number in whole])
    marked = sum(packet.fate == "marked" for packet in packets)
    unsure = sum(packet.fate in ("lost", "unknown") for packet in packets)
    refuse("damaged packets", not marked <= damaged <= marked + unsure and (marked, damaged, unsure))


def note(came, sniffer, path):
    """Add the times when data packets come that leave the router, by sequence number."""
    for frame in sniffer.drain():
        if packet := data_packet(frame.packet):
            came[packet.seq] = frame.when + (len(frame.packet) + HEADER) * S // path.rate + path.delay
    sniffer.lossless()
    return came


def data_packet(packet):
    """Return the data packet of DCCP in a packet of IPv4, or None."""
    header = 4 * (packet[0] & 15)
    if packet[0] >> 4 != 4 or packet[9] != dccp.PROTOCOL:
        return None
    found = dccp.decode(packet[header:])
    return found if found.kind in (dccp.DATA, dccp.DATAACK) else None


def sent(file):
    """The packets in a source's log, in order."""
    with open(file, newline="") as lines:
        return sorted(Sent(int(row["packet"]), int(row["seq"]), row["fate"]) for row in csv.DictReader(lines))


def received(file):
    """(sent, received) of the whole packets in a sink's log in ns of CLOCK_MONOTONIC, by number."""
    offset = sniff.clock_offset()
    with open(file, newline="") as lines:
        return {int(row["sequence"]): (int(row["sent_ns"]) - offset, int(row["received_ns"]) - offset)
                for row in csv.DictReader(lines)}


def rates(packets, whole):
    """Three rates in kbit/s, with the paper's header: packets that came, that were whole, and whose
    sensitive part was whole."""
    counts = {"came": len(packets), "whole": sum(p.number in whole for p in packets),
              "usable": sum(p.number in whole or p.fate == "marked" for p in packets)}
    return {name: count * (PAYLOAD + COUNTED) / 125 / scenario.SECONDS for name, count in counts.items()}


def jitter(packets):
    """The mean of the interarrival jitter (RFC 3550 section 6.4.1) in ms, or None if there is none."""
    transits = [b - a for a, b in packets]
    value, found = 0, []
    for one, other in zip(transits, transits[1:]):
        value += (abs(other - one) - value) / 16
        found.append(value)
    return sum(found) / len(found) / 1e6 if found else None
