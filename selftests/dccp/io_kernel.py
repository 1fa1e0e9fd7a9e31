#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Beside the kernel's own DCCP, which would answer packets of the peer with Resets, the carrier ip
is refused."""
# run.sh: needs: kernel DCCP
# run.sh: all on vm-6.12: everything
import ctypes
import os
import subprocess

from lib import kmod, library, tap

FRESHLINK = os.path.join(library.BUILD, "freshlink")


class Config(ctypes.Structure):
    """struct fdccp_io_config, with room for all of struct fdccp_limits"""
    _fields_ = [("carrier", ctypes.c_int), ("local", ctypes.c_uint32 * 7),
                ("lifetimes", ctypes.c_int), ("limits", ctypes.c_uint64 * 4),
                ("queue", ctypes.c_uint), ("kernel_silent", ctypes.c_bool)]


def sink(*options):
    """Run a sink for a moment. Returns its status, and what it says."""
    done = subprocess.run([FRESHLINK, "traffic", "dccp-sink", "--duration", "1ms", *options],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def opened(silent):
    """The result of fdccp_io_open() with the carrier ip."""
    ctypes.CDLL(os.path.join(library.BUILD, "libfreshlink.so.0"), mode=ctypes.RTLD_GLOBAL)
    lib = ctypes.CDLL(os.path.join(library.BUILD, "libfreshlink-dccp.so.0"))
    config, io = Config(carrier=1, kernel_silent=silent), ctypes.c_void_p()
    result = lib.fdccp_io_open(ctypes.byref(config), ctypes.byref(io), None)
    lib.fdccp_io_close(io)
    return result


def test_refused():
    """Without the kernel's DCCP the carrier ip works. With it the carrier is refused, with the
    reason. The carrier udp works, and so does a program that says that a firewall keeps the kernel
    silent."""
    # nothing can unload it
    if not os.path.exists("/sys/module/dccp_ipv4"):
        tap.equal("status without the module", sink("--carrier", "ip")[0], 0)
    kmod.modprobe("dccp_ipv4")
    status, said = sink("--carrier", "ip")
    tap.equal("status", status, 1)
    tap.true(f"the reason: {said}", "kernel's own DCCP" in said)
    tap.equal("status over udp", sink()[0], 0)
    tap.equal("fdccp_io_open()", (opened(False), opened(True)), (-16, 0))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
