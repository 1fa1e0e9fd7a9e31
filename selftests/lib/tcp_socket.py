# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP socket of the tested kernel. The socket sends, and tests compare its TCP_INFO with the
expected state."""
import ctypes
import socket
import struct

from . import packet as pkt, tap, tcp_info

SO_SNDBUFFORCE = 32
# the same as in lib/syn.py
PORT, PEER = 80, (pkt.SOURCE4, 4000)


def reset(sock):
    """Close a socket with a reset. After an orderly close, the connection would remain until TCP's
    timers give up. Until then, the connection would keep the namespace and the modules of the
    namespace's qdiscs in use."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("=ii", 1, 0))
    sock.close()


class TcpSocket:
    """A TCP socket in a namespace, with the given congestion control. If `mapped` is true, the
    socket is an IPv6 socket with IPv4 addresses, as most servers use."""

    def __init__(self, ns, algorithm, mapped=False):
        self.sock = ns.socket(socket.AF_INET6 if mapped else socket.AF_INET, socket.SOCK_STREAM)
        self.prefix = "::ffff:" if mapped else ""
        self.control(algorithm)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 28)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.sock.bind((self.prefix + pkt.TARGET4, PORT))
        self.sock.setblocking(False)

    def control(self, algorithm):
        """Set the congestion control of the socket."""
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())

    def connect(self):
        """Send a SYN to the peer."""
        address, port = PEER
        self.sock.connect_ex((self.prefix + address, port))

    def disconnect(self):
        """Abort the connection and keep the socket."""
        nowhere = struct.pack("=H14x", socket.AF_UNSPEC)
        tap.equal("connect() to nowhere",
                  ctypes.CDLL(None).connect(self.sock.fileno(), nowhere, len(nowhere)), 0)

    def write(self, segments):
        """Write data for `segments` full segments."""
        size = segments * self.info().mss
        tap.equal("bytes that the socket accepts", self.sock.send(bytes(size)), size)

    def info(self):
        return tcp_info.info(self.sock)

    def vegas(self):
        return tcp_info.vegas(self.sock)

    def expect(self, what, **fields):
        """Check that the named fields of TCP_INFO have the given values. Returns TCP_INFO."""
        info = self.info()
        tap.equal(what, {name: getattr(info, name) for name in fields}, fields)
        return info

    def error(self):
        """The number of the pending error, or 0 if no error is pending."""
        return self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)

    def close(self):
        self.sock.close()

    def abort(self):
        """Abort the connection if it is still open. After the abort, the socket sends nothing."""
        if self.sock.fileno() < 0:
            return
        reset(self.sock)
