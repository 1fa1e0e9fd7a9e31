# SPDX-License-Identifier: GPL-2.0-or-later
"""Creates network namespaces without a name. The kernel removes the namespaces when the test ends,
even if the test crashes."""
import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import subprocess

from . import netlink, setup, tap, wait

CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFMTU, IFF_UP = 0x8913, 0x8914, 0x8922, 1
SELF = "/proc/thread-self/ns/net"

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def setns(fd, kind=CLONE_NEWNET):
    """Move the calling thread into the namespace of the file descriptor `fd`. By default the
    namespace is a network namespace."""
    _check(_libc.setns(fd, kind), "setns")


def unshare():
    """Move the calling thread into a new network namespace."""
    _check(_libc.unshare(CLONE_NEWNET), "unshare")


@contextlib.contextmanager
def _back_home():
    home = os.open(SELF, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield
    finally:
        setns(home)
        os.close(home)


class Netns:
    """A network namespace. The block of `with ns.inside():` runs in the namespace, and so do the
    processes that the block starts."""

    def __init__(self):
        with _back_home():
            unshare()
            self.fd = os.open(SELF, os.O_RDONLY)
        self.path = f"/proc/{os.getpid()}/fd/{self.fd}"
        # Tests would count router solicitations and multicast reports as traffic.
        self.sysctl("net.ipv6.conf.default.disable_ipv6", 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.fd)

    @contextlib.contextmanager
    def inside(self):
        with _back_home():
            setns(self.fd)
            yield

    def run(self, command, check=True, stdin=None):
        """Run a command, which is a line or a list of arguments. If the command fails and `check`
        is true, the test fails."""
        words = command.split() if isinstance(command, str) else command
        with self.inside():
            done = subprocess.run(words, capture_output=True, text=True, input=stdin)
        if check and done.returncode:
            raise tap.Failed(f"{' '.join(words)}: exit {done.returncode}: {done.stderr.strip()}")
        return done

    def ip(self, *lines):
        """Run `ip LINE` for each line, all in one process."""
        self.run("ip -batch -", stdin="\n".join(lines))

    def socket(self, *arguments):
        with self.inside():
            return socket.socket(*arguments)

    def link(self, name, up, mtu=None):
        """Set a device up or down, and set its MTU."""
        with self.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            if mtu:
                fcntl.ioctl(sock, SIOCSIFMTU, struct.pack("16sI12x", name.encode(), mtu))
            flags = fcntl.ioctl(sock, SIOCGIFFLAGS, struct.pack("16s16x", name.encode()))
            old = struct.unpack_from("16xH", flags)[0] & ~IFF_UP
            fcntl.ioctl(sock, SIOCSIFFLAGS,
                        struct.pack("16sH14x", name.encode(), old | IFF_UP * up))

    def sysctl(self, name, value):
        """Set a sysctl. If the sysctl does not exist (a kernel without IPv6 has no net.ipv6), do
        nothing."""
        with self.inside(), contextlib.suppress(FileNotFoundError):
            with open("/proc/sys/" + name.replace(".", "/"), "w") as file:
                file.write(str(value))

    def interface(self, name):
        """The packets, bytes and drops that a device has received and sent."""
        with self.inside(), open("/proc/thread-self/net/dev") as file:
            for line in file:
                head, _, tail = line.partition(":")
                if head.strip() == name:
                    n = [int(word) for word in tail.split()]
                    return {"rx_packets": n[1], "rx_bytes": n[0], "rx_dropped": n[3],
                            "tx_packets": n[9], "tx_bytes": n[8], "tx_dropped": n[11]}
        raise tap.Failed(f"no device {name}")


class First(Netns):
    """The system's first namespace."""

    def __init__(self):
        self.fd = os.open("/proc/1/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def veth(left, left_name, right, right_name, mtu=None, queues=None):
    """Create a veth pair between two namespaces, with known MAC addresses, and by default with one
    transmit queue each. Both devices are ready for packets."""
    route = netlink.Netlink(left)
    setup.add_veth(route, (left_name, "02:00:00:00:00:01"), (right_name, "02:00:00:00:00:02"),
                   right, mtu, queues)
    left.link(left_name, True)
    right.link(right_name, True)
    # The end of the pair that was set up last is ready. The kernel notices the link of the other
    # end later, and loses packets that are sent before that time.
    wait.until(f"{left_name} carries", lambda: route.operstate(left_name) == netlink.IF_OPER_UP)
