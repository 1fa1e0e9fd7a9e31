#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In IPsec's transport mode the option stays in front of ESP, so that queues can read it, and a
stale packet is discarded and counted instead of cut. In tunnel mode the outer header is stamped if
a profile selects its mark.

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
ESP_HEADER = 8          # without encryption what it carries follows at once (RFC 4303, 2410)
SUITE = ["enc", "ecb(cipher_null)", "", "auth", "hmac(sha256)", "0x" + "17" * 32]


class Queued(Sender):
    """A sender's host whose device has lpd for a queue."""

    def __init__(self, **profile):
        tc.need("lpd")
        super().__init__(**{"lifetime": LIFE} | profile)
        hosts.quiet(self.left)
        self.netlink, self.lpds = netlink.Netlink(self.left), 0x8001

    def lpd(self, **options):
        """A new one."""
        self.lpds += 1
        self.netlink.qdisc("v0", netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                           *bench.lpd_options(**options), handle=self.lpds << 16)

    def counters(self):
        """The counters of lpd that have risen."""
        found = tree.checked(self.netlink, "v0").lpd().counters
        return {name: found[name] for name in tree.COUNTERS if found[name]}


class Ipsec(Queued):
    """UDP from the left to the right goes by ESP."""

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
        """A packet on the wire, whose payload has arrived on the right. It is the first one seen
        there, because a packet from a tunnel is seen once more."""
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
    with Ipsec("transport") as s:
        for family in FAMILIES:
            s.lpd()
            packet = s.carried(family)
            tap.within("lifetime", pkt.lifetime(packet), LIFE - LATE, LIFE)
            tap.true("UDP behind ESP", behind_esp(packet)[8:].startswith(PAYLOAD))
            tap.equal("counters", s.counters(), dict(packets_in=1, packets_out=1, rewritten=1))


def test_transport_payload_is_never_cut():
    """Stale in the queue's eyes, since the link behind it takes longer than the packet lives:
    without IPsec it is cut, behind ESP it is discarded."""
    for family in FAMILIES:
        with Queued(stale=2) as plain, Ipsec("transport", stale=2) as s:
            for host in (plain, s):
                host.lpd(delay=LONGER)
            [packet] = plain.send(PAYLOAD, family)
            tap.equal("cut: counters", plain.counters(),
                      dict(packets_in=1, packets_out=1, rewritten=1, truncated=1,
                           truncated_bytes=len(PAYLOAD)))
            tap.true("cut", PAYLOAD not in packet)
            with s.socket(family) as sock:
                sock.sendto(PAYLOAD, (hosts.address("right", family), PORT))
            tap.equal("counters", s.counters(), dict(packets_in=1, uncuttable=1))
            s.lpd()
            s.carried(family)


def test_tunnel_outer_header_is_stamped():
    """The mark stays with the packet: the inner header is stamped, then the outer one, where the
    queue finds it."""
    with Ipsec("tunnel") as s:
        for family in FAMILIES:
            s.lpd()
            packet = s.carried(family)
            tap.within("lifetime outside", pkt.lifetime(packet), LIFE - LATE, LIFE)
            tap.equal("lifetime inside", pkt.lifetime(behind_esp(packet)), LIFE)
            tap.equal("counters", s.counters(), dict(packets_in=1, packets_out=1, rewritten=1))
            tap.equal("lifetime of a packet without the mark",
                      pkt.lifetime(s.carried(family, mark=0)), None)


def test_tunnel_with_a_mark_of_its_own():
    """With a mark of the tunnel only the outer header is stamped, whether the inner packet is
    marked or not."""
    with Ipsec("tunnel", ["output-mark", "0x2"], mark=2) as s:
        for family in FAMILIES:
            s.lpd(delay=LONGER)
            with s.socket(family) as sock:
                sock.sendto(PAYLOAD, (hosts.address("right", family), PORT))
            tap.equal("counters", s.counters(), dict(packets_in=1, stale_enqueue=1))
            s.lpd()
            packet = s.carried(family)
            tap.within("lifetime outside", pkt.lifetime(packet), LIFE - LATE, LIFE)
            tap.equal("lifetime inside", pkt.lifetime(behind_esp(packet)), None)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
