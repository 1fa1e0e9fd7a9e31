# SPDX-License-Identifier: GPL-2.0-or-later
"""The network of figure 8 of Gurtov and Ludwig (2003), which resembles the network of a GPRS user:

    sender --- wire, 10 Mbit/s, 10 ms --- router === cellular link, delay spikes === receiver
    10.0.1.1                     10.0.1.2         10.0.2.1                     10.0.2.2

Both links are cellinks. The router's egress device "cell" has the queue under test. The device takes one
packet at a time from the queue (ring_packets 1). So during a spike all packets except one remain in
the queue. The exception is the packet that is being sent when the spike begins. If the link is free
at that time, the exception is the first packet during the spike. From the receiver to the router,
the link has the same rate and delay but no spikes, because the paper has spikes only in the
direction of the data.
"""
import socket
import time

from lib import cell, kmod, netlink, netns, tree, wait

from engine import capture
from pieces import queues, route
from pieces.spikes import moved

MS, S = cell.MS, cell.S
WIRE_RATE, WIRE_DELAY = 10**7 // 8, 10 * MS     # bytes/s, ns
LINK_DELAY = 300 * MS
HEADER = cell.HEADER        # the kernel adds the Ethernet header, which a radio link does not have
IFLA_GSO_MAX_SEGS = 40
PREFIX = {4: 24, 6: 64}
NETWORKS = {4: ("10.0.1.", "10.0.2."), 6: ("fd00:1::", "fd00:2::")}


def connect(left, left_name, right, right_name, there, back):
    """Create a cellink between two nodes. The cellink accepts no GSO packets, so that a queue counts the
    same packets as the link."""
    address = [netlink.attr(netlink.IFLA_ADDRESS, a) for a in cell.ADDRESSES]
    single = netlink.attr(IFLA_GSO_MAX_SEGS, netlink.u32(1))
    ends = cell.End(left, left_name), cell.End(right, right_name)
    ends[0].create(*cell.options(there), cell.peer(right_name, *cell.options(back), ns=right,
                                                   more=address[1] + single),
                   more=address[0] + single)
    for end in ends:
        end.up()
    for end in ends:
        wait.until(f"{end.name} is up", lambda end=end: end.netlink.operstate(end.name) ==
                   netlink.IF_OPER_UP, step=0.1)
    return ends


def follow(node, device, trace, start, size):
    """Let a cellink follow a trace from a given time in ms. `size` is the number of bytes that one
    opportunity can carry."""
    node.run(f"freshlink trace load {trace} --device {device} --start {start}ms --size {size}")


class Path:
    """An instance of the network. As in the paper, `kbit` is the link's rate in kbit/s for IP packets of
    the given size. The rate of the cellink is a little higher, because it includes the headers of a frame,
    which have `headers` bytes. Without a rate the link must follow() a trace."""

    def __init__(self, size, kbit=None, delay=LINK_DELAY, family=4, wire_rate=WIRE_RATE,
                 wire_delay=WIRE_DELAY, headers=HEADER):
        for name in ("cellink", "sch_lpd"):
            kmod.insmod(name)
        self.size, self.family, self.delay = size + headers, family, delay
        self.rate = kbit * 125 * self.size // size if kbit else 0       # bytes/s
        self.sender, self.router, self.receiver = (netns.Netns() for _ in range(3))
        wire = {"rate": wire_rate, "delay": wire_delay}
        link = {"rate": self.rate, "delay": delay, "ring_packets": 1}
        connect(self.sender, "eth0", self.router, "wire", wire, wire)
        self.cell, self.mobile = connect(self.router, "cell", self.receiver, "eth0", link, link)
        self._address()
        for node in (self.sender, self.receiver):
            capture.begin(node, "eth0")

    def _address(self):
        near, far = NETWORKS[self.family]
        plan = ((self.sender, "eth0", near, 1), (self.router, "wire", near, 2),
                (self.router, "cell", far, 1), (self.receiver, "eth0", far, 2))
        for node, device, network, number in plan:
            self._enable(node, device)
            at = route.Route(node)
            at.address(device, f"{network}{number}", PREFIX[self.family])
            at.neighbour(device, f"{network}{3 - number}", cell.ADDRESSES[2 - number])
        self.reach()
        route.Route(self.receiver).via(f"{far}1")

    def _enable(self, node, device):
        """Enable the address family and forwarding, and switch off packets that the kernel sends for
        itself."""
        if self.family == 4:
            node.sysctl("net.ipv4.ip_forward", 1)
            return
        node.sysctl(f"net.ipv6.conf.{device}.router_solicitations", 0)
        node.sysctl(f"net.ipv6.conf.{device}.disable_ipv6", 0)
        node.sysctl("net.ipv6.conf.all.forwarding", 1)

    def reach(self, **metrics):
        """Set the sender's default route, with metrics (route.METRICS)."""
        route.Route(self.sender).via(self.gateway, **metrics)

    @property
    def gateway(self):
        """The router's address on the sender's side."""
        return f"{NETWORKS[self.family][0]}2"

    @property
    def address(self):
        """The receiver's address."""
        return f"{NETWORKS[self.family][1]}2"

    @property
    def sender_address(self):
        return f"{NETWORKS[self.family][0]}1"

    @property
    def service(self):
        """The transmission time of a packet on the link, in ns."""
        return self.size * S // self.rate

    @property
    def to_router(self):
        """The time of a packet from the sender to the queue, in ns."""
        return self.size * S // WIRE_RATE + WIRE_DELAY

    def queue(self, name, limit=1000, before=0, **words):
        """Install the queue under test. `before` is the time in ms before the router that lifetimes do not
        include and the router knows."""
        lines = queues.lines(name, limit, self.size, 8 * self.rate, self.delay // MS + before, **words)
        self.router.run("tc -batch -", stdin="\n".join(lines))

    def spikes(self, spikes, end=None):
        """Start the link's spikes, whose times are relative to now. The spikes are in the direction in
        which `end` sends, by default the router's end. Return the spikes with times of
        CLOCK_REALTIME."""
        start = time.time_ns()
        (end or self.cell).change(outages=[tuple(spike) for spike in spikes])
        return moved(spikes, start)

    def follow(self, trace, start=0, size=1514):
        """Let the link follow a trace from a given time in ms. `size` is the number of bytes that one
        opportunity can carry. The queue is configured without a rate."""
        follow(self.router, "cell", trace, start, size)

    def trace_time(self):
        """Return the present time of CLOCK_REALTIME, and the link's position in its trace. Both times
        are in ns."""
        return time.time_ns(), self.cell.trace_and_position()[1]

    def damage(self, seed, back=False, **chances):
        """Let the link lose or damage packets at random towards the receiver. With `back`, packets
        towards the router may also be lost or damaged. `chances` are cellink's attributes with their
        names in lib/cell, for example loss in millionths, ber in 10^-12, and the parameters of two
        states."""
        self.cell.change(seed=seed, **chances)
        if back:
            self.mobile.change(seed=seed + 1, **chances)

    def turn(self, times):
        """Let both directions of the link change to the bad state, to the good state and so on at these
        times, in ms from now."""
        for end in (self.cell, self.mobile):
            end.follow(times, turns=1)

    def waiting(self):
        """The number of packets in the queue under test."""
        return tree.checked(self.cell.netlink, "cell").root.qlen

    def lpd(self):
        """Return the counters of lpd in the queue under test, or None if the queue has no lpd."""
        found = tree.checked(self.cell.netlink, "cell")
        return found.lpd().counters if any(q.kind == "lpd" for q in found.qdiscs) else None

    def socket(self, node, kind=socket.SOCK_STREAM):
        family = socket.AF_INET if self.family == 4 else socket.AF_INET6
        return node.socket(family, kind)
