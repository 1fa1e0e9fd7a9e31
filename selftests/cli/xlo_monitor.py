#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink monitor prints each event of the module xlo immediately and only once, with the change
and its time. If the monitor cannot receive events, it says why."""
# run.sh: all on lab-debug: [!l]*
import contextlib
import errno
import json
import re
import signal
import subprocess
import time

from cli import pair, tools
from cli.namespace import freshlink, namespace, to_itself
from lib import kmod, packet as pkt, port, tap, wait, xlo

MS = 10**6
VIDEO = {"name": "video", "mark": 16, "mask": 255, "lifetime": 300 * MS, "reorder": 2,
         "stale": "truncate", "slow": True, "corrupt_ok": False, "clock": "utc", "path": "both"}
ADVICE = "no_room_mtu: packets left without a lifetime, because with the option they would " \
    "exceed the MTU; send packets that leave 8 bytes of it (IPv6: 16), from ffmpeg with " \
    "pkt_size=1436"
ADD_VIDEO = "profile add video --mark 0x10/0xff --lifetime 300ms --reorder 2 --stale truncate " \
    "--slow --clock utc --path both"


@contextlib.contextmanager
def monitor(ns, words="", by="", notes=()):
    """A monitor that receives events from now on. `by` is a command that starts the monitor.
    `notes` contains the lines that the monitor prints on standard error before it listens."""
    with ns.inside():
        process = subprocess.Popen([*by.split(), tools.FRESHLINK, "monitor", *words.split()],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for line in (*notes, "listening for events\n"):
            tap.equal("the monitor", process.stderr.readline(), line)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ends(process, status=0, message="", output=""):
    """The monitor ends by itself, with this status, this message and this remaining output."""
    out, err = process.communicate(timeout=wait.patient(20))
    tap.equal("status and message", (process.returncode, err),
              (status, f"freshlink monitor: {message}\n" if message else ""))
    tap.equal("output", out, output)


def heard(process, since_ns):
    """The next event, without its time, which must be between since_ns and now."""
    event = json.loads(process.stdout.readline())
    tap.within("its time", event.pop("time_ns"), since_ns, time.time_ns())
    return event


def test_changes():
    """The monitor prints each setting, change and deletion immediately. An event contains the whole
    object, as it is after the change or was before the deletion. The monitor ends after the
    requested number of events."""
    with namespace() as ns, monitor(ns, "-j --count 9") as process:
        index = xlo.Client(ns).ifindex("v0")
        for words, event in (
                (ADD_VIDEO, {"event": "profile_add"} | VIDEO),
                ("profile add tcp --mark 1 --lifetime rto --corrupt-ok",
                 {"event": "profile_add", "name": "tcp", "mark": 1, "mask": 0xffffffff,
                  "lifetime": "rto", "stale": "discard", "slow": False, "corrupt_ok": True,
                  "clock": "relative", "path": "output"}),
                ("profile del video", {"event": "profile_del"} | VIDEO),
                ("cap set v0 --lifetime 2s",
                 {"event": "cap_set", "dev": "v0", "lifetime": 2000 * MS}),
                ("cap set v0 --lifetime 3s",
                 {"event": "cap_set", "dev": "v0", "lifetime": 3000 * MS}),
                ("cap del v0", {"event": "cap_del", "dev": "v0", "lifetime": 3000 * MS}),
                ("set --validate on", {"event": "set", "txtime": "off", "validate": "on"})):
            since = time.time_ns()
            freshlink(ns, words)
            tap.equal(words, heard(process, since), event)
        freshlink(ns, "cap set v0 --lifetime 1ms")
        heard(process, since)
        since = time.time_ns()
        ns.ip("link del v0")
        tap.equal("the device was deleted", heard(process, since),
                  {"event": "cap_del", "dev": f"if{index}", "lifetime": MS})
        ends(process)


def test_refused_is_nothing():
    """A refused request and a change in another namespace cause no event."""
    with namespace() as ns, namespace() as other, monitor(ns, "-j") as process:
        freshlink(ns, "cap set lo --lifetime 1s")
        freshlink(ns, "profile del x", 1,
                  "NAME x: the kernel refused it: xlo: no profile has this name")
        freshlink(other, ADD_VIDEO)
        freshlink(ns, "cap del lo")
        tap.equal("events", [json.loads(process.stdout.readline())["event"] for _ in range(2)],
                  ["cap_set", "cap_del"])
        process.terminate()
        ends(process)


def test_packets():
    """An event about a packet shows its cause and its device."""
    malformed = pkt.ipv4(bytes([pkt.TYPE4, 7, 0, 0, 0, 0, 0]))
    with namespace() as ns, monitor(ns, "-j --count 2") as process:
        since = time.time_ns()
        freshlink(ns, "set --validate on")
        heard(process, since)
        port.Port(ns, "v0", ethernet=True).send(malformed)
        tap.equal("event", heard(process, since),
                  {"event": "packet", "cause": "malformed", "dev": "v1"})
        ends(process)


def test_no_room():
    """Each packet without space for the option causes an event. The monitor prints the advice once,
    and status prints it as text."""
    with namespace() as ns, monitor(ns, "-j --count 3") as process:
        since = time.time_ns()
        ns.ip("link set lo mtu 1500")
        freshlink(ns, "profile add x --mark 7 --lifetime 1s")
        heard(process, since)
        tap.true("no advice yet", "no_room_mtu:" not in freshlink(ns, "status"))
        # with the headers of IPv4 and UDP the packet fills the MTU
        to_itself(ns, 7, 7, payload=bytes(1472))
        for _ in range(2):
            tap.equal("event", heard(process, since),
                      {"event": "packet", "cause": "no_room_mtu", "dev": "lo"})
        ends(process, 0, ADVICE)
        tap.true("status", f"\n{ADVICE}\n" in freshlink(ns, "status"))
        tap.equal("status -j", json.loads(freshlink(ns, "status -j"))["no_room_mtu"], 2)


def test_text():
    """Without -j, the monitor prints each event as a line of keys and values."""
    with namespace() as ns, monitor(ns) as process:
        lines = []
        for words in (ADD_VIDEO, "cap set v0 --lifetime 1500ms", "set --txtime on"):
            freshlink(ns, words)
            lines.append(re.sub(r" time_ns \d{19}", "", process.stdout.readline()))
        tap.equal("lines", lines, [
            "event profile_add name video mark 0x10/0xff lifetime 300ms reorder 2 "
            "stale truncate slow yes corrupt_ok no clock utc path both\n",
            "event cap_set dev v0 lifetime 1500ms\n", "event set txtime on validate off\n"])


def test_ends():
    """A signal or the end of its duration ends the monitor with status 0."""
    with namespace() as ns:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with monitor(ns) as process:
                process.send_signal(number)
                ends(process)
        begin = time.monotonic_ns()
        with monitor(ns, "--duration 200ms") as process:
            ends(process)
        tap.true("not before its time", time.monotonic_ns() - begin >= 200 * MS)


def test_ends_whatever_waits():
    """A signal or the end of its duration ends the monitor even while events are pending, which is
    always the case if many events occur."""
    for words, number in (("--duration 3s", 0), ("", signal.SIGTERM)):
        with namespace() as ns, monitor(ns, words) as process:
            client = xlo.Client(ns)
            client.cap_set("v0", 1)
            tap.true("it runs", "event cap_set" in process.stdout.readline())
            with pair.paused(process):
                for ms in range(2, 20):
                    client.cap_set("v0", ms)
                if number:
                    process.send_signal(number)
                else:
                    time.sleep(3)
            out, err = process.communicate(timeout=wait.patient(20))
            tap.equal("status and message", (process.returncode, err), (0, ""))
            # the monitor may have been woken for the first event before it was paused
            tap.within(f"events {words}", out.count("\n"), 0, bool(number))


def test_output_closed():
    """If the reader of the output has ended, as with "| head -1", the next event ends the
    monitor."""
    with namespace() as ns, monitor(ns) as process:
        process.stdout.close()
        freshlink(ns, "set --txtime on")
        tap.equal("message", process.stderr.read(),
                  "freshlink: standard output could not be written whole\n")
        tap.equal("status", process.wait(20), 1)


def flood(ns):
    """Cause more events than a socket can hold, for any value of net.core.rmem_max."""
    client = xlo.Client(ns)
    for ms in range(1, 3001):
        client.cap_set("v0", ms)


def test_lost():
    """If events arrive faster than the monitor can read, the monitor prints the event "lost"
    instead of the lost events, and continues."""
    with namespace() as ns, monitor(ns, "-j") as process:
        with pair.paused(process):
            flood(ns)
        events = [json.loads(process.stdout.readline())]
        while events[-1]["event"] != "lost":
            events.append(json.loads(process.stdout.readline()))
        tap.equal("keys of the event lost", list(events[-1]), ["event", "time_ns"])
        freshlink(ns, "cap del v0")
        while events[-1]["event"] != "cap_del":
            events.append(json.loads(process.stdout.readline()))
        tap.equal("the deleted cap", events[-1]["lifetime"], 3000 * MS)
        told = [event["lifetime"] // MS for event in events if event["event"] == "cap_set"]
        tap.equal("caps in the events", told, list(range(1, len(told) + 1)))
        tap.within("number of caps", len(told), 1, 2999)
        tap.equal("number of events lost", [event["event"] for event in events].count("lost"), 1)
        process.terminate()
        ends(process)


def without(*modules):
    """Unload modules. A monitor does not end while one of its modules is loaded."""
    for name in modules:
        # the kernel may still be destroying devices of earlier tests, which use the module
        wait.until(f"{name} unloads", lambda name=name: kmod.rmmod(name) in (0, errno.ENOENT))


def test_module_goes():
    """When the module is unloaded, the monitor reports this and ends."""
    without("arqlink", "xlo_rto")
    with namespace() as ns, monitor(ns) as process:
        wait.until("xlo unloads", lambda: not kmod.rmmod("xlo"))
        ends(process, 1, "the kernel module xlo has been unloaded")


def test_lost_that_it_goes():
    """The monitor also ends if the event about the unloading was lost."""
    without("arqlink", "xlo_rto")
    with namespace() as ns, monitor(ns, "-j") as process:
        with pair.paused(process):
            flood(ns)
            wait.until("xlo unloads", lambda: not kmod.rmmod("xlo"))
        out, err = process.communicate(timeout=wait.patient(20))
        tap.equal("status and message", (process.returncode, err),
                  (1, "freshlink monitor: the kernel module xlo has been unloaded\n"))
        tap.equal("the last event", json.loads(out.splitlines()[-1])["event"], "lost")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
