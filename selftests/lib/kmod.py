# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel modules: ours from $FL_MODULES, the kernel's own by modprobe."""
import functools
import os
import subprocess

from . import tap


def loaded(name):
    """Is the module there (built in ones are not listed)?"""
    return os.path.isdir(f"/sys/module/{name}/holders") and \
        os.path.exists(f"/sys/module/{name}/refcnt")


def path(name):
    """Where the .ko of one of our modules is."""
    folder = os.environ.get("FL_MODULES")
    if not folder:
        tap.skip("FL_MODULES is not set: no modules for this kernel")
    return os.path.join(folder, f"{name}.ko")


def insmod(name):
    """Load one of our modules unless it is loaded."""
    if not loaded(name):
        if not os.path.exists(path(name)):
            tap.skip(f"{name}.ko is not built for this kernel")
        subprocess.run(["insmod", path(name)], check=True)


def rmmod(name):
    """Unload a module; its exit status and message come back."""
    return subprocess.run(["rmmod", name], capture_output=True, text=True)


@functools.cache
def modprobe(name):
    """Load a module of the kernel itself; skip the test where there is none."""
    done = subprocess.run(["modprobe", "-q", name], capture_output=True, text=True)
    if done.returncode:
        tap.skip(f"the kernel has no module {name}")
