# SPDX-License-Identifier: GPL-2.0-or-later
"""Control groups, version 2."""
import contextlib
import os
import subprocess

from . import tap, wait

CGROUPS = "/sys/fs/cgroup"


def mount():
    """Mount the cgroups where systemd would."""
    if not os.path.exists(f"{CGROUPS}/cgroup.procs"):
        os.makedirs(CGROUPS, exist_ok=True)
        subprocess.run(["mount", "-t", "cgroup2", "none", CGROUPS], check=True)


def _join(path):
    with open(f"{path}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))


class Cgroup:
    """A cgroup of version 2. The method run() starts a program in the cgroup."""

    def __init__(self, name):
        mount()
        self.path = f"{CGROUPS}/{name}"
        os.makedirs(self.path, exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        wait.until("the cgroup is empty", lambda: not open(f"{self.path}/cgroup.procs").read())
        os.rmdir(self.path)

    def run(self, ns, command):
        with ns.inside():
            join = f"echo $$ > {self.path}/cgroup.procs"
            return subprocess.run(["sh", "-c", f"{join}; exec {command}"],
                                  capture_output=True, text=True, check=False)

    @contextlib.contextmanager
    def inside(self):
        """Within the block, the calling process is in the cgroup."""
        _join(self.path)
        try:
            yield
        finally:
            _join(CGROUPS)


class Memory(Cgroup):
    """A cgroup that accounts for memory. If the kernel has no memory cgroups, the test is
    skipped."""

    def __init__(self, name):
        super().__init__(name)
        with open(f"{CGROUPS}/cgroup.controllers") as file:
            if "memory" not in file.read().split():
                tap.skip("this kernel has no memory cgroups")
        with open(f"{CGROUPS}/cgroup.subtree_control", "w") as file:
            file.write("+memory")

    def _values(self, name):
        with open(f"{self.path}/memory.{name}") as file:
            return {key: int(value) for key, value in map(str.split, file)}

    def kernel(self, part="kernel"):
        """The number of bytes of kernel memory, or of one kind of kernel memory. The kernel updates
        the number with a delay."""
        return self._values("stat")[part]

    def used(self):
        """The number of bytes that are charged to the cgroup. The number includes pages that a CPU
        has reserved in advance."""
        with open(f"{self.path}/memory.current") as file:
            return int(file.read())

    def limit(self, size):
        """Limit the memory that may be charged to the cgroup, in bytes."""
        with open(f"{self.path}/memory.max", "w") as file:
            file.write(str(size))

    def killed(self):
        """The number of processes that were killed for lack of memory."""
        return self._values("events")["oom_kill"]
