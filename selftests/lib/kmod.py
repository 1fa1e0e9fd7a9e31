# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads and unloads kernel modules. The project's modules come from the folder $FL_MODULES if the
variable is set, otherwise from the installed modules. The kernel's own modules are loaded with
modprobe."""
import contextlib
import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile

from . import tap

# Numbers of system calls, finit_module and delete_module, which libc does not export. A test that
# loads a module a thousand times must not start a program each time. On an emulated VM each start
# takes almost a second.
_FINIT_MODULE, _DELETE_MODULE = {"x86_64": (313, 176), "aarch64": (273, 106), "s390x": (344, 129)}[
    os.uname().machine]
_libc = ctypes.CDLL(None, use_errno=True)

OURS = ["xlo", "xlo_rto", "sch_lpd", "cellink", "arqlink", "tcp_iftpv"]
# the kernel's version, such as (6, 12)
RELEASE = tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])


def _syscall(number, *arguments):
    """Make a system call. Returns 0 or the error number."""
    return ctypes.get_errno() if _libc.syscall(number, *arguments) else 0


def loaded(name):
    """Whether the module is loaded. For a built-in module, the result is False."""
    return os.path.isdir(f"/sys/module/{name}/holders") and \
        os.path.exists(f"/sys/module/{name}/refcnt")


def absence(name):
    """What the commands say if a module of the project is not loaded."""
    if _installed(name):
        return f"the kernel module {name} is not loaded: modprobe {name}"
    return f"Linux {os.uname().release} has no kernel module {name}: make modules tools " \
        "MACHINE=host && make install, in Freshlink's source"


def insmod(name, **parameters):
    """Load a module of the project if it is not yet loaded. Other modules of the project that the
    module uses are loaded first."""
    if loaded(name):
        return
    folder = os.environ.get("FL_MODULES")
    words = [f"{key}={value}" for key, value in parameters.items()]
    if folder:
        path = _built(folder, name)
        for used in _uses(path):
            if os.path.exists(os.path.join(folder, f"{used}.ko")):
                insmod(used)
            else:
                modprobe(used)
        insmod_file(path, *words)
    else:
        _insmod_installed(name, words)


def _built(folder, name):
    """The file of a module. If the file does not exist, the test is skipped."""
    path = os.path.join(folder, f"{name}.ko")
    if not os.path.exists(path):
        tap.skip(f"{name}.ko is not built for this kernel")
    return path


def _uses(path):
    """The modules that a module depends on ("depends" in modinfo), read from its file."""
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
    """The modules that use a loaded module."""
    return os.listdir(f"/sys/module/{name}/holders") if loaded(name) else []


def rmmod(name):
    """Unload a module. Other modules that use the module are unloaded first. Returns 0 or the error
    number."""
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
    """Within the block, modprobe finds the project's modules when the kernel calls modprobe."""
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
    """Load one of the kernel's own modules. If the module does not exist, the test is skipped."""
    done = subprocess.run(["modprobe", "-q", name], capture_output=True, text=True)
    if done.returncode:
        tap.skip(f"the kernel has no module {name}")
