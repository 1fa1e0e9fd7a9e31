# SPDX-License-Identifier: GPL-2.0-or-later
"""A network device whose wire is a file descriptor of the test.

A SLIP interface (RFC 1055) on a pseudo terminal stops its queue with every frame that it hands to
the line. It starts the queue again when the other side has read that frame. So any qdisc on it, as
root or below, holds its packets until the test reads them one at a time. The device is an exact
gate and an exact sniffer. For the kernel it is an ordinary driver with flow control. Its watchdog
releases a frame after 20 s, so a test must not hold a frame for so long."""
import contextlib
import fcntl
import os
import select
import struct
import time

from . import kmod, netlink, netns, tap, tree, wait

N_SLIP, TIOCSETD, SIOCGIFNAME, SIOCSIFENCAP = 1, 0x5423, 0x8910, 0x8926
END, ESC, ESC_END, ESC_ESC = 0xc0, 0xdb, 0xdc, 0xdd


class Slip:
    """A SLIP interface `name` in a namespace, which is up. `read` takes frames off its wire."""

    def __init__(self, ns, name="slip0", mtu=1500):
        kmod.modprobe("slip")
        self.ns, self.name = ns, name
        self.wire, self.line = os.openpty()
        os.set_blocking(self.wire, False)
        self._attach()
        ns.link(name, True, mtu)
        self.buffer, self.bytes_read = b"", 0

    def _attach(self):
        """Set the line discipline to plain SLIP, and move the device, which the kernel always
        creates in the system's first namespace."""
        fcntl.ioctl(self.line, TIOCSETD, struct.pack("i", N_SLIP))
        fcntl.ioctl(self.line, SIOCSIFENCAP, struct.pack("i", 0))
        born = fcntl.ioctl(self.line, SIOCGIFNAME, bytes(32)).split(b"\0")[0].decode()
        netlink.Netlink(netns.First()).move(born, self.ns, self.name)

    def close(self):
        os.close(self.line)
        os.close(self.wire)

    def _more(self, seconds):
        if not select.select([self.wire], [], [], seconds)[0]:
            return False
        # select() may return a little before a terminal that is being filled has data
        with contextlib.suppress(BlockingIOError):
            self.buffer += os.read(self.wire, 65536)
        return True

    def _frame(self):
        while END in self.buffer:
            raw, _, self.buffer = self.buffer.partition(bytes([END]))
            if raw:
                return _unescape(raw)
        return None

    def read(self, seconds=5):
        """Take the next frame off the wire, which releases the one behind it."""
        until = time.monotonic() + seconds
        while (frame := self._frame()) is None:
            if not self._more(max(0, until - time.monotonic())):
                return None
        self.bytes_read += len(frame)
        return frame

    def next_is_there(self, seconds):
        """Wait for the frame behind the one just read. The driver must take it from the queue
        first, in a kernel thread. Returns whether the frame is there."""
        return bool(self.buffer.strip(bytes([END]))) or \
            bool(select.select([self.wire], [], [], seconds)[0])

    def drain_now(self):
        """Read the frames that are on the wire and those that follow at once."""
        frames = []
        while (frame := self.read(0.01)) is not None:
            frames.append(frame)
        return frames

    def idle(self, socket):
        """Whether nothing is queued and all sent bytes have been read."""
        return tree.Tree(socket, self.name).root.qlen == 0 and \
            self.ns.interface(self.name)["tx_bytes"] == self.bytes_read

    def drain(self, socket, seconds=10):
        """Read until nothing is queued and nothing is on the wire. Returns the frames in order."""
        frames, quiet, until = [], 0, time.monotonic() + wait.patient(seconds)
        # Checked twice, because a packet on its way from the queue to the driver is in neither.
        while quiet < 2:
            # The wait is short, because packets may expire while the queue drains slowly.
            if (frame := self.read(0.002)) is not None:
                frames.append(frame)
                quiet = 0
            elif self.idle(socket):
                quiet += 1
            elif time.monotonic() > until:
                raise tap.Failed(f"{self.name} has not drained in time")
        return frames


def _unescape(raw):
    return raw.replace(bytes([ESC, ESC_END]), bytes([END])) \
              .replace(bytes([ESC, ESC_ESC]), bytes([ESC]))
