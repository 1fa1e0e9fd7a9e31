#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""freshlink emulate restores exactly the former qdiscs of the devices, for any cause of its end,
also if either process is killed. freshlink refuses to replace a qdisc that it could not restore."""
# run.sh: once: what a command prints does not depend on the kernel
import contextlib
import functools
import os
import re
import signal

from cli import pair, tools
from lib import tap, tc, wait

MODES = {"tbf": "--child pfifo limit 5", "netem": "--mode netem"}
KILLED = "freshlink emulate: the worker was killed by signal 9\n"


def worker(process):
    """The process id of the worker, which is the child of the command."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/stat") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == process.pid:
                return int(entry)
    raise tap.Failed("no worker")


def from_terminal(process):
    """Ctrl-C in a terminal sends SIGINT to both processes."""
    os.kill(worker(process), signal.SIGINT)
    process.send_signal(signal.SIGINT)


# how an emulation ends: the function that ends it, the exit status, standard error
ENDS = {
    "SIGINT": (lambda e: e.send_signal(signal.SIGINT), 0, ""),
    "SIGTERM": (lambda e: e.send_signal(signal.SIGTERM), 0, ""),
    "SIGHUP": (lambda e: e.send_signal(signal.SIGHUP), 0, ""),
    "SIGQUIT": (lambda e: e.send_signal(signal.SIGQUIT), 0, ""),
    "SIGINT to both": (from_terminal, 0, ""),
    "duration": (lambda e: None, 0, ""),
    "worker killed": (lambda e: os.kill(worker(e), signal.SIGKILL), 1, KILLED),
    "parent killed": (lambda e: e.kill(), -signal.SIGKILL, ""),
}

# Kinds that --replace accepts, with options other than their defaults
KINDS = {
    "pfifo": "limit 77",
    "bfifo": "limit 12345",
    "pfifo_head_drop": "limit 9",
    "pfifo_fast": "",
    "noqueue": "",
    "fq": "limit 500 flow_limit 50 quantum 3000 initial_quantum 20000 maxrate 1mbit buckets 64 "
          "refill_delay 30ms low_rate_threshold 100kbit orphan_mask 255 timer_slack 20us "
          "ce_threshold 4ms horizon 3s horizon_cap",
    "lpd": "limit 7 memory 1mb rate 1mbit delay 5ms lifetime 3s stale truncate keep 12 noadu "
           "order edf overflow head strip notify match mark 0x1/0xff 300ms match dscp ef 20ms",
}


def roots(p):
    """The state that must be the same before and after."""
    return pair.root_qdisc(p.left, "v0"), pair.root_qdisc(p.right, "v1")


def restored(mode, how):
    """Both devices have qdiscs of another program. An emulation that ends in the middle of a spike
    restores the qdiscs of both devices."""
    end, status, message = ENDS[how]
    tc.need("netem")
    with pair.Pair() as p:
        p.left.run("tc qdisc add dev v0 root handle 5: pfifo limit 77")
        p.right.run("tc qdisc add dev v1 root handle 6: bfifo limit 12345")
        before = roots(p)
        emulation = p.start(p.left, f"emulate v0 -j --replace --far v1@{p.right.path} --delay 5ms "
                            "--first 50ms --period 60s --spike 30s"
                            f"{' --duration 3s' * (how == 'duration')} {MODES[mode]}")
        pair.ready(emulation)
        tap.true("the spike has begun", "spike_start" in emulation.stdout.readline())
        tap.equal("at work", [root[0] for root in roots(p)], [mode, "netem"])
        end(emulation)
        pair.settled("restored", lambda: roots(p) == before)
        out, err = emulation.communicate(timeout=wait.patient(20))
    tap.equal("status and message", (emulation.returncode, err), (status, message))
    last = (out.splitlines() or [""])[-1]
    tap.equal("last event", last.split(",")[0], '{"event": "restored"')


def brought_back(p, before):
    """Put a qdisc on the left, emulate on top of it, and compare the kernel's reports before and
    after."""
    p.left.run(f"tc qdisc add dev v0 root {before}")
    root = pair.root_qdisc(p.left, "v0")
    emulation = p.start(p.left, "emulate v0 -j --replace")
    pair.ready(emulation)
    tap.equal(f"{before}: at work", pair.root_qdisc(p.left, "v0")[0], "tbf")
    emulation.terminate()
    pair.events(emulation)
    tap.equal(before, pair.root_qdisc(p.left, "v0"), root)
    p.left.run("tc qdisc del dev v0 root")


def test_kinds_come_back():
    """Every kind that --replace accepts is restored with its handle and options. The message about
    another kind, and the man page, list these kinds."""
    tc.need("fq", "lpd")
    with pair.Pair() as p:
        for kind, words in KINDS.items():
            brought_back(p, f"handle 5: {kind} {words}")
        p.left.run("tc qdisc add dev v0 root handle 5: sfq")
        said = refusal(p, "v0 --replace")
    tap.equal("the refusal", re.search("expected one of (.*) without", said)[1].split(),
              list(KINDS))
    with open(os.path.join(tools.USERSPACE, "man", "freshlink-emulate.8")) as file:
        manual = re.search(r"The qdisc must be a (.*?)\.", file.read().replace("\n", " "))[1]
    tap.equal("the man page", re.split(", | or ", manual), list(KINDS))


def test_default_comes_back():
    """A device that had only its default qdisc has its default qdisc again afterwards."""
    with pair.Pair() as p:
        before = roots(p)
        emulation = p.start(p.left, f"emulate v0 -j --far v1@{p.right.path}")
        pair.ready(emulation)
        tap.true("both at work", all(a != b for a, b in zip(roots(p), before)))
        emulation.terminate()
        pair.events(emulation)
        tap.equal("afterwards", roots(p), before)


def refusal(p, words):
    """The message of an emulation that is refused and changes nothing."""
    before = roots(p)
    process = p.start(p.left, f"emulate {words}")
    out, err = process.communicate(timeout=wait.patient(20))
    tap.equal("status and standard output", (process.returncode, out), (1, ""))
    tap.equal("nothing changed", roots(p), before)
    return err.removeprefix("freshlink emulate: ").rstrip("\n")


def test_refusals():
    """emulate does not change a root qdisc of another program, also with --replace if emulate could
    not restore the qdisc. A message names the remains of an earlier run."""
    what = "could not be restored exactly: expected one of pfifo bfifo pfifo_head_drop " \
        "pfifo_fast noqueue fq lpd without size table, estimator and child qdiscs: remove it first"
    tc.need("fq_codel", "netem")
    with pair.Pair() as p:
        p.left.run("tc qdisc add dev v0 root handle 5: pfifo limit 77")
        tap.equal("without --replace", refusal(p, "v0"), "v0: the root qdisc pfifo 5: "
                  "exists already: remove it, or use --replace")
        for words, kind in (("tbf rate 1mbit burst 2000 limit 9", "tbf"), ("fq_codel", "fq_codel"),
                            ("netem delay 5ms", "netem"),
                            ("stab overhead 20 linklayer atm pfifo", "pfifo"),
                            ("estimator 1s 8s pfifo", "pfifo")):
            p.left.run("tc qdisc del dev v0 root")
            p.left.run(f"tc qdisc add dev v0 root handle 6: {words}")
            tap.equal(words, refusal(p, "v0 --replace"), f"v0: its root qdisc {kind} 6: {what}")
        p.left.run("tc qdisc del dev v0 root")
        p.right.run("tc qdisc add dev v1 root handle 9: sfq")
        tap.equal("the far side's", refusal(p, f"v0 --replace --far v1@{p.right.path}"),
                  f"v1: its root qdisc sfq 9: {what}")
        p.left.run("tc qdisc add dev v0 root handle 7f01: tbf rate 1mbit burst 2000 limit 9")
        tap.equal("left behind", refusal(p, "v0 --replace"), "v0: freshlink emulate is running "
                  "on this device, or was killed with its parent: remove its qdisc with "
                  "\"tc qdisc del dev v0 root\"")


def test_missing_capability():
    """Without CAP_NET_ADMIN, CAP_NET_RAW or CAP_SYS_ADMIN the message names the missing capability.
    The device is unchanged, so there is no event."""
    with pair.Pair() as p:
        before = roots(p)
        for drop, words, said in (
                ("net_admin", "", "v0: changing qdiscs needs CAP_NET_ADMIN"),
                ("net_raw", "", "v0: cannot open a packet socket: it needs CAP_NET_RAW"),
                ("sys_admin", f"--far v1@{p.right.path}", "v1: cannot open a netlink socket in "
                 "its namespace: entering it needs CAP_SYS_ADMIN")):
            done = p.without(drop, f"{tools.FRESHLINK} emulate v0 {words}")
            tap.equal(drop, (done.returncode, done.stdout, done.stderr),
                      (1, "", f"freshlink emulate: {said}{tools.LACKS}\n"))
            tap.equal("afterwards", roots(p), before)


def test_half_made_is_undone():
    """freshlink makes the far side first. If the near side cannot be made, freshlink restores the
    far side, which causes an event."""
    tc.need("netem")
    with pair.Pair() as p:
        before = roots(p)
        done = p.without("net_raw", f"{tools.FRESHLINK} emulate v0 --far v1@{p.right.path}")
        tap.true(done.stderr, "v0: cannot open a packet socket" in done.stderr)
        tap.equal("status", done.returncode, 1)
        tap.true(done.stdout, done.stdout.startswith("event restored "))
        tap.equal("afterwards", roots(p), before)


def test_somebody_elses_is_left():
    """If another program replaces our root qdisc, the qdisc of that program stays, and a message
    reports this. If that program has restored the former root qdisc, there is no message and no
    event."""
    for meanwhile, status, message in (
            ("del dev v0 root", 0, ""),
            ("replace dev v0 root handle 9: pfifo limit 3", 1, "freshlink emulate: v0: its root "
             "qdisc is pfifo 9: now, expected noqueue 0: as before\n")):
        with pair.Pair() as p:
            emulation = p.start(p.left, "emulate v0 -j")
            pair.ready(emulation)
            p.left.run(f"tc qdisc {meanwhile}")
            changed = roots(p)
            emulation.terminate()
            out, err = emulation.communicate(timeout=wait.patient(20))
            tap.equal(meanwhile, (emulation.returncode, out, err), (status, "", message))
            tap.equal("left alone", roots(p), changed)


if __name__ == "__main__":
    tap.run([(f"{mode}:{how.replace(' ', '_')}", functools.partial(restored, mode, how))
             for mode in MODES for how in ENDS] + tap.collect(globals()))
