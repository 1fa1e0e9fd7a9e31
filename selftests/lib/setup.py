# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets addresses, neighbours and routes, and makes veth pairs, over netlink. The tests do this
several hundred times. Under User-Mode Linux and on an emulated processor, starting the program ip
takes a hundred times as long as a request."""
import socket
import struct

from . import netlink

RTM_NEWADDR, RTM_NEWROUTE, RTM_NEWNEIGH = 20, 24, 28
IFA_ADDRESS, IFA_LOCAL, IFA_F_NODAD = 1, 2, 2
NDA_DST, NDA_LLADDR, NUD_PERMANENT = 1, 2, 0x80
RTA_DST, RTA_OIF, RTA_GATEWAY, RTA_PREFSRC, RTA_METRICS = 1, 4, 5, 7, 8
RTAX_LOCK, RTAX_SSTHRESH, RTAX_INITCWND = 1, 6, 11
RT_TABLE_MAIN, RTPROT_BOOT, RTN_UNICAST, RT_SCOPE_UNIVERSE, RT_SCOPE_LINK = 254, 3, 1, 0, 253
IFLA_NUM_TX_QUEUES, IFLA_NUM_RX_QUEUES, VETH_INFO_PEER = 31, 32, 1
NEW, REPLACE = netlink.NLM_F_CREATE | netlink.NLM_F_EXCL, \
    netlink.NLM_F_CREATE | netlink.NLM_F_REPLACE


def packed(address):
    """The family and the bytes of an IPv4 or IPv6 address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return family, socket.inet_pton(family, address)


def add_address(sock, device, address, prefix):
    """Add an address to a device. The kernel does not check whether an IPv6 address is a
    duplicate."""
    family, number = packed(address)
    sock.request(RTM_NEWADDR, NEW, struct.pack(
        "=BBBBI", family, prefix, IFA_F_NODAD * (family == socket.AF_INET6), 0,
        sock.ifindex(device)) + netlink.attr(IFA_LOCAL, number) +
        netlink.attr(IFA_ADDRESS, number))


def set_neighbour(sock, device, address, mac):
    """Set the MAC address of a neighbour. The kernel then never tries to resolve the neighbour's
    address."""
    family, number = packed(address)
    sock.request(RTM_NEWNEIGH, REPLACE, struct.pack(
        "=BxxxiHBB", family, sock.ifindex(device), NUD_PERMANENT, 0, 0) +
        netlink.attr(NDA_DST, number) +
        netlink.attr(NDA_LLADDR, bytes.fromhex(mac.replace(":", ""))))


def _add_route(sock, family, prefix, scope, *attributes):
    sock.request(RTM_NEWROUTE, NEW, struct.pack(
        "=BBBBBBBBI", family, prefix, 0, 0, RT_TABLE_MAIN, RTPROT_BOOT, scope, RTN_UNICAST, 0) +
        b"".join(attributes))


def add_gateway(sock, address):
    """Add a default route."""
    family, number = packed(address)
    _add_route(sock, family, 0, RT_SCOPE_UNIVERSE, netlink.attr(RTA_GATEWAY, number))


def add_route(sock, device, target, source, cwnd, ssthresh=None):
    """Add a route to an IPv4 address on the device's link. Packets have the source address
    `source`. TCP connections begin with the congestion window `cwnd` and, unless it is None, with
    the threshold `ssthresh`."""
    metrics = {RTAX_INITCWND: cwnd}
    if ssthresh:
        metrics |= {RTAX_LOCK: 1 << RTAX_SSTHRESH, RTAX_SSTHRESH: ssthresh}
    family, number = packed(target)
    _add_route(sock, family, 32, RT_SCOPE_LINK, netlink.attr(RTA_DST, number),
               netlink.attr(RTA_PREFSRC, packed(source)[1]),
               netlink.attr(RTA_OIF, netlink.u32(sock.ifindex(device))),
               netlink.nest(RTA_METRICS, *(netlink.attr(kind, netlink.u32(value))
                                           for kind, value in metrics.items())))


def _end(name, mac, mtu, queues):
    """The attributes of one end of a veth pair."""
    numbers = {netlink.IFLA_MTU: mtu, IFLA_NUM_TX_QUEUES: queues, IFLA_NUM_RX_QUEUES: queues}
    return netlink.attr(netlink.IFLA_IFNAME, name.encode() + b"\0") + \
        netlink.attr(netlink.IFLA_ADDRESS, bytes.fromhex(mac.replace(":", ""))) + \
        b"".join(netlink.attr(kind, netlink.u32(value)) for kind, value in numbers.items() if value)


def add_veth(sock, near, far, ns, mtu=None, queues=None):
    """Make a veth pair. `near` and `far` are (name, MAC address) of both ends. The far end is in
    the namespace `ns`."""
    peer = bytes(16) + _end(*far, mtu, queues) + netlink.attr(netlink.IFLA_NET_NS_FD,
                                                              netlink.u32(ns.fd))
    sock.request(netlink.RTM_NEWLINK, NEW, bytes(16) + _end(*near, mtu, queues) + netlink.nest(
        netlink.IFLA_LINKINFO, netlink.attr(netlink.IFLA_INFO_KIND, b"veth\0"),
        netlink.nest(netlink.IFLA_INFO_DATA, netlink.attr(VETH_INFO_PEER | netlink.NLA_F_NESTED,
                                                          peer))))
