#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report.py DIRECTORY: the bench's tables, bench.json and its plot, from what the machines left
there. "report.py DIRECTORY smoke" judges the short form instead."""
import csv
import json
import os
import sys

import cases
import result
import table

BASE = "fq_codel"           # times are ratios to its
PROFILED = (("lpd", 1), ("lpd, options", 1), ("lpd, edf", 1000), ("lpd, truncating", 1000),
            ("arriving, validated", 1), ("sent, stamped", 1), ("veth", 1), ("cellink", 1),
            ("cellink, rate and delay", 1))
THROUGHPUT = (("veth", "TCP through three nodes on two CPUs"),
              ("unlimited", "TCP through a pair of devices on two CPUs"),
              ("limited", "TCP through a pair of devices with a rate on two CPUs"))


def _say(title, lines):
    print(f"\n{title}\n")
    print("\n".join(lines))


def _write_csv(path, counted, timed):
    """Every number of the lab machine."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(("case", "queued", "instructions", "least", "most", "ticks"))
        for (case, depth), found in counted.of.items():
            out.writerow((case, depth, found.mean, found.least, found.most,
                          timed.of.get((case, depth))))


def write(directory):
    """Print the tables, write the files."""
    import picture          # takes a while, and the short form does without
    counted, timed = result.Instructions(directory), result.Times(directory)
    _say(f"Instructions per packet, enqueue and dequeue (Linux {counted.kernel}, User-Mode Linux)",
         table.instructions(counted))
    _say(f"Time per packet as a ratio to {BASE}'s, as full (medians)", table.times(timed, BASE))
    _say("Instructions per packet in netfilter's hooks", table.hooks(counted))
    _say("Instructions per packet across links", table.links(counted))
    _say("Aims", table.aims(counted))
    _say("Where the instructions go", [line for case, depth in PROFILED
                                       for line in table.functions(counted, case, depth) + [""]])
    for name, title in THROUGHPUT:
        measured = result.Throughput(directory, name)
        _say(f"{title} (Linux {measured.kernel}, emulated; medians of {measured.rounds})",
             table.throughput(measured))
    _write_csv(os.path.join(directory, "bench.csv"), counted, timed)
    path = os.path.join(directory, "bench.png")
    picture.draw(counted, path)
    print(f"\nPlot: {path}\nNumbers: {os.path.join(directory, 'bench.csv')}")


def smoke(directory):
    """A FIFO without options keeps to its aim however long it is, and so does a cellink that is
    not to do anything to packets."""
    passed = failed = 0
    for aim, found, most in result.Instructions(directory, "smoke").aims():
        good = found <= most
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok' if good else 'not ok'} {aim}: {found:.0f} instructions, at most {most:.0f}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed or not passed)


def main():
    if len(sys.argv) == 3 and sys.argv[2] == "smoke":
        smoke(sys.argv[1])
    elif len(sys.argv) == 2:
        write(sys.argv[1])
    else:
        sys.exit("report.py: expected the directory that lab/bench/run has filled")


if __name__ == "__main__":
    main()
