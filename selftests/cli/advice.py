#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a module is not loaded, freshlink and the plugins say what to type on this system. The test
produces each cause: it shows the commands other folders of modules and packages."""
# run.sh: once: what a command prints does not depend on the kernel
import contextlib
import itertools
import json
import os
import tempfile

from cli import tools
from cli.namespace import command_of
from lib import kmod, netns, tap, wait

RELEASE = os.uname().release
VERSION = tools.version()
MODULES, PACKAGES, SETTINGS = "/lib/modules", "/usr/share/doc", "/sys/module/module/parameters"
SIGNED = f"{SETTINGS}/sig_enforce"
KERNEL = f"{MODULES}/{RELEASE}"
LISTED = {f"{KERNEL}/modules.dep": "updates/freshlink/{0}.ko:\n"}
EMPTY = {f"{KERNEL}/modules.dep": "kernel/net/tls/tls.ko:\n"}
FRESHLINK, DKMS = {f"{PACKAGES}/freshlink/copyright": ""}, \
    {f"{PACKAGES}/freshlink-dkms/copyright": ""}
HEADERS = {f"{KERNEL}/build/Makefile": ""}
NOT_LOADED = "the kernel module {0} is not loaded"
NONE = f"Linux {RELEASE} has no kernel module {{0}}"

# what the system has, and what a command says about a module {0}
CAUSES = [
    (LISTED, f"{NOT_LOADED}: modprobe {{0}}"),
    (LISTED | {SIGNED: "N\n"}, f"{NOT_LOADED}: modprobe {{0}}"),
    (LISTED | {SIGNED: "Y\n"}, f"{NOT_LOADED}, and this kernel loads only signed modules: "
     "modprobe {0}; if its key is rejected, mokutil --import /var/lib/dkms/mok.pub, and reboot"),
    (EMPTY, f"{NONE}: make modules tools MACHINE=host && make install, in Freshlink's source"),
    (EMPTY | FRESHLINK, f"{NONE}: apt install ./freshlink-dkms_*.deb linux-headers-{RELEASE}, in the "
     "folder of the packages"),
    (EMPTY | FRESHLINK | DKMS, f"{NONE}, and the headers to build it are missing: "
     f"apt install linux-headers-{RELEASE}"),
    (EMPTY | DKMS | HEADERS, "DKMS has not built the kernel module {0} for Linux "
     f"{RELEASE}: dkms install freshlink/{VERSION} -k {RELEASE}"),
    *((EMPTY | {f"{KERNEL}/updates/{file}": ""}, "modprobe does not know the kernel module {0}, "
       "although it is installed: depmod && modprobe {0}")
      for file in ("freshlink/{0}.ko", "dkms/{0}.ko.xz", "dkms/{0}.ko.zst", "dkms/{0}.ko.gz")),
    # a kernel of which nothing is visible, as in a container
    ({f"{MODULES}/other/modules.dep": ""}, f"{NOT_LOADED}: modprobe {{0}}"),
]
# commands, and the module that each needs first
COMMANDS = {"profile show": "xlo", "cap del lo": "xlo", "set --txtime on": "xlo",
            "rto show": "xlo_rto", "status": "xlo", "monitor": "xlo", "trace unload lo": "cellink"}


@contextlib.contextmanager
def system(files, module):
    """Words that run a command on a system with some files."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for place in (MODULES, PACKAGES, SETTINGS):
            os.makedirs(folder + place)
        for path, text in files.items():
            path = folder + path.format(module)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.format(module))
        mounts = " && ".join(f"mount --bind {folder}{place} {place}"
                             for place in (MODULES, PACKAGES, SETTINGS))
        yield ["unshare", "-m", "sh", "-c", f'{mounts} && exec "$@"', "sh"]


def unload():
    for name in reversed(kmod.OURS):
        wait.until(f"{name} unloads", lambda name=name: not kmod.loaded(name) or
                   not kmod.rmmod(name))


def test_commands():
    """Each command names the cause and the advice for each state of the system."""
    unload()
    with netns.Netns() as ns:
        for words, module in COMMANDS.items():
            for files, said in CAUSES:
                with system(files, module) as on_it:
                    done = ns.run([*on_it, tools.FRESHLINK, *words.split()], check=False)
                tap.equal(f"{words}, {sorted(files)}",
                          (done.returncode, done.stdout, done.stderr),
                          (1, "", f"freshlink {command_of(words)}: {said.format(module)}\n"))


def test_container():
    """Root of a user namespace cannot load modules, whatever files it sees."""
    unload()
    with netns.Netns() as ns:
        for files in (LISTED, EMPTY, EMPTY | FRESHLINK):
            with system(files, "xlo") as on_it:
                done = ns.run([*on_it, "unshare", "--map-root-user", tools.FRESHLINK, "profile",
                               "show"], check=False)
            tap.equal("message", done.stderr, "freshlink profile show: the kernel module xlo is "
                      "not loaded, and a container cannot load it: modprobe xlo, outside of the "
                      "container\n")


def test_qdisc():
    """A qdisc of ours that the kernel does not know gets the same advice."""
    unload()
    with netns.Netns() as ns:
        netns.veth(ns, "v0", ns, "v1")
        for files, said in CAUSES:
            with system(files, "sch_lpd") as on_it:
                done = ns.run([*on_it, tools.FRESHLINK, *"emulate v0 --child lpd".split()],
                              check=False)
            tap.equal(f"message, {sorted(files)}", done.stderr, "freshlink emulate: v0: the "
                      f"kernel does not know the qdisc lpd: {said.format('sch_lpd')}\n")


def needs_trust(files):
    """Whether modprobe knows the module, and the kernel loads only signed modules."""
    return LISTED.items() <= files.items() and files.get(SIGNED) == "Y\n"


def is_silent(files):
    """Whether a program that lets the kernel load the module has nothing to say before."""
    return (LISTED.items() <= files.items() or files == CAUSES[-1][0]) and not needs_trust(files)


def test_apply():
    """freshlink apply says it after the error of the program that should have loaded the module, or
    should have used it."""
    lines = (("cap set v0 --lifetime 1s", "xlo", "cap set: modprobe failed with status 1"),
             ("rto set --accept none", "xlo_rto", "rto set: modprobe failed with status 1"),
             ("qdisc v0 root lpd limit 5", "sch_lpd", "qdisc: tc failed with status 2"),
             ("link a0 link v0 type arqlink", "arqlink", "link: ip failed with status 2"))
    unload()
    with netns.Netns() as ns, tempfile.TemporaryDirectory() as folder:
        netns.veth(ns, "v0", ns, "v1")
        path, program = os.path.join(folder, "a.conf"), os.path.join(folder, "modprobe")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(program, 0o755)
        for (line, module, failure), (files, said) in itertools.product(lines, CAUSES):
            with open(path, "w", encoding="utf-8") as file:
                file.write(line)
            with system(files, module) as on_it:
                done = ns.run([*on_it, "env", f"PATH={folder}:{os.environ['PATH']}",
                               tools.FRESHLINK, "apply", path], check=False)
            who, errors = f"freshlink apply: {path}:1: ", done.stderr.splitlines()
            tap.true(f"{line}, {sorted(files)}: the failure in {errors}", who + failure in errors)
            tap.equal("what follows", errors[errors.index(who + failure) + 1:][:1],
                      [f"{who}{failure.split(':')[0]}: {said.format(module)}"])
        ns.run("tc qdisc add dev v0 root handle 7: pfifo")
        with open(path, "w", encoding="utf-8") as file:
            file.write("qdisc v0 root lpd")
        errors = ns.run(f"{tools.FRESHLINK} apply {path}", check=False).stderr
        tap.true(f"no advice if the module is not the cause: {errors}",
                 "has the root qdisc pfifo" in errors and "module" not in errors)


def test_plugins():
    """The plugins say it before the kernel's own words. If modprobe knows the module, they say nothing,
    except when the kernel loads only signed modules and has not loaded it: then they say it at the
    end."""
    lines = {"sch_lpd": "tc qdisc add dev v0 root lpd limit 5",
             "cellink": "ip link add c0 type cellink delay 5ms",
             "arqlink": "ip link add link v0 name a0 type arqlink window 16"}
    for module, line in lines.items():
        unload()
        with netns.Netns() as ns:
            netns.veth(ns, "v0", ns, "v1")
            for files, said in CAUSES:
                with system(files, module) as on_it:
                    done = ns.run([*on_it, *line.split()], check=False)
                told = done.stderr.splitlines()
                words = [index for index, text in enumerate(told) if "nknown" in text]
                tap.equal(f"{line}, {sorted(files)}: messages, the kernel's at", (
                    [text for text in told if "nknown" not in text], words), (
                        [] if is_silent(files) else
                        [f"{module.removeprefix('sch_')}: {said.format(module)}"],
                        [0 if is_silent(files) or needs_trust(files) else 1]))
            kmod.insmod(module)
            with system(EMPTY, module) as on_it:
                tap.equal(f"{line} with the module", ns.run([*on_it, *line.split()]).stderr, "")


def test_doctor():
    """freshlink doctor says the same about each module that lifetimes need, and about tc's
    plugin."""
    unload()
    with netns.Netns() as ns:
        for files, said in CAUSES:
            is_there = is_silent(files)
            with system(files, "xlo") as on_it:
                done = ns.run([*on_it, *"env TC_LIB_DIR=/nowhere".split(), tools.FRESHLINK,
                               *"doctor lo -j".split()])
            found = json.loads(done.stdout.splitlines()[-1])
            tap.equal("finding", (found["finding"], found["state"]), ("installation", "missing"))
            tap.true(f"text: {found['text']}",
                     found["text"].endswith("The plugin of tc for lpd is missing."))
            cause, advice = said.format("xlo").rsplit(": ", 1)
            cause = cause[0].upper() + cause[1:]
            tap.equal(f"{sorted(files)}: {found['text']}", cause in found["text"], not is_there)
            tap.equal("advice", advice in found.values(), not is_there)
        with system(LISTED, "xlo") as on_it:
            files = on_it + [tools.FRESHLINK, "doctor", "lo", "-j"]
            found = json.loads(ns.run(files).stdout.splitlines()[-1])
        tap.true(f"with the plugin: {found['text']}", "plugin" not in found["text"])


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
