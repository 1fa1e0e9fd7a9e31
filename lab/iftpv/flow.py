# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of DCCP, without retransmission, alone on the paper's link: `freshlink traffic` with IFTP or IFTPV.
The paper's packets have 1464 bytes, of which 40 are header. Here a packet has the most data that the library
sends over Ethernet, which is 16 bytes less, and longer headers. The buffer drops no packet, as in scenario 1.
So each packet that was sent comes to the receiver, whole or damaged.

Path MTU discovery needs whole packets of full size, which do not come at 1e-3. So bits are damaged from the
time when the first data packet has come, and the time is measured from there."""
import csv
import json
import os
import time

from lib import dccp, sniff, wait
from lib.cell import HEADER, S, TOLERANT

from iftpv import scenario
from pieces import topology, traffic

SIZE, COUNTED = 1464, 40                # bytes of the paper's packet, and of its header
PAYLOAD = 1408
DCCP = 33                               # protocol
USABLE = ("acknowledged", "marked")     # fates: whole, or damaged behind the sensitive part
SLACK = 2                               # s that the source sends longer than is measured


def run(ccid, sensitive, ber, seed, directory):
    """Run a flow. `sensitive` is the length of the sensitive part with the paper's header, or None if a packet
    must be whole. Return its numbers in a row."""
    path = topology.Path(SIZE, scenario.KBIT, delay=scenario.DELAY)
    path.queue("drop-tail", scenario.INFINITE)
    log = [os.path.join(directory, name) for name in ("sent.csv", "received.csv")]
    sink = traffic.await_ready(traffic.start(path.receiver, "dccp-sink --carrier ip --coverage 1 "
                                             f"--connections 1 --log {log[1]}"), "listening")
    part = "" if sensitive is None else f" --sensitive {min(sensitive - COUNTED, PAYLOAD)}"
    sniffer = sniff.Sniffer(path.receiver, "eth0")
    source = traffic.start(path.sender, f"dccp-source {path.address} --carrier ip --ccid {ccid} --causes off "
                           f"--size {PAYLOAD} --duration {scenario.SECONDS + SLACK}s --log {log[0]}{part}")
    lengths = []
    wait.until("the first data packet", lambda: lengths or note(lengths, sniffer), step=0.002)
    path.damage(seed, back=True, ber=round(ber * 1e12), corrupt=TOLERANT)
    start = time.monotonic_ns()
    time.sleep(scenario.SECONDS + SLACK)
    # a receiver that hears of no end waits longer; what is still missing is of no interest
    path.damage(seed, back=True, ber=0)
    summary, end = finish(source)
    got = traffic.end(sink)
    note(lengths, sniffer)
    service = round(sum(lengths) / len(lengths) + HEADER) * S // path.rate
    came = arrivals(sent(log[0]), service, path.delay + path.to_router)
    within = [fate for when, fate in came if 0 < when - start <= scenario.SECONDS * S]
    whole = received(log[1], start + sniff.clock_offset())
    check([fate for _, fate in came], within, whole, got)
    return {**rates(within), "jitter_ms": jitter(whole),
            "timeouts": summary["verdicts"]["timeout"], "end": end}


def finish(source):
    """Wait for a source. Return its summary, and why it ended early, or "". Random losses may look like a
    smaller MTU, which a source of packets of one size does not survive. Then nothing more comes."""
    output, errors = source.communicate()
    if not output:
        raise RuntimeError(f"{' '.join(source.args)}: status {source.returncode}: {errors}")
    summary = json.loads(output)
    return summary, errors.strip() or (summary["end"] if source.returncode else "")


def check(fates, within, whole, got):
    """The source knows of no packet that the sink did not get, and knows of all, but those whose fate it was
    never told. As many whole packets came within the time at the sink as by the computed times, to 1 %."""
    arrived, unknown = sum(fate in USABLE for fate in fates), fates.count("unknown")
    away = abs(within.count("acknowledged") - len(whole))
    if not arrived <= got["received"] <= arrived + unknown or \
            away > 2 + unknown + len(whole) / 100:
        raise RuntimeError(f"{arrived} arrived, {unknown} unknown, {away} at other times; the sink: {got}")


def note(lengths, sniffer):
    """Add the lengths of the data packets that came."""
    lengths += [len(frame.packet) for frame in sniffer.drain() if is_data(frame.packet)]
    sniffer.lossless()
    return lengths


def is_data(packet):
    """Return whether a packet of IPv4 is a data packet of DCCP."""
    at = 4 * (packet[0] & 15)
    return packet[0] >> 4 == 4 and len(packet) > at + 8 and packet[9] == DCCP and \
        packet[at + 8] >> 1 & 15 in (dccp.DATA, dccp.DATAACK)


def sent(file):
    """The times of sending in ns (CLOCK_MONOTONIC) and fates in a source's log, in order."""
    with open(file, newline="") as lines:
        return sorted((int(row["sent_ns"]), row["fate"]) for row in csv.DictReader(lines))


def arrivals(packets, service, delay):
    """When packets come that nobody else delays: each takes `service` on the link, one after the other, and
    `delay` besides. All times are in ns."""
    free, found = 0, []
    for when, fate in packets:
        free = max(free, when) + service
        found.append((free + delay, fate))
    return found


def rates(fates):
    """Three rates in kbit/s, with the paper's header: packets that came, that were whole, and whose
    sensitive part was whole."""
    kinds = {"came": set(fates), "whole": ("acknowledged",), "usable": USABLE}
    return {name: sum(fate in kind for fate in fates) * (PAYLOAD + COUNTED) / 125 / scenario.SECONDS
            for name, kind in kinds.items()}


def received(file, since):
    """(sent, received) of the whole packets that came after a time, in ns of CLOCK_REALTIME."""
    with open(file, newline="") as lines:
        both = [(int(row["sent_ns"]), int(row["received_ns"])) for row in csv.DictReader(lines)]
    return [(a, b) for a, b in both if since < b <= since + scenario.SECONDS * S]


def jitter(packets):
    """The mean of the interarrival jitter (RFC 3550 section 6.4.1) in ms, or None if there is none."""
    transits = [b - a for a, b in packets]
    value, found = 0, []
    for one, other in zip(transits, transits[1:]):
        value += (abs(other - one) - value) / 16
        found.append(value)
    return sum(found) / len(found) / 1e6 if found else None
