# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls libfreshlink. The module uses the library in the build folder if it exists, otherwise the
installed library. A call that fails raises OSError with the errno."""
import ctypes
import os
import socket
import struct

from . import tap

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TREE, "build", "tools")
EXAMPLE = os.path.join(BUILD, "libfreshlink", "example")
EXAMPLE_PY = os.path.join(TREE, "userspace", "libfreshlink", "example.py")

NONE, FOUND, MALFORMED = range(3)
UNLIMITED, RELATIVE, ABSOLUTE = range(3)
FORWARD, DISCARD, TRUNCATE, RESERVED = range(4)
RECEIVE_ROOM = 2064 + 64
MSG_CTRUNC = 8


class Lifetime(ctypes.Structure):
    """struct freshlink_lifetime"""
    _fields_ = [("kind", ctypes.c_int), ("stale", ctypes.c_int),
                ("remaining_ms", ctypes.c_int32), ("at_ns", ctypes.c_int64),
                ("reorder", ctypes.c_uint8), ("flags", ctypes.c_uint8)]

    def fields(self):
        """All fields except at_ns."""
        return self.kind, self.remaining_ms, self.stale, self.reorder, self.flags


class Iovec(ctypes.Structure):
    """struct iovec"""
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


class Message(ctypes.Structure):
    """A struct msghdr with a buffer for data and a buffer for control messages."""
    _fields_ = [("name", ctypes.c_void_p), ("namelen", ctypes.c_uint32),
                ("iov", ctypes.POINTER(Iovec)), ("iovlen", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                ("flags", ctypes.c_int)]

    def __init__(self, data, control):
        self.buffers = data, control
        super().__init__(None, 0, ctypes.pointer(Iovec(ctypes.addressof(data), len(data))), 1,
                         ctypes.addressof(control), len(control), 0)


class Library:
    """The functions of the library. Each method has the name of a function, without the prefix
    freshlink_."""

    def __init__(self):
        built = os.path.join(BUILD, "libfreshlink.so.0")
        try:
            self.lib = ctypes.CDLL(built if os.path.exists(built) else "libfreshlink.so.0",
                                   use_errno=True)
        except OSError as reason:
            tap.skip(str(reason))
        self.libc = ctypes.CDLL(None, use_errno=True)

    @staticmethod
    def _checked(result):
        if result < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return result

    def enable_deadlines(self, fd, clock):
        self._checked(self.lib.freshlink_enable_deadlines(fd, clock))

    def send(self, fd, payload, address, lifetime_ns):
        """Send a datagram. `address` is in the kernel's binary format, or None if the socket is
        connected."""
        self._checked(self.lib.freshlink_send(
            fd, payload, ctypes.c_size_t(len(payload)), 0, address, len(address or b""),
            ctypes.c_int64(lifetime_ns)))

    def set_deadline(self, message, deadline_ns):
        self._checked(self.lib.freshlink_set_deadline(
            ctypes.byref(message), ctypes.c_size_t(len(message.buffers[1])),
            ctypes.c_int64(deadline_ns)))

    def set_option(self, message, family, lifetime):
        self._checked(self.lib.freshlink_set_option(
            ctypes.byref(message), ctypes.c_size_t(len(message.buffers[1])), int(family),
            ctypes.byref(lifetime)))

    def sendmsg(self, fd, message, address):
        """Send a message that already contains its control messages."""
        name = ctypes.create_string_buffer(address, len(address))
        message.name, message.namelen = ctypes.addressof(name), len(address)
        self._checked(self.libc.sendmsg(fd, ctypes.byref(message), 0))

    def socket_lifetime(self, fd, lifetime):
        self._checked(self.lib.freshlink_socket_lifetime(
            fd, None if lifetime is None else ctypes.byref(lifetime)))

    def receive_lifetimes(self, fd):
        self._checked(self.lib.freshlink_receive_lifetimes(fd))

    def receive(self, fd, room=RECEIVE_ROOM):
        """Receive the next message. Returns the library's result about the option, the lifetime,
        and the message."""
        message = Message(ctypes.create_string_buffer(2048), ctypes.create_string_buffer(room))
        self._checked(self.libc.recvmsg(fd, ctypes.byref(message), 0))
        lifetime = Lifetime()
        found = self._checked(self.lib.freshlink_get_lifetime(ctypes.byref(message),
                                                              ctypes.byref(lifetime)))
        return found, lifetime, message


def outgoing(payload, room):
    """A message to be sent, with an empty buffer for control messages."""
    message = Message(ctypes.create_string_buffer(payload, len(payload)),
                      ctypes.create_string_buffer(room))
    message.controllen = 0
    return message


def sockaddr(host, port):
    """An address in the kernel's binary format."""
    if ":" in host:
        return struct.pack("=H", socket.AF_INET6) + port.to_bytes(2, "big") + bytes(4) + \
            socket.inet_pton(socket.AF_INET6, host) + bytes(4)
    return struct.pack("=H", socket.AF_INET) + port.to_bytes(2, "big") + \
        socket.inet_aton(host) + bytes(8)
