#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest.py count|time|smoke|newer_count|newer_time: the part of the bench that runs in the lab machine.
The program measures each case with lab/bench/module, and writes HOW.json to $FL_OUT. If the program counts
instructions, it also writes the kernel's symbols to $FL_OUT."""
import json
import os
import shutil
import subprocess
import sys
import time

import cases
from lib import gate, netns

DEVICE = "bench0"
PARAMETERS = "/sys/module/bench/parameters"
MODULES = os.environ["FL_MODULES"]
COUNTED, TIMED, ROUNDS = 20, 512, 3     # packets counted; packets timed in each round; rounds
# Times are measured this often. Other programs disturb all rounds of a case, which follow each other, but
# not all passes.
PASSES = 5
ASKING = ("moving", "request")          # cases in which the module sends requests to lpd's gate
FULL = cases.DEPTHS[-1]


def run(command, depth=1):
    words = command.format(dev=DEVICE, modules=MODULES, limit=min(max(1000, depth + depth // 10), cases.LIMIT))
    subprocess.run(words.split(), check=True)


def load(case, depth, **words):
    """Load the module, which measures a case, and remove it. Returns its parameters `cycles` and
    `unused`."""
    words = {"dev": DEVICE, **case.packets, "what": case.what, "depth": depth,
             "gap": case.turnover * 1_000_000 // depth, **words}
    if case.what in ASKING:
        words["family"] = gate.Client(netns.First()).family
    if depth == 1:
        # etf refuses a packet whose time is earlier than the time of the last packet that left
        words["spread"] = 0
    run("insmod {modules}/bench.ko " + " ".join(f"{k}={v}" for k, v in words.items()))
    found = []
    for name in ("cycles", "unused"):
        with open(os.path.join(PARAMETERS, name)) as file:
            found.append([int(word) for word in file.read().split(",")])
    if words.get("count"):
        shutil.copy("/proc/kallsyms", os.path.join(os.environ["FL_OUT"], f"{sys.argv[1]}.kallsyms"))
    run("rmmod bench")
    return found[0], found[1][0]


def measure(case, depth, number):
    """Measure a case at a depth. If `number` is 0, measures time. If `number` is not 0, counts
    instructions as case `number` of lab/bench/step. Returns the cycles of each round."""
    counted = case.packets.get("packets", COUNTED)
    return load(case, depth, count=number, packets=counted if number else TIMED,
                rounds=1 if number else ROUNDS)[0]


def measure_all(selected, depths, counting):
    """A record for each case and depth."""
    records = []
    for case in selected:
        fits = any("{limit}" in command for command in case.setup)
        wanted = [depth for depth in case.depths if len(case.depths) == 1 or depth in depths]
        for depth in wanted:
            if fits or depth == wanted[0]:
                for command in case.setup:
                    run(command, depth)
            number = len(records) + 1 if counting else 0
            records.append({"case": case.name, "depth": depth, "number": number,
                            "cycles": measure(case, depth, number), "packets": TIMED})
            print(f"{case.name}, {depth} queued", flush=True)
    return records


def free_memory():
    with open("/proc/meminfo") as file:
        return 1024 * next(int(line.split()[1]) for line in file if line.startswith("MemFree:"))


def unused():
    """The unused memory in bytes. The kernel frees the tables of a removed qdisc a little later."""
    last = None
    while last != (last := free_memory()):
        time.sleep(1)
    return last


def measure_memory(selected):
    """For each case the memory that the queue takes while it is empty, and that it takes together with
    its packets while it is full."""
    records = []
    # The first full queue uses memory again that earlier cases have left. A later record of the same
    # case counts.
    for case in (selected[0], *selected):
        run(case.setup[0])
        before = unused()
        for command in case.setup[1:]:
            run(command)
        empty = before - unused()
        full = before - load(case, FULL, packets=0)[1]
        records.append({"case": case.name, "packets": FULL, "empty": empty, "full": full})
        print(f"{case.name}, memory", flush=True)
    return records


def cases_of(how):
    """The cases to measure."""
    return {
        "count": (cases.NOTHING, *cases.QUEUES, *cases.HOOKS, *cases.LINKS, *cases.PATHS, *cases.REQUESTS),
        # the hooks are last, because their commands keep their effect
        "time": PASSES * (cases.NOTHING, *cases.QUEUES, *cases.RATES) + cases.HOOKS,
        "smoke": [case for case in (*cases.QUEUES, *cases.HOOKS, *cases.LINKS)
                  if case.name in cases.SMOKE],
        "newer_count": cases.NEWER,
        "newer_time": PASSES * (cases.NOTHING, *cases.NEWER),
    }[how]


def main():
    how = sys.argv[1]
    depths = cases.SMOKE_DEPTHS if how == "smoke" else cases.DEPTHS
    # otherwise IPv6 would look for neighbours during the measurement
    run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
    run("ip link add {dev} type dummy")
    run("ip addr add 10.0.0.1/24 dev {dev}")
    run("ip link set {dev} up")
    for name in ("sch_lpd", "cellink", "arqlink"):
        run(f"insmod {MODULES}/{name}.ko")
    found = {"kernel": os.uname().release,
             "records": measure_all(cases_of(how), depths, not how.endswith("time"))}
    if how == "time":
        found["memory"] = measure_memory(cases.MEMORIES)
    with open(os.path.join(os.environ["FL_OUT"], f"{how}.json"), "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
