#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In IPsec's transport mode the option stays before the ESP header, so queues can read the option.
lpd discards and counts a stale ESP packet, and never cuts its payload. In tunnel mode the outer
header is stamped if a profile selects the outer packet's mark.

    left: xlo --> ESP --> lpd --> v0 ===== v1 --> ESP --> right"""
# run.sh: all on vm-6.12: everything
import socket

from lib import bench, hosts, kmod, netlink, packet as pkt, segments, tap, tc, tree, wait
from lib.sender import FAMILIES, PORT, Sender

LIFE = 20_000           # ms
LONGER = 30 * 10**9     # ns
LATE = 0 if wait.virtual_time() else LIFE // 2
PAYLOAD = bytes(range(200))
ESP = 50
# without encryption the payload follows this header directly (RFC 4303, 2410)
ESP_HEADER = 8
SUITE = ["enc", "ecb(cipher_null)", "", "auth", "hmac(sha256)", "0x" + "17" * 32]


class Queued(Sender):
    """A sending host whose device has lpd as its qdisc."""

    def __init__(self, **profile):
        tc.need("lpd")
        super().__init__(**{"lifetime": LIFE} | profile)
        hosts.quiet(self.left)
        self.netlink, self.lpds = netlink.Netlink(self.left), 0x8001

    def lpd(self, **options):
        """Replace lpd by a new instance."""
        self.lpds += 1
        self.netlink.qdisc("v0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                           *bench.lpd_options(**options), handle=self.lpds << 16)

    def counters(self):
        """The nonzero counters of lpd."""
        found = tree.checked(self.netlink, "v0").lpd().counters
        return {name: found[name] for name in tree.COUNTERS if found[name]}


class Ipsec(Queued):
    """Two hosts. UDP packets from left to right are sent in ESP packets."""

    def __init__(self, mode, state=(), mark=1, **profile):
        for module in ("esp4", "esp6", "xfrm_user"):
            kmod.modprobe(module)
        super().__init__(mark=mark, **profile)
        for family in FAMILIES:
            ends = ["src", hosts.address("left", family), "dst", hosts.address("right", family)]
            for ns, direction in ((self.left, "out"), (self.right, "in")):
                ns.run(["ip", "xfrm", "state", "add", *ends, "proto", "esp", "spi", "0x100",
                        "reqid", "1", "mode", mode, *SUITE, *state])
                ns.run(["ip", "xfrm", "policy", "add", "dir", direction, *ends, "proto", "udp",
                        "tmpl", *ends, "proto", "esp", "reqid", "1", "mode", mode])
    def carried(self, family, mark=1):
        """Send a packet and check that its payload arrives on the right host. Returns only the
        first packet on the wire, because the sniffer sees a packet from a tunnel twice."""
        self.sniffer.drain()
        with self.right.socket(family, socket.SOCK_DGRAM) as sink:
            sink.bind((hosts.address("right", family), PORT))
            sink.settimeout(wait.patient(5))
            packet = self.send(PAYLOAD, family, mark)[0]
            tap.equal("received", sink.recv(2000), PAYLOAD)
        tap.equal("protocol", protocol(packet), ESP)
        return packet


def protocol(packet):
    if packet[0] >> 4 == 4:
        return packet[9]
    return packet[40] if packet[6] == 0 else packet[6]


def behind_esp(packet):
    """The payload of ESP, which is readable without encryption."""
    return packet[segments.transport_offset(packet) + ESP_HEADER:]


def test_transport_lifetime_is_read():
    """In transport mode lpd reads and rewrites the lifetime of an ESP packet."""
    with Ipsec("transport") as s:
        for family in FAMILIES:
            s.lpd()
            packet = s.carried(family)
            tap.within("lifetime", pkt.lifetime(packet), LIFE - LATE, LIFE)
            tap.true("the payload is readable after the ESP header",
                     behind_esp(packet)[8:].startswith(PAYLOAD))
            tap.equal("counters", s.counters(), dict(packets_in=1, packets_out=1, rewritten=1))


def test_transport_payload_is_never_cut():
    """If the link delay makes a packet stale, lpd cuts a plain packet but discards an ESP
    packet."""
    for family in FAMILIES:
        with Queued(stale=2) as plain, Ipsec("transport", stale=2) as s:
            for host in (plain, s):
                host.lpd(delay=LONGER)
            [packet] = plain.send(PAYLOAD, family)
            tap.equal("counters for the plain packet", plain.counters(),
                      dict(packets_in=1, packets_out=1, rewritten=1, truncated=1,
                           truncated_bytes=len(PAYLOAD)))
            tap.true("the plain packet is cut", PAYLOAD not in packet)
            with s.socket(family) as sock:
                sock.sendto(PAYLOAD, (hosts.address("right", family), PORT))
            tap.equal("counters", s.counters(), dict(packets_in=1, uncuttable=1))
            s.lpd()
            s.carried(family)


def test_tunnel_outer_header_is_stamped():
    """xlo stamps the inner and the outer header, because the outer packet inherits the mark. lpd
    reads the option in the outer header."""
    with Ipsec("tunnel") as s:
        for family in FAMILIES:
            s.lpd()
            packet = s.carried(family)
            tap.within("lifetime in the outer header", pkt.lifetime(packet), LIFE - LATE, LIFE)
            tap.equal("lifetime in the inner header", pkt.lifetime(behind_esp(packet)), LIFE)
            tap.equal("counters", s.counters(), dict(packets_in=1, packets_out=1, rewritten=1))
            tap.equal("lifetime of a packet without the mark",
                      pkt.lifetime(s.carried(family, mark=0)), None)


def test_tunnel_with_a_mark_of_its_own():
    """If the tunnel sets its own mark and the profile selects this mark, only the outer header is
    stamped."""
    with Ipsec("tunnel", ["output-mark", "0x2"], mark=2) as s:
        for family in FAMILIES:
            s.lpd(delay=LONGER)
            with s.socket(family) as sock:
                sock.sendto(PAYLOAD, (hosts.address("right", family), PORT))
            tap.equal("counters", s.counters(), dict(packets_in=1, stale_enqueue=1))
            s.lpd()
            packet = s.carried(family)
            tap.within("lifetime in the outer header", pkt.lifetime(packet), LIFE - LATE, LIFE)
            tap.equal("lifetime in the inner header", pkt.lifetime(behind_esp(packet)), None)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
