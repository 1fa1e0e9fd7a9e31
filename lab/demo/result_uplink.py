# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow of datagrams through a queue, and behind it a network that drops some of them."""
from demo import result_udp


class UplinkResult(result_udp.UdpResult):
    """Such a flow; of what the queue let out the network counts what it dropped."""

    kind = "uplink"

    def __init__(self, notes, arrivals):
        super().__init__(notes, arrivals)
        self.filtered = notes["filtered"]
