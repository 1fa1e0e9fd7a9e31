#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The module tcp_iftpv loads if its parameters are in range and the name iftpv is free. The module
cannot be unloaded while a connection uses it."""
# run.sh: all on vm-6.12: everything
# run.sh: smoke: loaded_* in_use_*
# run.sh: soak on lab-debug, 3600 s: load_and_unload_*
import contextlib
import errno
import os
import socket
import subprocess
import tempfile

from lib import child, kmod, netns, soak, tap, wait

MODULE, NAME = "tcp_iftpv", "iftpv"
DEFAULT = "/proc/sys/net/ipv4/tcp_congestion_control"
PARAMETERS = f"/sys/module/{MODULE}/parameters"
# default, smallest and largest value, unit
RANGES = {"beta": (3, 1, 1000, "packets"), "base_window": (10_000, 100, 3_600_000, "ms"),
          "ease": (80, 50, 100, "percent"), "scale": (100, 100, 1000, "percent"),
          "loss_tolerance": (0, 0, 127, "(a sum of parts)")}
ROUNDS, FLOWS, BYTES = soak.amount(3, 200), 50, 20_000


def unload():
    """Unload the module. A closed socket still uses the module until the kernel frees the
    socket."""
    wait.until(f"{MODULE} unloads", lambda: kmod.rmmod(MODULE) in (0, errno.ENOENT), step=0.02)


@contextlib.contextmanager
def kernel_log():
    """Yield a function that returns the kernel's messages since the beginning of the block."""
    with open("/dev/kmsg", "rb", buffering=0) as log:
        os.set_blocking(log.fileno(), False)
        os.lseek(log.fileno(), 0, os.SEEK_END)

        def lines():
            found = []
            with contextlib.suppress(BlockingIOError):
                while True:
                    found.append(os.read(log.fileno(), 8192).decode().split(";", 1)[1].strip())
            return found
        yield lines


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def _read(path):
    with open(path) as file:
        return file.read().strip()


def algorithm(sock):
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()


def use(sock):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, NAME.encode())


def test_loaded_by_name():
    """If a namespace sets iftpv as its default, the kernel loads the module, and new connections
    use iftpv."""
    unload()
    with kmod.found_by_modprobe(), netns.Netns() as ns, ns.inside():
        before = _read(DEFAULT)
        _write(DEFAULT, NAME)
        tap.true("the module is loaded", kmod.loaded(MODULE))
        tap.equal("default", _read(DEFAULT), NAME)
        with socket.socket() as sock:
            tap.equal("algorithm of a connection", algorithm(sock), NAME)
        tap.equal("error of rmmod", kmod.rmmod(MODULE), errno.EWOULDBLOCK)
        _write(DEFAULT, before)
    unload()


def test_in_use_it_stays():
    """The module cannot be unloaded while a socket uses it."""
    kmod.insmod(MODULE)
    with socket.socket() as sock:
        use(sock)
        tap.equal("error of rmmod", kmod.rmmod(MODULE), errno.EWOULDBLOCK)
        tap.equal("algorithm of the socket", algorithm(sock), NAME)
    unload()


def test_everybody_may_use_it():
    """An unprivileged user may select iftpv for a connection if the module is loaded."""
    kmod.insmod(MODULE)

    def unprivileged():
        child.become_nobody()
        with socket.socket() as sock:
            use(sock)
            return algorithm(sock)
    tap.equal("algorithm of user nobody's socket", child.answer(unprivileged), NAME)
    unload()


def test_ranges():
    """The module accepts the smallest and the largest value of each parameter. The module does not
    load if a value is out of range, and the kernel log shows the expected range."""
    for name, (default, least, greatest, unit) in RANGES.items():
        unload()
        kmod.insmod(MODULE)
        tap.equal(f"default of {name}", _read(f"{PARAMETERS}/{name}"), str(default))
        for value in (least, greatest):
            unload()
            kmod.insmod(MODULE, **{name: value})
            tap.equal(name, _read(f"{PARAMETERS}/{name}"), str(value))
        unload()
        for value in (least - 1, greatest + 1, -1, 2**32 + least, "many", ""):
            refused(name, value, f"expected {least} to {greatest} {unit}")


def refused(name, value, expected):
    with kernel_log() as lines:
        tap.equal(f"{name}={value}: loading fails", load_error(**{name: value}), True)
        said = f"{MODULE}: {name}={value}: {expected}"
        tap.true(f"the kernel says {said!r}", said in lines())
    tap.true(f"the module is not loaded with {name}={value}", not kmod.loaded(MODULE))


def load_error(**parameters):
    """Return whether the module refuses to load with these parameters."""
    try:
        kmod.insmod(MODULE, **parameters)
    except OSError as error:
        return error.errno in (errno.EINVAL, errno.ERANGE)
    except subprocess.CalledProcessError:
        return True
    return False


def test_veno_growth():
    """The parameter veno_growth is off by default and can be switched on."""
    for given, shown in (({}, "N"), ({"veno_growth": 1}, "Y"), ({"veno_growth": "N"}, "N")):
        unload()
        kmod.insmod(MODULE, **given)
        tap.equal("veno_growth", _read(f"{PARAMETERS}/veno_growth"), shown)
    unload()
    tap.equal("veno_growth=maybe: loading fails", load_error(veno_growth="maybe"), True)


def test_name_is_taken():
    """If another module has registered the name iftpv, tcp_iftpv does not load. The other module
    keeps working."""
    folder = os.environ.get("FL_MODULES")
    if not folder:
        tap.skip("FL_MODULES does not say where the module's file is")
    unload()
    with open(os.path.join(folder, f"{MODULE}.ko"), "rb") as file:
        code = file.read()
    other = "tcp_iftpw"
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, f"{other}.ko")
        with open(path, "wb") as file:
            file.write(code.replace(MODULE.encode() + b"\0", other.encode() + b"\0"))
        kmod.insmod_file(path)
    try:
        tap.true("the other module is loaded", kmod.loaded(other))
        with kernel_log() as lines:
            try:
                kmod.insmod(MODULE)
                tap.true("loading fails", False)
            except OSError as error:
                tap.equal("error", error.errno, errno.EBUSY)
            tap.true("the kernel says why", any(f"{NAME} already registered" in line
                                                for line in lines()))
        tap.true("the module is not loaded", not kmod.loaded(MODULE))
        with socket.socket() as sock:
            use(sock)
            tap.equal("error of rmmod for the other module", kmod.rmmod(other), errno.EWOULDBLOCK)
    finally:
        wait.until("the other module unloads", lambda: not kmod.rmmod(other), step=0.02)


def flow(listener):
    """Open a connection that uses iftpv. Returns both of its sockets."""
    sock = socket.socket()
    use(sock)
    sock.connect(listener.getsockname())
    return sock, listener.accept()[0]


def test_load_and_unload_in_a_loop():
    """The module is loaded and unloaded repeatedly, and flows use it while it is loaded. Half of
    the flows are closed while data is in flight."""
    for _ in range(ROUNDS):
        kmod.insmod(MODULE)
        with netns.Netns() as ns, ns.inside():
            ns.link("lo", True)
            with socket.create_server(("127.0.0.1", 0), backlog=FLOWS) as listener:
                flows = [flow(listener) for _ in range(FLOWS)]
                for number, (there, here) in enumerate(flows):
                    there.sendall(bytes(BYTES))
                    if number % 2:
                        tap.equal("bytes", len(here.recv(BYTES, socket.MSG_WAITALL)), BYTES)
                tap.equal("error of rmmod", kmod.rmmod(MODULE), errno.EWOULDBLOCK)
                for ends in flows:
                    for sock in ends:
                        sock.close()
        unload()
        tap.true("the module is unloaded", not kmod.loaded(MODULE))


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
