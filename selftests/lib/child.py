# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a function in a child process, with fewer privileges or in parallel to the test."""
import contextlib
import ctypes
import os
import signal

from . import netns, tap

NOBODY = 65534
CLONE_NEWUSER = 0x10000000


def answer(function):
    """Run `function` in a child process. Returns the result of the function as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            text = str(function())
        except BaseException as error:
            text = repr(error)
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def become_nobody():
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def enter_user_namespace(kinds=netns.CLONE_NEWNET):
    """Become root of a new user namespace, and create new namespaces of the given kinds that belong
    to it."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER | kinds):
        code = ctypes.get_errno()
        raise OSError(code, f"unshare: {os.strerror(code)}")


class Here(netns.Netns):
    """The network namespace of the calling process."""

    def __init__(self):
        self.fd = os.open(netns.SELF, os.O_RDONLY | os.O_CLOEXEC)

    def inside(self):
        return contextlib.nullcontext()


class Beside:
    """A process that calls `function` repeatedly while a block runs. After the block, `done` is the
    sum of the results. The function must sleep, because simulated time stands still while a process
    computes."""

    def __init__(self, function):
        self.function = function

    def __enter__(self):
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(self.reader)
            os._exit(self._loop(writer))
        os.close(writer)
        os.read(self.reader, 1)
        return self

    def _loop(self, writer):
        stop = []
        signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
        os.write(writer, b" ")
        done = 0
        try:
            while not stop:
                done += self.function()
        except BaseException as error:
            os.write(writer, repr(error).encode())
            return 1
        os.write(writer, str(done).encode())
        return 0

    def __exit__(self, kind, *_):
        os.kill(self.pid, signal.SIGTERM)
        with os.fdopen(self.reader) as pipe:
            text = pipe.read()
        os.waitpid(self.pid, 0)
        if kind is None:
            tap.true(f"the parallel process returned a number, not {text}", text.isdigit())
            self.done = int(text)
