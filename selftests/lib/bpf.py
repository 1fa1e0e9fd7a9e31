# SPDX-License-Identifier: GPL-2.0-or-later
"""Assembles an XDP program, and attaches it to a device whose driver need not support XDP (mode
"generic")."""
import ctypes
import errno
import os
import struct

from . import netlink, tap

BPF, PROG_LOAD, PROG_XDP = 321, 5, 6    # numbers of x86-64: system call, command, program type
IFLA_XDP, IFLA_XDP_FD, IFLA_XDP_FLAGS, XDP_FLAGS_SKB_MODE = 43, 1, 3, 2
DROP, PASS, TX = 1, 2, 3                # verdicts of an XDP program

_libc = ctypes.CDLL(None, use_errno=True)


def _instruction(code, target=0, source=0, offset=0, value=0):
    return struct.pack("=BBhi", code, source << 4 | target, offset, value)


def verdict_at(offset):
    """A program whose verdict on a frame is the byte at the given offset. Shorter frames pass."""
    return b"".join([
        _instruction(0x61, 2, 1, 0),            # r2 = start of the frame
        _instruction(0x61, 3, 1, 4),            # r3 = end of the frame
        _instruction(0xbf, 4, 2),               # r4 = r2
        _instruction(0x07, 4, value=offset + 1),    # r4 += offset + 1
        _instruction(0x2d, 4, 3, 2),            # if r4 > r3, skip 2 instructions
        _instruction(0x71, 0, 2, offset),       # r0 = the byte
        _instruction(0x95),                     # return r0
        _instruction(0xb7, 0, value=PASS),      # r0 = PASS
        _instruction(0x95)])                    # return r0


def load(program):
    """Load a program into the kernel. Returns its file descriptor."""
    code, licence = ctypes.create_string_buffer(program, len(program)), \
        ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("=IIQQ", PROG_XDP, len(program) // 8, ctypes.addressof(code),
                       ctypes.addressof(licence)).ljust(128, b"\0")
    fd = _libc.syscall(BPF, PROG_LOAD, attr, len(attr))
    if fd < 0:
        if ctypes.get_errno() == errno.ENOSYS:
            tap.skip("the kernel has no bpf()")
        raise OSError(ctypes.get_errno(), f"bpf: {os.strerror(ctypes.get_errno())}")
    return fd


def attach(route, device, program):
    """Attach a program from load() to a device. The program sees the packets that the device
    receives. `route` is a netlink.Netlink of the device's namespace."""
    route.request(netlink.RTM_NEWLINK, 0,
                  struct.pack("=BxHiII", 0, 0, route.ifindex(device), 0, 0) +
                  netlink.nest(IFLA_XDP, netlink.attr(IFLA_XDP_FD, netlink.u32(program)),
                               netlink.attr(IFLA_XDP_FLAGS, netlink.u32(XDP_FLAGS_SKB_MODE))))
