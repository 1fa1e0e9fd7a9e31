#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Receives packets over DCCP in asyncio's loop, and prints them: example.py ADDRESS"""
import asyncio
import ctypes as c
import os
import socket
import sys

PORT, UDP_PORT = 5001, 6511
DATA, CLOSED = 2, 9


class Limits(c.Structure):
    """struct fdccp_limits"""
    _fields_ = [("numbers", c.c_uint * 4), ("memory", c.c_size_t), ("strangers", c.c_uint)]


class Config(c.Structure):
    """struct fdccp_io_config"""
    _fields_ = [("carrier", c.c_int), ("local", c.c_uint32 * 7), ("lifetimes", c.c_int),
                ("no_udp_checksum", c.c_bool), ("limits", Limits), ("queue", c.c_uint),
                ("kernel_silent", c.c_bool)]


class Event(c.Structure):
    """struct fdccp_event"""
    _fields_ = [("type", c.c_int), ("conn", c.c_void_p), ("data", c.c_void_p), ("len", c.c_size_t),
                ("ecn", c.c_uint8), ("damaged", c.c_bool), ("intact", c.c_size_t),
                ("told", c.c_bool), ("stamped", c.c_bool), ("seq", c.c_uint64), ("fate", c.c_int),
                ("handle", c.c_uint64), ("sent", c.c_int64), ("rtt", c.c_int64),
                ("reason", c.c_int), ("reset", c.c_int)]


def load():
    """The library: of the build folder, where this file is not installed, or of the system."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "../../../build/tools")
    where = built + "/" if os.path.isdir(built) else ""
    c.CDLL(where + "libfreshlink.so.0", mode=c.RTLD_GLOBAL)
    lib = c.CDLL(where + "libfreshlink-dccp.so.0")
    lib.fdccp_io_endpoint.restype = c.c_void_p
    lib.fdccp_io_event.restype = c.c_bool
    return lib


def address(text):
    """A union fdccp_address."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    head = int(family).to_bytes(2, sys.byteorder) + UDP_PORT.to_bytes(2, "big")
    flow = bytes(4) if family == socket.AF_INET6 else b""
    return (c.c_uint32 * 7).from_buffer_copy(
        (head + flow + socket.inet_pton(family, text)).ljust(28, b"\0"))


def drain(lib, io):
    """The descriptor is readable: fetch all events."""
    event = Event()
    while lib.fdccp_io_event(io, c.byref(event)):
        if event.type == DATA:
            print(c.string_at(event.data, event.len).decode(errors="replace"), flush=True)
        elif event.type == CLOSED:
            print("closed", flush=True)


async def main():
    """Listen, and let asyncio call drain()."""
    lib, io, why, service = load(), c.c_void_p(), c.c_char_p(), c.c_uint32()
    config = Config(local=address(sys.argv[1]))
    if lib.fdccp_io_open(c.byref(config), c.byref(io), c.byref(why)):
        sys.exit(why.value.decode())
    params = c.create_string_buffer(256)    # struct fdccp_params is smaller
    lib.fdccp_params_init(params)
    lib.fdccp_service_parse(b"SC:exmp", c.byref(service))
    if lib.fdccp_listen(c.c_void_p(lib.fdccp_io_endpoint(io)), PORT, c.byref(service),
                        c.c_size_t(1), params):
        sys.exit(f"cannot listen on port {PORT}")
    asyncio.get_running_loop().add_reader(lib.fdccp_io_fd(io), drain, lib, io)
    print("listening", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
