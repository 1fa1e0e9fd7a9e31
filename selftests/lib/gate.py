# SPDX-License-Identifier: GPL-2.0-or-later
"""The environment of the tests of lpd's gate. A modem is a device that dequeues all packets
immediately. The root qdisc of the device is an lpd, which may have a gate. The tests send packets
and probes, acknowledge probes, and read the packets that have left."""
import select
import socket
import struct

from . import bench, netlink, netns, packet as pkt, port, tap, tc, tree, tun, uapi, wait, xlo

SO_TIMESTAMPING = 37
TX_SCHED, OPT_ID, OPT_TSONLY = 1 << 8, 1 << 7, 1 << 11
PRIORITY = uapi.LPD_PRIORITY_PROBE
DEV = "tun0"
SIZE = 1000             # bytes of a packet, with its IP header
OPEN = (1 << 64) - 1    # a window that never closes the gate


class Client(xlo.Client):
    """A netlink socket in a namespace, for the family of the module sch_lpd."""

    def __init__(self, ns):
        super().__init__(ns, "lpd", load=False)

    def _ask(self, operation, **values):
        self._send(self.family, 0, self.body(operation, values))
        return self.spec.decode(self._answer()[4:])

    def gate_set(self, ifindex, **values):
        """Make or change a gate. Returns the answer."""
        return self._ask("gate_set", ifindex=ifindex, **values)

    def gate_get(self, ifindex):
        return self._ask("gate_get", ifindex=ifindex)

    def gate_del(self, ifindex):
        self.do("gate_del", ifindex=ifindex)

    def gates(self):
        """All gates of the namespace, by the index of their device."""
        return {gate["ifindex"]: gate for gate in self._dump("gate_get")}


def identify(sock):
    """Let the kernel number the datagrams of a socket, as a sender of probes does."""
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING,
                    struct.pack("=I", TX_SCHED | OPT_ID | OPT_TSONLY))


def prober(ns, device, ethernet=False):
    """A port whose packets are probes. The kernel numbers the probes from 0."""
    found = port.Port(ns, device, ethernet)
    found.priority(PRIORITY)
    identify(found.sock)
    return found


def packet(number, size=SIZE):
    """A packet without a lifetime."""
    return pkt.ipv4(payload=pkt.body(number, size - 28))


def mortal(number, ms, size=SIZE):
    """A packet with a lifetime of `ms`."""
    return pkt.ipv4(pkt.xlo4(ms), pkt.body(number, size - 36))


class Gate:
    """The gate of a device of a bench. The bench has the attributes `ns`, `netlink` and
    `device`."""

    def __init__(self, of):
        self.client = Client(of.ns)
        self.ifindex = of.netlink.ifindex(of.device)
        self.prober = prober(of.ns, of.device)

    def set(self, window=OPEN, **values):
        return self.client.gate_set(self.ifindex, window=window, **values)

    def get(self):
        return self.client.gate_get(self.ifindex)

    def delete(self):
        self.client.gate_del(self.ifindex)

    def probe(self, number=0, size=100):
        """Send a probe. `number` is in its payload. Returns False if lpd dropped the probe."""
        return self.prober.send(packet(number, size))


class Modem(bench.Account):
    """A namespace with the device tun0, whose root qdisc is an lpd. The device dequeues all packets
    immediately."""

    device = DEV

    def __init__(self, **options):
        super().__init__()
        tc.need("lpd")
        self.ns = netns.Netns()
        self.tun = tun.Tun(self.ns, DEV)
        self.netlink = netlink.Netlink(self.ns)
        self.lpd(**options)
        self.port = port.Port(self.ns, DEV)
        self.gate = Gate(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tun.__exit__()
        self.ns.close()

    def lpd(self, **options):
        """Create the root qdisc. Without the option `share`, lpd has no class."""
        self.netlink.qdisc(DEV, netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE, "lpd",
                           *bench.lpd_options(**{"share": 0} | options))
        self.mark()

    def change(self, **options):
        self.netlink.qdisc(DEV, 0, "lpd", *bench.lpd_options(**options))

    def tree(self):
        return tree.checked(self.netlink, DEV)

    def counters(self):
        return self.tree().root.counters

    def send(self, *numbers, size=SIZE):
        """Send packets without a lifetime."""
        for number in numbers:
            self.port.send(packet(number, size))

    def frames(self):
        """The packets that have left since the last call."""
        found = []
        while select.select([self.tun.wire], [], [], 0)[0]:
            found.append(self.tun.read())
        return found

    def left(self):
        """The numbers of the packets that have left since the last call."""
        return [pkt.number(frame) for frame in self.frames()]

    def await_frames(self, count):
        """Wait until at least `count` packets have left, because ksoftirqd may send them later.
        Returns the packets."""
        found = []
        wait.until(f"{count} packets have left",
                   lambda: found.extend(self.frames()) or len(found) >= count)
        return found

    def expect_left(self, *numbers):
        found = self.await_frames(len(numbers))
        tap.equal("packets that left", [pkt.number(frame) for frame in found], list(numbers))
