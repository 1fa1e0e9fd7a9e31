# SPDX-License-Identifier: GPL-2.0-or-later
"""A pair of cellink devices in two namespaces, with one channel in each direction.

    left cell0 ==== channel of cell0 ===> cell1 right
               <=== channel of cell1 ===="""
import array
import os
import random
import struct
import time

from . import genl, kmod, link, netlink, netns, packet as pkt, port, sniff, tap, uapi, wait

ENCODERS = {"outages": lambda pairs: b"".join(map(netlink.u64, sum(pairs, ()))),
            "times": lambda lines: array.array("I", lines).tobytes(),
            **dict.fromkeys(("ring_packets", "ring_bytes", "buffer", "loss", "bad_loss", "seed",
                             "ifindex", "count", "opportunity"), netlink.u32),
            **dict.fromkeys(("sojourn", "corrupt", "ber_state", "outage_law", "handover", "once",
                             "turns"), netlink.u8)}
PEER, TRACE, TURNS = uapi.CELLINK_PEER, uapi.CELLINK_TRACE, uapi.CELLINK_TURNS


def _encoded(attributes, *without):
    """For each attribute, return its number and the function that encodes its value."""
    return {name: (number, ENCODERS.get(name, netlink.u64))
            for name, number in attributes.items() if name not in without}


ATTRIBUTES = _encoded(uapi.words("cellink_attr", "CELLINK_"), "peer", "trace", "turns")
TRACE_ATTRIBUTES = _encoded(uapi.words("cellink_trace_attr", "CELLINK_A_"))
COMMANDS = uapi.words("cellink_cmd", "CELLINK_CMD_")
COUNTERS = {number: name for name, number in
            uapi.words("cellink_stats", "CELLINK_STATS_").items()}
CAUSES = ["overflow", "lost", "corrupted", "handover", "peer_down", "refused", "purged"]
# all settings except the seed, which is random
DEFAULTS = {"rate": 0, "delay": 0, "ring_packets": 2, "ring_bytes": 0, "loss": 0, "ber": 0,
            "good": 0, "bad": 0, "bad_loss": 0, "bad_ber": 0, "sojourn": 0, "corrupt": 0,
            "outage": 0, "outage_start": 0, "outage_every": 0, "outage_jitter": 0,
            "outage_law": 1, "outages": [], "buffer": 0, "grant": 0, "ber_state": 0}
EXPONENTIAL, CONSTANT = uapi.CELLINK_LAW_EXPONENTIAL, uapi.CELLINK_LAW_CONSTANT
DROP, DELIVER = uapi.CELLINK_CORRUPT_DROP, uapi.CELLINK_CORRUPT_DELIVER
TOLERANT = uapi.CELLINK_CORRUPT_TOLERANT
PER_PACKET, PER_BIT = uapi.CELLINK_BER_STATE_PACKET, uapi.CELLINK_BER_STATE_BIT
GOOD, BAD = uapi.CELLINK_STATE_GOOD, uapi.CELLINK_STATE_BAD
KEEP, LOSE = uapi.CELLINK_HANDOVER_KEEP, uapi.CELLINK_HANDOVER_LOSE
HEADER = 14                             # bytes of the link-layer header
US, MS, S = 10**3, 10**6, 10**9
ADDRESSES = [bytes.fromhex("020000000001"), bytes.fromhex("020000000002")]


def link_info(*data):
    """IFLA_LINKINFO of a cellink."""
    return link.info(End.KIND, *data)


def peer(name, *data, ns=None, more=b""):
    """The attribute CELLINK_PEER for a device with the given name and the given attributes of
    IFLA_INFO_DATA."""
    where = netlink.attr(netlink.IFLA_NET_NS_FD, netlink.u32(ns.fd)) if ns else b""
    return netlink.attr(PEER | netlink.NLA_F_NESTED, bytes(16) + where + more +
                        netlink.attr(netlink.IFLA_IFNAME, name.encode() + b"\0") +
                        link_info(*data))


class End(link.End):
    """One end of the pair. If the attributes for create() describe a peer, the kernel also creates
    the peer. change() changes the configuration of the direction in which the device sends."""

    KIND, ATTRIBUTES, COUNTERS = "cellink", ATTRIBUTES, COUNTERS

    def config(self):
        """The configuration of the device's direction, as the kernel reports it."""
        times = self.attributes()[ATTRIBUTES["outages"][0]]
        return self.numbers() | {"outages": [struct.unpack_from("=QQ", times, at)
                                             for at in range(0, len(times), 16)]}

    def trace(self, which=TRACE):
        """The trace that the device's direction follows, without the position, or None if the
        direction follows no trace."""
        return self.trace_and_position(which)[0]

    def trace_and_position(self, which=TRACE):
        told = self.attributes().get(which)
        if told is None:
            return None, None
        names = {number: name for name, (number, _) in TRACE_ATTRIBUTES.items()}
        found = {names[kind]: netlink.number(data)
                 for kind, data in netlink.attrs(told) if kind in names}
        position = found.pop("position")
        return found, position

    def follow(self, lines, **values):
        """Make the device's direction follow a trace."""
        traces = Traces(self.ns)
        traces.upload(lines)
        traces.commit(self, **values)
        traces.sock.close()

    def settings(self):
        """config() without the seed."""
        told = self.config()
        del told["seed"]
        return told

    def counters(self):
        """The counters of the device's direction. The test fails if the sum of the counters is
        wrong."""
        found = super().counters()
        tap.equal(f"packets in of {self.name}", found["packets_in"],
                  found["delivered"] + found["held"] + sum(found[name] for name in CAUSES))
        return found

    def move(self, ns):
        """Move the device into another namespace. After the move the device is down."""
        self.netlink.move(self.name, ns, self.name)
        self.ns, self.netlink = ns, netlink.Netlink(ns)
        ns.sysctl(f"net.ipv6.conf.{self.name}.disable_ipv6", 1)


options = End.options


class Traces(genl.Family):
    """A netlink socket of the family "cellink", which uploads traces."""

    CHUNK = 8192                        # opportunities

    def __init__(self, ns):
        kmod.insmod("cellink")
        super().__init__(ns, "cellink")

    def do(self, command, **values):
        """Send a request. If the kernel refuses the request, raises netlink.Refused."""
        attributes = [netlink.attr(TRACE_ATTRIBUTES[name][0], TRACE_ATTRIBUTES[name][1](value))
                      for name, value in values.items()]
        self.request(self.family, 0, genl.body(COMMANDS[command], *attributes))

    def upload(self, lines):
        """Upload a complete trace. No device follows the trace before commit() is called."""
        self.do("trace_start", count=len(lines))
        for start in range(0, len(lines), self.CHUNK):
            self.do("trace_add", times=lines[start:start + self.CHUNK])

    def commit(self, end, **values):
        self.do("trace_commit", ifindex=end.netlink.ifindex(end.name), **values)

    def delete(self, end, **values):
        self.do("trace_del", ifindex=end.netlink.ifindex(end.name), **values)


class Pair:
    """A pair of cellink devices, which are configured and up. Only the test sends packets."""

    def __init__(self, back=None, **there):
        if os.geteuid():
            tap.skip("making network namespaces needs root")
        self.namespaces = [netns.Netns(), netns.Netns()]
        self.left = End(self.namespaces[0], "cell0")
        self.right = End(self.namespaces[1], "cell1")
        self.make(back, **there)

    def make(self, back=None, **there):
        """Create the devices. The method can create the devices again after they were deleted."""
        kmod.insmod("cellink")
        address = [netlink.attr(netlink.IFLA_ADDRESS, a) for a in ADDRESSES]
        self.left.create(*options(there), peer("cell1", *options(back or {}),
                                               ns=self.right.ns, more=address[1]),
                         more=address[0])
        # Debian's default qdisc, fq_codel, drops packets that wait for a long time.
        for end in (self.left, self.right):
            end.netlink.qdisc(end.name, netlink.NLM_F_CREATE, "pfifo", netlink.u32(1000),
                              handle=0x10000)
        self.up()

    def up(self):
        self.left.up()
        self.right.up()
        wait.until("cell0 carries", lambda: self.left.netlink.operstate("cell0") ==
                   netlink.IF_OPER_UP)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for end, ns in zip((self.left, self.right), self.namespaces):
            # The first namespace is never removed. A device that was moved to the first namespace
            # must be deleted here, because otherwise the kernel deletes the device only later, when
            # it removes the peer's namespace.
            if end.ns is not ns and end.netlink.link(end.name):
                end.netlink.delete(end.name)
        for ns in self.namespaces:
            ns.close()

    def flood(self, packets):
        """Send many packets of one length from the left end, as fast as the device accepts them."""
        from_left = self.port()
        from_left.sock.bind(("cell0", pkt.protocol(packets[0])))
        for start in range(0, len(packets), 500):
            batch = port.Batch([pkt.ethernet(p) for p in packets[start:start + 500]])
            tap.equal("sent", from_left.send_batch(batch), batch.count)
        from_left.close()

    def port(self):
        """A port that sends on the left device."""
        return port.Port(self.left.ns, "cell0", ethernet=True)

    def sniffer(self):
        """A sniffer that captures the packets that arrive on the right device."""
        return sniff.Sniffer(self.right.ns, "cell1")


def packet(number, size):
    """A packet with `size` bytes on the wire, which include the link-layer header."""
    overhead = HEADER + 28
    tap.true("size of a packet", size >= overhead + 8)
    return pkt.ipv4(b"", pkt.body(number, size - overhead))


def sender(end, chance):
    """Return a function for child.Beside that sends some packets from one end. If the end has no
    device that accepts packets, the function does nothing. `chance` is the test's random generator,
    which seeds the sender's random generator."""
    out, chance = port.Port(end.ns, end.name, ethernet=True), random.Random(chance.random())
    packets = [packet(0, size) for size in (60, 500, 1400)] + [pkt.ipv6(None, pkt.body(0, 1000))]

    def send():
        time.sleep(0.002)
        sent = 0
        for one in chance.choices(packets, k=5):
            try:
                sent += out.send(one)
            except OSError:         # no device, device down, or MTU too small
                pass
        return sent
    return send


def ours(frames):
    """Return (number, when) of each frame that a test has sent, in the order of arrival."""
    found = [(pkt.number(frame.packet), frame.when) for frame in frames]
    return [(number, when) for number, when in found if number is not None]


def arrivals(sniffer, count):
    """Wait until `count` frames of the test have arrived. Returns the same result as ours()."""
    return ours(sniffer.until(f"{count} packets", lambda seen: len(ours(seen)) >= count))
