#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink send takes no processor time while it waits for the receiver's answer, whatever its
input does meanwhile. freshlink recv waits for the program that reads its output."""
# run.sh: once: how a command waits does not depend on the kernel
import array
import contextlib
import fcntl
import os
import socket
import subprocess
import tempfile
import termios

from cli import tools
from lib import netns, tap, wait

TICK = 1 / os.sysconf("SC_CLK_TCK")
SIZE = 100


@contextlib.contextmanager
def loopback():
    """Be in a namespace with the loopback device alone."""
    with netns.Netns() as ns:
        ns.link("lo", True)
        with ns.inside():
            yield


def cpu(process):
    """The processor time that a process has taken so far, in seconds."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def cpu_between_requests(data, close):
    """The processor time from the first Request to the second, 1 s later, of a sender whose input
    is a pipe with `data`, and whose receiver does not answer."""
    with loopback(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        silent.settimeout(30)
        with subprocess.Popen([tools.FRESHLINK, "send", "127.0.0.1", "--udp-port",
                               str(silent.getsockname()[1]), "--input", "-", "--size", str(SIZE)],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            process.stdin.write(data)
            process.stdin.flush()
            if close:
                process.stdin.close()
            silent.recv(65536)
            begin = cpu(process)
            silent.recv(65536)
            end = cpu(process)
            process.kill()
    return end - begin


def waiting_bytes(pipe):
    """The bytes in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_input_before_the_connection():
    """Input that cannot be sent yet."""
    tap.within("processor time", cpu_between_requests(bytes(3 * SIZE), False), 0, 0.05)


def test_end_of_input_before_the_connection():
    """A pipe that nobody writes any more, with input that cannot be sent yet."""
    tap.within("processor time", cpu_between_requests(bytes(3 * SIZE), True), 0, 0.05)


def test_output_that_does_not_block():
    """A pipe that does not block, and that has no room for all messages, gets them all."""
    count, size = 5, 60000
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    with loopback(), tempfile.TemporaryFile("w+") as log, open(ours, "rb") as output:
        with subprocess.Popen([tools.FRESHLINK, "recv", "--udp-port", "6519", "--output", "-",
                               "--streams", "1", "--duration", "20s"],
                              stdout=theirs, stderr=log) as receiver:
            os.close(theirs)
            wait.until("recv listens", lambda: os.fstat(log.fileno()).st_size > 0)
            with subprocess.Popen([tools.FRESHLINK, "send", "127.0.0.1", "--udp-port", "6519",
                                   "--control", "reliable", "--interval", "1ms", "--size",
                                   str(size), "--count", str(count)],
                                  stdout=subprocess.DEVNULL) as sender:
                wait.until("the pipe is full", lambda: waiting_bytes(ours) > size)
                got = len(output.read())
                tap.equal("status of send", sender.wait(), 0)
            tap.equal("status of recv", receiver.wait(), 0)
    tap.equal("bytes", got, count * size)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
