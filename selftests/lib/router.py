# SPDX-License-Identifier: GPL-2.0-or-later
"""A router between a sender and a mobile host, each in its own network namespace. The router has a
netlink client of the module xlo. A sniffer captures packets on each side of the router.

    sender s0 ===== r0 router r1 ===== m0 mobile"""
from . import hosts, kmod, netlink, netns, packet as pkt, port, setup, sniff, stamped, tap, wait, \
    xlo

ROUTER4, ROUTER6 = ("192.0.2.254", "198.51.100.254"), ("2001:db8:1::fe", "2001:db8:2::fe")
MARK, MASK = 0x17, 0xff
LEFT_MAC, RIGHT_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"     # MAC addresses of netns.veth()
MARKED, UNMARKED = 5000, 5001       # UDP ports
MTU = 1500
# the profile that marking() uses
PROFILE = {"lifetime": 300, "reorder": 5, "slow": True}
FLAGS = pkt.DISCARD | 0x10
BY_PORT = f"udp dport {MARKED} meta mark set {MARK}"
ALL = f"meta mark set {MARK}"


class Router:
    """The router. The neighbour entries are static, so only the traffic under test is on the wires.
    If `hosts` is true, the sender and the mobile host have addresses. Hosts without addresses do
    not answer packets."""

    def __init__(self, hosts=False, routes=True, mtu=MTU):
        kmod.modprobe("veth")
        self.sender, self.router, self.mobile = netns.Netns(), netns.Netns(), netns.Netns()
        netns.veth(self.sender, "s0", self.router, "r0")
        netns.veth(self.router, "r1", self.mobile, "m0", mtu)
        self.xlo = xlo.Client(self.router)
        if routes:
            self._route()
        if hosts:
            self._host(self.sender, "s0", 0, pkt.SOURCE4, pkt.SOURCE6, RIGHT_MAC)
            self._host(self.mobile, "m0", 1, pkt.TARGET4, pkt.TARGET6, LEFT_MAC)
        self.port = port.Port(self.sender, "s0", ethernet=True)
        self.before = sniff.Sniffer(self.router, "r0")
        self.beyond = sniff.Sniffer(self.mobile, "m0")
        self.account = xlo.Account(self.xlo)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for ns in (self.sender, self.router, self.mobile):
            ns.close()

    def _route(self):
        r = self.router
        for name in ("all", "default", "r0", "r1"):
            enable_ipv6(r, name)
            r.sysctl(f"net.ipv6.conf.{name}.forwarding", 1)
            r.sysctl(f"net.ipv4.conf.{name}.rp_filter", 0)
        r.sysctl("net.ipv4.ip_forward", 1)
        route = netlink.Netlink(r)
        for side, (device, others, mac) in enumerate((
                ("r0", (pkt.SOURCE4, pkt.SOURCE6), LEFT_MAC),
                ("r1", (pkt.TARGET4, pkt.TARGET6), RIGHT_MAC))):
            setup.add_address(route, device, ROUTER4[side], 24)
            setup.add_address(route, device, ROUTER6[side], 64)
            for address in others:
                setup.set_neighbour(route, device, address, mac)
        for address in ROUTER6:
            hosts.await_address(r, address)

    def _host(self, ns, device, side, four, six, mac):
        hosts.quiet(ns)
        enable_ipv6(ns, device)
        route = netlink.Netlink(ns)
        setup.add_address(route, device, four, 24)
        setup.add_address(route, device, six, 64)
        for address in (ROUTER4[side], ROUTER6[side]):
            setup.set_neighbour(route, device, address, mac)
            setup.add_gateway(route, address)
        hosts.await_address(ns, six)

    def mark(self, rule=BY_PORT, device="r0"):
        """Add an nft rule that marks packets that arrive on a device. The default device is r0,
        which leads to the sender."""
        self.router.run("nft -f -", stdin="table inet marking { chain pre { type filter hook "
                        f"prerouting priority -160; iifname {device} {rule}; }}; }}")

    def profile(self, **values):
        """Add the xlo profile for the mark MARK. By default the profile applies to forwarded
        packets."""
        self.xlo.profile_add(**{"profile_name": "access", "mark": MARK, "mask": MASK, "path": 2} |
                             values)
        self.account = xlo.Account(self.xlo)

    def carry(self, packets, arrive=None):
        """Send packets, and wait until `arrive` of them have arrived behind the router (by default
        all). Returns the packets that arrived, sorted by number."""
        for packet in packets:
            self.port.send(packet)
        return self.arrived(len(packets) if arrive is None else arrive)

    def arrived(self, count):
        """Wait until `count` packets of the test have arrived behind the router, and return
        them."""
        frames = self.beyond.until(f"{count} packets", lambda seen: len(ours(seen)) >= count)
        self.beyond.lossless()
        found = ours(frames)
        tap.equal("packets beyond", len(found), count)
        return sorted(found, key=pkt.number)


def enable_ipv6(ns, device):
    """Enable IPv6 so that the kernel itself sends no packets."""
    for name, value in (("accept_dad", 0), ("router_solicitations", 0), ("addr_gen_mode", 1),
                        ("disable_ipv6", 0)):
        ns.sysctl(f"net.ipv6.conf.{device}.{name}", value)


def ours(frames):
    """The packets among `frames` whose payload is from packet.body()."""
    return [f.packet for f in frames if pkt.number(f.packet) is not None]


def bridge(r):
    """Turn the router into a bridge. The Router object must have been created with routes=False."""
    kmod.modprobe("bridge")
    # The devices must not have the addresses of the test's frames, because the bridge would accept
    # the frames as its own.
    r.router.ip("link set r0 address 02:00:00:00:01:00", "link set r1 address 02:00:00:00:01:01",
                "link add br0 type bridge mcast_snooping 0", "link set r0 master br0",
                "link set r1 master br0", "link set br0 up")
    for name in ("r0", "r1"):
        wait.until(f"{name} forwards", lambda name=name: "state forwarding" in
                   r.router.run(f"ip -d link show {name}").stdout)


def expected(packet, **more):
    """The packet as it must arrive behind the router. The hop limit is lower by one, and the option
    comes from PROFILE."""
    values = {"lifetime": 300, "flags": FLAGS, "reorder": 5} | more
    return stamped.stamped(stamped.one_hop_less(packet), **values)


def exactly(what, found, packets):
    """Check that each packet is equal to the expected packet, bit by bit."""
    tap.equal("number of packets", len(found), len(packets))
    for got, want in zip(found, packets):
        tap.equal(f"{what} {pkt.number(want)}", got.hex(), want.hex())


def marking(rule=ALL, **more):
    """Create a router that marks packets from the sender (by default all packets) and stamps marked
    packets."""
    r = Router(**more)
    r.mark(rule)
    r.profile(**PROFILE)
    return r
