# SPDX-License-Identifier: GPL-2.0-or-later
"""Control groups, of version 2."""
import os
import subprocess

from . import wait

CGROUPS = "/sys/fs/cgroup"


class Cgroup:
    """A cgroup of version 2; run() puts a program into it."""

    def __init__(self, name):
        if not os.path.exists(f"{CGROUPS}/cgroup.procs"):
            os.makedirs(CGROUPS, exist_ok=True)
            subprocess.run(["mount", "-t", "cgroup2", "none", CGROUPS], check=True)
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
