# SPDX-License-Identifier: GPL-2.0-or-later
"""A drone's video at its uplink: behind the slow link is a network that drops packets with IP
options, as many do.

    drone --- uplink router ===slow link, delay spikes=== such a network --- receiver
"""
import json

from demo import flow_udp, result_udp

# No IPv4 header longer than without options, no IPv6 hop-by-hop header.
NO_OPTIONS = "table inet no_options { chain through { type filter hook forward priority 0; " \
    "ip hdrlength > 5 counter drop; exthdr hbh exists counter drop; }; }"


class UplinkCopy(flow_udp.UdpCopy):
    """A copy of the network whose air drops options."""

    kind = "uplink"
    queues = ("LPD", "LPD-strip")
    told_of = False
    setting = f"A drone's {flow_udp.SETTING}; behind it a network that drops packets with IP " \
        "options, which LPD-strip takes out"

    def __init__(self, flow, queue, directory):
        super().__init__(flow, queue, directory)
        self.air.run("nft -f -", stdin=NO_OPTIONS)

    def filtered(self):
        """Packets that the network has dropped."""
        shown = json.loads(self.air.run("nft -j list chain inet no_options through").stdout)
        rules = (part["rule"]["expr"] for part in shown["nftables"] if "rule" in part)
        return sum(expression["counter"]["packets"] for rule in rules for expression in rule
                   if "counter" in expression)

    def notes(self):
        return super().notes() | {"filtered": self.filtered()}

    def result(self):
        return result_udp.UplinkResult(self.notes(), self.arrivals())
