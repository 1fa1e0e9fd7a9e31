# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel modules: ours from $FL_MODULES or else as installed, the kernel's own by modprobe."""
import functools
import os
import subprocess

from . import tap

# of the kernel: (6, 12)
RELEASE = tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])


def loaded(name):
    """Is the module there (built in ones are not listed)?"""
    return os.path.isdir(f"/sys/module/{name}/holders") and \
        os.path.exists(f"/sys/module/{name}/refcnt")


def insmod(name, **parameters):
    """Load one of our modules unless it is loaded."""
    if loaded(name):
        return
    folder = os.environ.get("FL_MODULES")
    words = [f"{key}={value}" for key, value in parameters.items()]
    if folder:
        _insmod_file(os.path.join(folder, f"{name}.ko"), words)
    else:
        _insmod_installed(name, words)


def _insmod_file(path, words):
    if not os.path.exists(path):
        tap.skip(f"{os.path.basename(path)} is not built for this kernel")
    subprocess.run(["insmod", path, *words], check=True)


@functools.cache
def _installed(name):
    return not subprocess.run(["modprobe", "-q", "-n", name]).returncode


def _insmod_installed(name, words):
    if not _installed(name):
        tap.skip(f"{name} is not installed, and FL_MODULES does not say where it is")
    subprocess.run(["modprobe", name, *words], check=True)


def rmmod(name):
    """Unload a module; its exit status and message come back."""
    modprobe.cache_clear()
    return subprocess.run(["rmmod", name], capture_output=True, text=True)


@functools.cache
def modprobe(name):
    """Load a module of the kernel itself; skip the test where there is none."""
    done = subprocess.run(["modprobe", "-q", name], capture_output=True, text=True)
    if done.returncode:
        tap.skip(f"the kernel has no module {name}")
