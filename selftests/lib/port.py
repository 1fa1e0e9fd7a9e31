# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends frames through the qdisc of a device."""
import ctypes
import errno
import itertools
import os
import socket
import struct
import time

from . import packet as pkt, segments

SO_SNDBUFFORCE, SO_MARK = 32, 36
SO_TXTIME = SCM_TXTIME = 61
SOL_PACKET, PACKET_VNET_HDR = 263, 15
GSO_TCP4, GSO_TCP6, GSO_UDP = 1, 4, 5   # values of gso_type in struct virtio_net_hdr


_libc = ctypes.CDLL(None, use_errno=True)


class _Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


class _Message(ctypes.Structure):
    """The kernel's struct mmsghdr, which consists of a struct msghdr, padding and the number of
    sent bytes."""
    _fields_ = [("name", ctypes.c_void_p), ("namelen", ctypes.c_uint),
                ("iov", ctypes.POINTER(_Iovec)), ("iovlen", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                ("flags", ctypes.c_int), ("gap", ctypes.c_int), ("sent", ctypes.c_uint)]


class Batch:
    """Packets that a single system call sends. The method put() changes packets of one length
    between two calls."""

    def __init__(self, packets):
        self.size, self.count = len(packets[0]), len(packets)
        self.bytes = bytearray(b"".join(packets))
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.bytes))
        ends = itertools.accumulate(map(len, packets))
        self.vectors = (_Iovec * self.count)(*[(start + end - len(packet), len(packet))
                                               for packet, end in zip(packets, ends)])
        self.messages = (_Message * self.count)()
        for message, vector in zip(self.messages, self.vectors):
            message.iov, message.iovlen = ctypes.pointer(vector), 1

    def put(self, offset, value):
        """Write the bytes `value` at the given offset of each packet."""
        for at, byte in enumerate(value, offset):
            self.bytes[at::self.size] = bytes([byte]) * self.count


class Port:
    """A packet socket on a device. If `ethernet` is true, the port adds an Ethernet header to each
    packet."""

    def __init__(self, ns, device, ethernet=False):
        self.sock = ns.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.device, self.ethernet = device, ethernet
        # The send buffer is large, because queued packets fill it and a send must not wait for the
        # queue under test.
        self.sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 29)

    def send(self, packet, *ancillary):
        """Send one packet. Returns False if the qdisc dropped the packet."""
        return self.send_as(packet, pkt.protocol(packet), *ancillary)

    def send_as(self, packet, protocol, *ancillary):
        """Like send(), for a packet whose bytes do not indicate its protocol."""
        frame = pkt.ethernet(packet) if self.ethernet else packet
        try:
            self.sock.sendmsg([frame], ancillary, 0, (self.device, protocol))
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            return False
        return True

    def flood(self, packet, count):
        """Send a packet `count` times, a thousand times in each system call."""
        batch = Batch([pkt.ethernet(packet) if self.ethernet else packet] * 1000)
        self.sock.bind((self.device, pkt.protocol(packet)))
        while count:
            count -= self.send_batch(batch, min(count, 1000))

    def send_batch(self, batch, count=None):
        """Send the first `count` packets of a batch, by default all packets. Returns the number of
        sent packets. The socket must be bound."""
        sent = _libc.sendmmsg(self.sock.fileno(), batch.messages, count or batch.count, 0)
        if sent < 0:
            code = ctypes.get_errno()
            raise OSError(code, f"sendmmsg: {os.strerror(code)}")
        return sent

    def send_stamped(self, packet, when):
        """Like send(), but skb->tstamp of the packet is `when`, in ns of the monotonic clock."""
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                             struct.pack("=iI", time.CLOCK_MONOTONIC, 0))
        return self.send(packet, (socket.SOL_SOCKET, SCM_TXTIME, struct.pack("=q", when)))

    def send_virtio(self, packet, linear=0, checksum=None, gso=(0, 0)):
        """Send a packet as a virtual machine does. If the packet is larger than a page, only its
        first `linear` bytes are in the linear part of the skb. `checksum` has two offsets for a
        device that completes the checksum. The first offset is the start of the covered bytes. The
        second offset is the position of the checksum in the covered bytes. `gso` is the type and
        the size of segments."""
        before = len(pkt.ETHERNET) + 2 if self.ethernet else 0
        start, offset = checksum or (-before, 0)
        virtio = struct.pack("=BBHHHH", checksum is not None, gso[0], before + linear, gso[1],
                             before + start, offset)
        frame = pkt.ethernet(packet) if self.ethernet else packet
        self.sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.sock.sendto(virtio + frame, (self.device, pkt.protocol(packet)))
        self.sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 0)

    def send_gso(self, packet, size):
        """Send a packet from packet.tcp4() or tcp6() as a GSO packet with segments of `size`
        bytes."""
        start = segments.transport_offset(packet)
        kind = GSO_TCP4 if packet[0] >> 4 == 4 else GSO_TCP6
        self.send_virtio(packet, start + 20, (start, 16), (kind, size))

    def priority(self, value):
        """Set skb->priority of all later packets, which selects a class of the root qdisc."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, value)

    def mark(self, value):
        """Set skb->mark of all later packets."""
        self.sock.setsockopt(socket.SOL_SOCKET, SO_MARK, struct.pack("=I", value))

    def close(self):
        self.sock.close()
