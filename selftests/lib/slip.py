# SPDX-License-Identifier: GPL-2.0-or-later
"""A network device that sends its frames to a file descriptor of the test.

The device is a SLIP interface (RFC 1055) on a pseudo terminal. The driver stops the device's queue
with every frame that it sends to the terminal. When the test has read the frame, the driver starts
the queue again. With this driver, packets wait in the qdiscs until the test reads them one by one.
To the kernel, this driver is an ordinary driver with flow control. The driver's watchdog releases a
frame after 20 s, so a test must read each frame earlier."""
import contextlib
import fcntl
import os
import select
import struct
import time

from . import kmod, netlink, netns, tap, tree, wait

INDEX = 100             # ifindex of the device in the test's namespace
N_SLIP, TIOCSETD, SIOCGIFNAME, SIOCSIFENCAP = 1, 0x5423, 0x8910, 0x8926
END, ESC, ESC_END, ESC_ESC = 0xc0, 0xdb, 0xdc, 0xdd


class Slip:
    """A SLIP interface in a namespace. The interface is up. The method read() reads frames from its
    wire. A namespace may have one such device at a time, whose index is always the same."""

    def __init__(self, ns, name="slip0", mtu=1500):
        kmod.modprobe("slip")
        self.ns, self.name = ns, name
        self.wire, self.line = os.openpty()
        os.set_blocking(self.wire, False)
        self._attach()
        ns.link(name, True, mtu)
        self.buffer, self.bytes_read = b"", 0

    def _attach(self):
        """Set the line discipline to plain SLIP. The kernel always creates the device in the
        system's first namespace, so move the device into the test's namespace."""
        fcntl.ioctl(self.line, TIOCSETD, struct.pack("i", N_SLIP))
        fcntl.ioctl(self.line, SIOCSIFENCAP, struct.pack("i", 0))
        born = fcntl.ioctl(self.line, SIOCGIFNAME, bytes(32)).split(b"\0")[0].decode()
        netlink.Netlink(netns.First()).move(born, self.ns, self.name, INDEX)

    def close(self):
        os.close(self.line)
        os.close(self.wire)

    def _more(self, seconds):
        if not select.select([self.wire], [], [], seconds)[0]:
            return False
        # While the kernel fills the terminal, select() may return a little too early.
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
        """Read the next frame from the wire, which releases the next packet from the queue."""
        until = time.monotonic() + seconds
        while (frame := self._frame()) is None:
            if not self._more(max(0, until - time.monotonic())):
                return None
        self.bytes_read += len(frame)
        return frame

    def next_is_there(self, seconds):
        """Wait for the frame that follows the last read frame. A kernel thread of the driver must
        first dequeue the packet. Returns whether the frame has arrived."""
        return bool(self.buffer.strip(bytes([END]))) or \
            bool(select.select([self.wire], [], [], seconds)[0])

    def drain_now(self):
        """Read the frames that are on the wire, and the frames that follow immediately."""
        frames = []
        while (frame := self.read(0.01)) is not None:
            frames.append(frame)
        return frames

    def idle(self, socket):
        """Whether the queue is empty and the test has read all sent bytes."""
        return tree.Tree(socket, self.name).root.qlen == 0 and \
            socket.sent_bytes(self.name) == self.bytes_read

    def drain(self, socket, seconds=10):
        """Read frames until the queue and the wire are empty. Returns the frames in order."""
        frames, quiet, until = [], 0, time.monotonic() + wait.patient(seconds)
        # The loop checks twice, because a packet on its way from the queue to the driver is neither
        # in the queue nor in the driver.
        while quiet < 2:
            # The wait is short, because packets may expire if the queue drains slowly.
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
