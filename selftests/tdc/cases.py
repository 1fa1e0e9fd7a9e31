# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs configuration cases in the manner of the kernel's tdc.

Each case has a unique id of four hex digits, and its own network namespace with a device $DEV.
`setup` must succeed. `send` sends packets through the device. Then `cmdUnderTest` must end with
`expExitCode`, and its standard error must contain every word of `expStderr`. `verifyCmd` prints
objects in JSON. Each object of `matchJSON` must be contained in one of the printed objects. No
object of `noMatchJSON` may be contained in a printed object. A refused command must change nothing:
the test compares the dump of every qdisc (configuration and counters) bit by bit."""
import json
import os
import re
import shlex
import time

from lib import packet as pkt, port, tap, tc, tree
from tdc import device

KEYS = {"id", "name", "category", "setup", "send", "cmdUnderTest", "expExitCode", "expStderr",
        "verifyCmd", "matchJSON", "noMatchJSON", "teardown"}
NEEDED = {"id", "name", "category", "cmdUnderTest", "expExitCode"}


class Subject(device.Device):
    """A dummy device on which a case runs commands."""

    def __init__(self):
        super().__init__("dut0")

    def run(self, command, check=True):
        return self.ns.run(shlex.split(command.replace("$DEV", self.name)), check)

    def send(self, kind):
        """{"count": N, "lifetime": ms, "flags": n, "version": 4|6, "size": bytes, "fragment": n}.
        Without a lifetime there is no option, and a negative lifetime is a deadline that has
        passed. A fragment is an IPv4 fragment, whose header contains n in the field of flags and
        fragment offset."""
        ms = kind.get("lifetime")
        value = ms if ms is None or ms >= 0 else pkt.absolute(ms, time.time())
        flags = kind.get("flags", pkt.DISCARD)
        body = pkt.body(0, kind.get("size", 100))
        if kind.get("version", 4) == 4:
            packet = pkt.ipv4(b"" if ms is None else pkt.xlo4(value, flags), body,
                              fragment=kind.get("fragment", 0))
        else:
            packet = pkt.ipv6(None if ms is None else pkt.xlo6(value, flags), body)
        out = port.Port(self.ns, self.name, ethernet=True)
        for _ in range(kind.get("count", 1)):
            out.send(packet)
        out.close()


def contained(wanted, got):
    """Whether `got` contains `wanted`. Dictionaries are compared recursively, and all other values
    must be equal."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and \
            all(key in got and contained(value, got[key]) for key, value in wanted.items())
    return wanted == got


def check_command(case, subject):
    """Run the command under test. Check that a refused command gives a reason and changes
    nothing."""
    before = subject.dump()
    done = subject.run(case["cmdUnderTest"], check=False)
    tap.equal(f"exit status of {case['cmdUnderTest']!r} ({done.stderr.strip()})",
              done.returncode, int(case["expExitCode"]))
    for word in case.get("expStderr", ()):
        tap.true(f"{word!r} in {done.stderr.strip()!r}", word in done.stderr)
    if done.returncode:
        tap.true("a refused command prints a message", done.stderr.strip())
        tap.equal("dump after the refusal", subject.dump(), before)


def verify(case, subject):
    if "verifyCmd" not in case:
        return
    output = subject.run(case["verifyCmd"]).stdout
    objects = json.loads(output)
    for wanted in case.get("matchJSON", ()):
        tap.true(f"{json.dumps(wanted)} in {output}", any(contained(wanted, o) for o in objects))
    for unwanted in case.get("noMatchJSON", ()):
        tap.true(f"no {json.dumps(unwanted)} in {output}",
                 not any(contained(unwanted, o) for o in objects))
    tree.checked(subject.netlink, subject.name)


def need_lpd():
    tc.need("lpd")
    tc.need_plugin()


def run_case(case):
    need_lpd()
    with Subject() as subject:
        for command in case.get("setup", ()):
            subject.run(command)
        for kind in case.get("send", ()):
            subject.send(kind)
        check_command(case, subject)
        verify(case, subject)
        for command in case.get("teardown", ()):
            subject.run(command)


def check_form(cases, path):
    """Check the cases themselves: all keys are known, no necessary key is missing, and ids are
    unique in the folder. This test is skipped whenever the cases are skipped, because a run that
    tests nothing must end as skipped."""
    need_lpd()
    for case in cases:
        tap.equal(f"keys of {case.get('id')}", sorted(set(case) - KEYS), [])
        tap.equal(f"keys missing in {case.get('id')}", sorted(NEEDED - set(case)), [])
        tap.true(f"id {case['id']!r} is four hex digits", re.fullmatch("[0-9a-f]{4}", case["id"]))
    ids = []
    for name in os.listdir(os.path.dirname(path)):
        if name.endswith(".json"):
            with open(os.path.join(os.path.dirname(path), name)) as file:
                ids += [case["id"] for case in json.load(file)]
    tap.equal("ids used twice", sorted({i for i in ids if ids.count(i) > 1}), [])


def run(name):
    """Run the cases of a file in this folder: all cases, or the cases that the command line names
    by id."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path) as file:
        cases = json.load(file)
    tap.run([("form", lambda: check_form(cases, path))] +
            [(case["id"], lambda case=case: run_case(case)) for case in cases],
            {case["id"]: case["name"] for case in cases})
