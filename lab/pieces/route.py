# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets addresses, neighbours and routes of a namespace by netlink. Running the command ip for each
namespace would take longer than the simulation of seconds of traffic."""
import socket
import struct

from lib import netlink

RTM_NEWADDR, RTM_NEWROUTE, RTM_NEWNEIGH = 20, 24, 28
IFA_ADDRESS, IFA_LOCAL, IFA_F_NODAD = 1, 2, 2
NDA_DST, NDA_LLADDR, NUD_PERMANENT = 1, 2, 0x80
RTA_DST, RTA_OIF, RTA_GATEWAY, RTA_METRICS = 1, 4, 5, 8
RT_TABLE_MAIN, RTPROT_STATIC, RTN_UNICAST, RT_SCOPE_LINK = 254, 4, 1, 253
METRICS = {"mtu": 2, "initcwnd": 11, "rto_min": 13}     # bytes; segments; ms
CREATE = netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE


def _binary(address):
    """Return the family and the bytes of an address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return family, socket.inet_pton(family, address)


class Route(netlink.Netlink):
    """A netlink socket in a namespace."""

    def address(self, device, address, prefix):
        """Give a device an address that can be used immediately."""
        family, data = _binary(address)
        self.request(RTM_NEWADDR, CREATE,
                     struct.pack("=BBBBI", family, prefix, IFA_F_NODAD, 0, self.ifindex(device)) +
                     netlink.attr(IFA_LOCAL, data) + netlink.attr(IFA_ADDRESS, data))

    def neighbour(self, device, address, mac):
        """Set the MAC address of a neighbour, because an ARP or ND request would be delayed in the
        queue under test."""
        family, data = _binary(address)
        self.request(RTM_NEWNEIGH, CREATE,
                     struct.pack("=BxxxiHBB", family, self.ifindex(device), NUD_PERMANENT, 0, 0) +
                     netlink.attr(NDA_DST, data) + netlink.attr(NDA_LLADDR, mac))

    def via(self, gateway, network=None, prefix=0, **metrics):
        """Add a route to a network, or the default route, through a gateway."""
        family, data = _binary(gateway)
        attributes = netlink.attr(RTA_GATEWAY, data)
        if network:
            attributes += netlink.attr(RTA_DST, _binary(network)[1])
        if metrics:
            attributes += netlink.nest(RTA_METRICS, *(netlink.attr(METRICS[name],
                                                                   netlink.u32(value))
                                                      for name, value in metrics.items()))
        self._add(family, prefix, 0, attributes)

    def through(self, device, address):
        """Add a route to one address through a device."""
        family, data = _binary(address)
        self._add(family, 8 * len(data), RT_SCOPE_LINK, netlink.attr(RTA_DST, data) +
                  netlink.attr(RTA_OIF, netlink.u32(self.ifindex(device))))

    def _add(self, family, prefix, scope, attributes):
        self.request(RTM_NEWROUTE, CREATE,
                     struct.pack("=BBBBBBBBI", family, prefix, 0, 0, RT_TABLE_MAIN, RTPROT_STATIC,
                                 scope, RTN_UNICAST, 0) + attributes)
