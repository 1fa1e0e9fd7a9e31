#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink's commands for the module xlo set exactly the given values, and show exactly the values
that the kernel has, as text and as JSON. If the kernel refuses a request, nothing changes."""
# run.sh: once: what a command prints does not depend on the kernel
import contextlib
import json
import os
import shutil
import tempfile
import threading

from cli import tools
from cli.namespace import command_of, freshlink, namespace, to_itself
from lib import kmod, netns, tap, uapi, wait, xlo

MS = 10**6
COUNTERS = list(uapi.words("xlo_stats", "XLO_STATS_"))
NOBODY = 65534

# the profile after "--mark 1 --lifetime 1s" and no other option
PLAIN = {"mark": 1, "mask": 0xffffffff, "lifetime": 1000 * MS, "reorder": 0, "stale": "discard",
         "slow": False, "corrupt_ok": False, "clock": "relative", "path": "output", "packets": 0}

# Each entry has words, the values in which "profile show -j" then differs from PLAIN, and the
# values in which the kernel's answer differs from KERNEL.
KERNEL = {"mark": 1, "mask": 0xffffffff, "lifetime": 1000, "reorder": 0, "stale": 1, "clock": 0,
          "path": 1, "packets": 0}
PROFILES = [
    ("--mark 0x10/0xff", {"mark": 16, "mask": 255}, {"mark": 16, "mask": 255}),
    ("--mark 0/1", {"mark": 0, "mask": 1}, {"mark": 0, "mask": 1}),
    ("--mark 010", {"mark": 10}, {"mark": 10}),
    ("--mark 0XFFFFFFFF", {"mark": 0xffffffff}, {"mark": 0xffffffff}),
    ("--mark 4294967295/0xffffffff", {"mark": 0xffffffff}, {"mark": 0xffffffff}),
    ("--lifetime 0", {"lifetime": 0}, {"lifetime": 0}),
    ("--lifetime 1ms", {"lifetime": MS}, {"lifetime": 1}),
    ("--lifetime=2500000us", {"lifetime": 2500 * MS}, {"lifetime": 2500}),
    ("--lifetime 65535ms", {"lifetime": 65535 * MS}, {"lifetime": 65535}),
    ("--lifetime 43200s --clock utc", {"lifetime": 43200000 * MS, "clock": "utc"},
     {"lifetime": 43200000, "clock": 1}),
    ("--lifetime rto", {"lifetime": "rto", "reorder": None},
     {"lifetime": None, "reorder": None, "rto": True}),
    ("--lifetime repeats", {"lifetime": "repeats", "reorder": None},
     {"lifetime": None, "reorder": None, "repeats": True}),
    ("--reorder 255", {"reorder": 255}, {"reorder": 255}),
    ("--stale forward", {"stale": "forward"}, {"stale": 0}),
    ("--stale discard", {}, {}),
    ("--stale truncate", {"stale": "truncate"}, {"stale": 2}),
    ("--slow", {"slow": True}, {"slow": True}),
    ("--corrupt-ok", {"corrupt_ok": True}, {"corrupt_ok": True}),
    ("--clock relative", {}, {}),
    ("--path output", {}, {}),
    ("--path forward", {"path": "forward"}, {"path": 2}),
    ("--path both", {"path": "both"}, {"path": 3}),
    ("--slow --corrupt-ok --reorder 3 --stale truncate --clock utc --path both",
     {"slow": True, "corrupt_ok": True, "reorder": 3, "stale": "truncate", "clock": "utc",
      "path": "both"},
     {"slow": True, "corrupt_ok": True, "reorder": 3, "stale": 2, "clock": 1, "path": 3}),
]

# commands after SET_UP that the kernel refuses, and the messages
SET_UP = ("profile add video --mark 0x10/0xf0 --lifetime 300ms",
          "profile add tcp --mark 0x20/0xf0 --lifetime rto",
          "profile add through --mark 0x10/0xf0 --lifetime 1s --path forward",
          "cap set v0 --lifetime 2s", "set --validate on")
REFUSED = [
    ("profile del vide", "NAME vide: the kernel refused it: xlo: no profile has this name"),
    ("profile add video --mark 2/2 --lifetime 1s",
     "NAME video: the kernel refused it: xlo: a profile has this name already"),
    ("profile add x --mark 0x10/0xff --lifetime 1s", "--mark 0x10/0xff: the kernel refused it: "
     "xlo: mark and mask match packets of another profile"),
    ("profile add x --mark 2/2 --lifetime rto --path=both",
     "--path both: the kernel refused it: xlo: path must be output with lifetime rto "
     "or repeats"),
    ("profile add x --mark 2/2 --lifetime repeats --reorder 0",
     "--reorder 0: the kernel refused it: xlo: reorder is TCP's own with lifetime rto or repeats"),
    ("cap del lo", "DEV lo: the kernel refused it: xlo: this interface has no cap"),
    ("cap set if4000 --lifetime 1s",
     "DEV if4000: the kernel refused it: xlo: no interface has this index"),
]


def shown(ns):
    return [json.loads(line) for line in freshlink(ns, "profile show -j").splitlines()]


def status(ns):
    """The status without the lines of other modules, which an earlier test may have loaded."""
    told = json.loads(freshlink(ns, "status -j"))
    told.pop("rto", None)
    return told


def everything(ns, who=(), command=tools.FRESHLINK):
    """Everything that the module reports in a namespace to this user, without the report of
    xlo_rto, which depends on the user."""
    profiles, status = (ns.run([*who, command, *words.split()]).stdout
                        for words in ("profile show", "status"))
    return profiles, status.split("\nrto ")[0].rstrip("\n")


def given(start, **more):
    """A copy of a dictionary in which some values are replaced, without the keys whose values are
    None."""
    return {key: value for key, value in (start | more).items() if value is not None}


def test_profile_round_trip():
    """Each option sets one value, which the kernel then has and which show prints. All other values
    stay."""
    tried = set()
    with namespace() as ns:
        client = xlo.Client(ns)
        for words, tells, kernel in PROFILES:
            tried |= {word.split("=")[0] for word in words.split() if word.startswith("--")}
            tried |= set(words.split())
            needed = [word for word in ("--mark 1", "--lifetime 1s")
                      if word.split()[0] not in words]
            tap.equal(words, freshlink(ns, f"profile add x {words} {' '.join(needed)}"), "")
            tap.equal(f"{words}: shown", shown(ns), [{"name": "x"} | given(PLAIN, **tells)])
            tap.equal(f"{words}: in the kernel", client.profile_get(),
                      [given(KERNEL, profile_name="x", **kernel)])
            tap.equal(words, freshlink(ns, "profile del x"), "")
        tap.equal("none is left", (shown(ns), freshlink(ns, "profile show")), ([], ""))
    for word, value in tools.tables()["profile add"].items():
        choices = {choice for choice in value.split("|") if choice.islower()}
        tap.equal(f"{word} was tried with", ({word} | choices) - tried, set())


def test_text():
    """Without -j, the commands show lines of keys and values, in the form in which the values are
    typed."""
    with namespace() as ns:
        tap.equal("nothing set", freshlink(ns, "status").splitlines()[:2],
                  ["txtime off validate off", "caps none"])
        for words in SET_UP:
            tap.equal(words, freshlink(ns, words), "")
        freshlink(ns, "cap set v1 --lifetime 1500ms")
        rest = "stale discard slow no corrupt_ok no clock relative"
        tap.equal("profiles", freshlink(ns, "profile show").splitlines(), [
            f"name video mark 0x10/0xf0 lifetime 300ms reorder 0 {rest} path output packets 0",
            f"name tcp mark 0x20/0xf0 lifetime rto {rest} path output packets 0",
            f"name through mark 0x10/0xf0 lifetime 1s reorder 0 {rest} path forward packets 0"])
        lines = freshlink(ns, "status").split("\nrto ")[0].splitlines()
        tap.equal("settings and caps", lines[:2],
                  ["txtime off validate on", "caps v0 2s v1 1500ms"])
        tap.equal("counters", " ".join(lines[2:]), " ".join(f"{name} 0" for name in COUNTERS))


def test_status_is_the_kernels():
    """status shows the settings, the caps and every counter of the kernel header by name, with the
    kernel's numbers."""
    with namespace() as ns:
        client = xlo.Client(ns)
        tap.equal("keys", list(status(ns)), ["txtime", "validate", "caps", *COUNTERS])
        for switch in ("txtime", "validate"):
            for word, number in (("on", 1), ("off", 0), ("on", 1)):
                freshlink(ns, f"set --{switch} {word}")
                tap.equal(f"{switch} {word}", (status(ns)[switch], client.get()[switch]),
                          (word, number))
        freshlink(ns, "set --txtime=off --validate=on")
        tap.equal("both", [status(ns)[name] for name in ("txtime", "validate")], ["off", "on"])
        freshlink(ns, "profile add x --mark 7 --lifetime 1s")
        to_itself(ns, 7, 7, 7, 8)
        tap.equal("packets of the profile", shown(ns)[0]["packets"], 3)
        now = status(ns)
        tap.equal("counters that have risen", {name: now[name] for name in COUNTERS if now[name]},
                  {"stamped_output": 3, "relative": 3, "no_option": 1})
        tap.equal("all counters", {name: now[name] for name in COUNTERS}, client.stats())


def test_caps():
    """A cap is set, changed and deleted. If a device is renamed, status shows the cap under the new
    name. If the device is deleted, status does not show the cap any more."""
    with namespace() as ns:
        client = xlo.Client(ns)
        for time, ms in (("1ms", 1), ("43200s", 43200000), ("2s", 2000)):
            freshlink(ns, f"cap set v0 --lifetime {time}")
            tap.equal(time, (status(ns)["caps"], client.cap_get()),
                      ({"v0": ms * MS}, [{"ifindex": client.ifindex("v0"), "cap": ms}]))
        freshlink(ns, "cap set lo --lifetime 1s")
        freshlink(ns, f"cap set if{client.ifindex('v1')} --lifetime 3s")
        caps = {"v0": 2000 * MS, "lo": 1000 * MS, "v1": 3000 * MS}
        tap.equal("three caps", status(ns)["caps"], caps)
        freshlink(ns, "cap del lo")
        del caps["lo"]
        tap.equal("two caps", status(ns)["caps"], caps)
        name = 'q"\\u'
        # older kernels rename a device only if it is down
        ns.link("v1", False)
        ns.run(["ip", "link", "set", "v1", "name", name])
        caps[name] = caps.pop("v1")
        tap.equal("after a device was renamed", status(ns)["caps"], caps)
        ns.ip("link del v0")
        tap.equal("after the devices were deleted", status(ns)["caps"], {})


def test_refused():
    """If the kernel refuses a request, the message contains the kernel's reason and the word of the
    command line. Nothing changes."""
    with namespace() as ns:
        for words in SET_UP:
            freshlink(ns, words)
        before = everything(ns)
        for words, message in REFUSED:
            tap.equal(words, freshlink(ns, words, 1, message), "")
            tap.equal(f"after {words}", everything(ns), before)


def test_full():
    """The maximum number of profiles, with the longest names, is shown in the order of their
    creation. One more profile is refused."""
    with namespace() as ns:
        client = xlo.Client(ns)
        names = [f"{number:031}" for number in range(64)]
        for number, name in enumerate(names):
            client.profile_add(profile_name=name, mark=number, mask=0xffff, lifetime=1)
        tap.equal("names", [profile["name"] for profile in shown(ns)], names)
        freshlink(ns, "profile add x --mark 64/0xffff --lifetime 1s", 1,
                  "NAME x: the kernel refused it: xlo: there are 64 profiles already")
        freshlink(ns, f"profile del {names.pop(5)}")
        freshlink(ns, "profile add x --mark 64/0xffff --lifetime 1s")
        tap.equal("names", [profile["name"] for profile in shown(ns)], [*names, "x"])


def test_shown_while_it_changes():
    """The output shows the state at a single time, although profiles are added and deleted."""
    with namespace() as ns:
        client, other = xlo.Client(ns), xlo.Client(ns)
        names = [f"{number:031}" for number in range(63)]
        for number, name in enumerate(names):
            client.profile_add(profile_name=name, mark=number, mask=0xffff, lifetime=1)
        over = threading.Event()

        def change():
            # with a pause, because simulated time passes only during pauses
            while not over.wait(0.0005):
                other.profile_add(profile_name="x", mark=64, mask=0xffff, lifetime=1)
                other.profile_del("x")

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(30):
                found = [profile["name"] for profile in shown(ns)]
                tap.equal("names", found, [*names, "x"][:len(found)])
                tap.within("number of profiles", len(found), 63, 64)
        finally:
            over.set()
            thread.join()


@contextlib.contextmanager
def nobodys():
    """A copy of the command in a directory from which any user may run it, and the words that run
    this copy as the user `nobody`."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield (f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups",
               shutil.copy(tools.FRESHLINK, folder))


CHANGES = ("profile add x --mark 1 --lifetime 1s", "profile del video", "cap set v0 --lifetime 1s",
           "cap del v0", "set --txtime on")


def test_unprivileged():
    """A user without CAP_NET_ADMIN in the namespace's user namespace changes nothing, also as root
    of another user namespace. The message names the missing capability. Showing needs no
    privilege."""
    with namespace() as ns, nobodys() as (nobody, command):
        for words in SET_UP:
            freshlink(ns, words)
        before = everything(ns)
        for who, has_it in (
                (nobody, " (root has it)"),
                (f"{nobody} unshare --map-root-user",
                 " (root outside of this user namespace has it)"),
                ("setpriv --bounding-set=-net_admin --inh-caps=-net_admin", tools.LACKS)):
            for words in CHANGES:
                done = ns.run(f"{who} {command} {words}", check=False)
                tap.equal(f"{who} {words}", (done.returncode, done.stdout, done.stderr),
                          (1, "", f"freshlink {command_of(words)}: needs CAP_NET_ADMIN{has_it}\n"))
            tap.equal("nothing has changed", everything(ns), before)
            tap.equal("what this user sees", everything(ns, who.split(), command), before)


def test_namespace_owner():
    """An unprivileged user can change the configuration of a network namespace that the user
    owns."""
    with namespace() as ns, nobodys() as (nobody, command):
        before = everything(ns)
        script = " && ".join(f"{command} {words}" for words in (
            "profile add x --mark 1 --lifetime 1s", "cap set lo --lifetime 1s",
            "set --txtime on", "cap del lo", "profile show -j", "status -j"))
        done = ns.run([*nobody.split(), *"unshare --map-root-user --net sh -c".split(), script])
        profile, state = (json.loads(line) for line in done.stdout.splitlines())
        tap.equal("profile", profile, {"name": "x"} | PLAIN)
        tap.equal("settings", (state["txtime"], state["validate"], state["caps"]),
                  ("on", "off", {}))
        tap.equal("in another namespace", everything(ns), before)


def test_without_the_module():
    """If the module is not loaded, each command reports this and says how to load the module.
    (status and monitor also work with xlo_rto alone, and monitor with arqlink alone, see rto_commands,
    rto_loaded and arq_monitor.)"""
    for name in ("arqlink", "xlo_rto", "xlo"):
        wait.until(f"{name} unloads", lambda name=name: not kmod.loaded(name) or
                   not kmod.rmmod(name))
    with netns.Netns() as ns:
        for words in ("profile add x --mark 1 --lifetime 1s", "profile del x", "profile show",
                      "cap set lo --lifetime 1s", "cap del lo", "set --txtime on", "status",
                      "monitor"):
            tap.equal(words, freshlink(ns, words, 1, kmod.absence("xlo")), "")


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
