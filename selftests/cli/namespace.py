# SPDX-License-Identifier: GPL-2.0-or-later
"""A network namespace with a pair of devices, in which freshlink and the module xlo work."""
import contextlib
import os
import socket

from cli import tools
from lib import hosts, kmod, netns, tap, wait


@contextlib.contextmanager
def namespace():
    """A namespace with a pair of devices, v0 and v1. Loads the module xlo."""
    if os.geteuid():
        tap.skip("making network namespaces needs root")
    kmod.insmod("xlo")
    with netns.Netns() as ns:
        netns.veth(ns, "v0", ns, "v1")
        yield ns


def command_of(words):
    """The name of the command in a command line."""
    return next(name for name in tools.tables() if f"{words} ".startswith(f"{name} "))


def freshlink(ns, words, status=0, message=""):
    """Run freshlink in a namespace. Returns its output."""
    done = ns.run(f"{tools.FRESHLINK} {words}", check=False)
    tap.equal(f"status and message of {words}", (done.returncode, done.stderr),
              (status, f"freshlink {command_of(words)}: {message}\n" if message else ""))
    return done.stdout


def to_itself(ns, *marks, payload=b"x"):
    """For each of the marks, send a packet with the mark over the loopback device, and receive the
    packet."""
    ns.link("lo", True)
    with ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver, \
            ns.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(wait.patient(10))
        for mark in marks:
            sender.setsockopt(socket.SOL_SOCKET, hosts.SO_MARK, mark)
            sender.sendto(payload, receiver.getsockname())
            receiver.recv(1)
