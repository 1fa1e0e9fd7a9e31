# SPDX-License-Identifier: GPL-2.0-or-later
"""Network devices that are connected to a file (tun and tap). If a test writes a packet to the
file, the device receives the packet. If the device sends a packet, the test can read it from the
file."""
import fcntl
import os
import select
import struct

from . import kmod, tap, wait

TUNSETIFF, IFF_TUN, IFF_TAP, IFF_NO_PI = 0x400454ca, 1, 2, 0x1000
IFF_NAPI, IFF_NAPI_FRAGS, IFF_VNET_HDR = 0x10, 0x20, 0x4000


class Tun:
    """A device without a link-layer header. Within the block, the device exists and is up."""

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
    """A device for frames in several memory fragments. If a test writes a frame with writev(), each
    buffer becomes a memory fragment of the packet. A struct virtio_net_hdr precedes the frame. The
    header states the work that a virtual machine requests from the device."""

    kind = IFF_TAP | IFF_NAPI | IFF_NAPI_FRAGS | IFF_VNET_HDR
