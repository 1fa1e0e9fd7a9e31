# SPDX-License-Identifier: GPL-2.0-or-later
"""A device without a link header whose wire is a file: what is written there arrives."""
import fcntl
import os
import struct

from . import kmod

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 1, 0x1000


class Tun:
    """The device is there, and up, as long as the block lasts."""

    def __init__(self, ns, name="tun0"):
        kmod.modprobe("tun")
        with ns.inside():
            self.wire = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(self.wire, TUNSETIFF,
                    struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
        ns.link(name, True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.wire)

    def send(self, packet):
        os.write(self.wire, packet)
