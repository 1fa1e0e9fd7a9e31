# SPDX-License-Identifier: GPL-2.0-or-later
"""For the benches that run on the host: another network namespace with a path to it. Both
namespaces belong to a user namespace of their own."""
import os
import subprocess
import sys

from lib import wait

HERE, HOST = "192.0.2.1", "192.0.2.2"


def enter():
    """Run the program again, in namespaces of its own, if it is not there yet."""
    if "FL_BENCH_INSIDE" in os.environ:
        return
    os.environ["FL_BENCH_INSIDE"] = "1"
    sys.stdout.flush()
    os.execvp("unshare", ["unshare", "-Urn", sys.executable, *sys.argv])


def netns_of(process):
    return os.readlink(f"/proc/{process}/ns/net")


class Peer:
    """The other namespace. HOST is its address. In a with statement."""

    def __enter__(self):
        self.keeper = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        self.at = ["nsenter", "-t", str(self.keeper.pid), "-n"]
        wait.until("it has left this namespace",
                   lambda: netns_of(self.keeper.pid) != netns_of("self"))
        for command in ("ip link set lo up",
                        f"ip link add out type veth peer name in netns {self.keeper.pid}",
                        f"ip addr add {HERE}/24 dev out", "ip link set out up"):
            subprocess.run(command.split(), check=True)
        for command in ("ip link set lo up", f"ip addr add {HOST}/24 dev in", "ip link set in up"):
            subprocess.run(self.at + command.split(), check=True)
        return self

    def __exit__(self, *_):
        self.keeper.kill()
        self.keeper.wait()
