#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink apply applies configuration files, all or nothing. It prints what differs,
and waits for devices that are missing. What freshlink save prints leads to the same state in another
namespace."""
# run.sh: once: what a command does with its files does not depend on the kernel
# run.sh: smoke: first_and_again
import contextlib
import itertools
import json
import os
import subprocess
import tempfile
from random import Random

from cli import tools
from cli.namespace import namespace
from lib import kmod, netns, tap, wait

# one line of each kind, without pace, in an order that works
LINES = ("set --txtime on",
         "profile add video --mark 0x10/0xf0 --lifetime 300ms --stale truncate",
         "cap set v0 --lifetime 2s",
         "rto set --accept native --key none",
         "link arq0 link v1 type arqlink window 16 timeout 50ms",
         "qdisc v0 root lpd limit 500 strip match dscp ef 200ms truncate",
         "qdisc arq0 root lpd lifetime 1s")
CLASH = "profile add clash --mark 0x10/0xff --lifetime 1s"
REFUSED = "--mark 0x10/0xff: the kernel refused it: xlo: mark and mask match packets of another profile"
UNDONE = "freshlink apply: nothing is applied: what was done before the error is undone"


@contextlib.contextmanager
def place():
    """A namespace with v0 and v1, all modules, and a file for the lines. Yields the namespace and
    the path of the file."""
    with namespace() as ns, tempfile.TemporaryDirectory() as folder:
        for module in ("xlo_rto", "sch_lpd", "arqlink"):
            kmod.insmod(module)
        yield ns, os.path.join(folder, "a.conf")


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    os.chmod(path, 0o644)


def command(ns, words):
    """Run freshlink. Returns the exit status, and the lines on standard output and on standard
    error."""
    done = ns.run(f"{tools.FRESHLINK} {words}", check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def apply(ns, path, *lines, words="", status=0, said=()):
    """Apply a file with these lines. Returns what differs, without the path of the file."""
    if lines:
        write(path, lines)
    got, out, errors = command(ns, f"apply {path} {words}")
    tap.equal(f"status and messages of {lines} {words}", (got, errors), (status, list(said)))
    return [line.removeprefix(f"{path}:") for line in out]


def saved(ns):
    status, out, errors = command(ns, "save")
    tap.equal("status and messages of save", (status, errors), (0, []))
    return out


def shown(ns):
    """What other commands show of the state, without counters. Profiles are sorted by name, since
    one that was replaced is the last."""
    profiles = sorted(line.split(" packets ")[0] for line in command(ns, "profile show")[1])
    status = json.loads(command(ns, "status -j")[1][0])
    rto = {key: status["rto"][key] for key in ("accept", "one_hop", "encoding", "early", "key")}
    tc, ip = (json.loads(ns.run(words).stdout or "[]") for words in (
        "tc -j qdisc show", "ip -j -d link show type arqlink"))
    return {"profiles": profiles, "set": [status["txtime"], status["validate"]],
            "caps": status["caps"], "rto": rto,
            "lpd": {q["dev"]: q["options"] for q in tc if q["kind"] == "lpd"},
            "arqlink": {link["ifname"]: (link["link"], link["linkinfo"]["info_data"])
                        for link in ip}}


def test_first_and_again():
    """The lines are in effect after the first apply, which prints them. The second apply and
    --check print nothing."""
    with place() as (ns, path):
        tap.equal("first", apply(ns, path, *LINES), [
            "1: - set --txtime off --validate off",
            *(f"{number}: + {line}" for number, line in enumerate(LINES[:3], 1)),
            "4: - rto set --accept none --one-hop off --encoding native --early rtt --key none",
            *(f"{number}: + {line}" for number, line in enumerate(LINES[3:], 4))])
        now = shown(ns)
        tap.equal("profile", now["profiles"],
                  ["name video mark 0x10/0xf0 lifetime 300ms reorder 0 stale truncate slow no "
                   "corrupt_ok no clock relative path output"])
        tap.equal("settings", (now["set"], now["caps"], now["rto"]["accept"]),
                  (["on", "off"], {"v0": 2 * 10**9}, "native"))
        lower, link = now["arqlink"]["arq0"]
        tap.equal("arqlink", (lower, link["window"], link["timeout"]), ("v1", 16, 50 * 10**6))
        lpd = now["lpd"]
        tap.equal("lpd", (lpd["v0"]["limit"], lpd["v0"]["strip"], len(lpd["v0"]["match"]),
                          lpd["arq0"]["lifetime"]), (500, True, 1, 10**9))
        tap.equal("again", apply(ns, path), [])
        tap.equal("check", apply(ns, path, words="--check"), [])
        tap.equal("state", shown(ns), now)


def test_differences():
    """--check prints the present state and the line of each difference, and changes nothing. apply
    prints the same, and changes exactly that. An option that a line does not have gets its
    default, but settings of set and rto set stay."""
    with place() as (ns, path):
        apply(ns, path, *LINES, "profile add other --mark 0x20/0xf0 --lifetime rto")
        ns.run(f"{tools.FRESHLINK} set --validate on")
        ns.run(f"{tools.FRESHLINK} profile add stranger --mark 0x40/0xf0 --lifetime 1s")
        before = shown(ns)
        changed = [*LINES]
        changed[0] = "set --txtime off"
        changed[1] = 'profile add "video" --mark 0x10/0xf0  --lifetime 300ms # for the camera'
        changed[2] = "cap set v0 --lifetime 3s"
        changed[4] = "link arq0 link v1 type arqlink timeout 60ms"
        changed[5] = "qdisc v0 root lpd limit 500 rate 1mbit"
        differs = ["1: - set --txtime on --validate on", "1: + set --txtime off",
                   f"2: - {LINES[1]}", "2: + profile add video --mark 0x10/0xf0 --lifetime 300ms",
                   f"3: - {LINES[2]}", f"3: + {changed[2]}",
                   f"5: - {LINES[4]}", f"5: + {changed[4]}",
                   "6: - qdisc v0 root lpd limit 500 strip match dscp ef 200ms truncate",
                   f"6: + {changed[5]}"]
        tap.equal("check", apply(ns, path, *changed, words="--check", status=1), differs)
        told = [json.loads(line) for line in command(ns, f"apply {path} --check -j")[1]]
        tap.equal("JSON", [[line["place"], line.get("present"), line["line"]] for line in told],
                  [[f"{path}:{minus[0]}", minus[5:], plus[5:]]
                   for minus, plus in zip(differs[::2], differs[1::2])])
        tap.equal("state after check", shown(ns), before)
        tap.equal("apply", apply(ns, path), differs)
        now = shown(ns)
        tap.equal("again", apply(ns, path, words="--check"), [])
        tap.equal("other settings stay", (now["set"], now["rto"]), (["off", "on"], before["rto"]))
        tap.equal("other profiles stay", [line.split()[1] for line in now["profiles"]],
                  ["other", "stranger", "video"])
        tap.equal("defaults", (now["lpd"]["v0"]["strip"], now["lpd"]["v0"].get("match", []),
                               now["arqlink"]["arq0"][1]["window"]),
                  (False, [], int(default("ip arqlink", "window"))))


def default(kind, word):
    """The default of an option in the help of a plugin."""
    done = tools.ip(f"link add nodev type {kind.split()[1]} help")
    text = done.stdout.split(f"\n  {word} ")[1]
    return text.split("(default ")[1].split(")")[0]


def test_all_or_nothing():
    """If the kernel refuses one of the lines, the state is as before, whichever line it is: objects
    that were made are removed, and objects that were changed have their old values. The message
    names the line."""
    old = ("set --validate on", "profile add video --mark 0x20/0xf0 --lifetime rto",
           "profile add holder --mark 0x10/0xf0 --lifetime 1s",
           "cap set v0 --lifetime 1s", "rto set --accept extension --key none",
           "link arq0 link v1 type arqlink window 8", "qdisc arq0 root lpd limit 9 notify")
    lines = [line for line in LINES if not line.startswith("profile")]
    lines.append("profile add video --mark 0x20/0xf0 --lifetime 5s")
    for place_of_error, start in itertools.product((0, 2, len(lines)), ((), old)):
        with place() as (ns, path):
            if start:
                apply(ns, path, *start)
            else:
                apply(ns, path, "profile add holder --mark 0x10/0xf0 --lifetime 1s")
            before, text = shown(ns), saved(ns)
            tried = [*lines]
            tried.insert(place_of_error, CLASH)
            apply(ns, path, *tried, status=1, said=[
                f"freshlink apply: {path}:{place_of_error + 1}: profile add: {REFUSED}", UNDONE])
            tap.equal(f"error in line {place_of_error + 1}", shown(ns), before)
            tap.equal("save", sorted(saved(ns)), sorted(text))


def test_refused_by_tools():
    """An error of tc or of ip is undone as well. A root qdisc and a device that freshlink did not
    make stay."""
    with place() as (ns, path):
        ns.run("tc qdisc add dev v0 root handle 7: pfifo limit 7")
        ns.run("ip link add arq0 type dummy")
        before = shown(ns)
        for line, *messages in (
                (LINES[4], "RTNETLINK answers: File exists",
                 f"freshlink apply: {path}:2: link: ip failed with status 2"),
                (LINES[5], f"freshlink apply: {path}:2: qdisc: v0 has the root qdisc pfifo 7:, expected "
                 "lpd or none of its own: remove it: tc qdisc del dev v0 root")):
            apply(ns, path, LINES[1], line, status=1, said=[*messages, UNDONE])
            tap.equal(line, shown(ns), before)
        tap.true("pfifo", "pfifo 7: root" in ns.run("tc qdisc show dev v0").stdout)
    with place() as (ns, path):
        apply(ns, path, LINES[4])
        apply(ns, path, "link arq0 link v0 type arqlink", status=1, said=[
            f"freshlink apply: {path}:1: link: arq0 exists above v1, expected above v0: remove it: "
            "ip link del arq0", UNDONE])


def test_marks_are_exchanged():
    """Two profiles exchange their marks, although the kernel refuses two profiles with the same
    mark."""
    with place() as (ns, path):
        apply(ns, path, "profile add a --mark 1 --lifetime 1s", "profile add b --mark 2 --lifetime 1s")
        apply(ns, path, "profile add a --mark 2 --lifetime 1s", "profile add b --mark 1 --lifetime 1s")
        tap.equal("profiles", [line.split(" lifetime")[0] for line in shown(ns)["profiles"]],
                  ["name a mark 0x2/0xffffffff", "name b mark 0x1/0xffffffff"])


def test_waits_for_devices():
    """Lines of a missing device wait, and so do lines of a device that waits for another device.
    apply says so, and applies all other lines. When the device is there, --device applies its lines
    and no others."""
    with place() as (ns, path):
        lines = ("cap set wwan0 --lifetime 1s", LINES[1],
                 "link arq0 link wwan0 type arqlink", "qdisc arq0 root lpd limit 5",
                 "qdisc wwan0 root lpd limit 6")
        waits = [f"{number}: waits for {device}: {lines[number - 1]}"
                 for number, device in ((1, "wwan0"), (3, "wwan0"), (4, "arq0"), (5, "wwan0"))]
        tap.equal("check", apply(ns, path, *lines, words="--check", status=1),
                  [waits[0], f"2: + {lines[1]}", *waits[1:]])
        tap.equal("apply", apply(ns, path), [waits[0], f"2: + {lines[1]}", *waits[1:]])
        tap.equal("nothing differs", apply(ns, path, words="--check"), waits)
        tap.equal("JSON", json.loads(command(ns, f"apply {path} -j")[1][0]),
                  {"place": f"{path}:1", "waits_for": "wwan0", "line": lines[0]})
        ns.run("ip link add wwan0 type dummy")
        ns.run(f"{tools.FRESHLINK} profile del video")
        tap.equal("wwan0", apply(ns, path, words="--device wwan0"),
                  [f"{number}: + {lines[number - 1]}" for number in (1, 3, 5)])
        tap.equal("arq0", apply(ns, path, words="--device arq0"), [f"4: + {lines[3]}"])
        tap.equal("another", apply(ns, path, words="--device v0"), [])
        tap.equal("profiles", shown(ns)["profiles"], [])
        ns.run("ip link del wwan0")
        ns.run("ip link add wwan0 type dummy")
        tap.equal("it comes back", apply(ns, path),
                  [f"{number}: + {line}" for number, line in enumerate(lines, 1)])
        tap.equal("nothing differs", apply(ns, path, words="--check"), [])


def test_device_goes():
    """If a device goes while its lines are put into effect, the line waits, and all other lines stay in
    effect. A device is not found by an alternative name."""
    with place() as (ns, path), tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "tc"), "w") as file:
            file.write("#!/bin/sh\nip link del wwan0\nexit 2\n")
        os.chmod(file.name, 0o755)
        ns.run("ip link add wwan0 type dummy")
        ns.run("ip link property add dev v0 altname camera0")
        write(path, (LINES[1], "qdisc wwan0 root lpd", "cap set camera0 --lifetime 1s", LINES[2]))
        done = ns.run(f"env PATH={folder}:{os.environ['PATH']} {tools.FRESHLINK} apply {path}",
                      check=False)
        who = f"freshlink apply: {path}:2: qdisc"
        tap.equal("status and messages", (done.returncode, done.stderr.splitlines()), (0, [
            f"{who}: tc failed with status 2", f"{who}: wwan0 has gone: the line waits for it"]))
        tap.equal("what waits", apply(ns, path, words="--check"), [
            "2: waits for wwan0: qdisc wwan0 root lpd",
            "3: waits for camera0: cap set camera0 --lifetime 1s"])


def waits_for_lock():
    """Whether a process waits for a lock of flock(2)."""
    with open("/proc/locks") as file:
        return any("-> FLOCK" in line for line in file)


def start(ns, path, folder=""):
    """Start an apply, which finds programs in the folder first."""
    with ns.inside():
        return subprocess.Popen([tools.FRESHLINK, "apply", path], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT,
                                env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})


def test_one_after_the_other():
    """An apply waits until another one has ended, and then finds no difference. udev starts a second
    one, for example, when the first has created an arqlink device."""
    with place() as (ns, path), tempfile.TemporaryDirectory() as folder:
        there, go = (os.path.join(folder, name) for name in ("there", "go"))
        with open(os.path.join(folder, "tc"), "w") as file:
            file.write(f"#!/bin/sh\ntouch {there}\nwhile [ ! -e {go} ]; do sleep 0.01; done\n"
                       f"PATH={os.environ['PATH']}\nexec tc \"$@\"\n")
        os.chmod(file.name, 0o755)
        write(path, LINES[4:])
        first = start(ns, path, folder)
        wait.until("the first one has created arq0", lambda: os.path.exists(there))
        second = start(ns, path)
        wait.until("the second one waits", waits_for_lock)
        with open(go, "w"):
            pass
        out = [process.communicate()[0].splitlines() for process in (first, second)]
        tap.equal("statuses", (first.returncode, second.returncode), (0, 0))
        tap.equal("what they print", out,
                  [[f"{path}:{number}: + {line}" for number, line in enumerate(LINES[4:], 1)], []])


# options with other values than their defaults, and names with quotes
RICH = ("set --txtime on --validate on",
        "profile add '#\"' --mark 0/1 --lifetime repeats --slow --corrupt-ok",
        "profile add \"a\\b'c\" --mark 0xffffffff --lifetime 65534ms --reorder 255 --stale forward "
        "--path both",
        "profile add utc --mark 0x2/0x3 --lifetime 43200s --clock utc --path forward",
        "cap set lo --lifetime 1ms", "cap set v0 --lifetime 43200s",
        "rto set --accept both --one-hop off --encoding extension --early quarter --key none",
        "link arq0 link v1 type arqlink remote 02:00:00:00:00:09 window 3 timer fixed timeout 9ms "
        "mean_factor 1.5 bypass_mark 0x1/0xf bypass_dscp ef,cs5 reliable_mark 0x7 attempts 4 "
        "persist 5s rate 1mbit notify yes order fair",
        "qdisc v0 root lpd limit 7 memory 1mb order edf overflow stalest rate 2500kbit "
        "delay 1500us stale truncate keep 12 lifetime 5s exempt noadu strip notify share 20 "
        "match mark 0x1/0xff 300ms importance 3 match dscp af41 none forward match priority 6 1s",
        "qdisc arq0 root lpd rate link delay link")


def test_save_and_apply():
    """save prints all values. In another namespace, apply makes the same state of this text, in
    which --check finds no difference, and which save prints the same."""
    with place() as (ns, path):
        apply(ns, path, *RICH)
        text, state = saved(ns), shown(ns)
        tap.equal("lines", len(text), len(RICH))
    with place() as (ns, path):
        apply(ns, path, *text)
        tap.equal("state", shown(ns), state)
        tap.equal("saved again", saved(ns), text)
        tap.equal("check", apply(ns, path, words="--check"), [])


def test_repetition():
    """A file may repeat the lines of another one, as two files that save has printed. apply takes each
    line once."""
    with place() as (ns, path):
        apply(ns, path, *RICH)
        write(f"{path}.saved", saved(ns))
        tap.equal("nothing differs", apply(ns, path, words=f"{path}.saved"), [])
        text = saved(ns)
    with place() as (ns, path):
        write(f"{path}.saved", text)
        tap.equal("lines", len([line for line in apply(ns, path, *RICH, words=f"{path}.saved")
                                if ": + " in line]), len(RICH))


def test_lpd_below_another_qdisc():
    """save says that no line can have an lpd below another qdisc. That of freshlink emulate, which
    has its own handles, is not mentioned."""
    with place() as (ns, path):
        before = saved(ns)
        for device, root, child in (("v0", "1:", "20:"), ("v1", "7f01:", "7f02:")):
            ns.run(f"tc qdisc add dev {device} root handle {root} tbf rate 1mbit burst 9kb limit 9kb")
            ns.run(f"tc qdisc add dev {device} parent {root}1 handle {child} lpd")
        tap.equal("save", saved(ns), [*before, "# v0: lpd with the parent 1:1: no line can have it"])
        tap.equal("check", apply(ns, path, *saved(ns), words="--check"), [])


def drawn(random):
    """Lines with random values of options whose values are numbers."""
    def number(low, high):
        return random.choice((low, high, random.randint(low, high),
                              random.randint(low, min(high, low + 1000))))
    return (f"profile add p --mark {hex(number(0, 2**32 - 1))} --lifetime {number(0, 65534)}ms "
            f"--reorder {number(0, 255)}",
            f"cap set v0 --lifetime {number(1, 43200000)}ms",
            f"link arq0 link v1 type arqlink frame {number(64, 1400)} window {number(1, 64)} "
            f"timeout {number(10**6, 10**9)}ns mean_factor {number(0, 8000)}e-3 "
            f"rate {8 * number(1, 10**9)}bit attempts {number(1, 255)} "
            f"bypass_mark {hex(number(0, 2**32 - 1))} ring {number(1500, 10**6)} "
            f"reliable_dscp {number(0, 63)},{number(0, 63)}",
            f"qdisc v0 root lpd limit {number(1, 10**6)} memory {number(65536, 2**32 - 1)} "
            f"rate {8 * number(1, 10**11)}bit delay {number(0, 10**9)}ns keep {number(0, 1000)} "
            f"lifetime {number(1, 10**12)}ns share {number(0, 50)} "
            f"match mark {hex(number(0, 2**32 - 1))} {number(1, 10**12)}ns "
            f"match dscp {number(0, 63)} {number(1, 10**9)}ns importance {number(0, 7)} "
            f"match priority {number(0, 2**32 - 1)} none")


def test_random_values():
    """save prints each number exactly, whatever it is: apply finds no difference between what it has
    applied, or what save printed, and the present state."""
    random = Random(1)
    with place() as (ns, path):
        for _ in range(12):
            lines = drawn(random)
            tap.note(" / ".join(lines))
            apply(ns, path, *lines)
            tap.equal("check", apply(ns, path, words="--check"), [])
            text = saved(ns)
            tap.equal("check of save", apply(ns, path, *text, words="--check"), [])
            tap.equal("saved again", saved(ns), text)


def test_key():
    """A key of rto, which the kernel does not show, is written by each apply. It is written or removed
    after everything that the kernel may refuse. save prints a comment, so that nobody accepts messages
    without the key after a reboot."""
    with place() as (ns, path), tempfile.NamedTemporaryFile("w") as key:
        key.write("0123456789abcdef" * 2)
        key.flush()
        line = f"rto set --key {key.name}"
        apply(ns, path, "profile add holder --mark 0x10/0xf0 --lifetime 1s")
        apply(ns, path, line, CLASH, status=1,
              said=[f"freshlink apply: {path}:2: profile add: {REFUSED}", UNDONE])
        tap.equal("no key", shown(ns)["rto"]["key"], "none")
        tap.equal("new", apply(ns, path, line)[-1], f"1: + {line}")
        tap.equal("again", apply(ns, path), [])
        tap.equal("key", shown(ns)["rto"]["key"], "set")
        apply(ns, path, "rto set --key /nowhere/key", CLASH, status=1,
              said=[f"freshlink apply: {path}:2: profile add: {REFUSED}", UNDONE])
        apply(ns, path, "rto set --key none", CLASH, status=1,
              said=[f"freshlink apply: {path}:2: profile add: {REFUSED}", UNDONE])
        tap.equal("the key is not removed before an error", shown(ns)["rto"]["key"], "set")
        ns.run(f"{tools.FRESHLINK} rto set --accept both")
        status, text, errors = command(ns, "save")
        tap.equal("status and message of save", (status, errors), (0, [
            "freshlink save: rto set: the kernel does not show the key: the line is a comment until you "
            "name the file of the key there"]))
        tap.equal("saved", text[-1], "# rto set --accept both --one-hop off --encoding native "
                                     "--early rtt --key FILE")
        tap.equal("check", apply(ns, path, *text, words="--check"), [])
        with_key = text[-1].removeprefix("# ").replace("FILE", key.name)
        tap.equal("check with the key", apply(ns, path, with_key, words="--check"), [])
        with namespace() as other:
            apply(other, path, *text)
            tap.equal("nothing is accepted without the key", shown(other)["rto"]["accept"], "none")
        write(path, [line])
        os.unlink(key.name)
        tap.equal("it is written again", command(ns, f"apply {path}")[0], 1)
        with open(key.name, "w"):
            pass


def test_modules():
    """apply loads the modules that the lines need and no request loads, and no others. --check
    loads nothing."""
    with place() as (ns, path), kmod.found_by_modprobe(), tempfile.TemporaryDirectory() as folder:
        with open("/proc/sys/kernel/modprobe") as file:
            real = file.read().strip()
        with open(os.path.join(folder, "modprobe"), "w") as file:
            file.write(f"#!/bin/sh\nPATH={os.environ['PATH']}\nexec {real} \"$@\"\n")
        os.chmod(file.name, 0o755)
        for module in ("xlo_rto", "xlo"):
            tap.equal(f"{module} unloads", kmod.rmmod(module), 0)
        write(path, LINES[:1])
        env = f"env PATH={folder}:{os.environ['PATH']}"
        for words, status, modules in (("--check", 1, (False, False)), ("", 0, (True, False))):
            done = ns.run(f"{env} {tools.FRESHLINK} apply {path} {words}", check=False)
            tap.equal(f"status {words}", (done.returncode, done.stderr), (status, ""))
            tap.equal(f"modules {words}", (kmod.loaded("xlo"), kmod.loaded("xlo_rto")), modules)


@contextlib.contextmanager
def fake_systemctl(folder):
    """A systemctl that writes its words to a file, and knows which units run. Yields the words that
    run a program with it."""
    log = os.path.join(folder, "log")
    with open(os.path.join(folder, "systemctl"), "w") as file:
        file.write(f"""#!/bin/sh
echo "$*" >> {log}
case $1 in
restart) [ ! -e {folder}/fails ] && touch {folder}/active ;;
stop) rm -f {folder}/active ;;
is-active) [ -e {folder}/active ] ;;
esac
""")
    os.chmod(file.name, 0o755)
    yield f"env PATH={folder}:{os.environ['PATH']} {tools.FRESHLINK} apply", log


def calls(log):
    with open(log) as file:
        lines = file.read().splitlines()
    os.unlink(log)
    return [line for line in lines if not line.startswith("is-active")]


def test_pace():
    """The line of pace writes the unit's options and starts the unit. A unit that runs with the same
    options stays. If another line fails, the unit has its old options again. In another network
    namespace than that of the units, the line is refused."""
    options = "/run/freshlink/pace-lo"
    line = "pace lo --reflector 192.0.2.1,192.0.2.2 --target 30ms"
    unit = "--no-block freshlink-pace@lo.service"
    with place() as (ns, path):
        apply(ns, path, line, status=1, said=[
            f"freshlink apply: {path}:1: pace: units run in the network namespace of the system: "
            "expected the same here", UNDONE])
    with place() as (_, path), tempfile.TemporaryDirectory() as folder, netns.First() as ns, \
            fake_systemctl(folder) as (program, log):
        def run(*lines, words=""):
            write(path, lines)
            return ns.run(f"{program} {path} {words}", check=False)
        tap.equal("first", run(line).stdout, f"{path}:1: + {line}\n")
        tap.equal("calls", calls(log), [f"restart {unit}"])
        with open(options) as file:
            tap.equal("options", file.read(),
                      'OPTIONS="--reflector 192.0.2.1,192.0.2.2 --target 30ms"\n')
        tap.equal("again", run(line).stdout, "")
        tap.equal("calls", calls(log), [])
        other = line.replace("30ms", "40ms")
        tap.equal("check", run(other, words="--check").stdout,
                  f"{path}:1: - {line}\n{path}:1: + {other}\n")
        calls(log)
        tap.equal("an error follows", run(other, "profile add x --mark 1 --lifetime rto "
                                          "--path forward").returncode, 1)
        tap.equal("calls", calls(log), [f"restart {unit}"] * 2)
        tap.equal("nothing differs", run(line).stdout, "")
        with open(os.path.join(folder, "fails"), "w"):
            tap.equal("systemctl fails", run(other).returncode, 1)
        os.unlink(os.path.join(folder, "fails"))
        tap.equal("the old options are there", run(line).stdout, "")
        os.unlink(os.path.join(folder, "active"))
        tap.equal("it does not run", run(line).stdout, f"{path}:1: + {line}\n")
        os.unlink(options)


def test_pace_is_undone():
    """If another line fails, a unit that ran with options in /etc runs with these again. A unit that
    did not run is stopped."""
    line, unit = "pace lo --reflector 192.0.2.1", "--no-block freshlink-pace@lo.service"
    with place() as (_, path), tempfile.TemporaryDirectory() as folder, netns.First() as ns, \
            fake_systemctl(folder) as (program, log):
        write(path, (line, "profile add x --mark 1 --lifetime rto --path forward"))
        for runs, verb in ((True, "restart"), (False, "stop")):
            if runs:
                with open(os.path.join(folder, "active"), "w"):
                    pass
            tap.equal("status", ns.run(f"{program} {path}", check=False).returncode, 1)
            tap.equal("calls", calls(log), [f"restart {unit}", f"{verb} {unit}"])
            tap.equal("it runs", os.path.exists(os.path.join(folder, "active")), runs)
            tap.true("no options in /run", not os.path.exists("/run/freshlink/pace-lo"))
            if runs:
                os.unlink(os.path.join(folder, "active"))


def test_files_that_others_write():
    """A file that others can write, or that belongs to another user, is refused, and so is what is
    no regular file. Nothing is applied, also of other files."""
    with place() as (ns, path):
        good = f"{path}.good"
        write(good, LINES[1:2])
        write(path, LINES[2:3])
        mine = "can be written by others: expected its owner alone (chmod go-w)"
        for mode, what in ((0o664, mine), (0o646, mine)):
            os.chmod(path, mode)
            tap.equal(oct(mode), command(ns, f"apply {good} {path}"),
                      (1, [], [f"freshlink apply: {path} {what}"]))
        os.chmod(path, 0o644)
        os.chown(path, 65534, 0)
        tap.equal("owner", command(ns, f"apply {good} {path}"), (1, [], [
            f"freshlink apply: {path} belongs to the user 65534: expected root (chown root)"]))
        fifo = f"{path}.fifo"
        os.mkfifo(fifo, 0o600)
        for name in (fifo, os.path.dirname(path)):
            tap.equal(name, command(ns, f"apply {good} {name}"),
                      (1, [], [f"freshlink apply: {name}: expected a regular file"]))
        tap.equal("missing", command(ns, f"apply {good} {path}.no"), (1, [], [
            f"freshlink apply: {path}.no: expected a regular file that can be read: No such file "
            "or directory"]))
        tap.equal("profiles", shown(ns)["profiles"], [])


def test_folder_that_others_write():
    """The default folder is refused if others can write it: they could replace its files."""
    where, line = "/etc/freshlink", "profile add x --mark 1 --lifetime 1s"
    made = not os.path.exists(where)
    with place() as (ns, path), tempfile.TemporaryDirectory() as folder:
        os.makedirs(where, exist_ok=True)
        write(f"{folder}/a.conf", (line,))
        there = ["unshare", "-m", "sh", "-c", f'mount --bind {folder} {where} && exec "$@"', "sh",
                 tools.FRESHLINK, "apply"]
        for mode, status, said in (
                (0o775, 1, f"freshlink apply: {where} can be written by others: expected its owner alone "
                           "(chmod go-w)\n"),
                (0o755, 0, "")):
            os.chmod(folder, mode)
            done = ns.run(there, check=False)
            tap.equal(oct(mode), (done.returncode, done.stderr), (status, said))
            tap.equal("profiles", len(shown(ns)["profiles"]), 1 - status)
        if made:
            os.rmdir(where)


if __name__ == "__main__":
    tap.run(tap.collect(globals()))
