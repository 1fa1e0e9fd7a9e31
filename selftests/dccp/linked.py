# SPDX-License-Identifier: GPL-2.0-or-later
"""The way of way.py with a link that tells sources what becomes of their packets: arqlink above the
cellink, with xlo_rto. A round trip is RTT, of which the wire has most.

    source s0 ==cellink== r0 router arq0 ==arqlink== arq1 sink"""
from dccp import way
from lib import arq_device, cell, kmod, netlink, xlo

MS, S = cell.MS, cell.S
WIRE, AIR = 40 * MS, 5 * MS             # in each direction
RTT = 2 * (WIRE + AIR)
# a packet is sent up to three times, and the last packet that failed tests the link
TIMEOUT, ATTEMPTS = 15 * MS, 3
LINK = {"timer": arq_device.FIXED, "timeout": TIMEOUT, "attempts": ATTEMPTS, "frame": 1500,
        "window": 100, "flush": 2, "notify": 1, "backlog": 0}


class Linked(way.Way):
    """The way. The arguments are attributes of the arqlink devices."""

    link = "arq0", "arq1"

    def __init__(self, **arq):
        kmod.insmod("xlo_rto")
        self.arq = LINK | arq
        super().__init__(back={"delay": AIR}, delay=AIR)
        xlo.Client(self.source).set(txtime=1)

    def _wire(self):
        near, far = cell.End(self.source, "s0"), cell.End(self.router, "r0")
        mac = [netlink.attr(netlink.IFLA_ADDRESS, a) for a in cell.ADDRESSES]
        near.create(*cell.options({"delay": WIRE}), cell.peer(
            "r0", *cell.options({"delay": WIRE}), ns=self.router, more=mac[1]), more=mac[0])
        near.up()
        far.up()

    def _cellink(self, back, there):
        lower = super()._cellink(back, there)
        self.far = cell.End(self.sink, "cell1")
        for end in lower, self.far:
            end.up(mtu=arq_device.MTU)
        self.ends = [arq_device.Device(ns, name) for ns, name in
                     zip((self.router, self.sink), self.link)]
        for end, below, address in zip(self.ends, ("cell0", "cell1"), cell.ADDRESSES):
            end.above(below, address=address, **self.arq)
            end.queue()
            end.up()
        for end in self.ends:
            end.connected()
        return lower

    def cut(self, loss=10**6):
        """Let both directions of the air lose all."""
        self.cell.change(loss=loss)
        self.far.change(loss=loss)
