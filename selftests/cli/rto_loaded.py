#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink monitor prints events of the module xlo_rto while that module is loaded, also without
the module xlo. If the monitor may not receive the events, it prints a message about the missing
right."""
# run.sh: all on vm-6.12: everything
import errno
import json
import select

from cli import pair, tools, xlo_monitor
from cli.namespace import freshlink, namespace
from lib import kmod, tap, wait, xlo


WITHOUT = "setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
PRIVILEGE = "freshlink monitor: the events of the kernel module xlo_rto cannot be received: that " \
    f"needs CAP_NET_ADMIN{tools.LACKS}\n"


def unload(name="xlo_rto"):
    """Unload the module, whether it is loaded or not."""
    # the kernel may still be destroying lpds of earlier tests, which use xlo_rto
    wait.until(f"{name} unloads", lambda: kmod.rmmod(name) in (0, errno.ENOENT))


def hears(ns, process, encoding):
    """The monitor eventually receives an event of xlo_rto. Until the event arrives, the test sets
    the same setting repeatedly."""
    def told():
        freshlink(ns, f"rto set --encoding {encoding}")
        return select.select([process.stdout], [], [], 0.05)[0]

    wait.until("an event of xlo_rto arrives", told)
    # earlier events may have been reported more than once
    while (event := json.loads(process.stdout.readline())).get("encoding") != encoding:
        pass
    tap.equal("event", event["event"], "rto_set")


def test_comes_and_goes():
    """The monitor receives the events of a module that is loaded later, and again after each
    reload."""
    with namespace() as ns:
        unload()
        with xlo_monitor.monitor(ns, "-j") as process:
            for encoding in ("native", "extension", "native"):
                kmod.insmod("xlo_rto")
                hears(ns, process, encoding)
                unload()
            tap.equal("status of the monitor, which still runs", process.poll(), None)


def test_gone_again():
    """The monitor continues even if the module has already been unloaded again when the monitor
    notices that the module was loaded."""
    with namespace() as ns:
        unload()
        with xlo_monitor.monitor(ns, "-j") as process:
            with pair.paused(process):
                kmod.insmod("xlo_rto")
                unload()
            freshlink(ns, "set --txtime on")
            tap.equal("event", xlo_monitor.heard(process, 0)["event"], "set")
            kmod.insmod("xlo_rto")
            hears(ns, process, "extension")
            unload()


def test_without_privilege():
    """Without CAP_NET_ADMIN the monitor says that it cannot receive xlo_rto's events, also if the
    module is loaded later. The monitor continues with the events of xlo."""
    with namespace() as ns:
        unload("arqlink")
        kmod.insmod("xlo_rto")
        with xlo_monitor.monitor(ns, "-j --count 1", WITHOUT, [PRIVILEGE]) as process:
            freshlink(ns, "rto set --accept both")
            freshlink(ns, "set --txtime on")
            out, err = process.communicate(timeout=wait.patient(20))
            tap.equal("event", json.loads(out)["event"], "set")
            tap.equal("status and message", (process.returncode, err), (0, ""))
        unload()
        with xlo_monitor.monitor(ns, "-j --count 1", WITHOUT) as process:
            kmod.insmod("xlo_rto")
            tap.equal("note", process.stderr.readline(), PRIVILEGE)
            freshlink(ns, "rto set --accept both")
            freshlink(ns, "set --txtime off")
            tap.equal("event", xlo_monitor.heard(process, 0)["event"], "set")
            xlo_monitor.ends(process)


def test_alone():
    """Without the module xlo, the monitor receives the events of xlo_rto. The monitor receives the
    events of xlo after xlo is loaded. The monitor ends when both modules are unloaded."""
    with namespace() as ns:
        unload("arqlink")
        unload("xlo")
        kmod.insmod("xlo_rto")
        with xlo_monitor.monitor(ns, "-j") as process:
            freshlink(ns, "rto set --accept both")
            tap.equal("event", xlo_monitor.heard(process, 0)["event"], "rto_set")
            kmod.insmod("xlo")

            def told():
                freshlink(ns, "set --txtime on")
                return select.select([process.stdout], [], [], 0.05)[0]
            wait.until("an event of xlo arrives", told)
            tap.equal("event", xlo_monitor.heard(process, 0)["event"], "set")
            unload("xlo")
            hears(ns, process, "extension")
            unload()
            err = process.communicate(timeout=wait.patient(20))[1]
            tap.equal("status and message", (process.returncode, err),
                      (1, "freshlink monitor: the kernel module xlo_rto has been unloaded\n"))


def test_alone_without_privilege():
    """If only xlo_rto is loaded and the monitor may not receive its events, the monitor reports
    this and fails."""
    with namespace() as ns:
        unload("arqlink")
        unload("xlo")
        kmod.insmod("xlo_rto")
        done = ns.run(f"{WITHOUT} {tools.FRESHLINK} monitor", check=False)
        tap.equal("status and message", (done.returncode, done.stdout, done.stderr),
                  (1, "", PRIVILEGE))


def too_many_listen():
    """Before Linux 6.8 the number of listening sockets is limited. A monitor above the limit
    reports this, and continues with the events of xlo."""
    note = "freshlink monitor: the events of the kernel module xlo_rto cannot be received: " \
        f"xlo_rto: {xlo.LISTENERS} sockets listen in this namespace: close one first\n"
    with namespace() as ns:
        kmod.insmod("xlo_rto")
        # these sockets stay open until the end
        others = [xlo.Events(ns, "xlo_rto") for _ in range(xlo.LISTENERS)]
        with xlo_monitor.monitor(ns, "-j --count 1") as process:
            tap.equal("note", process.stderr.readline(), note)
            freshlink(ns, "rto set --accept both")
            freshlink(ns, "set --txtime on")
            tap.equal("event", xlo_monitor.heard(process, 0)["event"], "set")
            xlo_monitor.ends(process)
        tap.equal("the others", [events.next()[0] for events in others], ["set"] * len(others))


if __name__ == "__main__":
    tests = tap.collect(globals())
    if xlo.ASKING:
        tests.append(("too_many_listen", too_many_listen))
    tap.run(tests)
