# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices whose wire is a file. The device receives the packets that are written to the file, and
the packets that it sends can be read there."""
import fcntl
import os
import select
import struct

from . import kmod, tap, wait

TUNSETIFF, IFF_TUN, IFF_TAP, IFF_NO_PI = 0x400454ca, 1, 2, 0x1000
IFF_NAPI, IFF_NAPI_FRAGS, IFF_VNET_HDR = 0x10, 0x20, 0x4000


class Tun:
    """A device without a link-layer header, which exists and is up within the block."""

    kind = IFF_TUN

    def __init__(self, ns, name="tun0"):
        kmod.modprobe("tun")
        with ns.inside():
            self.wire = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(self.wire, TUNSETIFF,
                    struct.pack("16sH22x", name.encode(), self.kind | IFF_NO_PI))
        ns.link(name, True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.wire)

    def send(self, packet):
        os.write(self.wire, packet)

    def read(self, seconds=5):
        """The next frame that the device sends."""
        tap.true("a frame leaves", select.select([self.wire], [], [], wait.patient(seconds))[0])
        return os.read(self.wire, 1 << 17)


class Tap(Tun):
    """A device with Ethernet headers."""

    kind = IFF_TAP


class Pieces(Tap):
    """A frame that is written in pieces becomes a packet in as many pieces of memory. struct
    virtio_net_hdr precedes the frame: the work that a virtual machine would leave to the device."""

    kind = IFF_TAP | IFF_NAPI | IFF_NAPI_FRAGS | IFF_VNET_HDR
