#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damage in the sensitive part of a packet drops the packet, damage behind it is delivered and
known, and damage in a header is a loss: over UDP without its checksum and over IP, in both families,
through a NAT, and across a cellink that delivers damaged packets."""
# run.sh: needs: simulated time
# run.sh: once: sockets, and what the library makes of them, are the same on every kernel
# run.sh: all on lab-6.1: places
# run.sh: all on lab-debug: places nat
# run.sh: smoke on lab-7.2: places
import csv
import os
import select
import socket
import subprocess
import tempfile
import threading

from dccp import line, way
from lib import cell, dccp, mib, netns, packet as pkt, sniff, tap, tun, xlo

ADDRESSES = {socket.AF_INET: ("10.2.0.1", "10.2.0.2"), socket.AF_INET6: ("fd02::1", "fd02::2")}
CARRIERS = {"udp": "--no-udp-checksum", "ip": "--carrier ip"}
WAYS = [(family, carrier) for family in ADDRESSES for carrier in CARRIERS]
SIZE, PART, COUNT = 200, 100, 30
BER = 50000000                  # in 1e-12: 5e-5, a third of packets of 1000 bytes
HEADER = 20                     # of a piece of a message, send.rst
TOLERABLE = 1                   # XLO_FLAG_CORRUPT_OK
# packets that are hit, where from the first byte of the payload on, and their fate
PLACES = {3: (0, "damaged"), 5: (PART - 1, "damaged"), 7: (PART, "marked"),
          9: (SIZE - 1, "marked"), 11: (-1, "lost"), 13: (-16, "lost")}


def transport(packet):
    """The protocol of a packet of IP, and where its header begins."""
    if packet[0] >> 4 == 4:
        return packet[9], (packet[0] & 15) * 4
    if packet[6] == socket.IPPROTO_HOPOPTS:
        return packet[40], 48 + 8 * packet[41]
    return packet[6], 40


def dccp_at(packet):
    """Where the header of DCCP begins in a packet, or None."""
    kind, at = transport(packet)
    if kind == socket.IPPROTO_UDP:
        return at + 8
    return at if kind == dccp.PROTOCOL else None


def payload_at(packet):
    """Where the payload of a data packet of DCCP begins, or None."""
    at = dccp_at(packet)
    if at is None or packet[at + 8] >> 1 & 15 not in (dccp.DATA, dccp.DATAACK):
        return None
    return at + 4 * packet[at + 4]


class Relay(threading.Thread):
    """Two hosts, and between them a process that forwards their packets. It damages one bit of the
    data packets with SIZE bytes or more that `places` names, and remembers all that the left host
    sends."""

    def __init__(self, places):
        super().__init__()
        self.places, self.seen, self.data = dict(places), [], 0
        self.hosts = [netns.Netns(), netns.Netns()]
        self.wires = []
        for i, ns in enumerate(self.hosts):
            self.wires.append(tun.Tun(ns).wire)
            ns.sysctl("net.ipv6.conf.tun0.disable_ipv6", 0)
            for family, prefix in (socket.AF_INET, 24), (socket.AF_INET6, 64):
                ns.ip(f"addr add {ADDRESSES[family][i]}/{prefix} dev tun0" +
                      " nodad" * (family == socket.AF_INET6))
        self.stop, self.stopping = os.pipe()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        os.write(self.stopping, b"x")
        self.join()
        for file in (*self.wires, self.stop, self.stopping):
            os.close(file)
        for ns in self.hosts:
            ns.close()

    def run(self):
        while True:
            ready, _, _ = select.select([*self.wires, self.stop], [], [])
            if self.stop in ready:
                return
            for wire in ready:
                packet = os.read(wire, 1 << 16)
                if wire == self.wires[0]:
                    packet = self.damaged(packet)
                os.write(self.wires[wire == self.wires[0]], packet)

    def damaged(self, packet):
        """A packet of the left host, as it arrives."""
        at = payload_at(packet)
        self.seen.append(packet)
        if at is None or len(packet) - at < SIZE:
            return packet
        place = self.places.pop(self.data, None)
        self.data += 1
        if place is None:
            return packet
        out = bytearray(packet)
        out[at + place] ^= 4
        return bytes(out)


class Traffic:
    """freshlink at both ends of a relay."""

    def __init__(self, relay, family):
        self.relay, self.to, self.processes = relay, ADDRESSES[family][1], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def start(self, host, words):
        with self.relay.hosts[host].inside():
            process = subprocess.Popen([way.FRESHLINK, *words.split()], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def listen(self, words):
        process = self.start(1, words)
        tap.true("listens", process.stderr.readline().startswith("listening"))
        return process


def rows(path):
    """The lines of a log."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def marked_tolerable(packet):
    """Whether the option says corruption-tolerable and has no lifetime."""
    at = pkt.option_offset(packet)
    return at is not None and bool(packet[at + 3] & TOLERABLE) and pkt.lifetime(packet) == 65535


def has_udp_checksum(packet):
    kind, at = transport(packet)
    return kind == socket.IPPROTO_UDP and packet[at + 6:at + 8] != bytes(2)


def check_on_the_wire(relay, carrier):
    """Data packets say corruption-tolerable, and have no checksum of UDP. All others have one, and
    the checksum of DCCP is 0 (RFC 6773 section 3.3)."""
    data = [packet for packet in relay.seen if payload_at(packet)]
    rest = [packet for packet in relay.seen if dccp_at(packet) and not payload_at(packet)]
    tap.equal("data packets", len(data), COUNT)
    tap.equal("tolerable", {marked_tolerable(packet) for packet in data}, {True})
    tap.equal("coverage", {packet[dccp_at(packet) + 5] & 15 for packet in data}, {1})
    tap.true("others", len(rest) > 2)
    tap.equal("tolerable others", {marked_tolerable(packet) for packet in rest}, {False})
    if carrier != "udp":
        return
    tap.equal("UDP checksum of data", {has_udp_checksum(packet) for packet in data}, {False})
    tap.equal("UDP checksum of others", {has_udp_checksum(packet) for packet in rest}, {True})
    for packets, zero in (data, False), (rest, True):
        tap.equal("checksum of DCCP is 0", {packet[dccp_at(packet) + 6:dccp_at(packet) + 8] ==
                                            bytes(2) for packet in packets}, {zero})


def test_places():
    """Damage at the first and the last sensitive byte drops the packet. At the byte behind it and at
    the last one, it is delivered. In a header, the packet is lost. The counters are exact."""
    for family, carrier in WAYS:
        with Relay({number: place for number, (place, _) in PLACES.items()}) as relay, \
                Traffic(relay, family) as traffic, tempfile.TemporaryDirectory() as folder:
            tap.note(f"{carrier} {traffic.to}")
            sink = traffic.listen("traffic dccp-sink -j --connections 1 --coverage 1 "
                                  f"{CARRIERS[carrier]}")
            sent = way.result(traffic.start(0, (
                f"traffic dccp-source {traffic.to} -j --sensitive {PART} --size {SIZE} --rate "
                f"3200bit --count {COUNT} --log {folder}/log {CARRIERS[carrier]}")))
            got = way.result(sink)
            fates = {int(row["packet"]): row["fate"] for row in rows(f"{folder}/log")}
        tap.equal("all places were hit", relay.places, {})
        tap.equal("fates", fates, {number: PLACES[number][1] if number in PLACES else
                                   "acknowledged" for number in range(COUNT)})
        tap.equal("delivered damaged", sent["delivered_damaged"], 2)
        tap.equal("received", (got["received"], got["damaged"], got["bytes"],
                               got["bytes_damaged"]),
                  (COUNT - 4, 2, (COUNT - 4) * SIZE, 2 * SIZE))
        tap.equal("wrong checksums", got["counters"]["checksum"], 2)
        check_on_the_wire(relay, carrier)


def test_messages():
    """In a message, the sensitive part is the header of the piece and the first bytes. What is
    damaged there is sent again, what is damaged behind it is delivered with a flag."""
    last = HEADER + PART - 1
    places = {3: 0, 9: last, 16: last + 1, 22: HEADER + SIZE - 1}
    for family, carrier in WAYS:
        with Relay(places) as relay, Traffic(relay, family) as traffic, \
                tempfile.TemporaryDirectory() as folder:
            tap.note(f"{carrier} {traffic.to}")
            sink = traffic.listen(f"recv -j --streams 1 --damaged deliver --log {folder}/got "
                                  f"{CARRIERS[carrier]}")
            sent = way.result(traffic.start(0, (
                f"send {traffic.to} -j --sensitive {PART} --size {SIZE} --interval 100ms --count "
                f"{COUNT} --lifetime 10s --log {folder}/sent {CARRIERS[carrier]}")))
            got = way.result(sink)
            messages = {int(row["number"]): row for row in rows(f"{folder}/got")}
        tap.equal("delivered", (got["delivered"], got["damaged"], len(messages)), (COUNT, 2, COUNT))
        tap.equal("acknowledged", sent["ends"]["acknowledged"], COUNT)
        tap.equal("flags", sum(row["damaged"] == "1" for row in messages.values()), 2)
        tap.equal("repeated", sum(row["attempts"] == "2" for row in messages.values()), 2)
        bytes_of = {"bytes_whole": (COUNT - 2) * SIZE, "bytes_damaged": 2 * SIZE}
        for name, number in bytes_of.items():
            tap.equal(name, (sent["packets"][name], got["packets"][name]), (number, number))
        tap.equal("refused", got["packets"]["refused"], 0)


def test_refused():
    """A peer that takes no damaged packets, or needs UDP's checksum, is told in the message, and
    nothing is sent to it."""
    cases = [("recv -j --streams 1", "send", "", "recv --damaged deliver"),
             ("recv -j --streams 1 --damaged deliver", "send", "", "--no-udp-checksum there"),
             ("traffic dccp-sink -j --connections 1 --no-udp-checksum", "traffic dccp-source",
              "--count 9", "dccp-sink --coverage 1")]
    for receiver, sender, words, reason in cases:
        with Relay({}) as relay, Traffic(relay, socket.AF_INET) as traffic:
            traffic.listen(receiver)
            process = traffic.start(0, f"{sender} {traffic.to} --sensitive 9 --no-udp-checksum "
                                    f"{words}")
            _, err = process.communicate()
            tap.equal("status", process.returncode, 1)
            tap.true(f"the reason: {err}", reason in err)
        tap.equal("data packets", [packet for packet in relay.seen if payload_at(packet) and
                                   len(packet) > payload_at(packet) + HEADER], [])


def test_lifetimes():
    """Packets with a sensitive part, and without a checksum of UDP, have a lifetime by txtime, too."""
    for carrier in CARRIERS:
        with line.Line() as w:
            xlo.Client(w.source).set(txtime=1)
            sent, *_ = w.exchange(f"--via txtime --sensitive {PART} --count 20 --lifetime 1s "
                                  f"{CARRIERS[carrier]}",
                                  f"--damaged deliver {CARRIERS[carrier]}")
            tap.equal("acknowledged", sent["ends"]["acknowledged"], 20)
            tap.within("lifetimes", xlo.Client(w.source).stats()["deadlines"],
                       sent["packets"]["pieces"], sent["packets"]["pieces"] + 20)


def masquerade(w):
    """The router hides the source behind its own address, in both families."""
    for family in "ip", "ip6":
        w.router.run("nft -f -", stdin=f"table {family} nat {{ chain out {{ type nat hook "
                     "postrouting priority srcnat; oifname cell0 masquerade; }; }")


def across(w, family, carrier, words=""):
    """Send across a way. Returns both summaries."""
    sink = w.listen(f"--connections 1 --coverage 1 {CARRIERS[carrier]}")
    sent = way.result(w.send(f"--sensitive {PART} --size 1000 --rate 400kbit --count 300 "
                             f"{CARRIERS[carrier]} {words}", family, root=True))
    return sent, way.result(sink)


def test_nat():
    """A NAT leaves zero checksums as they are, and DCCP's checksum stays right, because it does not
    have the addresses."""
    for family in ADDRESSES:
        with way.Way(delay=10 * cell.MS) as w:
            masquerade(w)
            sniffer = sniff.Sniffer(w.sink, "cell1")
            sent, got = across(w, family, "udp")
            packets = [frame.packet for frame in sniffer.drain() if frame.packet[0] >> 4 in (4, 6)]
        data = [packet for packet in packets if payload_at(packet)]
        version = family == socket.AF_INET6
        at, size = (8, 16) if version else (12, 4)
        tap.equal("addresses", {packet[at:at + size] for packet in data},
                  {socket.inet_pton(family, way.FAR[version])})
        tap.equal("UDP checksums of data", {has_udp_checksum(packet) for packet in data}, {False})
        tap.equal("received", (got["received"], got["damaged"]), (300, 0))
        tap.equal("acknowledged", sent["fates"]["acknowledged"], 300)
        tap.equal("wrong checksums", got["counters"].get("checksum", 0), 0)


def test_cut():
    """A router may cut packets with a sensitive part to their headers. That is no damage: DCCP's
    checksum covers the headers only, and stays right."""
    for family, carrier in WAYS:
        with way.Way(delay=10 * cell.MS) as w:
            w.lpd(keep=64, delay=400 * cell.MS)
            sent, got = across(w, family, carrier, "--lifetime 300ms --stale truncate")
        tap.true(f"sent {sent['sent']}", sent["sent"] > 200)
        tap.equal("cut", sent["fates"]["cut"], sent["sent"])
        tap.equal("received", got["received"], 0)
        tap.equal("wrong checksums", got["counters"].get("checksum", 0), 0)


def unseen(ns):
    """The datagrams that UDP has refused for a wrong header."""
    counters = mib.read(ns)
    return sum(counters[name] for name in ("Udp.NoPorts", "Udp.InErrors", "Udp6NoPorts",
                                           "Udp6InErrors"))


def test_cellink():
    """Across a cellink with bit errors that delivers damaged packets, also behind a NAT, each packet
    that the channel has damaged is delivered damaged, dropped as damaged, or refused for a header.
    The numbers add up."""
    for family, carrier in WAYS:
        with way.Way(delay=10 * cell.MS, ber=BER, seed=1, corrupt=cell.TOLERANT) as w:
            if carrier == "udp":
                masquerade(w)
            sent, got = across(w, family, carrier)
            channel, refused = w.cell.counters()["damaged"], unseen(w.sink)
        refused += got["counters"]["received"] - got["counters"]["processed"]
        tap.note({"channel": channel, "delivered": got["damaged"],
                  "dropped": sent["fates"]["damaged"], "refused": refused})
        tap.equal("sum", got["damaged"] + sent["fates"]["damaged"] + refused, channel)
        tap.equal("delivered damaged", sent["delivered_damaged"], got["damaged"])
        tap.true("most in the larger part", got["damaged"] > 3 * sent["fates"]["damaged"] > 0)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
