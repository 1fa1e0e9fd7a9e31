# SPDX-License-Identifier: GPL-2.0-or-later
"""Switches the offloads of a device as the program ethtool does, without the long time that this
program needs to start."""
import ctypes
import fcntl
import fnmatch
import functools
import socket
import struct

from . import tap

SIOCETHTOOL = 0x8946
GSTRINGS, GSSET_INFO, GFEATURES, SFEATURES, SS_FEATURES = 0x1b, 0x37, 0x3a, 0x3b, 4
LENGTH = 32             # bytes of a feature's name
# ethtool's names for features to which the kernel gives other names. All other names are the
# kernel's names.
GROUPS = {"tx": "tx-checksum-*", "tso": "tx-tcp*-segmentation", "gso": "tx-generic-segmentation",
          "gro": "rx-gro"}


def _ask(sock, device, request):
    """Send a request, and return the kernel's answer, which has the same length."""
    data = ctypes.create_string_buffer(request, len(request))
    fcntl.ioctl(sock, SIOCETHTOOL, struct.pack("16sQ16x", device.encode(),
                                               ctypes.addressof(data)))
    return data.raw


@functools.cache
def _names():
    """The kernel's names of all features. The number of a feature is its index in the list."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        count, = struct.unpack_from("=16xI", _ask(sock, "lo", struct.pack(
            "=IIQI", GSSET_INFO, 0, 1 << SS_FEATURES, 0)))
        names = _ask(sock, "lo", struct.pack("=III", GSTRINGS, SS_FEATURES, count) +
                     bytes(count * LENGTH))[12:]
    return [names[at:at + LENGTH].partition(b"\0")[0].decode()
            for at in range(0, len(names), LENGTH)]


def _numbers(words):
    """The bits of the features that a name stands for."""
    pattern = GROUPS.get(words, words)
    return sum(1 << number for number, name in enumerate(_names())
               if fnmatch.fnmatchcase(name, pattern))


def switch(ns, device, **features):
    """Switch features on or off. In the names `_` stands for `-`. The test fails if the device has
    none of the features of a name."""
    blocks = -(-len(_names()) // 32)
    with ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        answer = _ask(sock, device, struct.pack("=II", GFEATURES, blocks) + bytes(16 * blocks))
        # for each block: available, requested, active, never changed
        available = sum(struct.unpack_from("=I", answer, 8 + 16 * block)[0] << 32 * block
                        for block in range(blocks))
        valid = wanted = 0
        for name, on in features.items():
            bits = _numbers(name.replace("_", "-")) & available
            tap.true(f"{device} can switch {name}", bits)
            valid, wanted = valid | bits, wanted | bits * on
        _ask(sock, device, struct.pack("=II", SFEATURES, blocks) + b"".join(
            struct.pack("=II", valid >> 32 * block & 0xffffffff, wanted >> 32 * block & 0xffffffff)
            for block in range(blocks)))
