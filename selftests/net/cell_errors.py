#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses and bit errors are as frequent as configured. A statistical check would fail for one of
100 seeds, even if the channel is right, so the seed is fixed. The same seed gives the same errors
again. Packets with bit errors are dropped or delivered, as configured."""
# run.sh: all on lab-6.1 lab-6.12 lab-debug: a* delivered_* checksums_* *tolerant* super_* drops_* (the rest counts thousands)
import socket

from lib import cell, mib, packet as pkt, sniff, tap, uapi, wait
from lib.chance import binomial, chi_square
from lib.trace import Trace

SEED = 1
COUNT = 10_000
BIT = 10**12                            # unit of ber


def packets(numbers, size=100):
    return [cell.packet(number, size) for number in numbers]


def delivered(pair, count=COUNT, size=100):
    """Send `count` packets. Returns the numbers of the packets that arrive."""
    sniffer, before = pair.sniffer(), pair.left.counters()["packets_in"]
    seen = []
    for start in range(0, count, 500):
        end = min(count, start + 500)
        pair.flood(packets(range(start, end), size))
        pair.left.expect(held=0, packets_in=before + end)
        seen += sniffer.drain()
    sniffer.lossless()
    return [number for number, _ in cell.ours(seen)]


def test_uniform_loss():
    """The configured share of packets is lost, and each loss is independent of the loss of earlier
    packets."""
    for loss in (15_000, 98_000, 300_000):
        with cell.Pair(loss=loss, seed=SEED) as pair:
            seen = set(delivered(pair))
            counters = pair.left.counters()
            tap.equal("delivered", len(seen), counters["delivered"])
            tap.equal("lost", counters["lost"], COUNT - len(seen))
            tap.equal("sent", counters["sent"], COUNT)
            chance = loss / 10**6
            binomial(f"lost of {chance}", counters["lost"], COUNT, chance)
            lost = [number not in seen for number in range(COUNT)]
            after = [b for a, b in zip(lost, lost[1:]) if a]
            binomial("lost after a loss", sum(after), len(after), chance)


def test_all_and_none():
    """If the chance is 1, all packets are lost. If the chance is 0, no packet is lost."""
    with cell.Pair(loss=1_000_000) as pair:
        tap.equal("delivered", delivered(pair, 500), [])
        pair.left.change(loss=0)
        tap.equal("delivered", len(delivered(pair, 500)), 500)


def test_bit_errors():
    """The share of corrupted packets is 1 - (1 - ber)^bits."""
    for ber, size, count in ((1e-6, 1500, 10_000), (1e-5, 1000, 5000), (1e-4, 200, 5000),
                             (1e-3, 100, 5000), (1e-2, 60, 2000)):
        with cell.Pair(ber=round(ber * BIT), seed=SEED) as pair:
            delivered(pair, count, size)
            chance = 1 - (1 - ber) ** (8 * size)
            tap.note(f"ber {ber}: {pair.left.counters()['corrupted']} of {count}, "
                     f"expected {count * chance:.0f}")
            binomial(f"corrupted at {ber}", pair.left.counters()["corrupted"], count, chance)


def test_same_seed_same_packets():
    """The same seed loses the same packets. A channel that goes up or is configured again starts
    from its seed again."""
    values = {"loss": 100_000, "ber": BIT // 5000, "seed": 5}
    with cell.Pair(**values) as pair, cell.Pair(**values) as other:
        first = delivered(pair, 1000)
        tap.true("some packets are lost", 100 < len(first) < 900)
        tap.equal("packets of another pair", delivered(other, 1000), first)
        tap.true("the next packets are other ones", delivered(pair, 1000) != first)
        pair.left.up(False)
        pair.up()
        tap.equal("packets after down and up", delivered(pair, 1000), first)
        pair.left.change(seed=6)
        tap.true("another seed gives other packets", delivered(pair, 1000) != first)
        pair.left.change(seed=5)
        tap.equal("packets with the first seed again", delivered(pair, 1000), first)


def test_chances_are_independent():
    """Bit errors do not change which packets the loss rate selects."""
    with cell.Pair(loss=100_000, seed=5) as one, cell.Pair(loss=100_000, ber=10**8,
                                                         seed=5) as other:
        every, fewer = set(delivered(one, 1000)), set(delivered(other, 1000))
        tap.true("bit errors only remove packets", fewer < every)
        tap.equal("lost", other.left.counters()["lost"], one.left.counters()["lost"])


def damaged_frames(pair, count, size, make=cell.packet):
    """Send packets. Returns all frames that arrive, and the frames that were sent."""
    sniffer = sniff.Sniffer(pair.right.ns, "cell1", header=0)
    sent = [pkt.ethernet(make(number, size)) for number in range(count)]
    pair.flood([frame[14:] for frame in sent])
    pair.left.expect(held=0)
    return [frame.packet for frame in sniffer.drain()], sent


def flips(one, other):
    """The positions of the bits that differ between two frames."""
    value = int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
    text = f"{value:0{8 * len(one)}b}"
    return [place for place, bit in enumerate(text) if bit == "1"]


def test_delivered_damaged():
    """With `corrupt deliver`, all packets arrive. The configured share of their bits is flipped,
    evenly and independently."""
    ber, count, size = 2e-4, 450, 500
    with cell.Pair(ber=round(ber * BIT), corrupt=cell.DELIVER, seed=SEED) as pair:
        seen, sent = damaged_frames(pair, count, size)
        tap.equal("frames that arrive", len(seen), count)
        places = [flips(one, other) for one, other in zip(seen, sent)]
        counters = pair.left.counters()
        tap.equal("damaged", counters["damaged"], sum(bool(p) for p in places))
        tap.equal("corrupted", counters["corrupted"], 0)
        bits = count * size * 8
        flat = [place for p in places for place in p]
        binomial("bits", len(flat), bits, ber)
        eighths = [sum(place // (size * 8 // 8) == part for place in flat) for part in range(8)]
        chi_square("places", eighths, [len(flat) / 8] * 8)
        in_byte = [sum(place % 8 == part for place in flat) for part in range(8)]
        chi_square("in a byte", in_byte, [len(flat) / 8] * 8)


def addressed(pair):
    """Set IPv4 addresses and neighbours on both ends."""
    for end, own, other, mac in ((pair.left, 1, 2, "02:00:00:00:00:02"),
                                 (pair.right, 2, 1, "02:00:00:00:00:01")):
        end.ns.ip(f"address add 10.1.0.{own}/24 dev {end.name}",
                  f"neighbour replace 10.1.0.{other} lladdr {mac} dev {end.name}")


def test_checksums_find_damage():
    """Checksums reveal the damage in packets of an ordinary socket. No damaged packet is received,
    although the device offers to compute checksums."""
    with cell.Pair(ber=BIT // 5000, corrupt=cell.DELIVER, seed=SEED) as pair:
        addressed(pair)
        count, payload = 400, bytes(range(256)) * 2
        with pair.right.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink, \
                pair.left.ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sink.bind(("10.1.0.2", 5000))
            sink.setsockopt(socket.SOL_SOCKET, sniff.SO_RCVBUFFORCE, 1 << 24)
            sink.settimeout(60)
            before = mib.read(pair.right.ns)
            for _ in range(count):
                sock.sendto(payload, ("10.1.0.2", 5000))
            pair.left.expect(held=0, packets_in=count)
            # the last packet is undamaged
            pair.left.change(ber=0)
            sock.sendto(b"last", ("10.1.0.2", 5000))
            got = list(iter(lambda: sink.recv(2000), b"last"))
        after = mib.read(pair.right.ns)
        tap.equal("payloads", set(got), {payload})
        counters = pair.left.counters()
        tap.true("many packets are damaged", counters["damaged"] > count / 4)
        tap.within("received", len(got), count - counters["damaged"],
                   count - counters["damaged"] + 20)
        tap.true("checksums find most of the damage",
                 after["Udp.InCsumErrors"] - before["Udp.InCsumErrors"] +
                 after["Ip.InHdrErrors"] - before["Ip.InHdrErrors"] > counters["damaged"] / 2)


OK, CORRUPTED = uapi.XLO_FLAG_CORRUPT_OK, uapi.XLO_FLAG_CORRUPTED


def test_tolerant_packets():
    """With `corrupt tolerant`, a damaged packet arrives only if its option accepts damage and its
    headers are intact. The option of such a packet then marks the packet as damaged. Other damaged
    packets are dropped."""
    kinds = {
        "IPv4": lambda number, size: pkt.ipv4(pkt.xlo4(5000, OK), pkt.body(number, size)),
        "IPv4, odd offset": lambda number, size: pkt.ipv4(b"\1" + pkt.xlo4(5000, OK),
                                                          pkt.body(number, size)),
        "IPv6": lambda number, size: pkt.ipv6(pkt.xlo6(5000, OK), pkt.body(number, size)),
    }
    for name, make in kinds.items():
        with cell.Pair(ber=BIT // 5000, corrupt=cell.TOLERANT, seed=SEED) as pair:
            seen, sent = damaged_frames(pair, 400, 500, make)
            counters = pair.left.counters()
            tap.equal(f"{name}: delivered or corrupted packets",
                      len(seen) + counters["corrupted"], 400)
            tap.true(f"{name}: some packets are delivered damaged, some dropped",
                     counters["damaged"] > 100 and counters["corrupted"] > 10)
            whole, damaged = 0, 0
            for frame in seen:
                if frame in sent:
                    whole += 1
                    continue
                damaged += 1
                packet = frame[14:]
                at = pkt.option_offset(packet)
                tap.equal(f"{name}: flags", packet[at + 3], OK | CORRUPTED)
                tap.true(f"{name}: header checksum",
                         packet[0] >> 4 == 6 or pkt.checksum_right(packet))
                clear = packet[:at + 3] + bytes([OK]) + packet[at + 4:]
                headers = at + 8
                original = sent[0][14:]
                skip = (10, 12) if packet[0] >> 4 == 4 else (0, 0)
                tap.equal(f"{name}: headers", clear[:skip[0]] + clear[skip[1]:headers],
                          original[:skip[0]] + original[skip[1]:headers])
            tap.equal(f"{name}: damaged packets", damaged, counters["damaged"])


def test_not_tolerant():
    """With `corrupt tolerant`, a damaged packet is dropped if it has no option, or if its option
    does not accept damage."""
    for make in (lambda number, size: pkt.ipv4(pkt.xlo4(5000, 0), pkt.body(number, size)),
                 cell.packet, lambda number, size: pkt.ipv6(None, pkt.body(number, size)),
                 lambda number, size: pkt.arp()):
        with cell.Pair(ber=BIT // 500, corrupt=cell.TOLERANT, seed=SEED) as pair:
            seen, sent = damaged_frames(pair, 400, 200, make)
            tap.true("packets that arrive are undamaged", all(frame in sent for frame in seen))
            tap.equal("damaged", pair.left.counters()["damaged"], 0)
            tap.true("many packets are dropped", pair.left.counters()["corrupted"] > 50)


def test_super_packets_are_segmented():
    """If losses or bit errors are configured, each segment of a GSO packet counts as a packet. If
    neither is configured, a GSO packet counts as one packet."""
    with cell.Pair() as pair:
        from_left = pair.port()
        for values, count in (({}, 1), ({"loss": 1}, 10), ({"loss": 0, "ber": 1}, 10),
                              ({"ber": 0}, 1)):
            pair.left.change(**values)
            before = pair.left.counters()["packets_in"]
            from_left.send_gso(pkt.tcp4(pkt.body(0, 10_000)), 1000)
            wait.until("the packet is accepted",
                       lambda: pair.left.counters()["packets_in"] > before)
            tap.equal(f"packets with {values}", pair.left.counters()["packets_in"] - before, count)


def test_drops_are_traced():
    """The tracepoint reports each drop and its cause."""
    with cell.Pair(loss=300_000, ber=BIT // 3000, seed=SEED) as pair, \
            Trace("cellink/cell_drop") as trace:
        delivered(pair, 200)
        causes = [line.split("cause=")[1] for line in trace.lines() if " cell_drop: " in line]
        counters = pair.left.counters()
        tap.true("packets are lost and corrupted", counters["lost"] and counters["corrupted"])
        tap.equal("traced drops by cause", (causes.count("lost"), causes.count("corrupted")),
                  (counters["lost"], counters["corrupted"]))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
