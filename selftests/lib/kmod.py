# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel modules. Our own come from $FL_MODULES, or else from where they are installed. modprobe
loads the kernel's modules."""
import contextlib
import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile

from . import tap

# Numbers of system calls on x86-64. A test that loads a module a thousand times must not start a
# program each time, because each start takes most of a second on an emulated machine.
_FINIT_MODULE, _DELETE_MODULE = 313, 176
_libc = ctypes.CDLL(None, use_errno=True)

OURS = ["xlo", "xlo_rto", "sch_lpd", "cellink", "tcp_iftpv"]
# the kernel's version, such as (6, 12)
RELEASE = tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])


def _syscall(number, *arguments):
    """Make a system call. Returns 0, or the error's number."""
    return ctypes.get_errno() if _libc.syscall(number, *arguments) else 0


def loaded(name):
    """Whether the module is loaded. A built-in module does not count."""
    return os.path.isdir(f"/sys/module/{name}/holders") and \
        os.path.exists(f"/sys/module/{name}/refcnt")


def insmod(name, **parameters):
    """Load one of our modules, after those of ours that it uses, unless it is loaded already."""
    if loaded(name):
        return
    folder = os.environ.get("FL_MODULES")
    words = [f"{key}={value}" for key, value in parameters.items()]
    if folder:
        path = _built(folder, name)
        for used in _uses(path):
            if os.path.exists(os.path.join(folder, f"{used}.ko")):
                insmod(used)
        insmod_file(path, *words)
    else:
        _insmod_installed(name, words)


def _built(folder, name):
    """The file of a module. Skips the test if there is none."""
    path = os.path.join(folder, f"{name}.ko")
    if not os.path.exists(path):
        tap.skip(f"{name}.ko is not built for this kernel")
    return path


def _uses(path):
    """The modules that a module's file depends on (modinfo's depends)."""
    with open(path, "rb") as file:
        found = re.search(rb"\0depends=([^\0]*)\0", file.read())
    return found[1].decode().split(",") if found and found[1] else []


def insmod_file(path, *words):
    """Load a module from a file, with parameters."""
    with open(path, "rb") as file:
        error = _syscall(_FINIT_MODULE, file.fileno(), " ".join(words).encode(), 0)
    if error:
        raise OSError(error, f"{path}: {os.strerror(error)}")


@functools.cache
def _installed(name):
    return not subprocess.run(["modprobe", "-q", "-n", name]).returncode


def _insmod_installed(name, words):
    if not _installed(name):
        tap.skip(f"{name} is not installed, and FL_MODULES does not say where it is")
    subprocess.run(["modprobe", name, *words], check=True)


def _users(name):
    """The modules that use a loaded one."""
    return os.listdir(f"/sys/module/{name}/holders") if loaded(name) else []


def rmmod(name):
    """Unload a module after those that use it. Returns the error's number if it stays, 0
    otherwise."""
    modprobe.cache_clear()
    for user in _users(name):
        rmmod(user)
    return _syscall(_DELETE_MODULE, name.encode(), os.O_NONBLOCK)


MODPROBE = "/proc/sys/kernel/modprobe"


def _set_modprobe(path):
    with open(MODPROBE, "w") as file:
        file.write(path)


@contextlib.contextmanager
def found_by_modprobe():
    """Within the block, modprobe finds our modules if the kernel calls it."""
    folder = os.environ.get("FL_MODULES")
    if not folder:
        yield
        return
    with tempfile.TemporaryDirectory() as root:
        release = os.uname().release
        place = os.path.join(root, "lib", "modules", release)
        os.makedirs(place)
        for name in OURS:
            shutil.copy(os.path.join(folder, f"{name}.ko"), place)
        subprocess.run(["depmod", "-b", root, release], check=True, capture_output=True)
        script = os.path.join(root, "modprobe")
        with open(script, "w") as file:
            file.write(f'#!/bin/sh\nexec modprobe -d {root} "$@"\n')
        os.chmod(script, 0o755)
        with open(MODPROBE) as file:
            before = file.read().strip()
        try:
            _set_modprobe(script)
            yield
        finally:
            _set_modprobe(before)


@functools.cache
def modprobe(name):
    """Load a module of the kernel itself. Skips the test if there is none."""
    done = subprocess.run(["modprobe", "-q", name], capture_output=True, text=True)
    if done.returncode:
        tap.skip(f"the kernel has no module {name}")
