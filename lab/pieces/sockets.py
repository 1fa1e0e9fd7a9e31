# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's data about all TCP sockets of a namespace, including sockets of other processes
(sock_diag(7), /proc/net/tcp)."""
import socket
import struct

from lib import netlink, tcp_info

NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY = 4, 20
INET_DIAG_INFO, TCP_ESTABLISHED = 2, 1
# struct inet_diag_req_v2: family, protocol, requested attributes, requested states, any
# addresses
REQUEST = struct.pack("=BBBxI48x", socket.AF_INET, socket.IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1),
                      1 << TCP_ESTABLISHED)
MESSAGE = 72                    # bytes of struct inet_diag_msg
ROOM = 1 << 14
LISTEN = "0A"                   # in /proc/net/tcp


def listens(ns, port):
    """Return whether a process in a namespace listens on a port."""
    with ns.inside():
        for name in ("tcp", "tcp6"):
            with open(f"/proc/thread-self/net/{name}") as file:
                if any(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == LISTEN
                       for line in file):
                    return True
    return False


class Sockets(netlink.Netlink):
    """A netlink socket that lists the TCP connections over IPv4 in a namespace."""

    def __init__(self, ns):
        super().__init__(ns, NETLINK_SOCK_DIAG, ROOM)

    def established(self):
        """Return TCP_INFO of each established connection."""
        return [tcp_info.parse(dict(netlink.attrs(data[MESSAGE:]))[INET_DIAG_INFO])
                for data in self.dump(SOCK_DIAG_BY_FAMILY, REQUEST)]
