#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest.py count|time|smoke: the part of the bench that runs in the lab machine. The program
measures each case with lab/bench/module, and writes count.json, time.json or smoke.json to $FL_OUT.
If the program counts instructions, it also writes the kernel's symbols to $FL_OUT."""
import json
import os
import shutil
import subprocess
import sys

import cases

DEVICE = "bench0"
CYCLES = "/sys/module/bench/parameters/cycles"
MODULES = os.environ["FL_MODULES"]
COUNTED, TIMED, ROUNDS = 20, 500, 7     # packets counted; packets timed in each round; rounds


def run(command):
    subprocess.run(command.format(dev=DEVICE, modules=MODULES).split(), check=True)


def measure(case, depth, number):
    """Measure a case at a depth. If `number` is 0, measures time. If `number` is not 0, counts
    instructions as case `number` of lab/bench/step. Returns the cycles of each round."""
    gap = case.turnover * 1_000_000 // depth
    words = dict({"dev": DEVICE}, **case.packets, what=case.what, depth=depth, gap=gap,
                 count=number, packets=COUNTED if number else TIMED, rounds=1 if number else ROUNDS)
    if depth == 1:
        # etf refuses a packet whose time is earlier than the time of the last packet that left
        words["spread"] = 0
    run("insmod {modules}/bench.ko " + " ".join(f"{k}={v}" for k, v in words.items()))
    with open(CYCLES) as file:
        cycles = [int(word) for word in file.read().split(",")]
    if number:
        shutil.copy("/proc/kallsyms", os.path.join(os.environ["FL_OUT"], "kallsyms"))
    run("rmmod bench")
    return cycles


def measure_all(selected, depths, counting):
    """A record for each case and depth."""
    records = []
    for case in selected:
        for command in case.setup:
            run(command)
        for depth in case.depths:
            if len(case.depths) > 1 and depth not in depths:
                continue
            number = len(records) + 1 if counting else 0
            records.append({"case": case.name, "depth": depth, "number": number,
                            "cycles": measure(case, depth, number), "packets": TIMED})
            print(f"{case.name}, {depth} queued", flush=True)
    return records


def main():
    how = sys.argv[1]
    selected, depths = (cases.NOTHING, *cases.QUEUES, *cases.HOOKS), cases.DEPTHS
    if how == "count":
        selected += cases.LINKS + cases.PATHS
    if how == "smoke":
        selected = [case for case in (*cases.QUEUES, *cases.LINKS) if case.name in cases.SMOKE]
        depths = cases.SMOKE_DEPTHS
    # otherwise IPv6 would look for neighbours during the measurement
    run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
    run("ip link add {dev} type dummy")
    run("ip addr add 10.0.0.1/24 dev {dev}")
    run("ip link set {dev} up")
    for name in ("sch_lpd", "cellink", "arqlink"):
        run(f"insmod {MODULES}/{name}.ko")
    records = measure_all(selected, depths, how != "time")
    with open(os.path.join(os.environ["FL_OUT"], f"{how}.json"), "w") as file:
        json.dump({"kernel": os.uname().release, "records": records}, file, indent=1)


if __name__ == "__main__":
    main()
