# SPDX-License-Identifier: GPL-2.0-or-later
"""The network of the paper's figure 1:

    sender --- wire --- router [arqlink] === cellular link, 64 kbit/s, 50 ms === [arqlink] receiver
    10.0.1.1        10.0.1.2   10.0.2.1                                           10.0.2.2

The sender is the paper's Wired Server, the router its Access Point, and the receiver its Wireless
Client. Both links are cellinks. On the "raw link" there is no arqlink, and the cellinks have the
addresses.

Applications send IP packets of 250 bytes, so each packet is one frame. The paper's frames are "250
bytes plus a header". So 64 kbit/s is the rate of IP packets with a header of 24 bytes, as arqlink's: a
frame takes 34.25 ms, also on the raw link. The rate of the cellink is higher by the share of the
Ethernet headers, which the paper's link does not have. All frames of a direction are in one queue,
first come, first served: in arqlink's queue of frames, or in a pfifo on the raw link. The lower device
has only the frame that it sends. The errors of the two directions are independent. They also hit
acknowledgments, and packets that bypass arqlink."""
import json
import socket
from typing import NamedTuple

from lib import cell, kmod, netlink, netns, wait
from lib.cell import MS, S

from engine import capture
from pieces import route, topology

SIZE = 250                                      # bytes of an IP packet
WIRES = {"10 Mbit/s, 1 ms": (10**7 // 8, 1 * MS), "2 Mbit/s, 50 ms": (2 * 10**6 // 8, 50 * MS)}
WIRE = "10 Mbit/s, 1 ms"
HEADER, ETHERNET = 24, 14                       # bytes of arqlink's header, and of an Ethernet header
FRAME = ETHERNET + HEADER + ETHERNET            # all headers of a frame of arqlink
DEVICE, LOWER = "arq0", "cell"
NETWORKS, PREFIX = ("10.0.1.", "10.0.2."), 24
FIRST = 2                                       # segments, RFC 2581
WAITING = 5000                                  # packets; the queue never becomes full
MARK, BYPASS_PORT = 1, 5002                     # packets to this port bypass arqlink
MARKS = f"table inet marks {{ chain pre {{ type filter hook forward priority 0; " \
    f"udp dport {BYPASS_PORT} meta mark set {MARK}; }}; }}"
UNIFORM, TWO_STATE = "uniform", "two-state"
# {mean frame loss rate in percent: the mean duration of the bad state in s}
BADS = {1.5: 0.1, 2.5: 0.2, 5.4: 0.5, 9.8: 1}
GOOD, BER, BAD_BER = 10, 10**6, 10**10          # s; in 10^-12


def chances(channel, loss):
    """The attributes of a cellink whose channel has a mean frame loss rate of `loss` percent."""
    if channel == UNIFORM or not loss:
        return {"loss": round(loss * 10**4)}
    return {"ber_state": cell.PER_BIT, "ber": BER, "bad_ber": BAD_BER, "good": GOOD * S,
            "bad": round(BADS[loss] * S)}


class Link(NamedTuple):
    """The cellular link: the bytes of an IP packet, the rate in kbit/s, the delay in ns, and the bytes of a
    header that takes time in addition. At most `ring` packets are below arqlink, or below the queue of the
    raw link."""

    size: int = SIZE
    kbit: int = 64
    delay: int = 50 * MS
    header: int = HEADER
    ring: int = 1

    def frame(self, arq):
        """The bytes of a frame on the cellink."""
        return self.size + (FRAME if arq else ETHERNET)

    def rate(self, arq):
        """The rate of the cellink in bytes/s."""
        return self.kbit * 125 * self.frame(arq) // (self.size + self.header)


class Network:
    """An instance of the network. `options` are the options of both arqlink devices, or None for the raw
    link. With a `trace` (file, start in ms), the link to the receiver follows this file: an opportunity
    carries one packet."""

    def __init__(self, options, wire=WIRE, link=Link(), trace=None):
        for name in ("cellink", "arqlink"):
            kmod.insmod(name)
        self.sender, self.router, self.receiver = (netns.Netns() for _ in range(3))
        self.address, self.sender_address = NETWORKS[1] + "2", NETWORKS[0] + "1"
        self.arq, self.size = options is not None, link.size
        self.device = DEVICE if self.arq else LOWER
        wires = dict(zip(("rate", "delay"), WIRES[wire]))
        topology.connect(self.sender, "eth0", self.router, "wire", wires, wires)
        radio = {"rate": link.rate(self.arq), "delay": link.delay, "ring_packets": link.ring}
        there = radio | ({"rate": 0} if trace else {})
        self.ends = topology.connect(self.router, LOWER, self.receiver, LOWER, there, radio)
        if self.arq:
            self._stack(f"below {link.ring} {options}")
        else:
            for node in (self.router, self.receiver):
                node.run(f"tc qdisc add dev {LOWER} root pfifo limit {WAITING}")
        self._address()
        if trace:
            topology.follow(self.router, LOWER, *trace, link.frame(self.arq))
        for node, device in ((self.sender, "eth0"), (self.router, LOWER), (self.receiver, self.device)):
            capture.begin(node, device)

    def _stack(self, options):
        """Put arqlink devices on the two ends of the cellular link."""
        self.router.run("nft -f -", stdin=MARKS)
        for node, address in zip((self.router, self.receiver), cell.ADDRESSES):
            node.ip(f"link add link {LOWER} name {DEVICE} address {address.hex(':')} mtu {self.size} "
                    f"type arqlink frame {self.size} bypass_mark {MARK} {options}",
                    f"link set {DEVICE} up")
        for node in (self.router, self.receiver):
            wait.until("arqlink has a peer", lambda at=netlink.Netlink(node):
                       at.operstate(DEVICE) == netlink.IF_OPER_UP, step=0.1)

    def _address(self):
        near, far = NETWORKS
        plan = ((self.sender, "eth0", near, 1), (self.router, "wire", near, 2),
                (self.router, self.device, far, 1), (self.receiver, self.device, far, 2))
        for node, device, network, number in plan:
            at = route.Route(node)
            at.address(device, f"{network}{number}", PREFIX)
            at.neighbour(device, f"{network}{3 - number}", cell.ADDRESSES[2 - number])
        self.router.sysctl("net.ipv4.ip_forward", 1)
        for node, gateway in ((self.sender, f"{near}2"), (self.receiver, f"{far}1")):
            route.Route(node).via(gateway, mtu=self.size, initcwnd=FIRST)

    def socket(self, node, kind=socket.SOCK_STREAM):
        return node.socket(socket.AF_INET, kind)

    def damage(self, seed, channel, loss):
        """Let both directions of the cellular link lose or damage frames."""
        for number, end in enumerate(self.ends):
            end.change(seed=2 * seed + number, **chances(channel, loss))

    def lower(self):
        """The counters of the cellular link, towards the receiver and back."""
        return [end.counters() for end in self.ends]

    def upper(self):
        """The counters of the arqlink devices of the router and of the receiver."""
        return [_statistics(node) for node in (self.router, self.receiver)] if self.arq else [{}, {}]


def _statistics(node):
    [shown] = json.loads(node.run(f"ip -s -d -j link show dev {DEVICE}").stdout)
    return shown["linkinfo"]["info_xstats"]
