# SPDX-License-Identifier: GPL-2.0-or-later
"""Sending frames straight into the egress of a device, through its queueing discipline."""
import errno
import socket
import struct
import time

from . import packet as pkt

SO_SNDBUFFORCE = 32
SO_TXTIME = SCM_TXTIME = 61
SOL_PACKET, PACKET_VNET_HDR = 263, 15


class Port:
    """A packet socket on a device; frames for Ethernet devices are wrapped here."""

    def __init__(self, ns, device, ethernet=False):
        self.sock = ns.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.device, self.ethernet = device, ethernet
        # Queued packets count against it: a send must not wait for the queue under test.
        self.sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 29)

    def send(self, packet, *ancillary):
        """Send one packet; False when the queueing discipline dropped it."""
        return self.send_as(packet, pkt.protocol(packet), *ancillary)

    def send_as(self, packet, protocol, *ancillary):
        """send() for packets that do not look like what they are sent as."""
        frame = pkt.ethernet(packet) if self.ethernet else packet
        try:
            self.sock.sendmsg([frame], ancillary, 0, (self.device, protocol))
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            return False
        return True

    def send_stamped(self, packet, when):
        """send() with skb->tstamp set to `when`, ns on the monotonic clock."""
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                             struct.pack("=iI", time.CLOCK_MONOTONIC, 0))
        return self.send(packet, (socket.SOL_SOCKET, SCM_TXTIME, struct.pack("=q", when)))

    def send_gso(self, packet, size):
        """Send a packet of packet.tcp4(), without a frame around it, as a super-packet of
        segments of `size` bytes."""
        # struct virtio_net_hdr: checksum wanted, TCPv4, 40 bytes of headers, TCP's at 20
        virtio = struct.pack("=BBHHHH", 1, 1, 40, size, 20, 16)
        self.sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.sock.sendto(virtio + packet, (self.device, pkt.ETH_P_IP))
        self.sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 0)

    def priority(self, value):
        """skb->priority of what follows: names a class of the root qdisc."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, value)

    def close(self):
        self.sock.close()
