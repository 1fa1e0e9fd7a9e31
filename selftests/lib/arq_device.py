# SPDX-License-Identifier: GPL-2.0-or-later
"""Pairs of arqlink devices over all kinds of links, and packets for them.

    arq0 ==== low0 ------ low1 ==== arq1          veth or cellink below"""
from . import arq, cell, kmod, netlink, packet as pkt, port, sniff, tap, uapi, wait

# causes for which a packet ends, and ends of a frame that arrives
CAUSES, ENDS = arq.between("expired", "nomem"), arq.between("in_hello", "in_nomem")
FIXED, ADAPTIVE = uapi.ARQLINK_TIMER_FIXED, uapi.ARQLINK_TIMER_ADAPTIVE
STANDARD, FAST, SLOW = uapi.ARQLINK_GAINS_STANDARD, uapi.ARQLINK_GAINS_FAST, \
    uapi.ARQLINK_GAINS_SLOW
ABSOLUTE, SIGNED = uapi.ARQLINK_VARIANCE_ABSOLUTE, uapi.ARQLINK_VARIANCE_SIGNED
QUEUED, SENT = uapi.ARQLINK_CLOCK_QUEUED, uapi.ARQLINK_CLOCK_SENT
MULTI, SINGLE, NEVER = uapi.ARQLINK_REJECT_MULTI, uapi.ARQLINK_REJECT_SINGLE, \
    uapi.ARQLINK_REJECT_NEVER
LOWER = cell.ADDRESSES                  # link-layer addresses below
MTU = 9100                              # of the lower devices
UPPER = [bytes.fromhex("020000000011"), bytes.fromhex("020000000012")]


class Device(arq.End):
    """An arqlink device."""

    def above(self, lower, *data, more=b"", address=None, **values):
        """Create the device above the device `lower`."""
        kmod.insmod("arqlink")
        own = netlink.attr(netlink.IFLA_ADDRESS, address) if address else b""
        super().above(lower, *data, more=more + own, **values)

    def queue(self, packets=1000):
        """Let packets wait in a plain queue above the device."""
        self.netlink.qdisc(self.name, netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "pfifo",
                           netlink.u32(packets), handle=0x10000)

    def connected(self):
        """Wait until the device is connected and accepts packets."""
        self.expect(connected=1)
        wait.until(f"{self.name} carries",
                   lambda: self.netlink.operstate(self.name) == netlink.IF_OPER_UP)

    def port(self):
        """A port that sends packets through the device."""
        return port.Port(self.ns, self.name, ethernet=True)

    def sniffer(self):
        """A sniffer that captures the packets that the device delivers."""
        return sniff.Sniffer(self.ns, self.name)


class Pair:
    """Two connected devices over a pair of cellink devices. After the connection is open, `channel`
    and `back` are the settings of the cellink in both directions, by default the same. `right` are
    settings of the right device only."""

    def __init__(self, channel=None, back=None, right=None, **both):
        self.lower = cell.Pair()
        for end in self.lower.left, self.lower.right:
            end.up(mtu=MTU)
        self.left = Device(self.lower.left.ns, "arq0")
        self.right = Device(self.lower.right.ns, "arq1")
        self.left.above("cell0", address=UPPER[0], **both)
        self.right.above("cell1", address=UPPER[1], **both | (right or {}))
        for device in self.left, self.right:
            device.queue()
            device.up()
        self.connected()
        self.lower.left.change(**channel or {})
        self.lower.right.change(**channel or {} if back is None else back)

    def connected(self):
        """Wait until both devices are connected."""
        for device in self.left, self.right:
            device.connected()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for device in self.left, self.right:
            if device.netlink.link(device.name):
                device.netlink.delete(device.name)
        self.lower.__exit__()


def packet(number, size):
    """A packet of `size` bytes behind its Ethernet header."""
    tap.true("size of a packet", size >= 36)
    return pkt.ipv4(b"", pkt.body(number, size - 28))


def flood(device, packets):
    """Send packets of one length through a device, as fast as the device accepts them."""
    out = device.port()
    out.sock.bind((device.name, pkt.protocol(packets[0])))
    for start in range(0, len(packets), 500):
        batch = port.Batch([pkt.ethernet(p) for p in packets[start:start + 500]])
        tap.equal("sent", out.send_batch(batch), batch.count)
    out.close()
